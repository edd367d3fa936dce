"""The pages of trends on a board where something rises: by keyboard, without script, on a small screen."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect
from waitress.server import create_server

from market.db import engine_for, transact
from tests.browser.test_pages import serious_violations
from tests.browser.visits import Visit
from tests.market import nine_weeks
from tests.web.visitor import make_app

TRENDING = "/cs.LG/trending"
PAGES = {
    "rising": TRENDING,
    "rising-month": f"{TRENDING}?window=30",
    "rising-day": f"{TRENDING}?window=today",
    "rising-then": f"{TRENDING}?known=2026-05-16",
    "rising-compared": "/cs.LG/compare?term=rising&term=falling&term=steady&term=new+here&term=nothing",
    "rising-everywhere": "/trending",
    "rising-term": "/cs.LG/terms/rising",
    "rising-term-then": "/cs.LG/terms/rising?known=2026-05-16",
}


@pytest.fixture(scope="module")
def rising(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on a board with nine weeks of papers."""
    folder = tmp_path_factory.mktemp("rising")
    shutil.copy(sqlite_template, folder / "rising.sqlite")
    engine = engine_for(f"sqlite:///{folder}/rising.sqlite")
    transact(engine, nine_weeks.fill)
    transact(engine, nine_weeks.trade_and_watch)
    server = create_server(make_app(engine, folder), host="127.0.0.1", port=0)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.close()
    thread.join(5)
    engine.dispose()


@pytest.fixture
def look(browser: Browser, rising: str) -> Iterator[Callable[..., Visit]]:
    """Makes visitors of that server; no fault that a browser saw is forgiven."""
    visits: list[Visit] = []

    def make(**options: object) -> Visit:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        visits.append(Visit(context, rising))
        return visits[-1]

    yield make
    for one in visits:
        one.context.close()
    assert [fault for one in visits for fault in one.faults] == []


@pytest.mark.parametrize(("scheme", "options"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})])
def test_axe_finds_nothing_serious(
    look: Callable[..., Visit], scheme: str, options: dict[str, object], screenshots: Path
) -> None:
    visitor = look(color_scheme=scheme, viewport={"width": 1280, "height": 900})
    found: list[str] = []
    for name, path in PAGES.items():
        page = visitor.open(path)
        open_everything(page)
        page.screenshot(path=screenshots / f"{name}-{scheme}.png", full_page=True)
        found += [f"{name}: {line}" for line in serious_violations(page, options)]
    assert found == []


def test_only_tables_scroll_on_a_small_screen(look: Callable[..., Visit], screenshots: Path) -> None:
    visitor = look(viewport={"width": 320, "height": 640})
    for name, path in PAGES.items():
        page = visitor.open(path)
        open_everything(page)
        page.screenshot(path=screenshots / f"{name}-small.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
    page = visitor.open(TRENDING)
    days = page.get_by_role("region", name="Papers by term and day")
    assert days.evaluate("box => box.scrollWidth > box.clientWidth")
    rows = page.get_by_role("region", name="Terms that rose beyond chance, the surest first")
    assert rows.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_row_is_explained_by_keyboard(look: Callable[..., Visit]) -> None:
    page = look().open(TRENDING)
    summary = page.get_by_text("Why rising is here")
    expect(page.get_by_text("63 of the 70 papers listed")).to_be_hidden()
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("63 of the 70 papers listed")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/cs.LG/2026-05-17#"))


def test_ticked_terms_are_compared_without_script(look: Callable[..., Visit]) -> None:
    page = look(java_script_enabled=False).open(TRENDING)
    page.get_by_role("checkbox", name="rising").check()
    page.get_by_role("checkbox", name="falling").check()
    page.get_by_role("button", name="Compare the ticked terms").click()
    expect(page.get_by_role("img", name="Per cent of the papers in the 7 days")).to_be_visible()
    page.get_by_label("Term 3").fill("steady")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("columnheader", name="C steady")).to_be_visible()
    page.get_by_role("link", name="30 days").click()
    expect(page.get_by_role("columnheader", name="C steady")).to_be_visible()


def open_everything(page: Page) -> None:
    """What is folded is looked at too."""
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
