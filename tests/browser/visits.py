"""A visitor of the pages: one browser, and everything that went wrong in it."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

DAY = "/cs.LG/2026-05-16"
PASSWORD = "a long password for tests"


class Visit:
    """One visitor's page, and the faults that the browser saw: console errors, requests to other origins."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.origin = origin
        self.context = context
        self.faults: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.faults.append(f"error in the page: {error}"))
        context.on("request", self._requested)

    def open(self, path: str) -> Page:
        """The page at the path, which must answer with a status below 400."""
        answer = self.page.goto(f"{self.origin}{path}")
        assert answer is not None
        assert answer.ok, f"{path}: {answer.status}"
        return self.page

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"on the console: {message.text}")

    def _requested(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:")):
            self.faults.append(f"asked another origin: {request.url}")


def sign_up(page: Page, name: str) -> None:
    """Fill in and send the form of the sign-up page that is open."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same password again").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
