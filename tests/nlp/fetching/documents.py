"""Answers of the services, made up: Atom, RSS, OAI-PMH and notes of the papers that a test wants."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape


@dataclass(frozen=True)
class Made:
    """A paper as its service has it."""

    number: str
    submitted_at: datetime
    kind: str = "new"
    version: int = 1

    @property
    def identifier(self) -> str:
        return f"arxiv:{self.number}"

    @property
    def abstract(self) -> str:
        return f"Kettle {self.number} is trained by federated learning until it boils."


def atom(papers: Sequence[Made], total: int, start: int) -> bytes:
    """A page of the query interface."""
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{paper.number}v{paper.version}</id>"
        f"<title>Kettle {paper.number}</title><summary>{escape(paper.abstract)}</summary>"
        f"<published>{paper.submitted_at:%Y-%m-%dT%H:%M:%SZ}</published>"
        f'<category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>'
        f'<arxiv:primary_category term="cs.LG"/><author><name>Ana Kettle</name></author></entry>'
        for paper in papers
    )
    return (
        '<feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
        'xmlns:arxiv="http://arxiv.org/schemas/atom"><title>arXiv Query</title>'
        f"<opensearch:totalResults>{total}</opensearch:totalResults>"
        f"<opensearch:startIndex>{start}</opensearch:startIndex>{entries}</feed>\n"
    ).encode()


ATOM_ERROR = (
    b'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
    b"<opensearch:totalResults>1</opensearch:totalResults>"
    b"<entry><id>https://arxiv.org/api/errors#incorrect_id_format_for_x</id><title>Error</title>"
    b"<summary>incorrect id format for x</summary></entry></feed>"
)


def rss(papers: Sequence[Made], day: date | None, built_at: datetime) -> bytes:
    """The feed served on a day."""
    published = f"<pubDate>{day:%a, %d %b %Y} 00:00:00 -0400</pubDate>" if day else ""
    items = "".join(
        f"<item><title>Kettle {paper.number}</title><link>https://arxiv.org/abs/{paper.number}</link>"
        f"<description>arXiv:{paper.number}v{paper.version} Announce Type: {paper.kind} \n"
        f"Abstract: {escape(paper.abstract)}</description><category>cs.LG</category>{published}"
        f"<arxiv:announce_type>{paper.kind}</arxiv:announce_type><dc:creator>Ana Kettle</dc:creator></item>"
        for paper in papers
    )
    return (
        '<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'version="2.0"><channel><title>cs.LG updates on arXiv.org</title>'
        f"<lastBuildDate>{format_datetime(built_at)}</lastBuildDate>{published}{items}</channel></rss>"
    ).encode()


RSS_ERROR = (
    b'<rss version="2.0"><channel><title>Feed error for query: cs.XX</title>'
    b"<link>http://rss.arxiv.org/rss/cs.XX</link></channel></rss>"
)


def oai(papers: Sequence[tuple[Made, date]], token: str | None) -> bytes:
    """A part of a list of the archive: each paper with its datestamp."""
    records = "".join(
        f"<record><header><identifier>oai:arXiv.org:{paper.number}</identifier>"
        f"<datestamp>{day}</datestamp><setSpec>cs:cs:LG</setSpec></header><metadata>"
        f'<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{paper.number}</id>{_versions(paper)}'
        f"<title>Kettle {paper.number}</title><authors>Ana Kettle</authors><categories>cs.LG</categories>"
        f"<abstract>{escape(paper.abstract)}</abstract></arXivRaw></metadata></record>"
        for paper, day in papers
    )
    resumption = f"<resumptionToken>{token}</resumptionToken>" if token else ""
    return _oai(f"<ListRecords>{records}{resumption}</ListRecords>")


def oai_error(code: str) -> bytes:
    """An error of the protocol."""
    return _oai(f'<error code="{code}">a reason</error>')


def _versions(paper: Made) -> str:
    moment = format_datetime(paper.submitted_at.astimezone(UTC), usegmt=True)
    return "".join(
        f'<version version="v{number}"><date>{moment}</date><size>9kb</size>'
        f"<source_type>D</source_type></version>"
        for number in range(1, paper.version + 1)
    )


def _oai(content: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        f"<responseDate>2026-05-15T12:00:00Z</responseDate>{content}</OAI-PMH>"
    ).encode()


def notes(submissions: Sequence[dict[str, object]], count: int | None) -> bytes:
    """An answer of OpenReview."""
    document: dict[str, object] = {"notes": submissions}
    return json.dumps(document if count is None else {**document, "count": count}).encode()


def note(
    name: str, created_at: datetime, changed_at: datetime, *, state: str = "/Under_Review",
    published_at: datetime | None = None,
) -> dict[str, object]:  # fmt: skip
    """A submission to TMLR; an accepted one has the state "" and a moment of publication."""
    made: dict[str, object] = {
        "id": name, "forum": name, "invitations": ["TMLR/-/Submission"], "cdate": _ms(created_at),
        "tcdate": _ms(created_at), "tmdate": _ms(changed_at), "readers": ["everyone"],
        "content": {
            "title": {"value": f"Kettle {name}"},
            "abstract": {"value": f"Kettle {name} is trained by federated learning until it boils."},
            "venueid": {"value": f"TMLR{state}"},
        },
    }  # fmt: skip
    return made if published_at is None else {**made, "pdate": _ms(published_at)}


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
