"""Building the demonstration from the seeds: once, again, and after an interruption."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, select

from market import demonstration
from market.db import engine_for, read_session, transact, upgrade
from market.demonstration import CLOCK, FIRST_TRADE, Demonstration, build, trading_moments
from market.maker import Side
from market.orders import Action, OrderRequest
from market.robots.floor import floor_at
from market.tables import BoardDay, Entry, Fill, Order, Trader
from market.traders import find_trader, open_trader
from market.trading import place_order
from tests.conftest import SEEDS


class Steps:
    """Keeps what was said; breaks off in the step whose title begins with `stop_at`."""

    def __init__(self, stop_at: str | None = None, stop_after: int = 0) -> None:
        self.said: list[str] = []
        self._stop_at = stop_at
        self._stop_after = stop_after
        self._title = ""

    @contextmanager
    def step(self, title: str, total: int | None = None) -> Iterator[Steps]:
        self._title = title
        self.outcome = ""
        self.reach(0)
        yield self
        self.said.append(f"{title}: {self.outcome}")

    def reach(self, done: int, total: int | None = None) -> None:
        if self._stop_at and self._title.startswith(self._stop_at) and done >= self._stop_after:
            raise KeyboardInterrupt


@pytest.fixture(scope="module", autouse=True)
def _short_trading() -> Iterator[None]:
    """Two moments before the second listing is read, and one after it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demonstration, "FIRST_TRADE", CLOCK - timedelta(hours=25))
        patch.setattr(demonstration, "BETWEEN_TRADES", timedelta(hours=12))
        yield


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Demonstration]:
    """A demonstration built in one go, to look at or to copy."""
    path = tmp_path_factory.mktemp("built") / "demo.sqlite"
    with file(path) as engine:
        upgrade(engine)
        return path, build(engine, SEEDS, Steps(), with_robots=True)


@contextmanager
def file(path: Path) -> Iterator[Engine]:
    engine = engine_for(f"sqlite:///{path}")
    yield engine
    engine.dispose()


def test_trading_begins_after_the_first_listing_and_ends_before_the_clock_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(demonstration, "FIRST_TRADE", FIRST_TRADE)
    moments = trading_moments()
    assert moments[0] == FIRST_TRADE
    assert moments == sorted(set(moments))
    assert all(FIRST_TRADE <= moment < CLOCK for moment in moments)


def test_the_seed_documents_are_read_closed_and_traded(built: tuple[Path, Demonstration]) -> None:
    path, done = built
    assert {name: report.new_count for name, report in done.reports} == {
        "tmlr-digest-2026-02-22.txt": 32, "cs.LG-2026-05-16.txt": 30, "cs.LG-2026-05-17.txt": 30,
    }  # fmt: skip
    assert [report.refusals for _, report in done.reports] == [(), (), ()]
    with file(path) as engine, read_session(engine) as session:
        days = session.exec(select(BoardDay).order_by(BoardDay.day)).all()
        fill_count = session.scalar(sa.select(sa.func.count()).select_from(Fill))
        refused = session.scalars(sa.select(Order.message).where(Order.status == "refused")).all()
    assert [(day.day, day.paper_count) for day in days] == [
        (date(2026, 2, 22), 32), (date(2026, 5, 16), 30), (date(2026, 5, 17), 30),
    ]  # fmt: skip
    assert all(day.closed_at is not None and day.closed_at.date() == day.day for day in days)
    assert done.trade_count == fill_count > 20
    assert refused == []


def test_building_again_changes_nothing(built: tuple[Path, Demonstration], tmp_path: Path) -> None:
    copy = Path(shutil.copy(built[0], tmp_path))
    again = Steps()
    with file(copy) as engine:
        build(engine, SEEDS, again, with_robots=True)
    assert contents(copy) == contents(built[0])
    assert again.said[1:] == [
        "tmlr-digest-2026-02-22.txt: read before", "cs.LG-2026-05-16.txt: read before",
        "cs.LG-2026-05-17.txt: read before",
    ]  # fmt: skip


@pytest.mark.parametrize(("stop_at", "stop_after"), [("Simulated traders", 1), ("cs.LG-2026-05-17", 0)])
def test_an_interrupted_build_goes_on_as_if_it_had_not_been(
    built: tuple[Path, Demonstration], tmp_path: Path, stop_at: str, stop_after: int
) -> None:
    path = tmp_path / "demo.sqlite"
    with file(path) as engine:
        upgrade(engine)
        with pytest.raises(KeyboardInterrupt):
            build(engine, SEEDS, Steps(stop_at, stop_after), with_robots=True)
        rest = build(engine, SEEDS, Steps(), with_robots=True)
    assert contents(path) == contents(built[0])
    assert 0 < rest.trade_count < built[1].trade_count


def test_once_people_have_traded_simulated_traders_stay_away_and_accounts_stay(tmp_path: Path) -> None:
    path = tmp_path / "demo.sqlite"
    steps = Steps()
    with file(path) as engine:
        upgrade(engine)
        build(engine, SEEDS, Steps(), with_robots=False)
        transact(engine, buy_something)
        before = contents(path)
        build(engine, SEEDS, steps, with_robots=True)
        with read_session(engine) as session:
            assert find_trader(session, "Ada") is not None
    assert "Simulated traders: left out, since people have traded already" in steps.said
    assert contents(path) == before


def buy_something(session: Session) -> None:
    ada = open_trader(session, "Ada", "a hash", CLOCK)
    market = floor_at(session, CLOCK).markets[0]
    request = OrderRequest(market.board, market.term, market.period, Side.LONG, Action.BUY, 1, None, None)
    assert ada.id is not None
    assert place_order(session, ada.id, request, "key", CLOCK).is_filled


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the tables that a build writes, without what is drawn at random for a trader."""
    found = {}
    with file(path) as engine, engine.connect() as connection:
        for table in (BoardDay, Entry, Fill, Order, Trader):
            rows = connection.execute(sa.select(table.__table__)).mappings()  # type: ignore[attr-defined]
            found[table.__name__] = [
                tuple(value for name, value in row.items() if name != "session_key") for row in rows
            ]
    return found
