"""Mentions and decided judgements as annotations, paper by paper, for files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.tables import BoardPaper, JudgementDecision, JudgementEvent, LexiconState, Listing, Trader
from nlp.annotations import (
    AnnotatedText,
    Annotation,
    Quote,
    Span,
    Verdict,
    mention_annotation,
    quote_at,
)
from nlp.records import Mention
from nlp.tables import Paper, StoredMention, Term, TermVersion

PAPERS_AT_ONCE = 200


def mention_texts(session: Session, board_id: int | None = None) -> Iterator[AnnotatedText]:
    """Each paper of the board, or of all, that has mentions of terms listed there, their keys as labels."""
    for paper, mentions in _mentions(session, board_id):
        spans = tuple(Span(row.start_offset, row.end_offset, row.key) for row in mentions)
        yield AnnotatedText(paper.identifier, paper.title_text, paper.abstract_text, spans)


def mention_annotations(session: Session, board_id: int | None = None) -> Iterator[Annotation]:
    """The same mentions one by one, with the versions that found them."""
    lexicon = session.execute(sa.select(col(LexiconState.fingerprint))).scalar_one()
    for paper, mentions in _mentions(session, board_id):
        for row in mentions:
            mention = Mention(row.start_offset, row.end_offset, row.quote, row.key)
            yield mention_annotation(
                paper.identifier, paper.abstract_text, mention, row.label, lexicon, row.highlighter_version
            )


def decided_annotations(session: Session, board_id: int | None = None) -> Iterator[Annotation]:
    """The judgements that an operator agreed with, on the texts that they were made on."""
    which = [] if board_id is None else [col(JudgementDecision.board_id) == board_id]
    agreed: dict[int, bool] = {}
    for event_ids, is_accepted in session.execute(
        sa.select(col(JudgementDecision.event_ids), col(JudgementDecision.is_accepted))
        .where(*which)
        .order_by(col(JudgementDecision.id))
    ):
        agreed.update(dict.fromkeys(event_ids, is_accepted))
    for event_id in sorted(number for number, is_accepted in agreed.items() if is_accepted):
        event = session.get_one(JudgementEvent, event_id)
        paper, trader = session.get_one(Paper, event.paper_id), session.get_one(Trader, event.trader_id)
        start, end = event.start_offset, event.end_offset
        is_same = paper.text_hash == event.text_hash
        quote = quote_at(paper.abstract_text, start, end) if is_same else Quote(event.quote)
        yield Annotation(
            "", paper.identifier, event.text_hash, start, end, quote, event.quote, event.key,
            Verdict(event.verdict), by=trader.name, at=event.recorded_at,
        )  # fmt: skip


def _mentions(session: Session, board_id: int | None) -> Iterator[tuple[Any, list[Any]]]:
    """Papers with their mentions by the terms' current versions, a few hundred papers at a time."""
    on_board = sa.exists().where(
        col(BoardPaper.paper_id) == Paper.id, *_of(col(BoardPaper.board_id), board_id)
    )
    listed = sa.exists().where(col(Listing.term_id) == Term.id, *_of(col(Listing.board_id), board_id))
    last = 0
    while True:
        papers = session.execute(
            sa.select(
                col(Paper.id), col(Paper.identifier), col(Paper.title_text), col(Paper.abstract_text)
            )
            .where(on_board, col(Paper.id) > last)
            .order_by(col(Paper.id))
            .limit(PAPERS_AT_ONCE)
        ).all()
        if not papers:
            return
        last = papers[-1].id
        rows = session.execute(
            sa.select(
                col(StoredMention.paper_id), col(StoredMention.start_offset), col(StoredMention.end_offset),
                col(StoredMention.quote), col(Term.key), col(Term.label),
                col(TermVersion.highlighter_version),
            )
            .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
            .join(Term, col(Term.id) == TermVersion.term_id)
            .where(
                col(StoredMention.paper_id).in_([paper.id for paper in papers]), listed,
                col(TermVersion.version) == Term.current_version, col(Term.merged_into_id).is_(None),
            )
            .order_by(col(StoredMention.paper_id), col(StoredMention.start_offset))
        )  # fmt: skip
        found: dict[int, list[Any]] = {}
        for row in rows:
            found.setdefault(row.paper_id, []).append(row)
        yield from ((paper, found[paper.id]) for paper in papers if paper.id in found)


def _of(column: Any, board_id: int | None) -> list[sa.ColumnElement[bool]]:
    return [] if board_id is None else [column == board_id]
