"""arXiv's OAI-PMH answers: records, deleted ones too, and the token that the next part is asked for with.

A record's datestamp is the day its metadata changed, and nothing announces a paper here: the day is worked
out from the moment its first version was submitted, where the record says it.
https://www.openarchives.org/OAI/openarchivesprotocol.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import characters, xml
from nlp.sources.arxiv_ids import ArxivId, arxiv_id
from nlp.sources.arxiv_metadata import NAMES, categories_of_sets, metadata_of
from nlp.sources.source import Page, Source
from nlp.sources.withdrawal import says_withdrawn

NAME = "arxiv-oai"
NOTHING = "noRecordsMatch"  # the one error that means: nothing new


class BadToken(UnknownSource):
    """The token is no longer known (arXiv's end every night): the list has to be begun anew."""


@dataclass(frozen=True, slots=True)
class OaiPage:
    """A part of a list: its papers, and the token of the next part, None after the last."""

    papers: tuple[RawPaper | Refusal, ...]
    resumption_token: str | None


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
        metadata = metadata_of(record)
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
        identifier=identity.identifier, title="", abstract="", authors=(),
        categories=categories_of_sets(record), day=None, section=Section.REPLACED, url=None, source=NAME,
        line=line, is_withdrawn=True,
    )  # fmt: skip


SOURCE = Source(NAME, "an OAI-PMH answer of arXiv", recognises, parse)
