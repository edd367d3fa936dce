"""What a page says of a term beside its name: forecast, change, watchers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col

from market.boards import today_of
from market.forecasts import forecasts, opening_forecasts
from market.listing import LISTED
from market.maker import Maker, maker_for
from market.periods import Period, front_periods
from market.tables import Board, Contract, Fill, Listing, Watch, WatchEvent
from nlp.tables import Term


@dataclass(frozen=True, slots=True)
class TermQuote:
    """A listed term and the market's forecast of its papers in ``period``, the next one to begin.

    ``price_units`` is of one LONG share, and so the forecast in hundredths of a paper. ``change_units`` is
    what was added to it since `change_began`, or since the contract opened if that was later; None without a
    trade.
    """

    term_id: int
    key: str
    slug: str
    label: str
    period: str
    price_units: int
    change_units: int | None
    watcher_count: int
    is_watched: bool


def next_period(board: Board, now: datetime) -> Period:
    """The period whose contract gives a term its price: the soonest that can still be traded."""
    return front_periods(board.period, today_of(board, now), 1)[0]


def change_began(board: Board, now: datetime) -> datetime:
    """The moment that changes are counted from: the start of the board's day before this one."""
    yesterday = today_of(board, now) - timedelta(days=1)
    return datetime.combine(yesterday, time(), ZoneInfo(board.time_zone))


def quotes_of_keys(
    session: Session,
    board: Board,
    keys: Iterable[str],
    trader_id: int | None,
    now: datetime,
    *,
    known_at: datetime | None = None,
) -> tuple[TermQuote, ...]:
    """The quotes of these terms where listed, in no order; four queries, however many terms.

    With ``known_at`` as they were at that moment: prices by the trades until then, watchers by their events,
    and the price of what nobody had traded by what was known of its papers. Whether the trader watches a term
    is always that of now.
    """
    return _quotes(session, board, _of(col(Term.key).in_(sorted(set(keys)))), trader_id, now, known_at)


def quotes_of_slugs(
    session: Session,
    board: Board,
    slugs: Iterable[str],
    trader_id: int | None,
    now: datetime,
    *,
    known_at: datetime | None = None,
) -> tuple[TermQuote, ...]:
    """The same, for the terms with these addresses."""
    return _quotes(session, board, _of(col(Term.slug).in_(sorted(set(slugs)))), trader_id, now, known_at)


def quotes_of_board(
    session: Session, board: Board, trader_id: int | None, now: datetime
) -> tuple[TermQuote, ...]:
    """The same, for every term that is listed on the board today."""
    return _quotes(session, board, col(Listing.status) == LISTED, trader_id, now, None)


def opening_maker(row: Any) -> Maker | None:
    """The maker of a row with a contract's columns; None where the contract has not been opened."""
    return None if row.cap is None else Maker(row.cap, row.prior_1024, row.depth_shares)


def _of(which: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """The listings of these terms, found by their numbers: a board may list a hundred thousand others."""
    return col(Listing.term_id).in_(sa.select(col(Term.id)).where(which).correlate(None))


def _quotes(
    session: Session,
    board: Board,
    which: sa.ColumnElement[bool],
    trader_id: int | None,
    now: datetime,
    known_at: datetime | None,
) -> tuple[TermQuote, ...]:
    moment = known_at or now
    period = next_period(board, moment)
    statement = _statement(board, period.name, which, trader_id, change_began(board, moment), known_at)
    rows = session.execute(statement).all()
    unopened = [row.term_id for row in rows if row.cap is None]
    expected = _expected(session, board, unopened, moment, known_at) if unopened else {}
    return tuple(_quote(row, period.name, expected, known_at is not None) for row in rows)


def _expected(
    session: Session, board: Board, term_ids: Sequence[int], moment: datetime, known_at: datetime | None
) -> dict[int, Decimal]:
    today = today_of(board, moment)
    if known_at is None:
        return opening_forecasts(session, board, term_ids, today)
    found = forecasts(session, board, term_ids, today, known_at=known_at)
    return {term_id: forecast.mean for term_id, forecast in found.items()}


def _quote(row: Any, period: str, expected: Mapping[int, Decimal], is_past: bool) -> TermQuote:
    maker = opening_maker(row)
    if maker is None:
        price, change = maker_for(expected[row.term_id]).price_units(0, 0), None
    else:
        opening = maker.price_units(0, 0)
        price = maker.price_units(row.long_shares, row.short_shares)
        if is_past:
            price = opening if row.price_then is None else row.price_then
        change = price - (opening if row.price_before is None else row.price_before)
    return TermQuote(
        row.term_id, row.key, row.slug, row.label, period, price, change, row.watchers or 0, bool(row.mine)
    )


def _watchers(board: Board, trader_id: int | None, known_at: datetime | None) -> sa.Subquery:
    """Who watches each term, and whether the trader does."""
    mine = sa.func.sum(sa.case((col(Watch.trader_id) == trader_id, 1), else_=0)).label("mine")
    now = (
        sa.select(col(Watch.term_id), sa.func.count().label("watchers"), mine)
        .where(col(Watch.board_id) == board.id, col(Watch.term_id).is_not(None))
        .group_by(col(Watch.term_id))
    )
    if known_at is None:
        return now.subquery()
    now_mine = now.subquery()
    watchers = sa.func.sum(sa.case((col(WatchEvent.is_on), 1), else_=-1)).label("watchers")
    return (
        sa.select(col(WatchEvent.term_id), watchers, sa.func.max(now_mine.c.mine).label("mine"))
        .outerjoin(now_mine, now_mine.c.term_id == WatchEvent.term_id)
        .where(
            col(WatchEvent.board_id) == board.id, col(WatchEvent.term_id).is_not(None),
            col(WatchEvent.recorded_at) <= known_at,
        )
        .group_by(col(WatchEvent.term_id))
        .subquery()
    )  # fmt: skip


def _price(*until: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    """The price after the last trade of the contract that fulfils the conditions."""
    return (
        sa.select(col(Fill.price_after_units))
        .where(col(Fill.contract_id) == Contract.id, *until)
        .order_by(col(Fill.version_after).desc())
        .limit(1)
        .correlate(Contract)
        .scalar_subquery()
    )


def _statement(
    board: Board,
    period: str,
    which: sa.ColumnElement[bool],
    trader_id: int | None,
    began: datetime,
    known_at: datetime | None,
) -> sa.Select[*tuple[Any, ...]]:
    watches = _watchers(board, trader_id, known_at)
    price_before = _price(col(Fill.recorded_at) < began)
    then = sa.null() if known_at is None else _price(col(Fill.recorded_at) <= known_at)
    was_opened = () if known_at is None else (col(Contract.opened_at) <= known_at,)
    return (
        sa.select(
            col(Listing.term_id), col(Term.key), col(Term.slug), col(Term.label), *contract_columns(),
            price_before.label("price_before"), then.label("price_then"), watches.c.watchers, watches.c.mine,
        )
        .join(Term, col(Term.id) == Listing.term_id)
        .outerjoin(
            Contract,
            sa.and_(
                col(Contract.board_id) == Listing.board_id,
                col(Contract.term_id) == Listing.term_id,
                col(Contract.period) == period,
                *was_opened,
            ),
        )
        .outerjoin(watches, watches.c.term_id == Listing.term_id)
        .where(col(Listing.board_id) == board.id, which)
    )  # fmt: skip


def contract_columns() -> tuple[Mapped[int], ...]:
    """What a contract's price is computed from."""
    return (
        col(Contract.cap), col(Contract.prior_1024), col(Contract.depth_shares), col(Contract.long_shares),
        col(Contract.short_shares),
    )  # fmt: skip
