"""Accounts against their postings and against what their names say (L2, L3, L14)."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from sqlmodel import Session

from market.audit.findings import Finding
from market.audit.rows import rows
from market.entries import AccountKey, account_named
from market.ledger import ACCOUNT, POSTING


def check_balances(session: Session) -> Iterator[Finding]:
    """Every balance is the sum of its account's postings."""
    sums = (
        sa.select(POSTING.c.account_id, sa.func.sum(POSTING.c.amount).label("total"))
        .group_by(POSTING.c.account_id)
        .subquery()
    )
    total = sa.func.coalesce(sums.c.total, 0)
    statement = (
        sa.select(ACCOUNT.c.name, ACCOUNT.c.balance, total)
        .join_from(ACCOUNT, sums, sums.c.account_id == ACCOUNT.c.id, isouter=True)
        .where(ACCOUNT.c.balance != total)
        .order_by(ACCOUNT.c.id)
    )
    for name, balance, posted in rows(session, statement):
        yield Finding("L14", None, f"{name} says {balance}, and its postings sum to {int(posted)}")


def check_signs(session: Session) -> Iterator[Finding]:
    """Only `house:mint`, and in shares the issued ones, are below zero."""
    statement = (
        sa.select(ACCOUNT.c.name, ACCOUNT.c.balance).where(ACCOUNT.c.balance < 0).order_by(ACCOUNT.c.id)
    )
    for name, balance in rows(session, statement):
        account = account_named(name)
        if account is None or not account.may_be_negative:
            yield Finding("L3", None, f"{name} holds {balance}, which is less than 0")


def check_asset_sums(session: Session) -> Iterator[Finding]:
    """All accounts of an asset sum to zero."""
    total = sa.func.sum(ACCOUNT.c.balance)
    statement = (
        sa.select(ACCOUNT.c.asset, total)
        .group_by(ACCOUNT.c.asset)
        .having(total != 0)
        .order_by(ACCOUNT.c.asset)
    )
    for asset, found in rows(session, statement):
        yield Finding("L2", None, f"all accounts in {asset} sum to {int(found)} instead of 0")


def check_account_names(session: Session) -> Iterator[Finding]:
    """An account holds what its name says, for whom its name says."""
    columns = (
        ACCOUNT.c.name, ACCOUNT.c.asset, ACCOUNT.c.trader_id, ACCOUNT.c.contract_id,
        ACCOUNT.c.may_be_negative,
    )  # fmt: skip
    for row in rows(session, sa.select(*columns).order_by(ACCOUNT.c.id)):
        stored = AccountKey(*row)
        if stored != account_named(stored.name):
            yield Finding("L3", None, f"{stored.name} is not an account of this name: {stored}")
