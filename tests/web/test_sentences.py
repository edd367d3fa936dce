"""The sentence around a mention."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.records import Mention, ReadingText
from nlp.typeset import typeset
from web.sentences import LONGEST, sentence_around


def sentence(source: str, quote: str) -> str:
    reading = typeset(source)
    start = reading.text.index(quote)
    return sentence_around(reading, [Mention(start, start + len(quote), quote, "t")]).reading.text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("One. We use GANs here. Three.", "We use GANs here."),
        ("GANs first. Two.", "GANs first."),
        ("One. Last GANs", "Last GANs"),
        ("We follow Smith et al. (2024) and use GANs, e.g. in Fig. 2. Three.",
         "We follow Smith et al. (2024) and use GANs, e.g. in Fig. 2."),
        ("It gains 3.5 points vs. GPT-4 with GANs. Three.", "It gains 3.5 points vs. GPT-4 with GANs."),
        ("J. Smith proposed GANs. Two.", "J. Smith proposed GANs."),
        ("Is it GANs? Yes.", "Is it GANs?"),
        ("He said “no.” Then GANs came. Two.", "Then GANs came."),
        ("One.\n\nGANs in a new paragraph. Two.", "GANs in a new paragraph."),
    ],
)  # fmt: skip
def test_sentences(source: str, expected: str) -> None:
    assert sentence(source, "GANs") == expected


def test_formulas_stay_whole() -> None:
    reading = typeset("One. With $a.b$ we use X. Two.")
    start = reading.text.index("X")
    found = sentence_around(reading, [Mention(start, start + 1, "X", "t")])
    assert [run.content for run in found.reading.runs if run.content] == ["a.b"]


def test_other_mentions_in_the_sentence_move_along() -> None:
    reading = typeset("X zero. One X and X too. X three.")
    starts = [at for at, letter in enumerate(reading.text) if letter == "X"]
    mentions = [Mention(at, at + 1, "X", "t") for at in starts[1:]]
    found = sentence_around(reading, mentions)
    assert [found.reading.text[m.start : m.end] for m in found.mentions] == ["X", "X"]


WORDS = st.sampled_from(["word", "e.g.", "X", "End. Begin", "a.b"])


@given(st.lists(WORDS, min_size=1, max_size=300), st.data())
def test_the_mention_is_always_in_it(words: list[str], data: st.DataObject) -> None:
    text = " ".join(["X", *words])
    reading = typeset(text)
    starts = [at for at, letter in enumerate(reading.text) if letter == "X"]
    start = data.draw(st.sampled_from(starts))
    mentions = [Mention(at, at + 1, "X", "t") for at in starts if at >= start]
    found = sentence_around(reading, mentions)
    assert found.mentions
    assert all(found.reading.text[m.start : m.end] == "X" for m in found.mentions)
    assert len(found.reading.text) <= LONGEST
    assert found.reading.text in reading.text
    assert_covered(found.reading)


def assert_covered(reading: ReadingText) -> None:
    at = 0
    for run in reading.runs:
        assert run.start == at < run.end
        at = run.end
    assert at == len(reading.text)
