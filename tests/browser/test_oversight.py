"""Halts and the leaderboard as people meet them: readable, by keyboard, without script, on a small screen."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlmodel import Session, col, select
from waitress.server import create_server

from market.db import engine_for, transact
from market.halts import halt
from market.limit_trading import place_limit
from market.maker import Side
from market.membership import set_membership
from market.remarks import Remark
from market.tables import Board, Trader
from market.traders import open_trader
from market.trading import place_order
from nlp.tables import Term
from tests.browser.test_pages import serious_violations
from tests.browser.visits import PASSWORD, Visit
from tests.market.factories import add_board, add_market, add_paper, add_term, close_board_day, order
from tests.market.factories import limit_order as limit
from tests.web.visitor import CLOCK, make_app
from web.passwords import hash_password

NAME = "Ana-Kettle"
TERM = "/cs.LG/terms/diffusion-model"
PAGES = {
    "halted-term": TERM,
    "halted-quote": f"{TERM}/quote?action=buy&side=LONG&by=shares&amount=10&period=2026-W21",
    "halted-day": "/cs.LG/2026-05-17?view=market",
    "halted-portfolio": "/portfolio",
    "halted-in-part": "/cs.CL/terms/kettle",
    "leaderboard": "/leaderboard",
    "leaderboard-past": "/leaderboard?season=2026-Q1",
}


def fill(session: Session) -> None:
    """Ana holds shares of a halted term, and waits for more; five traders have places, one is simulated."""
    hash_of = hash_password(PASSWORD)
    open_trader(session, NAME, hash_of, CLOCK - timedelta(days=130))
    _, traders = add_market(session, "Bob Lid", "Cyd", "Unbreakablenameoffortycharactersandnomor")
    open_trader(session, "Momentum", None, CLOCK, is_simulated=True)
    board, term = session.exec(select(Board)).one(), session.exec(select(Term)).one()
    other = add_board(session, "cs.CL", position=2)
    kettle = add_term(session, "kettle", other)
    add_paper(session, board, CLOCK.date(), [term])
    add_paper(session, other, CLOCK.date(), [kettle])
    everybody = session.exec(select(Trader).order_by(col(Trader.id))).all()
    for number, trader in enumerate(everybody):
        assert trader.id is not None
        if trader.id != traders[1]:
            set_membership(session, trader.id, True, CLOCK)
        side = Side.SHORT if number == 2 else Side.LONG
        place_order(session, trader.id, order(side, shares=40 + 60 * number), "key", CLOCK)
        if trader.name == NAME:
            place_limit(session, trader.id, limit(shares=10, milli=1500), "limit", CLOCK)
    close_board_day(session, board, CLOCK.date(), CLOCK + timedelta(hours=1))
    why = Remark("The counts of Friday, 15 May 2026, are in doubt; they are being counted again.", "Op")
    halt(session, "cs.LG", "diffusion-model", None, why, CLOCK)
    halt(session, "cs.CL", None, "2026-W22", Remark("A conference falls into this week.", "Op"), CLOCK)


@pytest.fixture(scope="module")
def origin(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on that market, two hours later."""
    folder = tmp_path_factory.mktemp("oversight")
    shutil.copy(sqlite_template, folder / "market.sqlite")
    engine = engine_for(f"sqlite:///{folder}/market.sqlite")
    transact(engine, fill)
    app = make_app(engine, folder, clock=CLOCK + timedelta(hours=2))
    server = create_server(app, host="127.0.0.1", port=0)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.close()
    thread.join(5)
    engine.dispose()


@pytest.fixture(scope="module")
def state(browser: Browser, origin: str) -> dict[str, object]:
    """The cookies of Ana, signed in."""
    context = browser.new_context()
    page = Visit(context, origin).open("/sign-in")
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    kept: dict[str, object] = context.storage_state()
    context.close()
    return kept


def look(page: Page, path: str, origin: str) -> Page:
    """The page at the path; a refused quote answers with 409, which is no fault."""
    page.goto(f"{origin}{path}")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_pictures_are_taken(
    visit: Callable[..., Visit], origin: str, state: dict[str, object], scheme: str, screenshots: Path
) -> None:
    visitor = visit(storage_state=state, color_scheme=scheme, viewport={"width": 1280, "height": 900})
    found: list[str] = []
    for name, path in PAGES.items():
        page = look(visitor.page, path, origin)
        found += [f"{name}: {line}" for line in serious_violations(page, {})]
        page.screenshot(path=screenshots / f"{name}-{scheme}.png")
    assert found == []
    visitor.faults = [fault for fault in visitor.faults if "409 (CONFLICT)" not in fault]


def test_nothing_scrolls_sideways_on_a_small_screen(
    visit: Callable[..., Visit], origin: str, state: dict[str, object], screenshots: Path
) -> None:
    visitor = visit(storage_state=state, viewport={"width": 320, "height": 900})
    too_wide = {}
    for name, path in PAGES.items():
        page = look(visitor.page, path, origin)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 320:
            too_wide[name] = width
        page.screenshot(path=screenshots / f"{name}-small.png", full_page=name.startswith("leader"))
    assert too_wide == {}
    visitor.faults = [fault for fault in visitor.faults if "409 (CONFLICT)" not in fault]


@pytest.mark.parametrize("with_script", [True, False], ids=["javascript", "no javascript"])
def test_one_leaves_the_leaderboard_and_comes_back_by_keyboard(
    visit: Callable[..., Visit], state: dict[str, object], with_script: bool
) -> None:
    page = visit(storage_state=state, java_script_enabled=with_script).open("/leaderboard")
    row = page.get_by_role("row").filter(has_text="Ana-Kettle (you)")
    expect(row).to_have_count(1)
    page.get_by_role("button", name="Take my name off").press("Enter")
    expect(page.get_by_role("button", name="Show my name here")).to_be_visible()
    expect(row).to_have_count(0)
    page.get_by_role("button", name="Show my name here").press("Enter")
    expect(row).to_have_count(1)


def test_what_waits_is_cancelled_while_trading_is_halted(
    visit: Callable[..., Visit], state: dict[str, object]
) -> None:
    page = visit(storage_state=state).open("/portfolio")
    expect(page.get_by_role("note").filter(has_text="The counts of Friday")).to_have_count(1)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("with a limit")
