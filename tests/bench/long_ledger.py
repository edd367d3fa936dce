"""A ledger of any length, valid to the last hash, written in bulk: for benchmarks of what grows with it.

The trades are made by the market's own pure functions, one after the other, as `market.trading` would have
booked them: `verify` and `replay` find nothing. Only the writing is different, by the driver's fastest way
and past foreign keys and triggers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from itertools import accumulate
from random import Random
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Engine

from market.chain import EntryContent, Link, next_link, order_key
from market.db import read_session, transact
from market.entries import AccountKey, Kind, account_named, trade_lines
from market.maker import Maker, Side
from market.orders import Action, OrderRequest
from market.pricing import ContractState, traded
from market.trading import place_order
from tests.bench import load

TERMS, TRADERS = 2_000, 200
BATCH = 20_000  # trades that are written together
COLUMNS = {
    "account": ("id", "name", "asset", "trader_id", "contract_id", "may_be_negative", "balance"),
    "orders": (
        "id", "trader_id", "idempotency_key", "body_hash", "board_id", "term_id", "period", "side", "action",
        "share_count", "status", "reason", "message", "placed_at",
    ),
    "entry": (
        "id", "kind", "contract_id", "order_id", "memo", "recorded_at", "chain", "sequence", "hash",
    ),
    "posting": ("entry_id", "line", "account_id", "amount"),
    "fill": (
        "contract_id", "order_id", "entry_id", "from_hold", "share_count", "cost_units", "fee_units",
        "version_before", "version_after", "price_before_units", "price_after_units", "recorded_at",
    ),
}  # fmt: skip

Rows = dict[str, list[tuple[Any, ...]]]


def begin(engine: Engine) -> list[int]:
    """A market of `TERMS` contracts, each opened and traded once, honestly; its traders."""
    traders = load.build(engine, TERMS, TRADERS)
    chance = Random(0)

    def work(session: Any) -> None:
        for number in range(1, TERMS + 1):
            request = load.buying(f"term-{number}", load.PERIOD, 1)
            place_order(session, chance.choice(traders), request, f"open-{number}", load.NOW)

    transact(engine, work)
    return traders


class LongLedger:
    """Goes on from what the database holds: trades are made in memory and written in batches."""

    def __init__(self, engine: Engine, traders: list[int], seed: int = 1) -> None:
        self._engine, self._traders, self._chance = engine, traders, Random(seed)
        is_text = engine.dialect.name == "sqlite"
        plain = load.NOW.astimezone(UTC).replace(tzinfo=None)
        self._moment: Any = plain.isoformat(" ", "microseconds") if is_text else load.NOW
        self._hashes: dict[OrderRequest, str] = {}
        self._rows: Rows = {name: [] for name in COLUMNS}
        self._read()

    def write(self, postings: int) -> None:
        """Trade until there are so many postings."""
        while self._postings < postings:
            self._trade()
            if len(self._rows["entry"]) >= BATCH:
                self._flush()
        self._flush()
        self._finish()

    def _read(self) -> None:
        with read_session(self._engine) as session:
            run = session.connection().exec_driver_sql
            accounts = run("SELECT name, id, balance FROM account")
            self._accounts = {name: [number, balance] for name, number, balance in accounts}
            self._contracts = {
                row.id: (row.term_id, _state(row)) for row in run("SELECT * FROM contract ORDER BY id")
            }
            self._heads = {
                chain: Link(chain, sequence, found)
                for chain, sequence, found in run("SELECT chain, sequence, hash FROM entry ORDER BY id")
            }
            (self._entry,), (self._order,), (self._postings,) = (
                run(f"SELECT {what}").one()
                for what in ("max(id) FROM entry", "max(id) FROM orders", "count(*) FROM posting")
            )
        self._ids = list(self._contracts)
        self._weights = list(accumulate(1 / rank for rank in range(1, len(self._ids) + 1)))

    def _trade(self) -> None:
        chance = self._chance
        (contract_id,) = chance.choices(self._ids, cum_weights=self._weights)
        trader, side = chance.choice(self._traders), chance.choice((Side.LONG, Side.SHORT))
        _, held = self._accounts.get(f"trader:{trader}:pos:{contract_id}:{side.value}", (0, 0))
        change = -held if held else chance.randint(1, 5)
        term_id, before = self._contracts[contract_id]
        trade = traded(before, side, change)
        self._entry += 1
        self._order += 1
        key = f"fill-{self._order}"
        request = OrderRequest(
            "cs.LG", f"term-{term_id}", load.PERIOD, side, Action.BUY if change > 0 else Action.SELL,
            abs(change), None, None,
        )  # fmt: skip
        lines = trade_lines(trader, contract_id, side, change, trade.cost_units, trade.fee_units)
        amounts = [(line.account.name, line.amount) for line in lines]
        content = EntryContent(Kind.TRADE.value, order_key(trader, key), "", None, load.NOW, amounts)
        link = self._heads[contract_id] = next_link(contract_id, self._heads[contract_id], content)
        rows, now = self._rows, self._moment
        if request not in self._hashes:
            self._hashes[request] = request.body_hash()
        rows["orders"].append((
            self._order, trader, key, self._hashes[request], 1, term_id, load.PERIOD, side.value,
            request.action.value, abs(change), "filled", "", "", now,
        ))  # fmt: skip
        rows["entry"].append((
            self._entry, "trade", contract_id, self._order, "", now, contract_id, link.sequence, link.hash,
        ))  # fmt: skip
        for number, line in enumerate(lines, start=1):
            account = self._account(line.account)
            account[1] += line.amount
            rows["posting"].append((self._entry, number, account[0], line.amount))
        self._postings += len(lines)
        prices = (state.maker.price_units(state.long, state.short) for state in (before, trade.after))
        rows["fill"].append((
            contract_id, self._order, self._entry, False, abs(change), trade.cost_units, trade.fee_units,
            before.version, trade.after.version, *prices, now,
        ))  # fmt: skip
        self._contracts[contract_id] = (term_id, trade.after)

    def _account(self, key: AccountKey) -> list[int]:
        found = self._accounts.get(key.name)
        if found is None:
            assert account_named(key.name) == key
            found = self._accounts[key.name] = [len(self._accounts) + 1, 0]
            self._rows["account"].append((
                found[0], key.name, key.asset, key.trader_id, key.contract_id, key.may_be_negative, 0,
            ))  # fmt: skip
        return found

    def _flush(self) -> None:
        with unchecked(self._engine) as connection:
            for table, rows in self._rows.items():
                _copy(connection, table, rows)
                rows.clear()

    def _finish(self) -> None:
        """The projections: balances and states; and where PostgreSQL goes on counting."""
        is_sqlite = self._engine.dialect.name == "sqlite"
        mark = "?" if is_sqlite else "%s"
        balances = [(balance, number) for number, balance in self._accounts.values()]
        states = [
            (state.long, state.short, state.version, number)
            for number, (_, state) in self._contracts.items()
        ]
        with unchecked(self._engine) as connection:
            run = connection.exec_driver_sql
            run(f"UPDATE account SET balance = {mark} WHERE id = {mark}", balances)
            run(
                f"UPDATE contract SET long_shares = {mark}, short_shares = {mark}, state_version = {mark}"
                f" WHERE id = {mark}", states,
            )  # fmt: skip
            if not is_sqlite:
                for table in ("account", "orders", "entry"):
                    numbers = f"pg_get_serial_sequence('{table}', 'id')"
                    run(f"SELECT setval({numbers}, (SELECT max(id) FROM {table}))")
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("ANALYZE" if is_sqlite else "VACUUM ANALYZE")


@contextmanager
def unchecked(engine: Engine) -> Iterator[sa.Connection]:
    """A transaction in which foreign keys and triggers are not looked at: the rows are right."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("ROLLBACK")  # the pragma has no effect in a transaction
            connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
        yield connection
        connection.commit()
        connection.invalidate()  # nobody else gets it as it is


def _state(row: Any) -> ContractState:
    maker = Maker(row.cap, row.prior_1024, row.depth_shares)
    shares = row.long_shares, row.short_shares
    return ContractState(row.id, maker, row.subsidy_units, *shares, row.state_version, False)


def _copy(connection: sa.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    columns = ", ".join(COLUMNS[table])
    if not rows:
        return
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(COLUMNS[table]))
        connection.exec_driver_sql(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
        return
    statement = f"COPY {table} ({columns}) FROM STDIN"
    with connection.connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
