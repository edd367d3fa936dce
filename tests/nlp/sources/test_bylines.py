from __future__ import annotations

import pytest

from nlp.sources.bylines import is_byline, split_names, tidy_names


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
        ("", ()),
        (" , and ,", ()),
    ],
)
def test_names_are_taken_apart(line: str, names: tuple[str, ...]) -> None:
    assert split_names(line) == names


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
