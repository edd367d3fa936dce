from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source

HEAD = "Peer Revenue Fully funded\n\ncs.LG Watch Machine Learning (sign in to use)\n\nSaturday 16 May\n\n"
DAY = date(2026, 5, 16)
END = "Read the full abstract ▾\n"
PAPERS = ("Ana Kettle", "Ana Kettle and Bob Lid", "Ana Kettle, Bob Lid and Cy Pot")


def compact(title: str, authors: str, abstract: str = "Water\nboils.", category: str = "") -> str:
    return f"Machine Learning{category}\n{title}\n{authors}\n{abstract}\n{END}"


def read(text: str, board: str | None = "cs.LG", day: date | None = DAY) -> list[RawPaper | Refusal]:
    return list(read_source(text.encode(), "p.txt", source="listing", board=board, day=day))


def papers(text: str, board: str | None = "cs.LG", day: date | None = DAY) -> list[RawPaper]:
    found = [each for each in read(text, board, day) if isinstance(each, RawPaper)]
    assert len(found) == len(read(text, board, day))
    return found


def test_a_title_like_names_and_a_name_like_nothing_are_told_apart_by_the_page() -> None:
    text = "".join(
        compact(title, authors)
        for title, authors in (
            ("Informative Graph Structure Learning", "Ana Kettle and Bob Lid"),
            ("Prediction-Intervention Games and Invariant Sets", "Ana Kettle"),
            ("On tea", "Shashank"),
            ("On cups", "A. Kettle, B. van der Lid et al. (+2 more)"),
        )
    )
    text += "Machine Learning\nZoe Lid and Bo Pot\nGRPO-style RLVR trains\nreasoning models.\n" + END
    found = papers(text)
    assert [(paper.title, paper.authors) for paper in found] == [
        ("Informative Graph Structure Learning", ("Ana Kettle", "Bob Lid")),
        ("Prediction-Intervention Games and Invariant Sets", ("Ana Kettle",)),
        ("On tea", ("Shashank",)),
        ("On cups", ("A. Kettle", "B. van der Lid")),
        ("", ("Zoe Lid", "Bo Pot")),
    ]
    assert {paper.abstract for paper in found[:4]} == {"Water boils."}
    assert found[4].abstract == "GRPO-style RLVR trains reasoning models."


def test_a_title_like_names_stays_a_title_where_the_page_names_no_authors() -> None:
    text = "".join(
        f"Machine Learning\n\n{title}\n\nWater boils.\nRead the full abstract\n\n"
        for title in ("Informative Graph Structure Learning", "On tea", "On cups")
    )
    found = papers(HEAD + text)
    assert [paper.title for paper in found] == ["Informative Graph Structure Learning", "On tea", "On cups"]
    assert {paper.authors for paper in found} == {()}


def test_the_full_list_of_authors_wins_and_shows_a_missing_title() -> None:
    text = compact("On tea", "A. Kettle et al. (+3 more)") + "All authors A. Kettle, Bob, Cy, Di Pot\n"
    text += "Machine Learning\nAadam, Bob et al. (+2 more)\nGraph Neural\nNetworks boil.\n" + END
    text += "All authors Aadam, Bob, Cy Pot, Di Pot\n"
    first, second = papers(text)
    assert (first.title, first.authors) == ("On tea", ("A. Kettle", "Bob", "Cy", "Di Pot"))
    assert (second.title, second.authors) == ("", ("Aadam", "Bob", "Cy Pot", "Di Pot"))
    assert second.abstract == "Graph Neural Networks boil."


def test_the_boards_name_may_be_a_line_of_an_abstract() -> None:
    text = compact("On tea", "Ana Kettle", "We use\nMachine Learning\nbenchmarks for tea.\nIt boils.")
    [paper] = papers(text)
    assert paper.abstract == "We use Machine Learning benchmarks for tea. It boils."


def test_cross_listed_papers_carry_both_categories() -> None:
    first = compact("On tea", "Ana Kettle", category=" · Cross-listed from physics.ao-ph")
    crossed, own = papers(HEAD + first + compact("On cups", "Bob Lid"), board=None)
    assert (crossed.categories, crossed.section) == (("physics.ao-ph", "cs.LG"), Section.CROSS)
    assert (own.categories, own.section) == (("cs.LG",), Section.NEW)


def test_each_broken_record_is_refused_with_its_line_and_the_others_are_taken() -> None:
    unfinished = "Machine Learning\nOn cups\nBob Lid\nCut off in the\n"
    bare = f"Machine Learning\nOn pots\nBob Lid\n{END}"
    nameless = f"On lids\nBob Lid\nIt fits.\n{END}"
    odd = compact("On tea", "Ana Kettle", category=" · Cross-listed from all over")
    null = compact("On \x00 tea", "Ana Kettle")
    good = compact("On tea", "Ana Kettle")
    found = read(good + unfinished + good + bare + nameless + odd + null + good + unfinished)
    assert [each.line for each in found] == [1, 7, 11, 17, 21, 25, 31, 37, 43]
    assert [each.reason for each in found if isinstance(each, Refusal)] == [
        "no line “Read the full abstract” ends this record",
        "no abstract, or nothing but an abstract",
        "no line “Machine Learning” begins this record",
        "not a category: 'all over'",
        "the control character U+0000 at line 32",
        "no line “Read the full abstract” ends this record",
    ]


@pytest.mark.parametrize(
    ("head", "board", "day", "words"),
    [
        ("", None, DAY, "--board"),
        ("", "cs.LG", None, "--day"),
        (HEAD, None, None, "“Saturday 16 May” of an unknown year; give --day"),
        (HEAD, "cs.CV", DAY, "of the board cs.LG, but the board given is cs.CV"),
        (HEAD, "cs.LG", date(2026, 5, 17), "“Saturday 16 May”, but the day given is 2026-05-17"),
        (HEAD, "cs.LG", date(2025, 5, 16), "“Saturday 16 May”, but 2025-05-16 is a Friday"),
        (HEAD, "cs.LG", date(2026, 5, 9), "“Saturday 16 May”, but the day given is 2026-05-09"),
        (HEAD.replace("May", "May 2025"), None, None, "“Saturday 16 May 2025”, but 2025-05-16 is a Friday"),
        (HEAD.replace("16", "32"), None, DAY, "“Saturday 32 May”, and there is no such day in 2026"),
    ],
)
def test_a_page_that_cannot_be_placed(head: str, board: str | None, day: date | None, words: str) -> None:
    with pytest.raises(UnknownSource, match=words):
        read(head + compact("On tea", "Ana Kettle"), board, day)


def test_a_page_of_nothing() -> None:
    with pytest.raises(UnknownSource, match="without a board's name or a paper"):
        read(END)
    assert read(HEAD) == []


def test_a_head_with_a_year_needs_nothing_from_the_sender() -> None:
    [paper] = papers(HEAD.replace("May", "May 2026") + compact("On tea", "Ana Kettle"), None, None)
    assert (paper.categories, paper.day) == (("cs.LG",), DAY)


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("a cross-", "entropy", "a cross-entropy"),
        ("a – ", "entropy", "a – entropy"),
        ("a --", "entropy", "a -- entropy"),
        ("a--", "entropy", "a--entropy"),
        ("and/", "or", "and/or"),
        ("models (", "transformers", "models (transformers"),
        ("the “", "diffusion", "the “diffusion"),
        ('the "', "diffusion", 'the "diffusion'),
        ('the "old"', "diffusion", 'the "old" diffusion'),
        ("one", "; two", "one; two"),
        ("one", "$x$", "one $x$"),
    ],
)
def test_what_stands_at_a_break(before: str, after: str, joined: str) -> None:
    [paper] = papers(compact("On tea", "Ana Kettle", f"{before}\n{after}"))
    assert paper.abstract == joined


# A title and an abstract that no one could take for names; the abstract broken after every `width` words.
prose = st.lists(st.sampled_from(["boil", "α-tea", "$x<1$", "A", "Machine", "7%."]), min_size=3, max_size=12)
people = st.lists(st.sampled_from(["Ana Kettle", "Bob van Lid", "C. O'Pot"]), min_size=1, max_size=7)
Written = tuple[list[str], list[str], list[str], str, int]
records = st.tuples(
    prose.map(lambda words: ["On", "a", *words]),
    people,
    prose.map(lambda words: ["We", "boil", *words]),
    st.sampled_from(["", "cs.CV", "astro-ph.IM"]),
    st.integers(2, 5),
)


@settings(deadline=None)
@given(st.lists(records, min_size=1, max_size=6), st.booleans())
def test_what_is_written_is_read(written: list[Written], is_compact: bool) -> None:
    text = "" if is_compact else HEAD
    for title, authors, abstract, other, width in written:
        shown = _byline(authors) if is_compact else ""
        rows = [" ".join(abstract[at : at + width]) for at in range(0, len(abstract), width)]
        body = "\n".join(rows) if is_compact else " ".join(abstract)
        category = "Machine Learning" + (f" · Cross-listed from {other}" if other else "")
        parts = [part for part in (category, " ".join(title), shown, body + "\n" + END.strip()) if part]
        if len(authors) > 3 or not is_compact:
            parts.append("All authors " + ", ".join(authors))
        text += ("\n" if is_compact else "\n\n").join(parts) + ("\n" if is_compact else "\n\n")
    found = papers(text)
    assert [(p.title, list(p.authors), p.abstract, p.section) for p in found] == [
        (" ".join(t), a, " ".join(b), Section.CROSS if o else Section.NEW) for t, a, b, o, _ in written
    ]
    lines = text.split("\n")
    assert all(lines[paper.line - 1].startswith("Machine Learning") for paper in found)


def _byline(authors: list[str]) -> str:
    if len(authors) > 3:
        return f"{', '.join(authors[:3])} et al. (+{len(authors) - 3} more)"
    return " and ".join(filter(None, (", ".join(authors[:-1]), authors[-1])))
