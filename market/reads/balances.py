"""What an account held at a moment, from its postings alone (L16)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.errors import MarketError
from market.tables import Account, Entry, Posting


class UnknownAccount(MarketError):
    """No account has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no account {name!r}. Accounts are called trader:7:cash, trader:7:hold, "
            f"trader:7:pos:3:LONG, trader:7:hold:3:LONG, pool:3:cash, pool:3:fees, pool:3:issued:LONG, "
            f"house:mint, house:subsidy and fees."
        )
        self.name = name


@dataclass(frozen=True, slots=True)
class Balance:
    """``amount`` of ``asset`` (units of "credits", or shares) after ``posting_count`` postings; the last of
    them is in ``last_entry``, None without any."""

    account: str
    asset: str
    amount: int
    posting_count: int
    last_entry: int | None


def balance_of(
    session: Session, name: str, *, as_of: datetime | None = None, entry_id: int | None = None
) -> Balance:
    """The sum of the account's postings recorded until ``as_of`` and up to ``entry_id``, both included.

    Raises `UnknownAccount`.
    """
    account = session.execute(
        sa.select(col(Account.id), col(Account.asset)).where(col(Account.name) == name)
    ).one_or_none()
    if account is None:
        raise UnknownAccount(name)
    of_account = (
        sa.select(
            sa.func.coalesce(sa.func.sum(col(Posting.amount)), 0), sa.func.count(), sa.func.max(col(Entry.id))
        )
        .join_from(Posting, Entry, col(Entry.id) == Posting.entry_id)
        .where(col(Posting.account_id) == account.id)
    )
    if as_of is not None:
        of_account = of_account.where(col(Entry.recorded_at) <= as_of)
    if entry_id is not None:
        of_account = of_account.where(col(Entry.id) <= entry_id)
    total, count, last = session.execute(of_account).one()
    return Balance(name, account.asset, int(total), count, last)
