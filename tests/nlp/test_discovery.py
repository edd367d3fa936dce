"""What many papers say of the terms found in them."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.candidates import FoundSpan
from nlp.discovery import ReadPaper, introduced, is_coined_at, marked_shares, tally
from nlp.generic_words import is_generic
from nlp.lexicon import Lexicon, LexiconTerm, compile_matcher
from nlp.normalize import term_key
from nlp.typeset import typeset

MONDAY, TUESDAY = date(2026, 5, 4), date(2026, 5, 5)


def paper(text: str, *terms: str, day: date = MONDAY, score: float = 0.9) -> ReadPaper:
    """A paper in which the first place of each of these terms was found."""
    reading = typeset(text)
    assert reading.text == text
    places = [(text.index(term), text.index(term) + len(term)) for term in terms]
    found = tuple(FoundSpan(start, end, score, "TERM") for start, end in places)
    return ReadPaper(f"arxiv:{abs(hash((text, day)))}", day, reading, found)


def test_papers_days_and_spellings_are_counted_by_key() -> None:
    papers = [
        paper("Diffusion models and a diffusion model.", "Diffusion models", "diffusion model"),
        paper("We train diffusion models.", "diffusion models", day=TUESDAY, score=0.7),
        paper("A kettle of diffusion models.", "kettle"),
    ]
    counted = tally(papers)
    assert set(counted) == {"diffusion model", "kettle"}
    diffusion = counted["diffusion model"]
    assert (diffusion.papers, diffusion.days, diffusion.coined) == (2, {MONDAY, TUESDAY}, 0)
    assert diffusion.surfaces == Counter({"Diffusion models": 1, "diffusion model": 1, "diffusion models": 1})
    assert diffusion.score == pytest.approx(0.8)


def test_an_unlikely_span_counts_nowhere() -> None:
    one = paper("We train diffusion models.", "diffusion models", score=0.44)
    assert tally([one]) == {}
    term = LexiconTerm("diffusion model", "diffusion-model", "diffusion model")
    matcher = compile_matcher(Lexicon((term,), ""))
    assert marked_shares([one], matcher) == {"diffusion model": (0, 1)}


def test_a_share_is_of_the_places_that_are_not_part_of_something_longer() -> None:
    keys = ("language model", "large language model")
    terms = tuple(LexiconTerm(key, key.replace(" ", "-"), key) for key in keys)
    papers = [
        paper("A large language model is no small language model.", "large language model"),
        paper("A language model.", "language model"),
    ]
    shares = marked_shares(papers, compile_matcher(Lexicon(terms, "")))
    assert shares == {"large language model": (1, 1), "language model": (1, 2)}


def test_a_short_form_is_counted_with_what_each_paper_says_it_means() -> None:
    papers = [
        paper("With dynamic programming (DP) and again dynamic programming (DP)."),
        paper("With differential privacy (DP)."),
        paper("With dynamic programming (DPs)."),
    ]
    assert introduced(papers) == {"DP": Counter({"dynamic programming": 2, "differential privacy": 1})}


@pytest.mark.parametrize(
    ("text", "name", "coined"),
    [
        ("We propose KettleNet, which pours.", "KettleNet", True),
        ("In this paper we introduce a model called KettleNet.", "KettleNet", True),
        ("A benchmark, dubbed KettleBench, is hard.", "KettleBench", True),
        ("We compare with KettleNet.", "KettleNet", False),
        ("We propose a method. It beats KettleNet.", "KettleNet", False),
        ("We propose a diffusion model.", "diffusion model", False),
    ],
)
def test_a_name_that_the_paper_gives_itself_is_coined(text: str, name: str, coined: bool) -> None:
    start = text.index(name)
    assert is_coined_at(text, start, start + len(name)) is coined


@pytest.mark.parametrize("word", ["method", "novel approach", "new efficient methods", "Results"])
def test_generic_words_are_generic_whatever_praises_them(word: str) -> None:
    assert is_generic(term_key(word))


@pytest.mark.parametrize("word", ["loss function", "world model", "diffusion", "LoRA", "deep learning", ""])
def test_what_names_something_is_not_generic(word: str) -> None:
    assert not is_generic(term_key(word))


words = st.sampled_from(["tea", "kettle", "diffusion", "model", "large"])


@given(st.lists(st.tuples(st.lists(words, min_size=1, max_size=8), st.booleans()), max_size=6))
def test_a_paper_counts_once_however_often_it_carries_a_term(rows: list[tuple[list[str], bool]]) -> None:
    papers = []
    for text, is_late in rows:
        reading = typeset(" ".join(text))
        places = [(at.start(), at.end()) for at in re.finditer(r"\w+", reading.text)]
        found = tuple(FoundSpan(start, end, 0.9, "TERM") for start, end in places)
        papers.append(ReadPaper("x", TUESDAY if is_late else MONDAY, reading, found))
    counted = tally(papers)
    for key, each in counted.items():
        carrying = [text for text, _ in rows if key in map(term_key, text)]
        assert each.papers == len(carrying)
        assert 1 <= len(each.days) <= min(2, each.papers)
        assert 0 < each.score <= 1
