"""Papers as they are stored: what is known of them, new ones inserted, changed ones typeset anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.highlighter import Highlighter
from market.inserts import insert_new
from market.sightings import Announcement, Facts, Wording
from market.word_search import forget_words, keep_words
from nlp.content import content_hash
from nlp.records import ReadingText, Section
from nlp.tables import Paper, StoredMention
from nlp.typeset import TYPESETTER_VERSION, runs_to_json, text_hash, typeset

_PAPERS: sa.Table = Paper.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class StoredPaper:
    """A paper that has a row, and what that says of it."""

    id: int
    identifier: str
    facts: Facts

    def reads_otherwise(self, facts: Facts) -> bool:
        """Whether these facts have another text."""
        mine, other = self.facts.wording, facts.wording
        return (mine.title, mine.abstract) != (other.title, other.abstract)

    def counts_otherwise(self, facts: Facts) -> bool:
        """Whether the paper's terms may count otherwise with these facts, wherever it stands."""
        return (
            self.facts.wording.abstract != facts.wording.abstract
            or self.facts.is_withdrawn != facts.is_withdrawn
        )


class Papers:
    """The stored papers, for as long as one intake goes on. ``mention_count`` counts those that it stored."""

    def __init__(self, session: Session, highlighter: Highlighter, now: datetime) -> None:
        self._session, self._highlighter, self._now = session, highlighter, now
        self.mention_count = 0

    def known(self, identifiers: Collection[str]) -> dict[str, StoredPaper]:
        """Those of the papers that are stored."""
        rows = self._session.execute(
            sa.select(
                _PAPERS.c.id, _PAPERS.c.identifier, _PAPERS.c.title_source, _PAPERS.c.abstract_source,
                _PAPERS.c.authors, _PAPERS.c.categories, _PAPERS.c.url, _PAPERS.c.source, _PAPERS.c.version,
                _PAPERS.c.is_notice, _PAPERS.c.announced_as, _PAPERS.c.announced_on, _PAPERS.c.submitted_at,
                _PAPERS.c.withdrawn_at,
            ).where(_PAPERS.c.identifier.in_(identifiers))
        )  # fmt: skip
        return {row.identifier: StoredPaper(row.id, row.identifier, _facts(row)) for row in rows}

    def add(self, papers: Mapping[str, Facts]) -> dict[str, int]:
        """Store papers that are not known, in this order; their ids by identifier."""
        if not papers:
            return {}
        readings = {identifier: typeset(facts.wording.abstract) for identifier, facts in papers.items()}
        rows = [
            {"identifier": identifier, "taken_in_at": self._now, "withdrawn_at": self._withdrawn_at(facts)}
            | _facts_values(facts)
            | _text_values(facts.wording, readings[identifier])
            for identifier, facts in papers.items()
        ]
        stored = self._session.execute(
            sa.insert(Paper).returning(col(Paper.identifier), col(Paper.id)), rows
        )
        ids = {identifier: paper_id for identifier, paper_id in stored if paper_id is not None}
        self._highlight([(ids[identifier], reading) for identifier, reading in readings.items()])
        return ids

    def change(self, papers: Mapping[StoredPaper, Facts]) -> None:
        """Store what is known now of these papers; where that is another text, with its mentions."""
        reread = {stored: facts for stored, facts in papers.items() if stored.reads_otherwise(facts)}
        readings = {stored.id: typeset(facts.wording.abstract) for stored, facts in reread.items()}
        self._update([{"of_id": stored.id} | _facts_values(facts) for stored, facts in papers.items()])
        self._update(
            [
                {"of_id": stored.id} | _text_values(facts.wording, readings[stored.id])
                for stored, facts in reread.items()
            ]
        )
        self._update(
            [
                {"of_id": stored.id, "withdrawn_at": self._now}
                for stored, facts in papers.items()
                if facts.is_withdrawn and not stored.facts.is_withdrawn
            ]
        )
        if readings:
            self._session.execute(sa.delete(StoredMention).where(col(StoredMention.paper_id).in_(readings)))
            forget_words(self._session, readings)
            self._highlight(readings.items())

    def duplicate_count(self, identifiers: Collection[str]) -> int:
        """How many of these papers have the text of another one that was announced."""
        if not identifiers:
            return 0
        other = sa.alias(_PAPERS)
        found = (
            sa.select(sa.func.count())
            .select_from(_PAPERS)
            .where(
                _PAPERS.c.identifier.in_(identifiers),
                sa.exists().where(
                    other.c.content_hash == _PAPERS.c.content_hash,
                    other.c.id != _PAPERS.c.id,
                    other.c.announced_as.is_not(None),
                ),
            )
        )
        count: int = self._session.execute(found).scalar_one()
        return count

    def _update(self, rows: list[dict[str, Any]]) -> None:
        if rows:
            changes: dict[str, Any] = {name: sa.bindparam(name) for name in rows[0] if name != "of_id"}
            statement = sa.update(_PAPERS).where(_PAPERS.c.id == sa.bindparam("of_id")).values(changes)
            self._session.connection().execute(statement, rows)

    def _highlight(self, readings: Collection[tuple[int, ReadingText]]) -> None:
        keep_words(self._session, readings)
        mentions = [
            {
                "paper_id": paper_id, "term_version_id": version, "start_offset": mention.start,
                "end_offset": mention.end, "quote": mention.quote,
            }
            for paper_id, reading in readings
            for version, mention in self._highlighter.mentions(reading)
        ]  # fmt: skip
        insert_new(self._session, StoredMention, mentions)
        self.mention_count += len(mentions)

    def _withdrawn_at(self, facts: Facts) -> datetime | None:
        return self._now if facts.is_withdrawn else None


def _facts(row: Any) -> Facts:
    primary = row.categories[0] if row.categories else ""
    wording = Wording(
        row.title_source, row.abstract_source, tuple(row.authors), primary, row.url, row.source, row.version,
        row.is_notice,
    )  # fmt: skip
    announced = Announcement(Section(row.announced_as), row.announced_on) if row.announced_as else None
    return Facts(
        wording, frozenset(row.categories), announced, row.submitted_at, row.withdrawn_at is not None
    )


def _facts_values(facts: Facts) -> dict[str, Any]:
    wording, announced = facts.wording, facts.announced
    others = sorted(facts.categories - {wording.primary})
    return {
        "authors": list(wording.authors),
        "categories": [wording.primary, *others] if wording.primary else others,
        "url": wording.url,
        "source": wording.source,
        "version": wording.version,
        "is_notice": wording.is_notice,
        "announced_as": announced.section.value if announced else None,
        "announced_on": announced.day if announced else None,
        "submitted_at": facts.submitted_at,
    }


def _text_values(wording: Wording, abstract: ReadingText) -> dict[str, Any]:
    title = typeset(wording.title, paragraphs=False)
    return {
        "title_source": wording.title,
        "title_runs": runs_to_json(title),
        "title_text": title.text,
        "abstract_source": wording.abstract,
        "abstract_runs": runs_to_json(abstract),
        "abstract_text": abstract.text,
        "text_hash": text_hash(abstract.text),
        "typesetter_version": TYPESETTER_VERSION,
        "content_hash": content_hash(abstract.text),
    }
