"""A trade as plain SQL with psycopg: the peer of `tests.bench.trades`.

The rows that `market.trading` reads, locks and writes for an order at the market, in the same order, as one
would write them by hand, in as few statements; psycopg prepares them. Nothing is computed: a share costs 100
units, the fee is 1, the hash is made up, nothing is refused.
"""

from __future__ import annotations

from datetime import UTC, datetime

import psycopg

from market.orders import Action
from tests.bench.load import PERIOD, Orders

INSTRUMENT = """
SELECT listing.board_id, listing.term_id, board.period, board.time_zone, term.label, listing.status
FROM board JOIN listing ON listing.board_id = board.id JOIN term ON term.id = listing.term_id
WHERE board.code = %s AND term.slug = %s
"""
CLAIM = """
INSERT INTO orders (trader_id, idempotency_key, body_hash, board_id, term_id, period, side, action,
    share_count, status, reason, message, placed_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, 'filled', '', '', %s) ON CONFLICT DO NOTHING RETURNING id
"""
CONTRACT = """
SELECT id, cap, prior_1024, depth_shares, subsidy_units, long_shares, short_shares, state_version, settled_at,
    resting_count FROM contract WHERE board_id = %s AND term_id = %s AND period = %s FOR UPDATE
"""
ACCOUNTS = "SELECT name, id, balance FROM account WHERE name = ANY(%s) ORDER BY id FOR UPDATE"
NEW_ACCOUNT = """
INSERT INTO account (name, asset, trader_id, contract_id, may_be_negative, balance)
VALUES (%s, %s, %s, %s, %s, 0) ON CONFLICT DO NOTHING
"""
ADD = """
UPDATE account SET balance = balance + %s WHERE id = %s AND (may_be_negative OR balance + %s >= 0)
"""
HEAD = "SELECT sequence, hash FROM entry WHERE chain = %s ORDER BY sequence DESC LIMIT 1"
ENTRY = """
INSERT INTO entry (kind, contract_id, order_id, memo, recorded_at, chain, sequence, hash)
VALUES ('trade', %s, %s, '', %s, %s, %s, %s) RETURNING id
"""
POSTING = "INSERT INTO posting (entry_id, line, account_id, amount) VALUES (%s, %s, %s, %s)"
ADVANCE = """
UPDATE contract SET long_shares = %s, short_shares = %s, state_version = %s
WHERE id = %s AND state_version = %s AND settled_at IS NULL
"""
FILL = """
INSERT INTO fill (order_id, contract_id, entry_id, from_hold, share_count, cost_units, fee_units,
    version_before, version_after, price_before_units, price_after_units, recorded_at)
VALUES (%s, %s, %s, false, %s, %s, 1, %s, %s, 100, 100, %s)
"""
HASH = "0" * 64


class PlainTrades:
    """One client on a copy of the market's database."""

    def __init__(self, url: str, orders: Orders, name: str) -> None:
        self._connection = psycopg.connect(url.replace("postgresql+psycopg", "postgresql"))
        self._orders = orders
        self._name = name
        self._count = 0

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def trade(self) -> bool:
        """One trade, committed."""
        trader, request = self._orders.draw()
        self._count += 1
        now = datetime.now(UTC)
        change = (request.share_count or 0) * (1 if request.action is Action.BUY else -1)
        run = self._connection.execute
        board_id, term_id, *_ = run(INSTRUMENT, (request.board, request.term)).fetchone() or ()
        claim = (
            trader, f"{self._name}-{self._count}", HASH, board_id, term_id, PERIOD, request.side.value,
            request.action.value, request.share_count, now,
        )  # fmt: skip
        (order_id,) = run(CLAIM, claim).fetchone() or ()
        contract, *_, long, short, version, _, _ = run(CONTRACT, (board_id, term_id, PERIOD)).fetchone() or ()
        ids = self._accounts(trader, contract, request.side.value)
        cash, pool, fees, issued, position = ids
        cost = 100 * change
        amounts = ((cash, -cost - 1), (pool, cost), (fees, 1), (issued, -change), (position, change))
        with self._connection.cursor() as cursor:
            cursor.executemany(ADD, [(amount, account, amount) for account, amount in sorted(amounts)])
            head = run(HEAD, (contract,)).fetchone() or (0, HASH)
            entry = (contract, order_id, now, contract, head[0] + 1, HASH)
            (entry_id,) = run(ENTRY, entry).fetchone() or ()
            lines = enumerate(amounts, start=1)
            cursor.executemany(POSTING, [(entry_id, line, *each) for line, each in lines])
        if request.side.value == "LONG":
            long += change
        else:
            short += change
        run(ADVANCE, (long, short, version + 1, contract, version))
        run(FILL, (order_id, contract, entry_id, abs(change), cost, version, version + 1, now))
        self._connection.commit()
        self._orders.filled(trader, request, abs(change))
        return True

    def _accounts(self, trader: int, contract: int, side: str) -> list[int]:
        """The five accounts of a trade, locked; those that are missing are made."""
        share = f"contract:{contract}:{side}"
        wanted = {
            f"trader:{trader}:cash": ("credits", trader, None, False),
            f"pool:{contract}:cash": ("credits", None, contract, False),
            f"pool:{contract}:fees": ("credits", None, contract, False),
            f"pool:{contract}:issued:{side}": (share, None, contract, True),
            f"trader:{trader}:pos:{contract}:{side}": (share, trader, contract, False),
        }
        while True:
            found = {row[0]: row[1] for row in self._connection.execute(ACCOUNTS, (list(wanted),))}
            missing = [name for name in wanted if name not in found]
            if not missing:
                return [found[name] for name in wanted]
            for name in missing:
                self._connection.execute(NEW_ACCOUNT, (name, *wanted[name]))
