"""arXiv's metadata as one bulk file: a JSON object a line, in the form of the snapshot on Kaggle.

`categories` is one blank-separated string, `versions` lists every version with its moment of submission,
`authors_parsed` has [last, first, suffix, affiliation...]; `update_date` is when the metadata changed, and no
day of anything. Millions of lines are read one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters, json_lines
from nlp.sources.arxiv_ids import arxiv_id
from nlp.sources.arxiv_names import arxiv_names
from nlp.sources.bylines import tidy_names
from nlp.sources.json_objects import Unfit, json_object, text_of
from nlp.sources.moments import moment
from nlp.sources.source import Page, Source
from nlp.sources.withdrawal import says_withdrawn

NAME = "arxiv-snapshot"
_VERSION = re.compile(r"v?([0-9]{1,4})")


def recognises(head: str, name: str) -> bool:
    """Whether the lines are objects with arXiv's own keys."""
    return json_lines.recognises(head, name) and '"update_date"' in head and '"versions"' in head


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers in the order of their lines."""
    return parse_lines(characters.lines(text), page)


def parse_lines(lines: Iterable[tuple[int, str]], page: Page) -> Iterator[RawPaper | Refusal]:
    """The same of lines that are still being read."""
    return json_lines.one_a_line(lines, page, _paper)


def _paper(line: str, number: int, page: Page) -> RawPaper:
    record = json_object(line)
    identity = arxiv_id(text_of(record, "id"))
    if identity is None:
        raise Unfit(f"id: {ascii(record['id'])[:60]} is no arXiv identifier")
    abstract = text_of(record, "abstract").strip()
    if not abstract:
        raise Unfit("no abstract")
    categories = tuple(dict.fromkeys(text_of(record, "categories").split()))
    if not categories:
        raise Unfit("no categories")
    version, submitted_at = _versions(record)
    return RawPaper(
        identifier=identity.identifier,
        title=characters.squeeze(text_of(record, "title")),
        abstract=abstract,
        authors=_authors(record),
        categories=categories,
        day=page.day,
        section=Section.CROSS if page.board not in (None, categories[0]) else Section.NEW,
        url=None,
        source=NAME,
        line=number,
        version=version,
        submitted_at=submitted_at,
        is_withdrawn=says_withdrawn(text_of(record, "comments") if record.get("comments") else "", abstract),
    )


def _versions(record: dict[str, Any]) -> tuple[int | None, datetime | None]:
    """The newest version's number, and when the first one was submitted."""
    versions = record.get("versions")
    if not isinstance(versions, list) or not all(isinstance(version, dict) for version in versions):
        raise Unfit("versions: a list of objects is wanted")
    moments = {}
    for version in versions:
        name, created = text_of(version, "version"), text_of(version, "created")
        numbered, submitted_at = _VERSION.fullmatch(name), moment(created)
        if numbered is None or submitted_at is None:
            raise Unfit(f"versions: {ascii(name)[:20]} of {ascii(created)[:60]} is no version")
        moments[int(numbered[1])] = submitted_at
    return max(moments, default=None), moments.get(1)


def _authors(record: dict[str, Any]) -> tuple[str, ...]:
    parsed = record.get("authors_parsed")
    if not isinstance(parsed, list) or not parsed:
        return arxiv_names(text_of(record, "authors")) if record.get("authors") else ()
    names = []
    for author in parsed:
        if not isinstance(author, list) or not all(isinstance(part, str) for part in author[:3]):
            raise Unfit("authors_parsed: lists of last name, first name and suffix are wanted")
        last, first, suffix = (*author[:3], "", "", "")[:3]
        names.append(" ".join((first, last, suffix)))
    if reason := characters.flaw("".join(names)):
        raise Unfit(f"authors_parsed: {reason}")
    return tidy_names(names)


SOURCE = Source(
    NAME, "arXiv's metadata snapshot, a JSON object a line", recognises, parse, parse_lines
)
