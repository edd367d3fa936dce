"""The ledger: entries are posted here and nowhere else, in the caller's transaction.

Locks are taken in one order (L9): the contract's row first, then accounts by ascending id. Accounts are made,
empty, when first posted to. Written against the tables themselves, without the object layer: a trade posts
five lines, and a busy market spends its time here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TypeVar

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

import market.tables  # noqa: F401  # which makes them known
from market.chain import NO_CONTRACT, EntryContent, Link, next_link
from market.entries import HOUSE_MINT, AccountKey, Kind, Line, check_lines
from market.errors import InsufficientFunds
from market.inserts import insert_unless_taken
from market.prepared import Prepared
from nlp.columns import BIGINT

ACCOUNT = SQLModel.metadata.tables["account"]
ENTRY = SQLModel.metadata.tables["entry"]
POSTING = SQLModel.metadata.tables["posting"]

_ROWS_AT_ONCE = 500  # names in one statement; databases limit the parameters
_LINES_AT_ONCE = 16  # of an entry; a trade has five

_ACCOUNTS = sa.select(ACCOUNT.c.name, ACCOUNT.c.id, ACCOUNT.c.balance)
_HEAD = Prepared(
    sa.select(ENTRY.c.chain, ENTRY.c.sequence, ENTRY.c.hash)
    .where(ENTRY.c.chain == sa.bindparam("of"))
    .order_by(ENTRY.c.sequence.desc())
    .limit(1)
)
_NEW_ENTRY = Prepared(
    sa.insert(ENTRY).returning(ENTRY.c.id),
    (
        "kind", "contract_id", "order_id", "corrects_id", "memo", "recorded_at", "chain", "sequence", "hash",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HeldAccount:
    """An account whose row this transaction holds, and its balance when it was locked.

    ``id`` is None for an account that there is not yet; its balance is 0.
    """

    id: int | None
    balance: int


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry to be booked; see `post` for what the fields mean."""

    kind: Kind
    lines: Sequence[Line]
    memo: str = ""
    order_id: int | None = None
    key: str = ""
    corrects_id: int | None = None


Item = TypeVar("Item")
Held = dict[AccountKey, HeldAccount]
NOBODYS = HeldAccount(None, 0)


def lock_accounts(session: Session, accounts: Iterable[AccountKey]) -> Held:
    """Lock the accounts for this transaction, in the order of their ids. Writes nothing.

    A caller that needs a contract's row locks that one before.
    """
    wanted = {account.name: account for account in accounts}
    names = list(wanted)
    if session.get_bind().dialect.name == "sqlite":  # a writing session holds the whole file already
        found = _read(session, "name", names)
    elif len(names) <= _ROWS_AT_ONCE:
        found = _read(session, "name", names, lock=True)
    else:  # in several statements: by id, so that the order is kept from one to the next
        ids = sorted(held.id for held in _read(session, "name", names).values() if held.id is not None)
        found = _read(session, "id", ids, lock=True)
    return {account: found.get(name, NOBODYS) for name, account in wanted.items()}


def post(
    session: Session,
    kind: Kind,
    lines: Sequence[Line],
    now: datetime,
    *,
    contract_id: int | None = None,
    order_id: int | None = None,
    key: str = "",
    memo: str = "",
    held: Held | None = None,
) -> int:
    """Book one entry and return its id; with ``held`` the caller has locked the accounts already, and finds
    their new balances there.

    Whoever posts for a contract holds its row, so that its hash chain grows by one entry at a time; the chain
    of what belongs to no contract grows under the lock of house:mint. ``key`` is the trader and the
    idempotency key of the order ("7:f3a9"). Raises `UnbalancedEntry` before anything is written, and
    `InsufficientFunds` when an account that may not be negative would be; the caller's transaction is then to
    be rolled back.
    """
    (entry_id,) = post_together(
        session, [Draft(kind, lines, memo, order_id, key)], now, contract_id=contract_id, held=held
    )
    return entry_id


def post_together(
    session: Session,
    drafts: Sequence[Draft],
    now: datetime,
    *,
    contract_id: int | None = None,
    held: Held | None = None,
) -> list[int]:
    """Book entries that stand or fall together, in their order; their ids.

    No account is refused what an entry takes from it if the ones beside it give that back. For the rest as
    `post`.
    """
    for draft in drafts:
        check_lines(draft.lines)
    lines = drafts[0].lines if len(drafts) == 1 else _net(drafts)
    if held is None:
        touched = [line.account for draft in drafts for line in draft.lines]
        held = lock_accounts(session, touched if contract_id is not None else [HOUSE_MINT, *touched])
    ids = _ids(session, [line for draft in drafts for line in draft.lines], held)
    _add(session, lines, ids, held)
    entry_ids = [_write(session, draft, ids, contract_id, now) for draft in drafts]
    for line in lines:  # a caller may post more on what it holds
        held[line.account] = HeldAccount(ids[line.account], held[line.account].balance + line.amount)
    return entry_ids


def _net(drafts: Iterable[Draft]) -> list[Line]:
    sums: Counter[AccountKey] = Counter()
    for draft in drafts:
        for line in draft.lines:
            sums[line.account] += line.amount
    return [Line(account, amount) for account, amount in sums.items() if amount]


def _write(
    session: Session, draft: Draft, ids: dict[AccountKey, int], contract_id: int | None, now: datetime
) -> int:
    amounts = [(line.account.name, line.amount) for line in draft.lines]
    content = EntryContent(draft.kind.value, draft.key, draft.memo, draft.corrects_id, now, amounts)
    link = _next_link(session, contract_id, content)
    entry = {
        "kind": draft.kind.value, "contract_id": contract_id, "order_id": draft.order_id,
        "corrects_id": draft.corrects_id, "memo": draft.memo, "recorded_at": now, "chain": link.chain,
        "sequence": link.sequence, "hash": link.hash,
    }  # fmt: skip
    ((entry_id,),) = _NEW_ENTRY.rows(session, entry)
    _write_postings(session, entry_id, draft.lines, ids)
    return int(entry_id)


def _next_link(session: Session, contract_id: int | None, content: EntryContent) -> Link:
    chain = NO_CONTRACT if contract_id is None else contract_id
    head = _HEAD.first(session, {"of": chain})
    return next_link(chain, None if head is None else Link(*head), content)


def balances(session: Session, accounts: Iterable[AccountKey]) -> dict[AccountKey, int]:
    """What the accounts hold now, without a lock; 0 for one that was never posted to."""
    wanted = list(accounts)
    found = _read(session, "name", [account.name for account in wanted])
    return {account: found.get(account.name, NOBODYS).balance for account in wanted}


def _ids(session: Session, lines: Sequence[Line], held: Held) -> dict[AccountKey, int]:
    """The ids of the lines' accounts; those that are missing are made."""
    ids = {line.account: held[line.account].id for line in lines}
    missing = sorted((account for account, number in ids.items() if number is None), key=_name)
    for account in missing:
        # Somebody else may be making the same one: then this waits for them, and theirs is taken and locked.
        ids[account] = insert_unless_taken(session, ACCOUNT, _empty(account))
    theirs = [account for account in missing if ids[account] is None]
    ids.update((account, found.id) for account, found in lock_accounts(session, theirs).items())
    return {account: number for account, number in ids.items() if number is not None}


def _name(account: AccountKey) -> str:
    return account.name


def _add(session: Session, lines: Sequence[Line], ids: dict[AccountKey, int], held: Held) -> None:
    changed = 0
    for some in _groups(lines, _LINES_AT_ONCE):
        values: dict[str, int] = {}
        for number, line in enumerate(some):
            values[f"account_{number}"], values[f"change_{number}"] = ids[line.account], line.amount
        changed += _adding(len(some)).run(session, values)
    if changed == len(lines):
        return
    for line in lines:
        balance = held[line.account].balance
        if not line.account.may_be_negative and balance + line.amount < 0:
            raise InsufficientFunds(line.account.name, balance, -line.amount)
    raise AssertionError(f"{len(lines)} accounts were to change, {changed} did")


@cache
def _adding(count: int) -> Prepared:
    """So many accounts changed at once; those that would be less than they may are left out."""
    numbers = range(count)
    accounts = [sa.bindparam(f"account_{number}", type_=BIGINT) for number in numbers]
    changes = {accounts[number]: sa.bindparam(f"change_{number}", type_=BIGINT) for number in numbers}
    balance = ACCOUNT.c.balance + sa.case(changes, value=ACCOUNT.c.id)
    allowed = sa.or_(ACCOUNT.c.may_be_negative, balance >= 0)
    return Prepared(sa.update(ACCOUNT).where(ACCOUNT.c.id.in_(accounts), allowed).values(balance=balance))


def _write_postings(
    session: Session, entry_id: int, lines: Sequence[Line], ids: dict[AccountKey, int]
) -> None:
    first = 1
    for some in _groups(lines, _LINES_AT_ONCE):
        values = {"entry": entry_id}
        for number, line in enumerate(some):
            values[f"line_{number}"] = first + number
            values[f"account_{number}"], values[f"amount_{number}"] = ids[line.account], line.amount
        _new_postings(len(some)).run(session, values)
        first += len(some)


@cache
def _new_postings(count: int) -> Prepared:
    rows = [
        {
            "entry_id": sa.bindparam("entry", type_=BIGINT),
            "line": sa.bindparam(f"line_{number}", type_=sa.Integer),
            "account_id": sa.bindparam(f"account_{number}", type_=BIGINT),
            "amount": sa.bindparam(f"amount_{number}", type_=BIGINT),
        }
        for number in range(count)
    ]
    return Prepared(sa.insert(POSTING).values(rows))


def _read(
    session: Session, column: str, keys: Sequence[object], *, lock: bool = False
) -> dict[str, HeldAccount]:
    found: dict[str, HeldAccount] = {}
    for some in _groups(keys, _ROWS_AT_ONCE):
        values = {f"key_{number}": key for number, key in enumerate(some)}
        for name, number, balance in _accounts_by(column, len(some), lock).rows(session, values):
            found[name] = HeldAccount(number, balance)
    return found


@cache  # a trade asks for five accounts, again and again
def _accounts_by(column: str, count: int, lock: bool) -> Prepared:
    keys = [sa.bindparam(f"key_{number}", type_=ACCOUNT.c[column].type) for number in range(count)]
    statement = _ACCOUNTS.where(ACCOUNT.c[column].in_(keys))
    return Prepared(statement.order_by(ACCOUNT.c.id).with_for_update() if lock else statement)


def _groups(items: Sequence[Item], most: int) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), most):
        yield items[start : start + most]


def _empty(account: AccountKey) -> dict[str, object]:
    return {
        "name": account.name,
        "asset": account.asset,
        "trader_id": account.trader_id,
        "contract_id": account.contract_id,
        "may_be_negative": account.may_be_negative,
        "balance": 0,
    }
