"""Saying what is a term: by selecting words, by keyboard, without script; and the operators' page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlmodel import Session
from waitress.server import create_server

from market.db import engine_for, transact
from market.judgements import not_a_term, should_be_a_term
from market.operators import set_operator
from market.remarks import Remark
from market.traders import open_trader
from nlp.annotations import Quote
from tests.browser.test_pages import serious_violations
from tests.browser.visits import PASSWORD, Visit
from tests.market.factories import NOW
from tests.market.test_judgements import PAPER, add_site
from tests.web.visitor import make_app
from web.passwords import hash_password

DAY = "/cs.LG/2026-05-17?view=market"
NAME = "Cyd"


def fill(session: Session) -> None:
    site = add_site(session)
    open_trader(session, NAME, hash_password(PASSWORD), NOW)
    for reader in (site.ana, site.bob):
        not_a_term(session, reader, site.board, PAPER, "attention", NOW)
    should_be_a_term(session, site.bob, site.board, PAPER, Quote("flow map"), NOW)
    set_operator(session, NAME, True, Remark("Looks after cs.LG.", "Ana Kettle"), NOW)


@pytest.fixture
def origin(sqlite_template: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a server on that site."""
    shutil.copy(sqlite_template, tmp_path / "market.sqlite")
    engine = engine_for(f"sqlite:///{tmp_path}/market.sqlite")
    transact(engine, fill)
    server = create_server(make_app(engine, tmp_path), host="127.0.0.1", port=0)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.close()
    thread.join(5)
    engine.dispose()


@pytest.fixture
def reader(browser: Browser, visit: Callable[..., Visit]) -> Callable[..., Visit]:
    """Makes visitors who are signed in."""

    def make(**options: object) -> Visit:
        visitor = visit(**options)
        page = visitor.open("/sign-in")
        page.get_by_label("Name").fill(NAME)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        visitor.open(DAY)
        return visitor

    return make


SELECT = """([words, nth]) => {
  const part = document.querySelector("article .text p");
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), seen = 0; node; node = walker.nextNode()) {
    let at = node.data.indexOf(words);
    while (at >= 0 && seen++ < nth) at = node.data.indexOf(words, at + 1);
    if (at >= 0) return getSelection().setBaseAndExtent(node, at, node, at + words.length);
  }
  throw new Error("not there");
}"""


def select(page: Page, words: str, nth: int = 0) -> None:
    """Select the words where they stand for the nth time, from 0, in the first abstract."""
    page.evaluate(SELECT, [words, nth])
    expect(page.get_by_role("group", name="What you selected")).to_be_visible()


def test_selected_words_should_be_a_term(reader: Callable[..., Visit]) -> None:
    page = reader().page
    select(page, "flow map", 1)
    expect(page.locator("#status")).to_contain_text("Press Tab for: Should be a term")
    page.get_by_role("button", name="Should be a term: flow map").click()
    own = page.get_by_role("list", name="What you said of these terms")
    expect(own).to_contain_text("You said: flow map should be a term. An operator will look at it.")
    expect(page.locator("#status")).to_contain_text("Thank you: “flow map” should be a term.")
    expect(page.get_by_role("group", name="What you selected")).to_have_count(0)
    expect(page.locator(".judge summary").first).to_be_focused()
    own.get_by_role("button", name="Take back").click()
    expect(own).to_have_count(0)


def test_a_highlight_is_no_term_by_keyboard(reader: Callable[..., Visit]) -> None:
    page = reader().page
    select(page, "diffusion model")
    page.keyboard.press("Tab")
    button = page.get_by_role("button", name="Not a term: diffusion model")
    expect(button).to_be_focused()
    expect(page.get_by_role("button", name="Should be a term:")).to_have_count(0)
    page.keyboard.press("Enter")
    said = "You said: diffusion model is not a term here."
    expect(page.get_by_role("list", name="What you said of these terms")).to_contain_text(said)


def test_escape_closes_what_a_selection_opened(reader: Callable[..., Visit]) -> None:
    page = reader().page
    select(page, "diffusion")
    group = page.get_by_role("group", name="What you selected")
    expect(group.get_by_role("button")).to_have_count(2)
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(group).to_have_count(0)
    expect(page.locator(".judge summary").first).to_be_focused()
    assert page.evaluate("getSelection().toString()") == ""


def test_without_script_it_is_said_below_the_abstract(reader: Callable[..., Visit]) -> None:
    page = reader(java_script_enabled=False).page
    page.get_by_text("Terms missing or wrong?").first.click()
    page.get_by_label("Should be a term").first.fill("flow map")
    page.get_by_label("Should be a term").first.press("Enter")
    expect(page.locator("main")).to_contain_text("Thank you: “flow map” should be a term.")
    page.get_by_text("Terms missing or wrong?").first.click()
    page.locator(".judge").first.get_by_role("button", name="attention").click()
    expect(page.get_by_role("list", name="What you said of these terms").locator("li")).to_have_count(2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_it_is_readable_for_everyone(
    reader: Callable[..., Visit], scheme: str, width: int, screenshots: Path
) -> None:
    visitor = reader(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = visitor.page
    select(page, "flow map")
    page.get_by_role("button", name="Should be a term: flow map").click()
    expect(page.get_by_role("list", name="What you said of these terms")).to_be_visible()
    page.get_by_text("Terms missing or wrong?").first.click()
    select(page, "flow map; a")
    found = serious_violations(page, {})
    page.screenshot(path=screenshots / f"judgements-day-{scheme}-{width}.png")
    widths = [page.evaluate("document.documentElement.scrollWidth")]
    visitor.open("/judgements")
    found += serious_violations(page, {})
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    page.screenshot(path=screenshots / f"judgements-queue-{scheme}-{width}.png")
    assert found == []
    assert max(widths) <= width


def test_an_operator_decides(reader: Callable[..., Visit]) -> None:
    visitor = reader()
    page = visitor.open("/judgements")
    group = page.get_by_role("region", name="attention")
    expect(group).to_contain_text("2 readers")
    group.get_by_label("Reason").fill("It is one.")
    group.get_by_role("button", name="Do not agree").click()
    expect(page.locator("main")).to_contain_text("Kept: you do not agree with 2 of 'attention'.")
    expect(page.get_by_role("region", name="attention")).to_have_count(0)
