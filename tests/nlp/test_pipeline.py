"""The Language that holds the highlighter."""

from __future__ import annotations

from nlp.components import reading_of
from nlp.highlight import find_mentions
from nlp.lexicon import compile_matcher, load_lexicon
from nlp.pipeline import build_language

LEXICON = "[[term]]\nlabel = 'large language model'\nabbreviations = ['LLM']"


def test_it_finds_what_the_highlighter_finds_in_many_texts() -> None:
    lexicon = load_lexicon(LEXICON)
    texts = ["İ \ufffc LLMs", "", "A large language model (LLM).", "none"]
    matcher = compile_matcher(lexicon)
    found = [doc._.mentions for doc in build_language(lexicon).pipe(texts)]
    assert found == [find_mentions(reading_of(text), matcher) for text in texts]


def test_two_languages_keep_their_own_terms() -> None:
    one = build_language(load_lexicon(LEXICON))
    other = build_language(load_lexicon("[[term]]\nlabel = 'graph'"))
    assert [len(language("LLM")._.mentions) for language in (one, other)] == [1, 0]
