from __future__ import annotations

import json
from datetime import date
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source

GOOD: dict[str, Any] = {
    "id": "2605.01234",
    "date": "2026-05-16",
    "title": "On tea",
    "authors": ["Ana Kettle", "Bob Lid"],
    "abstract": "Water boils.",
    "categories": ["cs.LG", "stat.ML"],
}


def read(text: str, board: str | None = None, day: date | None = None) -> list[RawPaper | Refusal]:
    return list(read_source(text.encode(), "p.jsonl", source="json-lines", board=board, day=day))


def read_one(board: str | None = None, day: date | None = None, **changes: Any) -> RawPaper:
    [paper] = read(json.dumps(GOOD | changes), board, day)
    assert isinstance(paper, RawPaper), str(paper)
    return paper


def test_a_record_as_it_should_be() -> None:
    assert read_one(comment="5 pages", other={"x": [None, 1.5]}) == RawPaper(
        identifier="arxiv:2605.01234",
        title="On tea",
        abstract="Water boils.",
        authors=("Ana Kettle", "Bob Lid"),
        categories=("cs.LG", "stat.ML"),
        day=date(2026, 5, 16),
        section=Section.NEW,
        url=None,
        source="json-lines",
        line=1,
    )


@pytest.mark.parametrize(
    ("given_id", "identifier"),
    [
        ("2605.01234v2", "arxiv:2605.01234"),
        ("arXiv:2605.01234v12", "arxiv:2605.01234"),
        ("0704.0010", "arxiv:0704.0010"),
        ("https://arxiv.org/abs/2605.01234v1", "arxiv:2605.01234"),
        ("hep-ex/0307015v1", "arxiv:hep-ex/0307015"),
        ("math.GT/0309136", "arxiv:math/0309136"),
        ("openreview:Eukf4TBHS7", "openreview:Eukf4TBHS7"),
        ("DOI:10.1/x:y", "doi:10.1/x:y"),
        (" my  paper 7 ", "local:my paper 7"),
        ("Note: seven", "local:Note: seven"),
        ("7", "local:7"),
    ],
)
def test_identifiers(given_id: str, identifier: str) -> None:
    assert read_one(id=given_id).identifier == identifier


def test_the_other_forms_of_the_fields() -> None:
    paper = read_one(
        authors="Ana Kettle and Bob Lid",
        categories="cs.CV  cs.LG cs.CV",
        title="Tea\n  for two",
        abstract=" a\r\n  b\n",
    )
    assert paper.authors == ("Ana Kettle", "Bob Lid")
    assert paper.categories == ("cs.CV", "cs.LG")
    assert (paper.title, paper.abstract) == ("Tea for two", "a\n  b")
    assert read_one(authors=None).authors == ()
    assert read_one(title="").title == ""


def test_board_and_day_stand_in_for_what_is_missing() -> None:
    paper = read_one("cs.LG", date(2026, 5, 17), date=None, categories=None)
    assert (paper.categories, paper.day, paper.section) == (("cs.LG",), date(2026, 5, 17), Section.NEW)
    crossed = read_one("stat.ML")
    assert (crossed.categories, crossed.section) == (("cs.LG", "stat.ML"), Section.CROSS)
    assert read_one("cs.CV").categories == ("cs.LG", "stat.ML", "cs.CV")
    [refusal] = read(json.dumps(GOOD), day=date(2026, 5, 17))
    assert str(refusal) == "p.jsonl:1: date: the record is of 2026-05-16, but the day given is 2026-05-17"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"abstract": None}, "abstract: text is wanted, not null"),
        ({"abstract": " \n"}, "no abstract"),
        ({"abstract": ["a"]}, "abstract: text is wanted, not a list"),
        ({"abstract": "a\ud800b"}, "abstract: half of a surrogate pair (U+D800)"),
        ({"abstract": "a\udce9b"}, "abstract: bytes that are not UTF-8"),
        ({"title": "a\x00b"}, "title: the control character U+0000"),
        ({"title": 7}, "title: text is wanted, not a number"),
        ({"id": 2605.01234}, "id: text is wanted, not a number"),
        ({"id": " "}, "no id"),
        ({"id": "x" * 300}, "id: longer than 200 characters"),
        ({"date": "16 May 2026"}, "date: a day such as 2026-05-16 is wanted, not '16 May 2026'"),
        ({"date": "2026-02-30"}, "date: a day such as 2026-05-16 is wanted, not '2026-02-30'"),
        ({"date": "20260516"}, "date: a day such as 2026-05-16 is wanted, not '20260516'"),
        ({"date": True}, "date: text is wanted, not true or false"),
        ({"authors": ["Ana", 3]}, "authors: text is wanted, not a number"),
        ({"authors": {"name": "Ana"}}, "authors: text is wanted, not an object"),
        ({"authors": ["\x1b[31mAna"]}, "authors: the control character U+001B"),
        ({"categories": []}, "no categories; give the board with --board"),
        ({"categories": ["cs LG"]}, "categories: each is one word, such as cs.LG"),
    ],
)
def test_a_field_that_cannot_be_taken(changes: dict[str, Any], reason: str) -> None:
    assert read(json.dumps(GOOD | changes)) == [Refusal("p.jsonl", 1, reason)]


@pytest.mark.parametrize("key", ["id", "date", "title", "abstract", "categories"])
def test_a_field_that_is_missing(key: str) -> None:
    [refusal] = read(json.dumps({k: v for k, v in GOOD.items() if k != key}))
    assert str(refusal) == f"p.jsonl:1: no {key}"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "1", ', "not JSON: Expecting property name enclosed in double quotes at column 13"),
        ('{"id": "1"} {}', "not JSON: Extra data at column 13"),
        ('{"id": "1", "id": "2"}', "the key 'id' stands twice"),
        ('{"id": NaN}', "not JSON: NaN"),
        ('["id"]', "not a JSON object"),
        ("7", "not a JSON object"),
        ('{"id": "a\tb"}', "not JSON: Invalid control character at at column 10"),
        ('{"id": ' + "[" * 9999, "not JSON that can be read: nested too deeply, or a number too long"),
        ('{"id": ' + "9" * 9999 + "}", "not JSON that can be read: nested too deeply, or a number too long"),
        ('{"id": "caf\udce9"}', "bytes that are not UTF-8 at line 3"),
    ],
)
def test_a_line_that_cannot_be_read_costs_only_itself(line: str, reason: str) -> None:
    good = json.dumps(GOOD)
    data = f"{good}\n\n{line}\r\n{good}".encode(errors="surrogateescape")
    found = list(read_source(data, "p.jsonl"))
    assert [each.line for each in found] == [1, 3, 4]
    assert found[1] == Refusal("p.jsonl", 3, reason)


def test_lines_are_read_as_they_are_asked_for() -> None:
    data = (json.dumps(GOOD) + "\n").encode() * 100_000
    assert [each.line for each in islice(read_source(data, "p.jsonl"), 2)] == [1, 2]


visible = st.characters(codec="utf-8", exclude_categories=["Cc"])
texts = st.text(visible, min_size=1).map(lambda text: f"We {text} boil")
papers = st.fixed_dictionaries(
    {
        "id": st.integers(0, 99_999).map("2605.{:05}".format),
        "date": st.dates().map(date.isoformat),
        "title": texts,
        "authors": st.lists(st.sampled_from(["Ana Kettle", "Zoë Lid", "李 雷"]), max_size=4),
        "abstract": texts,
        "categories": st.lists(st.sampled_from(["cs.LG", "cs.CV", "math.GT"]), min_size=1, unique=True),
    }
)


@settings(deadline=None)
@given(st.lists(papers, min_size=1, max_size=4), st.booleans())
def test_what_is_written_is_read(written: list[dict[str, Any]], ensure_ascii: bool) -> None:
    text = "\n".join(json.dumps(paper, ensure_ascii=ensure_ascii) for paper in written)
    found = read(text)
    assert found == read(text)
    for number, (paper, each) in enumerate(zip(written, found, strict=True), 1):
        assert isinstance(each, RawPaper)
        assert each.identifier == f"arxiv:{paper['id']}"
        assert each.day == date.fromisoformat(paper["date"])
        assert (each.abstract, list(each.authors)) == (paper["abstract"], paper["authors"])
        assert each.title.split() == paper["title"].split()
        assert (list(each.categories), each.line) == (paper["categories"], number)
