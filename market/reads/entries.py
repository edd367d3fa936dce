"""The ledger entries behind one trader's portfolio, whole: every posting, and the cash after each entry.

Other traders' postings (a settlement pays all holders in one entry) are summed into one line, so that an
entry still adds up to zero per asset and nobody sees what another person holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.entries import trader_cash
from market.tables import Account, Board, Contract, Entry, Posting
from nlp.tables import Term

PAGE_SIZE = 50
OTHERS = "others"


@dataclass(frozen=True)
class Line:
    """An amount added to an account (`OTHERS` for all other traders' together), in units or in shares."""

    account: str
    asset: str
    amount: int
    is_own: bool


@dataclass(frozen=True)
class EntryView:
    """One entry that touched the trader's accounts; the contract's fields are None for grants.

    `cash_units` is what it added to the trader's cash, `balance_units` the cash after it.
    """

    entry_id: int
    kind: str
    memo: str
    recorded_at: datetime
    order_id: int | None
    board_code: str | None
    term_slug: str | None
    term_label: str | None
    period: str | None
    cash_units: int
    balance_units: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class EntryPage:
    """A page of a trader's entries, newest first; pages are numbered from 1."""

    entries: tuple[EntryView, ...]
    number: int
    entry_count: int

    @property
    def page_count(self) -> int:
        """At least 1: a trader without entries has one empty page."""
        return max(1, -(-self.entry_count // PAGE_SIZE))


@dataclass(frozen=True)
class OwnPosting:
    """One posting on one of the trader's accounts, with that account's balance after it."""

    entry_id: int
    recorded_at: datetime
    kind: str
    memo: str
    board_code: str | None
    term_slug: str | None
    period: str | None
    account: str
    asset: str
    amount: int
    balance: int


def entry_page(session: Session, trader_id: int, number: int) -> EntryPage | None:
    """Page `number` (>= 1) of the trader's entries; None when it lies past the last one. One query."""
    rows = session.execute(_page_statement(trader_id, number)).all()
    if not rows and number > 1:
        return None
    entries = [_entry(list(group)) for _, group in groupby(rows, key=lambda row: row.entry_id)]
    return EntryPage(tuple(entries), number, rows[0].entry_count if rows else 0)


def own_postings(session: Session, trader_id: int) -> Iterable[OwnPosting]:
    """Every posting on the trader's accounts, oldest first. One query."""
    amount = col(Posting.amount)
    balance = sa.func.sum(amount).over(
        partition_by=col(Posting.account_id), order_by=(col(Posting.entry_id), col(Posting.line))
    )
    statement = (
        sa.select(
            col(Entry.id), col(Entry.recorded_at), col(Entry.kind), col(Entry.memo),
            col(Board.code), col(Term.slug), col(Contract.period),
            col(Account.name), col(Account.asset), amount, _whole(balance),
        )
        .select_from(Posting)
        .join(Account, col(Account.id) == col(Posting.account_id))
        .join(Entry, col(Entry.id) == col(Posting.entry_id))
        .outerjoin(Contract, col(Contract.id) == col(Entry.contract_id))
        .outerjoin(Board, col(Board.id) == col(Contract.board_id))
        .outerjoin(Term, col(Term.id) == col(Contract.term_id))
        .where(col(Account.trader_id) == trader_id)
        .order_by(col(Posting.entry_id), col(Posting.line))
    )
    return [OwnPosting(*row) for row in session.execute(statement)]


def _page_statement(trader_id: int, number: int) -> sa.Select[Any]:
    """The lines of the page's entries: postings summed per account, other traders' into one account."""
    page = _page_of_entries(trader_id, number)
    is_own = sa.func.coalesce(col(Account.trader_id) == trader_id, sa.false())
    account = sa.case((is_own | col(Account.trader_id).is_(None), col(Account.name)), else_=OTHERS)
    lines = (
        sa.select(
            page.c.entry_id, page.c.cash_units, page.c.balance_units, page.c.entry_count,
            is_own.label("is_own"), account.label("account"), col(Account.asset).label("asset"),
            _whole(sa.func.sum(col(Posting.amount))).label("amount"),
            sa.func.min(col(Posting.line)).label("line"),
        )
        .select_from(page)
        .join(Posting, col(Posting.entry_id) == page.c.entry_id)
        .join(Account, col(Account.id) == col(Posting.account_id))
        .group_by(
            page.c.entry_id, page.c.cash_units, page.c.balance_units, page.c.entry_count, is_own, account,
            col(Account.asset),
        )
        .subquery()
    )
    return (
        sa.select(
            lines, col(Entry.kind), col(Entry.memo), col(Entry.recorded_at), col(Entry.order_id),
            col(Board.code).label("board_code"), col(Term.slug), col(Term.label), col(Contract.period),
        )
        .join(Entry, col(Entry.id) == lines.c.entry_id)
        .outerjoin(Contract, col(Contract.id) == col(Entry.contract_id))
        .outerjoin(Board, col(Board.id) == col(Contract.board_id))
        .outerjoin(Term, col(Term.id) == col(Contract.term_id))
        .order_by(lines.c.entry_id.desc(), lines.c.is_own.desc(), lines.c.line)
    )


def _page_of_entries(trader_id: int, number: int) -> sa.Subquery:
    """The entries of the page, with what each did to the trader's cash and the cash after it."""
    cash = trader_cash(trader_id).name
    change = sa.func.sum(sa.case((col(Account.name) == cash, col(Posting.amount)), else_=0))
    entry_id = col(Posting.entry_id)
    return (
        sa.select(
            entry_id.label("entry_id"),
            _whole(change).label("cash_units"),
            _whole(sa.func.sum(change).over(order_by=entry_id)).label("balance_units"),
            sa.func.count().over().label("entry_count"),
        )
        .join(Account, col(Account.id) == col(Posting.account_id))
        .where(col(Account.trader_id) == trader_id)
        .group_by(entry_id)
        .order_by(entry_id.desc())
        .limit(PAGE_SIZE)
        .offset((number - 1) * PAGE_SIZE)
        .subquery()
    )


def _whole(total: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    """PostgreSQL sums 64-bit integers to NUMERIC; back to an integer."""
    return sa.cast(total, sa.BigInteger)


def _entry(rows: list[sa.Row[Any]]) -> EntryView:
    first = rows[0]
    return EntryView(
        entry_id=first.entry_id,
        kind=first.kind,
        memo=first.memo,
        recorded_at=first.recorded_at,
        order_id=first.order_id,
        board_code=first.board_code,
        term_slug=first.slug,
        term_label=first.label,
        period=first.period,
        cash_units=first.cash_units,
        balance_units=first.balance_units,
        lines=tuple(Line(row.account, row.asset, row.amount, bool(row.is_own)) for row in rows),
    )
