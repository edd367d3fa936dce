"""Authors of arXiv's sources: affiliations, collaborations, suffixes, TeX, and marks beside names."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.sources.arxiv_names import arxiv_names
from tests.conftest import SHARED_DATA


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ana K\\'ettle (1), Bob Lid Jr (2) ((1) Pot Lab, (2) Dept. of Tea)", ("Ana Kéttle", "Bob Lid Jr")),
        ("Ana Kettle (Pot Lab, Dept. of Tea), Bob Lid Jr", ("Ana Kettle", "Bob Lid Jr")),
        ("Ana Kettle [Pot Lab, Tea], Bob Lid", ("Ana Kettle", "Bob Lid")),
        ("Ana Kettle (Pot Lab (Tea, Cup), Spout), Bob Lid", ("Ana Kettle", "Bob Lid")),
        ("Ana Kettle(1,2)and Bob Lid(1 and 3)", ("Ana Kettle", "Bob Lid")),
        ("Ana Kettle (1) Bob Lid (2)", ("Ana Kettle", "Bob Lid")),
        ("Ana Kettle (Pot Lab, Bob Lid", ("Ana Kettle (Pot Lab", "Bob Lid")),  # nothing is lost behind it
        ("Robert (Bob) Lid", ("Robert Lid",)),
        ("(1)", ()),
    ],
)
def test_affiliations_are_left_out(line: str, names: tuple[str, ...]) -> None:
    assert arxiv_names(line) == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Spout Collaboration: A. Kettle, B. Lid", ("Spout Collaboration", "A. Kettle", "B. Lid")),
        ("The Spout Team, A. Kettle, et al", ("The Spout Team", "A. Kettle")),
        ("Ana Kettle, for the Spout Collaboration", ("Ana Kettle", "the Spout Collaboration")),
        ("Ana Kettle on behalf of the Spout Group", ("Ana Kettle", "the Spout Group")),
        (":", ()),  # 54 authors of 687,658 are this
    ],
)
def test_a_collaboration_is_a_name_among_the_others(line: str, names: tuple[str, ...]) -> None:
    assert arxiv_names(line) == names


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Zo{\\\"e} Pot~Lid", "Zoë Pot Lid"),
        ("{\\L}. Dvo\\v{r}\\'ak", "Ł. Dvořák"),
        ("{\\DJ}\\`ao V\\u{a}n Lid", "Đào Văn Lid"),
        ("Nu\\~nos Kettle", "Nuños Kettle"),
        ("Ana Kettle$^{1,2}$", "Ana Kettle"),
        ("Ana Kettle\\dag", "Ana Kettle"),
        ("Ana Kettle*", "Ana Kettle"),
        ("Ana Kettle\\thanks{of the Pot Lab}", "Ana Kettle"),
        ("Author: Ana Kettle,", "Ana Kettle"),
        ("O'Lid-Kettle", "O'Lid-Kettle"),
    ],
)
def test_tex_and_footnote_marks(line: str, name: str) -> None:
    assert arxiv_names(line) == (name,)


_WORD = st.sampled_from(["Ana", "Bob", "Kettle", "Lid", "O'Lid", "van der Pot", "Zoë", "K.", "Jr", "Anders"])
_NAME = st.lists(_WORD, min_size=2, max_size=3).map(" ".join).filter(lambda name: not name.startswith("Jr"))


@given(
    st.lists(st.tuples(_NAME, st.booleans()), min_size=1, max_size=6), st.sampled_from([", ", " and ", ","])
)
def test_names_with_affiliations_are_found_again(authors: list[tuple[str, bool]], between: str) -> None:
    line = between.join(name + " (Pot (Tea, Cup), and Lab)" * affiliated for name, affiliated in authors)
    assert arxiv_names(line) == tuple(name for name, _ in authors)


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="shared/data is not here")
def test_real_lists_of_authors_as_one_line() -> None:
    with gzip.open(SHARED_DATA / "corpus" / "cs_lg_2026_jan_may.jsonl.gz", "rt", encoding="utf-8") as lines:
        lists = [json.loads(line)["authors"] for line in lines]
    wrong = [names for names in lists if arxiv_names(", ".join(names)) != tuple(names)]
    assert len(lists) == 9953
    assert all(":" in names or "and Weicheng Fu" in names for names in wrong)  # what is no name, and "and"
    assert len(wrong) == 7
