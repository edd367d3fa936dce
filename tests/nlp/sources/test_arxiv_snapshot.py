"""Lines of arXiv's metadata snapshot."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source

RECORD: dict[str, Any] = {
    "id": "0704.0010", "submitter": "Ana Kettle", "authors": "Ana K\\'ettle and Bob Lid Jr",
    "title": "Tea for\n  Two", "comments": "12 pages", "categories": "cs.LG stat.ML",
    "abstract": "  Kettles $n<m$.\n", "update_date": "2026-05-16",
    "versions": [
        {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
        {"version": "v10", "created": "Fri, 15 May 2026 17:59:59 GMT"},
        {"version": "v2", "created": "Tue, 3 Apr 2007 19:18:42 GMT"},
    ],
    "authors_parsed": [["Kéttle", "Ana", ""], ["Lid", "Bob", "Jr"], ["Pot", "C. -P.", "", "Pot Lab"]],
}  # fmt: skip


def read(**changes: Any) -> RawPaper | Refusal:
    record = {key: value for key, value in (RECORD | changes).items() if value is not None}
    (found,) = read_source(f"\n{json.dumps(record)}\n".encode(), "snapshot.json")
    return found


def test_a_line() -> None:
    found = read()
    assert isinstance(found, RawPaper)
    assert found.source == "arxiv-snapshot"
    assert found.identifier == "arxiv:0704.0010"  # a string, not 704.001
    assert (found.version, found.line) == (10, 2)
    assert (found.title, found.abstract) == ("Tea for Two", "Kettles $n<m$.")
    assert found.authors == ("Ana Kéttle", "Bob Lid Jr", "C. -P. Pot")
    assert found.categories == ("cs.LG", "stat.ML")
    assert found.submitted_at == datetime(2007, 4, 2, 19, 18, 42, tzinfo=UTC)
    assert (found.day, found.section) == (None, Section.NEW)  # update_date is of the metadata


def test_authors_as_one_string() -> None:
    found = read(authors_parsed=None)
    assert isinstance(found, RawPaper)
    assert found.authors == ("Ana Kéttle", "Bob Lid Jr")


def test_a_withdrawal() -> None:
    found = read(comments="This paper has been withdrawn")
    assert isinstance(found, RawPaper)
    assert found.is_withdrawn


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"id": 704.001}, "id: text is wanted, not a number"),
        ({"id": "tea"}, "id: 'tea' is no arXiv identifier"),
        ({"abstract": " \n"}, "no abstract"),
        ({"categories": ""}, "no categories"),
        ({"categories": ["cs.LG"]}, "categories: text is wanted, not a list"),
        ({"versions": "v1"}, "versions: a list of objects is wanted"),
        ({"versions": [{"version": "v1", "created": "then"}]}, "versions: 'v1' of 'then' is no version"),
        ({"versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 -0000"}]}, "is no version"),
        ({"versions": [{"version": "v1", "created": "9999-12-31T23:59:59Z"}]}, "is no version"),
        ({"versions": [{"version": "v1", "created": f"Mon, 2 Apr 2007 19:18 +{'9' * 30}"}]}, "is no version"),
        ({"authors_parsed": [["Kettle", 1]]}, "authors_parsed: lists of last name"),
    ],
)
def test_what_is_wrong_with_a_line(changes: dict[str, Any], reason: str) -> None:
    found = read(**changes)
    assert isinstance(found, Refusal)
    assert (found.line, reason in found.reason) == (2, True)
