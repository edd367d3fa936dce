"""Mentions against a slow and plain reference: every pattern at every place, then every rule, in turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlp import vetoes
from nlp.abbreviations import abbreviation_pair, brackets
from nlp.highlight import find_mentions
from nlp.lexicon import Lexicon, compile_matcher, load_lexicon
from nlp.matcher import Matcher
from nlp.normalize import HYPHENS, term_key
from nlp.records import FORMULA, ReadingText, Run, RunKind
from nlp.surfaces import fold, is_short, is_word_character, patterns, straighten
from nlp.typeset import typeset
from tests.bench.abstracts import CORPUS, abstracts
from tests.bench.highlight import seed_abstracts

SEEDS = Path(__file__).parents[2] / "seeds"
CLOSED = {RunKind.MATH, RunKind.DISPLAY, RunKind.LINK, RunKind.CODE, RunKind.CITE}
JOINS = "-\u2010\u2011\u2012\u2013"


class Place(NamedTuple):
    start: int
    end: int
    term: str


def reference(reading: ReadingText, lexicon: Lexicon) -> list[tuple[int, int, str, str]]:
    """What `find_mentions` has to give."""
    text = list(reading.text)
    for run in reading.runs:
        if run.kind in CLOSED:
            text[run.start : run.end] = [ch if ch == FORMULA else "\0" for ch in text[run.start : run.end]]
    open_text = "".join(text)
    places = list(introduced(open_text, sorted(whole_words(open_text, lexicon)), lexicon))
    places = [place for place in places if not is_vetoed(open_text, place)]
    mentions = []
    end = 0
    for place in sorted(places, key=lambda place: (place.start, -place.end)):
        if place.start >= end:
            end = place.end
            mentions.append((place.start, end, reading.text[place.start : end], place.term))
    return mentions


def whole_words(text: str, lexicon: Lexicon) -> Iterator[Place]:
    """Every pattern wherever it stands as a whole word, also with one joint broken ("cross- entropy")."""
    folded = fold(text)
    for term in lexicon.terms:
        for form in term.surfaces:
            for pattern in patterns(form):
                spans = standing(pattern.folded, pattern.exact, text, folded)
                yield from (Place(*span, term.key) for span in spans)


def standing(
    sought: str, exact: tuple[tuple[int, str], ...], text: str, folded: str
) -> Iterator[tuple[int, int]]:
    straight = straighten(text)
    for spelling, at in [(sought, -1), *((f"{sought[:i]} {sought[i:]}", i) for i in blanks(sought))]:
        start = folded.find(spelling)
        while start >= 0:
            end = start + len(spelling)
            words = [(start + place + (0 <= at < place), word) for place, word in exact]
            is_broken = at < 0 or (text[start + at] in HYPHENS and text[start + at + 1] not in HYPHENS)
            is_exact = all(straight.startswith(word, place) for place, word in words)
            if is_broken and is_exact and not (in_word(text, start) or in_word(text, end)):
                yield start, end
            start = folded.find(spelling, start + 1)


def blanks(sought: str) -> list[int]:
    return [place for place, ch in enumerate(sought) if ch == " "]


def in_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and is_word_character(text[at - 1]) and is_word_character(text[at])


def introduced(text: str, places: list[Place], lexicon: Lexicon) -> Iterator[Place]:
    """The places that the text's own introductions of short forms leave, and those that they add."""
    long_forms = {
        term_key(form): term.key for term in lexicon.terms for form in term.surfaces if not is_short(form)
    }
    meanings: dict[str, str] = {}
    settled = set()
    for bracket in brackets(text):
        begin, inside = bracket.start(), bracket.span(1)
        beside = [place for place in places if place.start <= begin + 2 and place.end >= begin - 2]
        before = {place.term for place in beside if place.end == begin - 1}
        if any((place.start, place.end) == inside and place.term in before for place in beside):
            settled.add(one(bracket[1]))
        elif beside and (pair := abbreviation_pair(text, bracket)):
            key, short = term_key(pair.long), one(pair.short)
            if short not in meanings or key in long_forms:
                meanings[short] = key
    meanings = {short: key for short, key in meanings.items() if short not in settled}
    for place in places:
        quote = text[place.start : place.end]
        key = meanings.get(one(quote), "")
        owns = [set(own.split()) for own, term in long_forms.items() if term == place.term]
        alike = any(own <= set(key.split()) or set(key.split()) <= own for own in owns)
        if not key or not is_short(quote) or long_forms.get(key) == place.term or alike:
            yield place
    for short, key in meanings.items():
        if key in long_forms and is_short(short):
            for found in re.finditer(rf"(?<!\w){re.escape(short)}(?:s(?!\w)|(?![\ws]))", text):
                yield Place(*found.span(), long_forms[key])


def one(short: str) -> str:
    return short[:-1] if len(short) > 2 and short.endswith("s") and short[-2].isupper() else short


def is_vetoed(text: str, place: Place) -> bool:
    """Every rule, asked where it has something to say."""
    start, end, _ = place
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    joins = {*JOINS, ".", FORMULA}
    return (
        (after in joins and vetoes.is_joined_after(text, start, end))
        or (before in joins and vetoes.is_joined_before(text, start, end))
        or vetoes.is_broken_before(text, start, end)
        or (text[start].isupper() and vetoes.is_in_product_name(text, start, end))
        or vetoes.is_verb(text, start, end)
        or (text[start:end].lower() in vetoes.OTHER_SENSES and vetoes.is_other_sense(text, start, end))
    )


@cache
def starter() -> tuple[Lexicon, Matcher]:
    lexicon = load_lexicon(SEEDS / "lexicon.toml")
    return lexicon, compile_matcher(lexicon)


@pytest.mark.parametrize("number", range(12))
def test_mentions_of_the_seeds_are_those_of_the_reference(number: int) -> None:
    lexicon, matcher = starter()
    reading = typeset(seed_abstracts()[number * 4])
    assert [tuple(mention) for mention in find_mentions(reading, matcher)] == reference(reading, lexicon)


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus of ../shared/data is not here")
def test_mentions_of_the_corpus_are_those_of_the_reference() -> None:
    lexicon, matcher = starter()
    count = 0
    for _, abstract in abstracts()[::250]:
        reading = typeset(abstract)
        mentions = [tuple(mention) for mention in find_mentions(reading, matcher)]
        assert mentions == reference(reading, lexicon)
        count += len(mentions)
    assert count > 200


SMALL = load_lexicon(
    """
    [[term]]
    label = "entropy"
    [[term]]
    label = "cross-entropy"
    [[term]]
    label = "mixture of experts"
    abbreviations = ["MoE"]
    [[term]]
    label = "LoRA"
    forms = ["low-rank adaptation"]
    [[term]]
    label = "differential privacy"
    bound = ["DP"]
    [[term]]
    label = "reinforcement learning"
    abbreviations = ["RL"]
    [[term]]
    label = "Naïve model"
    [[term]]
    label = "C++"
    [[term]]
    label = "β-VAE"
    [[term]]
    label = "attention"
    [[term]]
    label = "pruning"
    [[term]]
    label = "Mamba"
    [[term]]
    label = "Gemini 3"
    [[term]]
    label = "image"
    """
)
MATCHER = compile_matcher(SMALL)
WORDS = (
    "entropy Entropy cross mixture mixtures of experts Expert MoE MoEs LoRA lora LORA low rank adaptation the"
    " differential privacy DP DPs reinforcement representation learning RL naïve Naïve model models C C++"
    " β-VAE VAE xβ-VAE attention increasing received Pruning pruning Mamba Stable Gemini 3 3.1 İmage image"
)
SIGNS = [
    *["- ", "-", "\u2011", "\u2013", "\u2014 ", "--", ".", ". ", ", ", " (", ") ", "(", ")", "[", "] "],
    *["\ufffc", "’s ", "'", "  ", "\n\n", "\t", "\u00a0", "\u0301", "_", "\x85", "/"],
]
SIGN = st.one_of(st.just(" "), st.sampled_from(SIGNS))
PIECE = st.tuples(st.sampled_from(WORDS.split()), SIGN).map("".join)
PARTS = st.lists(st.tuples(st.sampled_from(RunKind), st.lists(PIECE, max_size=25).map("".join)), max_size=4)


@given(PARTS)
@example([(RunKind.TEXT, "cross- entropy, mixture- of experts, mixture- of- experts, cross\u2014 entropy- ")])
@example([(RunKind.TEXT, "C++11, β-VAEs, xβ-VAE and C++"), (RunKind.CODE, "C++"), (RunKind.TEXT, "C++")])
@example([(RunKind.TEXT, "representation learning (RL) and low-rank adaptation (LRA): RL and LRAs")])
def test_mentions_are_those_of_the_reference(parts: list[tuple[RunKind, str]]) -> None:
    runs: list[Run] = []
    text = ""
    for kind, piece in parts:
        end = len(text) + len(piece)
        runs.append(Run(kind, len(text), end, len(text), end, True))
        text += piece
    reading = ReadingText(text, tuple(runs))
    mentions = find_mentions(reading, MATCHER)
    assert [tuple(mention) for mention in mentions] == reference(reading, SMALL)
    assert all(text[mention.start : mention.end] == mention.quote for mention in mentions)
