"""OpenReview's notes in both versions of its interface, and what becomes of a paper at TMLR."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from nlp.sources.openreview import read_page
from nlp.sources.source import Page
from tests.conftest import SHARED_DATA

SUBMITTED = 1771400000000  # 18 February 2026, 07:33:20 UTC
ACCEPTED = 1771718400000  # 22 February 2026, 00:00 UTC


def note(state: str = "TMLR", **changes: Any) -> dict[str, Any]:
    content = {
        "title": "Kettle Nets Have $\\ell_1$ Spouts",
        "abstract": "We **boil** water’s entropy – fast.\n\nMore.",
        "authors": ["Ana Kettle", "Bob Lid"], "venueid": state,
    } | changes.pop("content", {})  # fmt: skip
    found = {
        "id": "AbCdEfGh12", "forum": "AbCdEfGh12", "invitations": ["TMLR/-/Submission"], "cdate": SUBMITTED,
        "pdate": ACCEPTED if state == "TMLR" else None,
        "content": {key: {"value": value} for key, value in content.items() if value is not None},
    } | changes  # fmt: skip
    return found


def read(*notes: Any) -> tuple[RawPaper | Refusal, ...]:
    return read_page(json.dumps({"notes": notes, "count": 40}, indent=1).encode(), Page("notes.json")).papers


def paper(found: dict[str, Any]) -> RawPaper:
    (only,) = read(found)
    assert isinstance(only, RawPaper), only
    return only


def test_an_accepted_paper() -> None:
    found = paper(note())
    assert (found.identifier, found.section) == ("openreview:AbCdEfGh12", Section.ACCEPTED)
    assert found.abstract == "We **boil** water’s entropy – fast.\n\nMore."
    assert found.authors == ("Ana Kettle", "Bob Lid")
    assert found.day == date(2026, 2, 22)
    assert found.submitted_at == datetime(2026, 2, 18, 7, 33, 20, tzinfo=UTC)
    assert found.url == "https://openreview.net/forum?id=AbCdEfGh12"


def test_version_1_has_plain_values() -> None:
    newer = note()
    older = newer | {"content": {key: value["value"] for key, value in newer["content"].items()}}
    assert paper(older) == paper(newer)


@pytest.mark.parametrize(
    ("state", "is_withdrawn"),
    [
        ("Submitted", False), ("Assigning_AE", False), ("Assigned_AE", False), ("Under_Review", False),
        ("Decision_Pending", False), ("Rejected", False), ("Desk_Rejected", True),
        ("Withdrawn_Submission", True), ("Retracted_Acceptance", True),
    ],
)  # fmt: skip
def test_the_states_of_a_submission(state: str, is_withdrawn: bool) -> None:
    found = paper(note(f"TMLR/{state}"))
    assert (found.section, found.is_withdrawn) == (Section.SUBMITTED, is_withdrawn)
    assert found.day is None  # when it became public is not said; it was made before that
    assert paper(note(f"TMLR/{state}", odate=ACCEPTED)).day == date(2026, 2, 22)


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        (None, ()),
        (["Ana Kettle"], ("Ana Kettle",)),
        ([{"fullname": "Ana Kettle", "username": "~Ana_Kettle1"}], ("Ana Kettle",)),
        ("Ana Kettle, Bob Lid", ("Ana Kettle", "Bob Lid")),
        (["Anonymous"], ()),
    ],
)
def test_authors(authors: Any, names: tuple[str, ...]) -> None:
    assert paper(note("TMLR/Under_Review", content={"authors": authors})).authors == names


def test_an_accepted_paper_without_a_date_of_publication_has_no_day() -> None:
    assert paper(note(pdate=None)).day is None


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (note(id="Reply12345"), "'Reply12345' is a reply in the forum AbCdEfGh12, not a paper"),
        (note("ICLR.cc/2026"), "venueid: 'ICLR.cc' is not TMLR"),
        (note(content={"abstract": " "}), "no abstract"),
        (note(id="a b", forum="a b"), "forum: 'a b' is no identifier"),
        (note(content={"abstract": None}), "abstract: text is wanted, not null"),
        (note(content={"title": ["x"]}), "title: text is wanted, not a list"),
        (note(cdate="today"), "cdate: 'today' is no time in milliseconds"),
        (note(cdate=10**15), "no time in milliseconds"),
        (note(cdate=-1), "no time in milliseconds"),
        (note(cdate=10**30), "cdate:"),
        ({"id": "x"}, "an object with a content is wanted"),
        ([], "an object with a content is wanted"),
    ],
)
def test_what_is_wrong_with_a_note(found: Any, reason: str) -> None:
    good, refusal = read(note(), found)
    assert isinstance(good, RawPaper)
    assert isinstance(refusal, Refusal)
    assert refusal.reason.startswith("note 2: ")
    assert reason in refusal.reason


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_note_a_line(end: str) -> None:
    """As a dump has them; a broken line costs one note."""
    lines = [json.dumps(note(id=f"Forum{n}", forum=f"Forum{n}")) for n in range(3)]
    lines[1:1] = ["", lines[1][:-9] + "}"]
    found = list(read_source(end.join(lines).encode(), "notes.jsonl"))
    assert [(type(each), each.line) for each in found] == [
        (RawPaper, 1), (Refusal, 3), (RawPaper, 4), (RawPaper, 5),
    ]  # fmt: skip
    [alone] = read_source(json.dumps(note()).encode(), "note.json")
    assert isinstance(alone, RawPaper)


def test_a_list_and_a_document_on_one_line_hold_the_same_notes() -> None:
    notes = [note(), note(id="ZyXwVuTs98", forum="ZyXwVuTs98")]
    forms = (notes, {"notes": notes, "count": 2}, {"count": 2, "notes": notes})
    pages = [read_page(json.dumps(form).encode(), Page("notes.json")) for form in forms]
    assert [page.papers for page in pages] == [pages[0].papers] * 3
    assert [page.count for page in pages] == [None, 2, 2]


def test_lines_and_counts() -> None:
    first, second = read(note(), note(id="ZyXwVuTs98", forum="ZyXwVuTs98"))
    assert 1 < first.line < second.line
    data = json.dumps({"notes": [], "count": 40}).encode()
    assert read_page(data, Page("x")).count == 40
    assert read_page(b"[]", Page("x")).count is None


@pytest.mark.parametrize("data", [b"", b"{}", b'{"notes": {}}', b"3", b"{", b'{"notes": [' + b"[" * 100_000])
def test_what_is_no_document_of_notes(data: bytes) -> None:
    with pytest.raises(UnknownSource):
        read_page(data, Page("notes.json"))


def test_notes_belong_on_the_board_of_tmlr() -> None:
    with pytest.raises(UnknownSource, match='notes belong on the board "tmlr", not on "cs'):
        read_page(b"[]", Page("notes.json", "cs.LG"))


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="shared/data is not here")
def test_the_sample() -> None:
    found = list(read_source((SHARED_DATA / "fixtures" / "openreview_v2.json").read_bytes(), "notes.json"))
    sections = [each.section for each in found if isinstance(each, RawPaper)]
    assert sections == [Section.ACCEPTED, Section.SUBMITTED]


@given(st.integers(0, 400))
def test_a_document_cut_anywhere_is_none(at: int) -> None:
    data = json.dumps({"notes": [note()]}).encode()
    with pytest.raises(UnknownSource):
        read_page(data[: min(at, len(data) - 1)], Page("notes.json"))
