"""Rankings that are kept: the lists of a board's day and window, once computed, with the counts they rest on.

A ranking is kept for good. It is that of a moment when no count of its days, or of those of the listing day
before, which its ranks are compared with, came in between; so none is ever shown that late papers have made
untrue, and a past one is found again as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.inserts import insert_new, insert_unless_taken
from market.listing import LISTED
from market.tables import Board, DayCount, Listing, Ranking, RankingRow
from market.trend_lists import METHOD
from market.trend_rows import Lists, Span, TrendRow
from nlp.tables import Term

_RANKING: sa.Table = Ranking.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Grounds:
    """The newest count that a ranking rests on, its id (0 before any) and its moment."""

    counted_to: int
    counted_at: datetime | None


def grounds_of(
    session: Session, board: Board, span: Span, previous: date | None, known_at: datetime | None
) -> Grounds:
    """What a ranking of this span rests on, ``previous`` being the listing day before its last day."""
    first = span.base_first if previous is None else Span(previous, span.days).base_first
    until = [] if known_at is None else [col(DayCount.recorded_at) <= known_at]
    newest = (
        sa.select(sa.func.max(DayCount.id))
        .where(col(DayCount.board_id) == board.id, col(DayCount.day).between(first, span.last), *until)
        .scalar_subquery()
    )
    row = session.execute(
        sa.select(col(DayCount.id), col(DayCount.recorded_at)).where(col(DayCount.id) == newest)
    ).one_or_none()
    return Grounds(0, None) if row is None else Grounds(row.id, row.recorded_at)


def kept_lists(session: Session, board: Board, span: Span, grounds: Grounds) -> Lists | None:
    """The lists that were kept of this span on these grounds, without terms that are no longer listed."""
    found = session.execute(
        sa.select(
            col(Ranking.id), col(Ranking.exposure), col(Ranking.base_exposure), col(Ranking.checked_count)
        ).where(
            col(Ranking.board_id) == board.id, col(Ranking.day) == span.last,
            col(Ranking.window_days) == span.days, col(Ranking.counted_to) == grounds.counted_to,
            col(Ranking.method) == METHOD,
        )
    ).one_or_none()  # fmt: skip
    if found is None:
        return None
    rows: dict[str, list[TrendRow]] = {"rising": [], "falling": [], "new": [], "most": []}
    for row in session.execute(_rows(board, found.id)):
        of_kind = rows[row.kind]
        of_kind.append(
            TrendRow(
                row.slug, row.label, row.papers, found.exposure, row.base_papers, found.base_exposure,
                row.ratio, row.low, row.high, row.score, row.q_value, row.term_id, len(of_kind) + 1,
                row.rank_before,
            )
        )  # fmt: skip
    lists = {kind: tuple(of_kind) for kind, of_kind in rows.items()}
    return Lists(found.exposure, found.base_exposure, found.checked_count, **lists)


def keep_lists(
    session: Session, board: Board, span: Span, grounds: Grounds, lists: Lists, now: datetime
) -> None:
    """Keep the lists, unless others have just done so."""
    ranking_id = insert_unless_taken(
        session, _RANKING,
        {
            "board_id": board.id, "day": span.last, "window_days": span.days,
            "counted_to": grounds.counted_to, "method": METHOD, "exposure": lists.exposure,
            "base_exposure": lists.base_exposure, "checked_count": lists.checked_count, "recorded_at": now,
        },
    )  # fmt: skip
    if ranking_id is None:
        return
    of_kind = {"rising": lists.rising, "falling": lists.falling, "new": lists.new, "most": lists.most}
    rows = [
        {
            "ranking_id": ranking_id, "kind": kind, "rank": row.rank, "rank_before": row.rank_before,
            "term_id": row.term_id, "papers": row.papers, "base_papers": row.base_papers, "ratio": row.ratio,
            "low": row.low, "high": row.high, "score": row.score, "q_value": row.q_value,
        }
        for kind, rows_of_kind in of_kind.items()
        for row in rows_of_kind
    ]  # fmt: skip
    insert_new(session, RankingRow, rows)


def _rows(board: Board, ranking_id: int) -> sa.Select[*tuple[object, ...]]:
    return (
        sa.select(RankingRow.__table__, col(Term.slug), col(Term.label))  # type: ignore[attr-defined]
        .join(Term, col(Term.id) == RankingRow.term_id)
        .join(
            Listing,
            sa.and_(col(Listing.term_id) == RankingRow.term_id, col(Listing.board_id) == board.id),
        )
        .where(col(RankingRow.ranking_id) == ranking_id, col(Listing.status) == LISTED)
        .order_by(col(RankingRow.kind), col(RankingRow.rank))
    )
