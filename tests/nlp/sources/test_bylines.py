from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.sources.bylines import bracketed, is_byline, split_names, tidy_names, without_brackets
from nlp.sources.characters import squeeze


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ana Kettle", ("Ana Kettle",)),
        ("Ana Kettle and Bob Lid", ("Ana Kettle", "Bob Lid")),
        ("Ana Kettle, Bob Lid, and  Cy Pot", ("Ana Kettle", "Bob Lid", "Cy Pot")),
        ("A. Kettle, B. Lid et al. (+3 more)", ("A. Kettle", "B. Lid")),
        ("Ana Kettle (Pot, Tea and Co), Bob Lid, Jr", ("Ana Kettle (Pot, Tea and Co)", "Bob Lid, Jr")),
        ("Spout Collaboration: A. Kettle, B. Lid", ("Spout Collaboration", "A. Kettle", "B. Lid")),
        ("Ana) Kettle, Bob Lid", ("Ana) Kettle", "Bob Lid")),
        ("A. Kettle,B. Lid & Cy Pot", ("A. Kettle", "B. Lid", "Cy Pot")),
        ("Ana Kettle [Pot, Tea], Bob Lid (1) Cy Pot", ("Ana Kettle [Pot, Tea]", "Bob Lid (1)", "Cy Pot")),
        ("Ana Kettle (Pot, Bob Lid", ("Ana Kettle (Pot", "Bob Lid")),
        ("Ana Kettle, et al.", ("Ana Kettle",)),
        ("Ana Kettle et al", ("Ana Kettle",)),
        ("", ()),
        (" , and ,", ()),
    ],
)
def test_names_are_taken_apart(line: str, names: tuple[str, ...]) -> None:
    assert split_names(line) == names


@pytest.mark.parametrize("suffix", ["Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV"])
def test_a_suffix_after_a_comma_stays_with_its_name(suffix: str) -> None:
    name = f"Bob Lid, {suffix}"
    assert split_names(f"Ana Kettle, {name}, Cy Pot") == ("Ana Kettle", name, "Cy Pot")
    assert split_names(f"{name} and Ana Kettle") == (name, "Ana Kettle")
    assert split_names(f"Ana Kettle, {name}") == ("Ana Kettle", name)


def test_a_name_that_begins_like_a_suffix_is_a_name() -> None:
    assert split_names("Ana Kettle, Jr-Shin Lid, III Pot") == ("Ana Kettle", "Jr-Shin Lid", "III Pot")


@pytest.mark.parametrize(
    ("text", "stretches", "rest"),
    [
        ("a (b) [c]", [(2, 5), (6, 9)], "a"),
        ("((a) b)", [(0, 7)], ""),
        ("(a [b) c] d", [(0, 9)], "d"),  # crossing
        ("a) (b", [], "a) (b"),
        ("(a (b)", [(3, 6)], "(a"),
    ],
)
def test_stretches_in_brackets(text: str, stretches: list[tuple[int, int]], rest: str) -> None:
    assert bracketed(text) == stretches
    assert without_brackets(text) == rest


@given(st.text("ab()[] ", max_size=40))
def test_brackets_are_taken_out_once_and_for_all(text: str) -> None:
    rest = without_brackets(text)
    assert bracketed(rest) == []
    assert bool(bracketed(text)) == (squeeze(text) != rest)


def test_strays_of_real_lists_are_tidied() -> None:
    names = ["Spout Team", ":", "Ana  Kettle,", "and Bob Lid", "Cy Pot and", ""]
    assert tidy_names(names) == ("Spout Team", "Ana Kettle", "Bob Lid", "Cy Pot")


@pytest.mark.parametrize(
    "line", ["Ana Kettle", "M. van der Pot and Zoë O'Lid", "U. Šálek, M. Pot et al. (+1 more)", "A. B. Lid"]
)
def test_a_line_of_names(line: str) -> None:
    assert is_byline(line)


@pytest.mark.parametrize(
    "line",
    ["", "Large", "Many inference-time", "t-gems: exits", "GRPO-style RLVR trains", "A 2 B", "A Lid, " * 99],
)
def test_a_line_of_something_else(line: str) -> None:
    assert not is_byline(line)
