"""The application on the seed documents, on both databases: what the reading pages are tested with.

The seeds are read once a run and database; tests of reading pages share them and change nothing. A trader
called Reader is signed up, watches one term and one board, and simulated traders have traded a little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine
from sqlmodel import Session

from market.boards import board_by_code
from market.db import engine_for, transact
from market.demonstration import build
from market.listing import listed_term
from market.robots.trading import trade_once
from market.traders import open_trader
from market.watching import set_watch
from tests.web.visitor import CLOCK, PASSWORD, Visitor, make_app
from web.passwords import hash_password

SEEDS = Path(__file__).parents[2] / "seeds"
NAME = "Reader"


class _Step:
    outcome = ""

    def reach(self, done: int) -> None: ...


class _Silence:
    @contextmanager
    def step(self, title: str, total: int | None = None) -> Iterator[_Step]:
        yield _Step()


@pytest.fixture(autouse=True)
def instance_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keys and checkpoints that a test makes are its own."""
    monkeypatch.setenv("PEER_REVENUE_INSTANCE", str(tmp_path / "instance"))
    return tmp_path / "instance"


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def seeded_engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """The seed documents, read in, on each database."""
    if request.param == "sqlite":
        url = _sqlite(request.getfixturevalue("sqlite_template"), tmp_path_factory.mktemp("seeded"))
    else:
        url = _postgres(
            request.getfixturevalue("postgres_url"), request.getfixturevalue("postgres_template")
        )
    engine = engine_for(url)
    build(engine, SEEDS, _Silence(), with_robots=False)
    transact(engine, _make_reader)
    for hours in (30, 20, 10, 1):
        transact(engine, lambda session, hours=hours: trade_once(session, now=CLOCK - timedelta(hours=hours)))
    yield engine
    engine.dispose()


@pytest.fixture
def app(seeded_engine: Engine, tmp_path: Path) -> Flask:
    """The application on the seeds, as the guest of a demonstration finds it."""
    return make_app(seeded_engine, tmp_path)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A guest."""
    return app.test_client()


@pytest.fixture
def reader(app: Flask) -> FlaskClient:
    """Reader, signed in."""
    visitor = Visitor(app)
    assert visitor.sign_in(NAME, PASSWORD).status == 302
    return visitor.client


@pytest.fixture
def see(client: FlaskClient) -> Callable[[str], html.HtmlElement]:
    """A page as a parser sees it, for a guest; the status must be 200."""

    def parse(address: str) -> html.HtmlElement:
        response = client.get(address)
        assert response.status_code == 200, address
        return html.fromstring(response.get_data(as_text=True))

    return parse


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """The questions that the database is asked meanwhile; BEGIN asks nothing."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if not statement.startswith("BEGIN"):
            sent.append(statement)

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


def _sqlite(template: Path, folder: Path) -> str:
    path = folder / "seeded.sqlite"
    path.write_bytes(template.read_bytes())
    return f"sqlite:///{path}"


def _postgres(server: str, template: str) -> str:
    engine = engine_for(server)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"CREATE DATABASE seeded TEMPLATE {template}")
    engine.dispose()
    return sa.make_url(server).set(database="seeded").render_as_string(hide_password=False)


def _make_reader(session: Session) -> None:
    trader = open_trader(session, NAME, hash_password(PASSWORD), CLOCK)
    board = board_by_code(session, "cs.LG")
    term = listed_term(session, board, "large-language-model")[1]
    assert trader.id is not None
    assert board.id is not None
    set_watch(session, trader.id, board.id, None, True, CLOCK)
    set_watch(session, trader.id, board.id, term.id, True, CLOCK)
