"""Answers of arXiv's query interface: Atom, a page of a query.

`published` and `updated` are when the first and this version were submitted, never when the paper was
announced; an error is a feed with one entry titled "Error". https://info.arxiv.org/help/api/user-manual.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters, xml
from nlp.sources.arxiv_ids import arxiv_id
from nlp.sources.arxiv_names import arxiv_names
from nlp.sources.moments import moment
from nlp.sources.source import Page, Source
from nlp.sources.withdrawal import says_withdrawn

NAME = "arxiv-api"
NAMES = {
    "atom": "http://www.w3.org/2005/Atom",
    "arxiv": "http://arxiv.org/schemas/atom",
    "search": "http://a9.com/-/spec/opensearch/1.1/",
}
_FEED = f"{{{NAMES['atom']}}}feed"
_ERROR = re.compile(r"https?://(?:export\.)?arxiv\.org/api/errors")
_COUNT = re.compile(r"[0-9]{1,9}")
_CATEGORY = re.compile(r"(?=[a-z-]{2})[a-z]+(?:-[a-z]+)?(?:\.[A-Za-z-]{2,})?")


@dataclass(frozen=True, slots=True)
class ApiPage:
    """A page of a query: its papers, how many results the query has, and the place of the first one here,
    from 0."""

    papers: tuple[RawPaper | Refusal, ...]
    total_count: int
    start: int


def recognises(head: str, name: str) -> bool:
    """Whether it is Atom with the counts of a query, or one of its errors."""
    is_atom = "<feed" in head and NAMES["atom"] in head
    return is_atom and (NAMES["search"] in head or _ERROR.search(head) is not None)


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers of the page, in its order."""
    return iter(read_page(text.encode("utf-8", "surrogateescape"), page).papers)


def read_page(data: bytes, page: Page) -> ApiPage:
    """The same, with what the answer says of the query; raises `UnknownSource` for anything else, errors of
    the interface among it."""
    root = xml.document(data, page.origin)
    total = xml.text_of(root, "search:totalResults", NAMES)
    if root.tag != _FEED:
        raise UnknownSource(page.origin, "not an answer of arXiv's query interface")
    entries = root.findall("atom:entry", NAMES)
    errors = [entry for entry in entries if _ERROR.match(xml.text_of(entry, "atom:id", NAMES))]
    if errors and len(errors) == len(entries):
        reason = xml.text_of(errors[0], "atom:summary", NAMES)
        raise UnknownSource(page.origin, f"arXiv answers with an error: {reason}")
    if not _COUNT.fullmatch(total):
        raise UnknownSource(page.origin, "the answer does not say how many results there are")
    start = xml.text_of(root, "search:startIndex", NAMES)
    papers = tuple(_paper(entry, page) for entry in entries)
    return ApiPage(papers, int(total), int(start) if _COUNT.fullmatch(start) else 0)


def _paper(entry: xml.Element, page: Page) -> RawPaper | Refusal:
    line = xml.line_of(entry)
    address, title, summary, comment = (
        xml.text_of(entry, path, NAMES) for path in ("atom:id", "atom:title", "atom:summary", "arxiv:comment")
    )
    if _ERROR.match(address):
        return Refusal(page.origin, line, f"arXiv answers with an error: {summary}")
    identity = arxiv_id(address)
    if identity is None:
        return Refusal(page.origin, line, f"no arXiv identifier: {address[:60]!a}")
    if reason := xml.flaw_of(entry):
        return Refusal(page.origin, line, f"{identity.number}: {reason}")
    categories = _categories(entry)
    if not summary or not categories:
        what = "categories" if summary else "abstract"
        return Refusal(page.origin, line, f"{identity.number} has no {what}")
    submitted = xml.text_of(entry, "atom:published", NAMES)
    submitted_at = moment(submitted)
    if submitted and submitted_at is None:
        return Refusal(page.origin, line, f"{identity.number}: published: no moment: {submitted[:40]!a}")
    return RawPaper(
        identifier=identity.identifier,
        title=characters.squeeze(title),
        abstract=summary,
        authors=_authors(entry),
        categories=categories,
        day=page.day,
        section=Section.CROSS if page.board not in (None, categories[0]) else Section.NEW,
        url=None,
        source=NAME,
        line=line,
        version=identity.version,
        submitted_at=submitted_at,
        is_withdrawn=says_withdrawn(comment, summary),
    )


def _authors(entry: xml.Element) -> tuple[str, ...]:
    """An element for each author; affiliations are elements beside the name."""
    return tuple(
        name for line in xml.texts_of(entry, "atom:author/atom:name", NAMES) for name in arxiv_names(line)
    )


def _categories(entry: xml.Element) -> tuple[str, ...]:
    """The primary one first; classes of other schemes (MSC, ACM) are none."""
    primary = [found.get("term", "") for found in entry.iterfind("arxiv:primary_category", NAMES)]
    others = [
        found.get("term", "")
        for found in entry.iterfind("atom:category", NAMES)
        if found.get("scheme") in (None, NAMES["arxiv"])
    ]
    found = (str(term) for term in (*primary, *others))
    return tuple(dict.fromkeys(term for term in found if is_category(term)))


def is_category(term: str) -> bool:
    """Whether a term is one of arXiv's categories, as "cs.LG", "hep-ex" or "q-bio.NC", by its form."""
    return _CATEGORY.fullmatch(term) is not None


SOURCE = Source(NAME, "an answer of arXiv's query interface (Atom)", recognises, parse)
