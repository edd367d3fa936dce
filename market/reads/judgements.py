"""What readers say of terms: a reader's own words, what waits for operators, and what decisions teach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.judgements import next_command
from market.tables import Board, Judgement, JudgementDecision, JudgementEvent, Trader
from nlp.annotations import AnnotatedText, Annotation, Quote, Span, Verdict, anchored, quote_at
from nlp.records import Refusal
from nlp.tables import Paper, Term

MOST_WAITING = 2000  # judgements that one list is made from, the oldest first
MOST_QUOTES = 5  # of a group that are shown
TERM_LABEL, NO_TERM_LABEL = "TERM", "NOT_A_TERM"


@dataclass(frozen=True, slots=True)
class OwnJudgement:
    """What a reader said of a paper; ``is_accepted`` is None until somebody decides, for a ``reason``."""

    event_id: int
    verdict: str
    quote: str
    said_at: datetime
    is_accepted: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class QuotedJudgement:
    """One judgement where it stands; ``prefix`` and ``suffix`` are "" where the text has changed since."""

    identifier: str
    reader: str
    quote: Quote


@dataclass(frozen=True, slots=True)
class JudgementGroup:
    """Judgements that say the same of one key on one board, and wait; ``number`` is the first one's.

    ``slug`` is the term's address, "" where there is none yet; ``command`` what makes an agreement true.
    """

    number: int
    board: str
    verdict: str
    label: str
    slug: str
    reader_count: int
    since: datetime
    quotes: tuple[QuotedJudgement, ...]
    command: str


def own_judgements(
    session: Session, board_id: int, trader_id: int, identifiers: Iterable[str]
) -> dict[str, tuple[OwnJudgement, ...]]:
    """What stands of the trader's words about these papers of a board, by paper, oldest first. One query."""
    rows = session.execute(
        sa.select(
            col(Paper.identifier), col(Judgement.event_id), col(Judgement.verdict), col(JudgementEvent.quote),
            col(JudgementEvent.recorded_at), col(JudgementDecision.is_accepted),
            col(JudgementDecision.reason),
        )
        .join(JudgementEvent, col(JudgementEvent.id) == Judgement.event_id)
        .join(Paper, col(Paper.id) == Judgement.paper_id)
        .outerjoin(JudgementDecision, col(JudgementDecision.id) == Judgement.decision_id)
        .where(
            col(Judgement.trader_id) == trader_id, col(Judgement.board_id) == board_id,
            col(Paper.identifier).in_(list(identifiers)),
        )
        .order_by(col(Judgement.event_id))
    )  # fmt: skip
    found: dict[str, list[OwnJudgement]] = defaultdict(list)
    for identifier, event_id, verdict, quote, said_at, is_accepted, reason in rows:
        found[identifier].append(OwnJudgement(event_id, verdict, quote, said_at, is_accepted, reason or ""))
    return {identifier: tuple(each) for identifier, each in found.items()}


def waiting_judgements(session: Session, board_id: int | None = None) -> tuple[JudgementGroup, ...]:
    """What waits for a decision, on a board or on all; first what most readers say. One query."""
    which = [] if board_id is None else [col(Judgement.board_id) == board_id]
    rows = session.execute(
        sa.select(
            JudgementEvent, col(Board.code), col(Trader.name), col(Paper.identifier), col(Paper.text_hash),
            col(Paper.abstract_text), col(Term.label), col(Term.slug),
        )
        .join(Judgement, col(Judgement.event_id) == JudgementEvent.id)
        .join(Board, col(Board.id) == JudgementEvent.board_id)
        .join(Trader, col(Trader.id) == JudgementEvent.trader_id)
        .join(Paper, col(Paper.id) == JudgementEvent.paper_id)
        .outerjoin(Term, col(Term.id) == JudgementEvent.term_id)
        .where(col(Judgement.decision_id).is_(None), *which)
        .order_by(col(JudgementEvent.id))
        .limit(MOST_WAITING)
    )  # fmt: skip
    groups: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for row in rows:
        groups[row.code, row[0].verdict, row[0].key].append(row)
    made = [_group(found) for found in groups.values()]
    return tuple(sorted(made, key=lambda group: (-group.reader_count, group.number)))


def training_texts(session: Session, board_id: int | None = None) -> Iterator[AnnotatedText | Refusal]:
    """The abstracts that were decided about, with their spans: "TERM", or "NOT_A_TERM", as the operator says.

    Who is refused has the opposite said. The last decision about a stretch holds. A judgement on a text that
    has changed, and cannot be found again, is a `Refusal` with its number as the line.
    """
    for paper_rows in _by_paper(session, board_id):
        paper: Paper = paper_rows[0][1]
        spans: dict[tuple[int, int], str] = {}
        for event, _, is_accepted in paper_rows:
            where = _anchored(event, paper)
            if isinstance(where, str):
                yield Refusal(f"judgements of {paper.identifier}", event.id or 0, where)
                continue
            is_term = (event.verdict == Verdict.TERM) == is_accepted
            spans[where] = TERM_LABEL if is_term else NO_TERM_LABEL
        if spans:
            marked = tuple(Span(start, end, label) for (start, end), label in sorted(spans.items()))
            yield AnnotatedText(paper.identifier, paper.title_text, paper.abstract_text, marked)


def _by_paper(session: Session, board_id: int | None) -> Iterator[list[tuple[JudgementEvent, Paper, bool]]]:
    which = [] if board_id is None else [col(JudgementDecision.board_id) == board_id]
    said: dict[int, bool] = {}
    for event_ids, is_accepted in session.execute(
        sa.select(col(JudgementDecision.event_ids), col(JudgementDecision.is_accepted))
        .where(*which)
        .order_by(col(JudgementDecision.id))
    ):
        said.update(dict.fromkeys(event_ids, is_accepted))
    events: dict[int, list[JudgementEvent]] = defaultdict(list)
    for event_id in said:
        event = session.get_one(JudgementEvent, event_id)
        events[event.paper_id].append(event)
    for paper_id in sorted(events):
        paper = session.get_one(Paper, paper_id)
        yield [(event, paper, said[event.id or 0]) for event in events[paper_id]]


def _anchored(event: JudgementEvent, paper: Paper) -> tuple[int, int] | str:
    annotation = Annotation(
        "", paper.identifier, event.text_hash, event.start_offset, event.end_offset, Quote(event.quote),
        event.quote, event.key,
    )  # fmt: skip
    found = anchored(annotation, paper.abstract_text)
    return found if isinstance(found, str) else (found.start, found.end)


def _group(rows: list[Any]) -> JudgementGroup:
    first: JudgementEvent = rows[0][0]
    label, slug = (rows[0].label, rows[0].slug) if rows[0].slug else (first.quote, "")
    quotes = tuple(_quoted(row) for row in rows[:MOST_QUOTES])
    return JudgementGroup(
        first.id or 0, rows[0].code, first.verdict, label, slug, len({row[0].trader_id for row in rows}),
        first.recorded_at, quotes, next_command(first.verdict, rows[0].code, slug, label),
    )  # fmt: skip


def _quoted(row: Any) -> QuotedJudgement:
    event: JudgementEvent = row[0]
    is_same = event.text_hash == row.text_hash
    start, end = event.start_offset, event.end_offset
    quote = quote_at(row.abstract_text, start, end) if is_same else Quote(event.quote)
    return QuotedJudgement(row.identifier, row.name, quote)
