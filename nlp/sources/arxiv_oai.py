"""arXiv's OAI-PMH answers: metadata in the forms arXivRaw, arXiv and oai_dc, deleted records, and the token
that the next part is asked for with.

A record's datestamp is the day its metadata changed, and nothing announces a paper here: the day is worked
out from the moment its first version was submitted, which only arXivRaw has (`created` of the form arXiv can
be that of the last version). https://www.openarchives.org/OAI/openarchivesprotocol.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters, xml
from nlp.sources.arxiv_api import is_category
from nlp.sources.arxiv_ids import ArxivId, arxiv_id
from nlp.sources.arxiv_names import arxiv_names
from nlp.sources.moments import moment
from nlp.sources.source import Page, Source
from nlp.sources.withdrawal import says_withdrawn

NAME = "arxiv-oai"
NAMES = {
    "oai": "http://www.openarchives.org/OAI/2.0/",
    "raw": "http://arxiv.org/OAI/arXivRaw/",
    "arxiv": "http://arxiv.org/OAI/arXiv/",
    "oai_dc": "http://www.openarchives.org/OAI/2.0/oai_dc/",
    "dc": "http://purl.org/dc/elements/1.1/",
}
NOTHING = "noRecordsMatch"  # the one error that means: nothing new
_WITHDRAWN = "I"  # among a version's flags: there is no source of it


class BadToken(UnknownSource):
    """The token is no longer known (arXiv's end every night): the list has to be begun anew."""


@dataclass(frozen=True, slots=True)
class OaiPage:
    """A part of a list: its papers, and the token of the next part, None after the last."""

    papers: tuple[RawPaper | Refusal, ...]
    resumption_token: str | None


@dataclass(frozen=True, slots=True)
class _Metadata:
    """What of a record the three forms share."""

    title: str
    abstract: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    comment: str
    version: int | None = None
    submitted_at: datetime | None = None
    is_withdrawn: bool = False


def recognises(head: str, name: str) -> bool:
    """Whether it is an answer by the protocol."""
    return "<OAI-PMH" in head


def parse(text: str, page: Page) -> Iterator[RawPaper | Refusal]:
    """The papers of the answer, in its order."""
    return iter(read_page(text.encode("utf-8", "surrogateescape"), page).papers)


def read_page(data: bytes, page: Page) -> OaiPage:
    """The same, with the token; raises `UnknownSource` for anything else and for the protocol's errors, and
    `BadToken` among them."""
    root = xml.document(data, page.origin)
    if root.tag != f"{{{NAMES['oai']}}}OAI-PMH":
        raise UnknownSource(page.origin, "not an answer by OAI-PMH")
    error = root.find("oai:error", NAMES)
    if error is not None and error.get("code") != NOTHING:
        reason = f"the archive answers with an error: {error.get('code')}: {(error.text or '').strip()}"
        kind = BadToken if error.get("code") == "badResumptionToken" else UnknownSource
        raise kind(page.origin, reason)
    listed = root.find("oai:ListRecords", NAMES)
    if listed is None:
        listed = root.find("oai:GetRecord", NAMES)
    if listed is None:
        if error is None:
            raise UnknownSource(page.origin, "an answer without records")
        return OaiPage((), None)
    papers = tuple(_paper(record, page) for record in listed.iterfind("oai:record", NAMES))
    return OaiPage(papers, xml.text_of(listed, "oai:resumptionToken", NAMES) or None)


def _paper(record: xml.Element, page: Page) -> RawPaper | Refusal:
    line = xml.line_of(record)
    named = xml.text_of(record, "oai:header/oai:identifier", NAMES)
    identity = arxiv_id(named)
    if identity is None:
        return Refusal(page.origin, line, f"no arXiv identifier: {named[:60]!a}")
    header = record.find("oai:header", NAMES)
    if header is not None and header.get("status") == "deleted":
        return _deleted(record, identity, line)
    if reason := xml.flaw_of(record):
        return Refusal(page.origin, line, f"{identity.number}: {reason}")
    try:
        metadata = _metadata(record)
    except ValueError as error:
        return Refusal(page.origin, line, f"{identity.number}: {error}")
    if not metadata.abstract or not metadata.categories:
        what = "categories" if metadata.abstract else "abstract"
        return Refusal(page.origin, line, f"{identity.number} has no {what}")
    is_cross = page.board not in (None, metadata.categories[0])
    return RawPaper(
        identifier=identity.identifier,
        title=characters.squeeze(metadata.title),
        abstract=metadata.abstract,
        authors=metadata.authors,
        categories=metadata.categories,
        day=page.day,
        section=Section.CROSS if is_cross else Section.NEW,
        url=None,
        source=NAME,
        line=line,
        version=metadata.version,
        submitted_at=metadata.submitted_at,
        is_withdrawn=metadata.is_withdrawn or says_withdrawn(metadata.comment, metadata.abstract),
    )


def _deleted(record: xml.Element, identity: ArxivId, line: int) -> RawPaper:
    return RawPaper(
        identifier=identity.identifier, title="", abstract="", authors=(), categories=_sets(record), day=None,
        section=Section.REPLACED, url=None, source=NAME, line=line, is_withdrawn=True,
    )  # fmt: skip


def _metadata(record: xml.Element) -> _Metadata:
    """The metadata in whichever form they are; raises `ValueError`."""
    forms: dict[str, Callable[[xml.Element, xml.Element], _Metadata]] = {
        "raw:arXivRaw": _raw, "arxiv:arXiv": _arxiv, "oai_dc:dc": _dublin_core,
    }  # fmt: skip
    for path, read in forms.items():
        found = record.find(f"oai:metadata/{path}", NAMES)
        if found is not None:
            return read(found, record)
    if record.find("oai:metadata", NAMES) is None:  # by the protocol only deleted ones have none, and say so
        raise ValueError("it has no metadata, and is not said to be deleted")
    raise ValueError("its metadata are in none of the forms arXivRaw, arXiv and oai_dc")


def _raw(found: xml.Element, record: xml.Element) -> _Metadata:
    versions = {}
    for version in found.iterfind("raw:version", NAMES):
        named = re.fullmatch(r"v([0-9]{1,4})", version.get("version") or "")
        if named:
            versions[int(named[1])] = version
    last = max(versions, default=None)
    return _Metadata(
        xml.text_of(found, "raw:title", NAMES),
        xml.text_of(found, "raw:abstract", NAMES),
        arxiv_names(xml.text_of(found, "raw:authors", NAMES)),
        _categories(xml.text_of(found, "raw:categories", NAMES).split()),
        xml.text_of(found, "raw:comments", NAMES),
        last,
        _submitted(versions[1]) if 1 in versions else None,
        last is not None and _WITHDRAWN in xml.text_of(versions[last], "raw:source_type", NAMES),
    )


def _arxiv(found: xml.Element, record: xml.Element) -> _Metadata:
    names = []
    for author in found.iterfind("arxiv:authors/arxiv:author", NAMES):
        parts = (xml.text_of(author, f"arxiv:{part}", NAMES) for part in ("forenames", "keyname", "suffix"))
        names.append(" ".join(part for part in parts if part))
    return _Metadata(
        xml.text_of(found, "arxiv:title", NAMES),
        xml.text_of(found, "arxiv:abstract", NAMES),
        tuple(name for line in names for name in arxiv_names(line)),
        _categories(xml.text_of(found, "arxiv:categories", NAMES).split()),
        xml.text_of(found, "arxiv:comments", NAMES),
    )


def _dublin_core(found: xml.Element, record: xml.Element) -> _Metadata:
    """Categories have names here and no codes; the sets of the header have them."""
    descriptions = xml.texts_of(found, "dc:description", NAMES)
    creators = (creator.partition(", ") for creator in xml.texts_of(found, "dc:creator", NAMES))
    names = (f"{forenames} {key}".strip() for key, _, forenames in creators)
    return _Metadata(
        xml.text_of(found, "dc:title", NAMES),
        descriptions[0] if descriptions else "",
        tuple(name for line in names for name in arxiv_names(line)),
        _sets(record),
        " ".join(descriptions[1:]),
    )


def _sets(record: xml.Element) -> tuple[str, ...]:
    """The categories of a header's sets: "cs:cs:LG" is cs.LG, "physics:hep-ex" is hep-ex."""
    sets = xml.texts_of(record, "oai:header/oai:setSpec", NAMES)
    return _categories(name.partition(":")[2].replace(":", ".") for name in sets)


def _categories(terms: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for term in terms if is_category(term)))


def _submitted(version: xml.Element) -> datetime:
    dated = xml.text_of(version, "raw:date", NAMES)
    found = moment(dated)
    if found is None:
        raise ValueError(f"its first version has no moment: {dated[:40]!a}")
    return found


SOURCE = Source(NAME, "an OAI-PMH answer of arXiv", recognises, parse)
