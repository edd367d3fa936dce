"""The highlighter in a Doc: exact mentions, spans of whole tokens."""

from __future__ import annotations

import pytest
import spacy

from nlp.components import HIGHLIGHTER, Highlighter, reading_of
from nlp.lexicon import Lexicon, load_lexicon
from nlp.pipeline import build_language
from nlp.records import ReadingText, Run, RunKind


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon("[[term]]\nlabel = 'federated learning'\n[[term]]\nlabel = 'GRPO'")


def test_spans_are_whole_tokens_and_mentions_exact(lexicon: Lexicon) -> None:
    doc = build_language(lexicon)("We use GRPO-style federated learning.")
    spans = [(span.text, span.label_) for span in doc.spans["terms"]]
    assert spans[-1] == ("federated learning", "federated learning")
    assert "GRPO" in spans[0][0]
    assert [mention.quote for mention in doc._.mentions] == ["GRPO", "federated learning"]


def test_a_known_reading_text_closes_its_links(lexicon: Lexicon) -> None:
    language = build_language(lexicon)
    doc = language.make_doc("GRPO GRPO")
    doc._.reading = ReadingText(
        doc.text, (Run(RunKind.LINK, 0, 5, 0, 5, True, "x"), Run(RunKind.TEXT, 5, 9, 5, 9, True))
    )
    assert [mention.start for mention in language(doc)._.mentions] == [5]


def test_the_reading_text_of_another_doc_is_refused(lexicon: Lexicon) -> None:
    language = build_language(lexicon)
    doc = language.make_doc("GRPO")
    doc._.reading = reading_of("other")
    with pytest.raises(ValueError, match="another Doc"):
        language(doc)


def test_a_highlighter_without_a_matcher_says_so() -> None:
    language = spacy.blank("en")
    assert isinstance(language.add_pipe(HIGHLIGHTER), Highlighter)
    with pytest.raises(ValueError, match="no matcher yet"):
        language("text")


def test_formulas_of_plain_text_are_runs() -> None:
    kinds = [(run.kind, run.start, run.end) for run in reading_of("a \ufffc\ufffc b").runs]
    assert kinds == [("text", 0, 2), ("math", 2, 3), ("math", 3, 4), ("text", 4, 6)]
    assert reading_of("").runs == ()
