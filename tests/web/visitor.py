"""Somebody with a browser: keeps cookies, reads the hidden fields of forms, presses their buttons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from lxml import html
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from web import create_app, passwords
from web.config import Settings

CLOCK = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)  # the Sunday of 2026-W20
PASSWORD = "seven green kettles"
SECRET = "a secret that is known to the tests only"


def make_app(
    engine: Engine, folder: Path, *, production: bool = False, clock: datetime = CLOCK
) -> Flask:
    """The application on this engine's database, at `CLOCK` unless it is later."""
    settings = Settings(secret_key=SECRET, market_clock=clock, instance_folder=folder, production=production)
    return create_app(settings, engine)


def cheap_hashing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For a fixture: the same hashes with the least work, since it is not their strength that is tested."""
    hasher = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)
    passwords._nobodys_hash.cache_clear()
    yield
    passwords._nobodys_hash.cache_clear()


class Page:
    """A response as a person sees it."""

    def __init__(self, response: TestResponse) -> None:
        self.response = response
        self.status = response.status_code
        self.location = response.headers.get("Location", "")
        self.text = response.get_data(as_text=True)

    @property
    def tree(self) -> html.HtmlElement:
        return html.fromstring(self.text)

    @property
    def words(self) -> str:
        """The text of the page's main part, with single blanks."""
        [main] = self.tree.xpath("//main")
        return " ".join(main.text_content().split())

    @property
    def spaced_words(self) -> str:
        """The same with a blank between what different elements say."""
        [main] = self.tree.xpath("//main")
        return " ".join(" ".join(main.itertext()).split())

    def form(self, action: str) -> html.FormElement:
        """The one form of the page with this action."""
        [form] = [form for form in self.tree.forms if form.get("action", "").split("?")[0] == action]
        return form

    def fields(self, action: str) -> dict[str, str]:
        """What a form of the page would send if nothing were typed into it."""
        return {name: value or "" for name, value in self.form(action).form_values()}


class Visitor:
    """A browser of its own. `address` is that of its socket, `headers` go with every request."""

    def __init__(
        self, app: Flask, address: str = "192.0.2.7", headers: Mapping[str, str] | None = None
    ) -> None:
        self.client = app.test_client()
        self.scheme = "https" if app.config["SESSION_COOKIE_SECURE"] else "http"
        self.environ = {"REMOTE_ADDR": address, "wsgi.url_scheme": self.scheme}
        self.headers = dict(headers or {})

    def get(self, path: str) -> Page:
        return Page(self.client.get(path, environ_overrides=self.environ, headers=self.headers))

    def post(self, path: str, **fields: str) -> Page:
        """Send a form with just these fields and the token that this browser was given."""
        return self._send(path, fields if "csrf_token" in fields else {"csrf_token": self.token(), **fields})

    def submit(self, page: Page, action: str, **typed: str) -> Page:
        """Send a form of the page as it stands there, with what was typed into it."""
        return self._send(action, {**page.fields(action), **typed})

    def token(self) -> str:
        """The token that forms of this browser carry."""
        if self.is_guest():
            return self.get("/sign-in").fields("/sign-in")["csrf_token"]
        return self.get("/watching").fields("/sign-out")["csrf_token"]

    def is_guest(self) -> bool:
        with self.client.session_transaction() as session:
            return "_user_id" not in session

    def sign_up(self, name: str = "Ada", password: str = PASSWORD, **fields: str) -> Page:
        page = self.get("/sign-up")
        return self.submit(page, "/sign-up", name=name, password=password, repeated=password, **fields)

    def sign_in(self, name: str = "Ada", password: str = PASSWORD, **fields: str) -> Page:
        return self.submit(self.get("/sign-in"), "/sign-in", name=name, password=password, **fields)

    def sign_out(self) -> Page:
        return self.post("/sign-out")

    def _send(self, path: str, fields: Mapping[str, str]) -> Page:
        return Page(self.client.post(path, data=fields, environ_overrides=self.environ, headers=self.headers))
