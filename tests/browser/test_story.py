"""A reader's way through the pages: sign up, watch a term from a paper, buy, see the position."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.visits import DAY, PASSWORD, Visit, sign_up


@pytest.mark.parametrize("with_script", [True, False], ids=["javascript", "no javascript"])
def test_sign_up_watch_buy_and_see_the_position(visit: Callable[..., Visit], with_script: bool) -> None:
    visitor = visit(java_script_enabled=with_script)
    page = visitor.open(DAY)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Machine Learning")
    page.get_by_role("link", name="Sign in to watch these terms").first.click()
    page.get_by_role("link", name="Sign up").click()
    sign_up(page, f"Reader-{'with' if with_script else 'without'}-script")
    expect(page).to_have_url(re.compile(re.escape(DAY)))

    term = strip(page).get_by_role("link").first
    label, href = term.inner_text(), term.get_attribute("href")
    assert href is not None
    watch_first_term(page)
    expect(page).to_have_url(re.compile(re.escape(DAY)))
    page.get_by_role("link", name="Watch list").click()
    expect(page.get_by_role("main")).to_contain_text(label)

    visitor.open(href)
    buy(page, shares=12)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Bought 12 LONG shares: {label}")
    page.get_by_role("link", name="Your portfolio").click()
    row = page.get_by_role("row").filter(has_text=label)
    expect(row.get_by_role("cell", name="LONG", exact=True)).to_be_visible()
    expect(row.get_by_role("cell", name="12", exact=True)).to_be_visible()
    page.get_by_role("link", name="All entries behind this").click()
    expect(page.get_by_role("main")).to_contain_text(label)

    page.get_by_role("button", name="Sign out").click()
    sign_in(page, f"Reader-{'with' if with_script else 'without'}-script")
    page.get_by_role("link", name="Portfolio").click()
    expect(page.get_by_role("row").filter(has_text=label)).to_be_visible()


def test_a_double_click_on_an_order_is_one_trade(visit: Callable[..., Visit]) -> None:
    visitor = visit()
    sign_up(visitor.open("/sign-up"), "Reader-in-a-hurry")
    page = visitor.open(first_term(visitor))
    ask_for_quote(page, shares=5)
    page.get_by_role("button", name="Buy 5 LONG shares").dblclick()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Bought 5 LONG shares")
    visitor.open("/portfolio")
    expect(page.get_by_role("cell", name="5", exact=True)).to_have_count(1)


def strip(page: Page) -> Locator:
    """The terms of the first paper that has any."""
    return page.get_by_role("list", name="Terms in this abstract").first


def watch_first_term(page: Page) -> None:
    strip(page).get_by_role("button").first.click()


def first_term(visitor: Visit) -> str:
    page = visitor.open(DAY)
    href = strip(page).get_by_role("link").first.get_attribute("href")
    assert href is not None
    return href


def ask_for_quote(page: Page, shares: int) -> None:
    page.get_by_label("Amount", exact=True).fill(str(shares))
    page.get_by_role("radio", name="shares", exact=True).check()
    page.get_by_role("button", name="Get a quote").click()


def buy(page: Page, shares: int) -> None:
    ask_for_quote(page, shares)
    expect(page.get_by_role("main")).to_contain_text("You pay")
    page.get_by_role("button", name=f"Buy {shares} LONG shares").click()


def sign_in(page: Page, name: str) -> None:
    page.get_by_role("link", name="Sign in").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
