"""Corrections (L17): an entry of the past taken back by a linked entry; nothing is ever altered.

What can be taken back is what leaves every invariant whole. A *settlement* is reversed and paid anew, once,
on a statement that counts the papers as they are now with the lexicon that was frozen. A *grant* is taken
back while its owner still has it. A trade alone cannot be: the trades after it were priced by it. A contract
can be void as a whole (see `voiding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, select

from market.entries import (
    HOUSE_MINT,
    AccountKey,
    Holder,
    Kind,
    Line,
    account_named,
    pool_cash,
    pool_fees,
    reversed_lines,
    share_asset,
)
from market.errors import InsufficientFunds, MarketError
from market.evidence import Evidence
from market.ledger import ACCOUNT, ENTRY, POSTING, Draft, Held, lock_accounts, post_together
from market.maker import Side
from market.money import credits_text
from market.recount import hold
from market.settlement import settled_lines
from market.statement_documents import papers_hash
from market.stored_statements import UnknownContract, recount_stored, statement_of
from market.tables import Board, Contract, SettlementStatement

CONTRACT = SQLModel.metadata.tables["contract"]
LONGEST_REASON = 400
_PART_OF = {
    Kind.OPEN: "opened a contract, which is void or stands as a whole",
    Kind.TRADE: "is a trade by which later ones were priced; a contract is void or stands as a whole",
    Kind.HOLD: "sets something aside for an order; its owner can cancel that",
    Kind.RELEASE: "returned what an order had set aside",
    Kind.SUBSIDY: "made credits for the house, which pays other contracts with them too",
    Kind.CORRECT: "is a correction itself",
}


class CannotCorrect(MarketError):
    """The entry or contract cannot be corrected, or not now; the message says why."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Entry ``entry_id`` took back ``corrects_id``. Of a settlement that was paid anew, ``counted_before``
    and ``counted`` are the papers of the two statements; otherwise both are None."""

    entry_id: int
    corrects_id: int
    contract_id: int | None
    reason: str
    counted_before: int | None = None
    counted: int | None = None


def correct_entry(session: Session, entry_id: int, reason: str, now: datetime) -> Correction:
    """Take back a grant, or a settlement, which is paid anew; the caller commits.

    Raises `CannotCorrect` with what stands against it.
    """
    reason = checked_reason(reason)
    entry = session.execute(
        sa.select(ENTRY.c.id, ENTRY.c.kind, ENTRY.c.contract_id).where(ENTRY.c.id == entry_id)
    ).one_or_none()
    if entry is None:
        raise CannotCorrect(f"There is no entry {entry_id}.")
    if entry.kind == Kind.GRANT:
        return _take_back_grant(session, entry_id, reason, now)
    if entry.kind == Kind.SETTLE:
        return _settle_anew(session, entry_id, entry.contract_id, reason, now)
    void = f" To void it: peer-revenue void {entry.contract_id}." if entry.contract_id else ""
    raise CannotCorrect(f"Entry {entry_id} {_PART_OF[Kind(entry.kind)]}.{void}")


def checked_reason(reason: str) -> str:
    """The reason in one line; raises `CannotCorrect` for none, or one that is too long."""
    reason = " ".join(reason.split())
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise CannotCorrect(f"A correction needs a reason, of {LONGEST_REASON} characters at most.")
    return reason


def _take_back_grant(session: Session, entry_id: int, reason: str, now: datetime) -> Correction:
    lines = reversed_lines(_lines_of(session, entry_id))
    held = lock_accounts(session, [HOUSE_MINT, *(line.account for line in lines)])
    _check_first(session, entry_id)
    entry = Draft(Kind.CORRECT, lines, reason, corrects_id=entry_id)
    (number,) = posted(session, [entry], now, None, held)
    return Correction(number, entry_id, None, reason)


def _settle_anew(
    session: Session, entry_id: int, contract_id: int, reason: str, now: datetime
) -> Correction:
    board_id = session.execute(
        sa.select(CONTRACT.c.board_id).where(CONTRACT.c.id == contract_id)
    ).scalar_one()
    hold(session, board_id)
    contract = locked_contract(session, contract_id)
    if contract.is_void:
        raise CannotCorrect(f"Contract {contract_id} is void: nothing of its settlement is left.")
    _check_first(session, entry_id)
    statement = statement_of(session, contract_id)
    if statement.number > 1:
        raise CannotCorrect(f"The settlement of contract {contract_id} was corrected before: once at most.")
    papers = recount_stored(session, statement).papers
    if papers == statement.papers:
        raise CannotCorrect(f"A recount finds the same {len(papers)} papers: there is nothing to correct.")
    paid = _lines_of(session, entry_id)
    anew = _paid_anew(contract, paid, len(papers))
    held = lock_accounts(session, {line.account for line in (*paid, *anew)})
    taken_back = Draft(Kind.CORRECT, reversed_lines(paid), reason, corrects_id=entry_id)
    memo = f"{contract.period} settled anew on {len(papers)} papers"
    entry, settled = posted(session, [taken_back, Draft(Kind.SETTLE, anew, memo)], now, contract_id, held)
    session.add(
        SettlementStatement(
            contract_id=contract_id,
            number=statement.number + 1,
            entry_id=settled,
            counted=len(papers),
            papers=list(papers),
            papers_hash=papers_hash(papers),
            reason=reason,
            term_key=statement.term_key,
            forms_hash=statement.forms_hash,
            lexicon_hash=statement.lexicon_hash,
            recorded_at=now,
            **Evidence(session, now).of_today(contract, session.get_one(Board, board_id)),
        )
    )
    contract.statement_number = statement.number + 1
    session.add(contract)
    session.flush()
    return Correction(entry, entry_id, contract_id, reason, statement.counted, len(papers))


def _paid_anew(contract: Contract, paid: Sequence[Line], counted: int) -> tuple[Line, ...]:
    """The settlement on so many papers, by what the one that posted ``paid`` took from each account."""
    assert contract.id is not None
    taken = {line.account: -line.amount for line in paid}
    shares: dict[int, dict[str, int]] = {}
    for account, amount in taken.items():
        if account.trader_id is not None and account.contract_id is not None:
            shares.setdefault(account.trader_id, {})[account.asset] = amount
    long, short = (share_asset(contract.id, side) for side in Side)
    holders = [Holder(trader, each.get(long, 0), each.get(short, 0)) for trader, each in shares.items()]
    pool, fees = taken.get(pool_cash(contract.id), 0), taken.get(pool_fees(contract.id), 0)
    return settled_lines(contract, pool, holders, counted, fees)


def _check_first(session: Session, entry_id: int) -> None:
    """Raise `CannotCorrect` when the entry was taken back before; what it moved is locked."""
    found = session.execute(sa.select(ENTRY.c.id).where(ENTRY.c.corrects_id == entry_id)).scalar()
    if found is not None:
        raise CannotCorrect(f"Entry {entry_id} was corrected before, by entry {found}.")


def locked_contract(session: Session, contract_id: int) -> Contract:
    """The contract, its row held for this transaction; raises `UnknownContract`."""
    found = session.exec(
        select(Contract)
        .where(Contract.id == contract_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()
    if found is None:
        raise UnknownContract(f"There is no contract {contract_id}.")
    return found


def _lines_of(session: Session, entry_id: int) -> tuple[Line, ...]:
    rows = session.execute(
        sa.select(ACCOUNT.c.name, POSTING.c.amount)
        .join(POSTING, POSTING.c.account_id == ACCOUNT.c.id)
        .where(POSTING.c.entry_id == entry_id)
        .order_by(POSTING.c.line)
    )
    return tuple(Line(key_of(name), amount) for name, amount in rows)


def key_of(name: str) -> AccountKey:
    """The account of a name that is stored."""
    account = account_named(name)
    assert account is not None, name
    return account


def posted(
    session: Session, drafts: Sequence[Draft], now: datetime, contract_id: int | None, held: Held
) -> list[int]:
    """Book the entries; raises `CannotCorrect` where an account does not hold what they take."""
    try:
        return post_together(session, drafts, now, contract_id=contract_id, held=held)
    except InsufficientFunds as lack:
        raise CannotCorrect(_said(lack)) from lack


def _said(lack: InsufficientFunds) -> str:
    holds, needed = credits_text(lack.balance), credits_text(lack.needed)
    taken = f"of the {needed} credits that would be taken back"
    return f"{lack.account} holds {holds} {taken}. Nothing was booked."
