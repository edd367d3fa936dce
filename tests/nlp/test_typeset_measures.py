"""The measures of typesetting see what they are there to see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nlp.typeset import typeset
from tests.bench.typeset_pages import formulas, visible_tex
from tests.bench.typeset_words import Difference, compare, look_up, prose_in_formulas

SOURCE = r"R\'enyi's \textbf{d}ivergence of $x^2$ at 50\% \cite{a} costs $5, k in {0, 1}."


def test_a_faithful_text_differs_in_nothing() -> None:
    reading = typeset(SOURCE)
    assert compare("1", SOURCE, reading) is None
    assert prose_in_formulas(reading) == []
    assert look_up([("1", SOURCE)], [reading], 200, 1).share == 1


def test_words_that_are_lost_or_added_are_named() -> None:
    assert compare("1", "one two % three", typeset("one two")) == Difference("1", ("three",), ())
    assert compare("1", "one two", typeset("one two three")) == Difference("1", (), ("three",))
    assert compare("1", r"\foo{one}", typeset("foo one")) is None  # a macro may be shown by its name


def test_a_map_that_is_one_off_is_seen() -> None:
    reading = typeset("one two three")
    [run] = reading.runs
    shifted = replace(reading, runs=(run._replace(source_start=1, source_end=14),))
    assert look_up([("1", "one two three.")], [shifted], 100, 1).share == 0


def test_prose_between_two_dollars_is_seen() -> None:
    reading = typeset(r"\(a + b where each of the two is some number of cups\)")
    assert len(prose_in_formulas(reading)) == sum(run.kind == "math" for run in reading.runs) == 1


@pytest.mark.parametrize("left", [r"a \foo here", "a $ here", "a } here", "{ here"])
def test_tex_in_a_page_is_seen(left: str) -> None:
    reading = typeset("x" * len(left))
    seen = visible_tex("1", replace(reading, text=left))
    assert seen is not None
    assert len(seen.raw) == 1


def test_money_and_sets_are_told_apart() -> None:
    seen = visible_tex("1", typeset(SOURCE))
    assert seen is not None
    assert (len(seen.raw), len(seen.meant)) == (0, 3)


def test_formulas_are_counted_and_found_in_their_page() -> None:
    got = formulas([typeset(r"$x$ and $x$ and $\frac{1}{$")])
    assert (got.distinct, got.failed, got.shown_as_source) == (2, (r"\frac{1}{",), 1)
