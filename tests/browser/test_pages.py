"""Every page as people meet it: readable by everyone, on a small screen, by keyboard, in light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.visits import DAY, Visit, sign_up

TERM = "/cs.LG/terms/large-language-model"
PAGES = {
    "day": DAY,
    "day-market": f"{DAY}?view=market",
    "digest": "/tmlr/2026-02-22",
    "term": TERM,
    "terms": "/cs.LG/terms/",
    "term-past": f"{TERM}?known=2026-05-16",
    "trending": "/cs.LG/trending",
    "trending-past": "/cs.LG/trending?known=2026-05-16",
    "compare": "/cs.LG/compare?term=LLM&term=diffusion+model&term=nothing",
    "overview": "/trending",
    "quote": f"{TERM}/quote?period=2026-W21&action=buy&side=LONG&amount=20&by=shares",
    "portfolio": "/portfolio",
    "entries": "/portfolio/entries",
    "watching": "/watching",
    "about": "/about",
    "record": "/cs.LG/record",
    "leaderboard": "/leaderboard",
}
# The same pages with a third of the papers: every rule looks at every element, and the others repeat them.
FEWER_PAPERS = {
    "day": f"{DAY}?show=cross",
    "day-market": f"{DAY}?view=market&show=cross&known=2026-05-16",
    "digest": "/tmlr/2026-02-22?show=accepted",
}
GUEST_PAGES = {"sign-up": "/sign-up", "sign-in": "/sign-in"}
SHOWN = ("day", "day-market", "digest", "term", "trending", "compare", "quote", "portfolio", "watching")


@pytest.fixture(scope="module")
def state(browser: object, origin: str) -> dict[str, object]:
    """The cookies of somebody who watches a term and holds shares."""
    context = browser.new_context()  # type: ignore[attr-defined]
    visitor = Visit(context, origin)
    sign_up(visitor.open("/sign-up"), "Reader-of-all-pages")
    page = visitor.open(PAGES["quote"])
    page.get_by_role("button", name="Buy 20 LONG shares").click()
    page = visitor.open(TERM)
    page.get_by_role("button", name="Watch").first.click()
    kept: dict[str, object] = context.storage_state()
    context.close()
    assert visitor.faults == []
    return kept


@pytest.mark.parametrize(("scheme", "options"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})])
def test_axe_finds_nothing_serious(
    visit: Callable[..., Visit], state: dict[str, object], scheme: str, options: dict[str, object]
) -> None:
    reader, guest = visit(storage_state=state, color_scheme=scheme), visit(color_scheme=scheme)
    found: list[str] = []
    for visitor, pages in ((reader, PAGES | FEWER_PAPERS), (guest, GUEST_PAGES)):
        for name, path in pages.items():
            found += [f"{name}: {line}" for line in serious_violations(visitor.open(path), options)]
    assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_photographed(
    visit: Callable[..., Visit], state: dict[str, object], scheme: str, screenshots: Path
) -> None:
    visitor = visit(storage_state=state, color_scheme=scheme, viewport={"width": 1280, "height": 900})
    for name in SHOWN:
        picture = screenshots / f"{name}-{scheme}.png"
        visitor.open(PAGES[name]).screenshot(path=picture)
        assert picture.stat().st_size > 10_000


def test_nothing_scrolls_sideways_on_a_small_screen(
    visit: Callable[..., Visit], state: dict[str, object], screenshots: Path
) -> None:
    visitor = visit(storage_state=state, viewport={"width": 320, "height": 640})
    too_wide = {}
    for name, path in (PAGES | GUEST_PAGES).items():
        page = visitor.open(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 320:
            too_wide[name] = width
        if name in SHOWN:
            page.screenshot(path=screenshots / f"{name}-small.png")
    assert too_wide == {}


def test_the_keyboard_reaches_the_strip_of_terms(visit: Callable[..., Visit]) -> None:
    page = visit().open(DAY)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    term = page.get_by_role("list", name="Terms in this abstract").first.get_by_role("link").first
    for _ in range(30):
        page.keyboard.press("Tab")
        if is_focused(page, "ul[aria-label='Terms in this abstract'] a"):
            break
    expect(term).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Trade", exact=True)).to_be_visible()


def test_the_full_abstract_opens_without_javascript(visit: Callable[..., Visit]) -> None:
    page = visit(java_script_enabled=False).open(DAY)
    abstract = page.get_by_role("article").first.locator(".text")
    before = abstract.bounding_box()
    page.get_by_text("Read the full abstract").first.click()
    after = abstract.bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] > before["height"]


def test_formulas_are_drawn_by_the_browser(visit: Callable[..., Visit]) -> None:
    page = visit().open("/tmlr/2026-02-22")
    for opener in page.get_by_text("Read the full abstract").all():
        opener.click()
    boxes = [box for formula in page.locator("math").all() if (box := formula.bounding_box())]
    assert len(boxes) > 10
    assert all(box["height"] > 5 for box in boxes)


def serious_violations(page: Page, options: dict[str, object]) -> list[str]:
    """What axe calls serious or critical, with the first element of each."""
    violations = Axe().run(page, options=options).response["violations"]
    return [
        f"{rule['id']}: {rule['nodes'][0]['html'][:200]} {rule['nodes'][0]['failureSummary'][:200]}"
        for rule in violations
        if rule["impact"] in ("serious", "critical")
    ]


def is_focused(page: Page, selector: str) -> bool:
    focused: bool = page.evaluate("selector => document.activeElement.matches(selector)", selector)
    return focused
