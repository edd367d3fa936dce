"""Signing up, in and out, and what somebody who has no account can find out or bring about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from flask import Flask
from pwdlib import PasswordHash
from sqlalchemy import Engine
from sqlmodel import Session

from market.db import engine_for, read_session, transact
from market.money import GRANT_UNITS
from market.reads.portfolio import portfolio
from market.tables import Account, Entry, Posting, Trader
from market.traders import change_session_key, find_trader
from tests.web.visitor import CLOCK, PASSWORD, Page, Visitor, cheap_hashing, make_app


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from cheap_hashing(monkeypatch)


@pytest.fixture
def app(engine: Engine, tmp_path: Path) -> Flask:
    """On both databases; `site` is on SQLite only, for what does not depend on it."""
    return make_app(engine, tmp_path)


@pytest.fixture
def site(sqlite_url: str, tmp_path: Path) -> Iterator[Flask]:
    engine = engine_for(sqlite_url)
    yield make_app(engine, tmp_path)
    engine.dispose()


def count(engine: Engine, table: type) -> int:
    with Session(engine) as session:
        return session.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def name_shown(page: Page) -> str | None:
    found = page.tree.xpath("//*[@class='who']/text()")
    return found[0] if found else None


def test_sign_up_gives_the_grant_and_says_so(app: Flask, engine: Engine) -> None:
    visitor = Visitor(app)
    assert "1,000.00 credits of play money" in visitor.get("/sign-up").words
    answer = visitor.sign_up("Ada", next="/watching")
    assert (answer.status, answer.location) == (302, "/watching")
    home = visitor.get("/watching")
    assert name_shown(home) == "Ada"
    assert "Your account starts with 1,000 credits" in home.words
    with read_session(engine) as session:
        trader = find_trader(session, "ada")
        assert trader is not None
        assert trader.password_hash is not None
        assert trader.password_hash.startswith("$argon2id$")
        assert PASSWORD not in trader.password_hash
        assert portfolio(session, trader.id or 0, CLOCK).cash_units == GRANT_UNITS
    assert (count(engine, Entry), count(engine, Posting)) == (1, 2)


def test_taken_name_is_refused_and_books_nothing(app: Flask, engine: Engine) -> None:
    Visitor(app).sign_up("Ada")
    for name in ("Ada", "ADA", "ａｄａ"):
        answer = Visitor(app).sign_up(name)
        assert answer.status == 409
        assert "taken" in answer.words
    assert (count(engine, Trader), count(engine, Entry), count(engine, Account)) == (1, 1, 2)


def test_bad_sign_up_says_why_beside_the_fields(site: Flask) -> None:
    visitor = Visitor(site)
    typed = {"name": "a b", "password": "short", "repeated": "short"}
    answer = visitor.submit(visitor.get("/sign-up"), "/sign-up", **typed)
    assert answer.status == 400
    [name] = answer.tree.xpath("//input[@id='name']")
    assert name.get("value") == "a b"
    assert name.get("aria-invalid") == "true"
    for described in name.get("aria-describedby").split():
        assert answer.tree.xpath(f"//*[@id='{described}']")
    for link in answer.tree.xpath("//*[@class='fault-summary']//a/@href"):
        assert answer.tree.xpath(f"//input[@id='{link[1:]}']")
    assert answer.tree.xpath("//input[@type='password']/@value") == []


def test_sign_in_and_out(app: Flask) -> None:
    Visitor(app).sign_up("Ada")
    visitor = Visitor(app)
    answer = visitor.sign_in("ADA", next="/portfolio")
    assert (answer.status, answer.location) == (302, "/portfolio")
    assert name_shown(visitor.get("/portfolio")) == "Ada"
    assert visitor.get("/sign-out").status != 200  # signing out is no visit
    assert name_shown(visitor.get("/portfolio")) == "Ada"
    assert visitor.sign_out().location == "/"
    assert visitor.get("/portfolio").location.startswith("/sign-in?next=")


def test_forms_need_their_token(site: Flask) -> None:
    visitor = Visitor(site)
    visitor.get("/sign-in")
    for path in ("/sign-in", "/sign-up", "/sign-out", "/watching/change"):
        assert Page(visitor.client.post(path, data={"name": "Ada", "password": PASSWORD})).status == 400


def test_unknown_name_creates_no_account(app: Flask, engine: Engine) -> None:
    assert Visitor(app).sign_in("Nobody").status == 403
    assert (count(engine, Trader), count(engine, Entry)) == (0, 0)


def counted_hashing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the hasher's methods, as they are called from now on."""
    calls: list[str] = []
    originals = {"hash": PasswordHash.hash, "verify": PasswordHash.verify}
    for name in originals:

        def counted(*given: Any, called: str = name, original: Any = originals[name]) -> Any:
            calls.append(called)
            return original(*given)

        monkeypatch.setattr(PasswordHash, name, counted)
    return calls


def test_wrong_password_and_unknown_name_are_answered_alike(
    site: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    Visitor(site).sign_up("Ada")
    Visitor(site).sign_in("Ada")  # whatever is made once in a process is made now
    calls = counted_hashing(monkeypatch)
    answers = []
    wrong = "something else entirely"
    attempts = (("Ada", wrong), ("Eve", PASSWORD), ("not a name", PASSWORD), ("Ada", "x" * 60_000))
    for name, password in attempts:
        calls.clear()
        answer = Visitor(site).sign_in(name, password)
        assert (answer.status, calls) == (403, ["verify"])
        answers.append(without_token(answer.text).replace(f'value="{name}"', 'value="..."'))
    assert len(set(answers)) == 1


def without_token(text: str) -> str:
    return re.sub(r'name="csrf_token" value="[^"]*"', "", text)


def test_first_sign_in_of_a_process_tells_no_more(site: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    from web import passwords

    Visitor(site).sign_up("Ada")
    calls = counted_hashing(monkeypatch)
    for name in ("Ada", "Eve"):
        passwords._nobodys_hash.cache_clear()
        calls.clear()
        Visitor(site).sign_in(name, "something else entirely")
        assert calls == ["hash", "verify"]


def test_old_cookies_are_worth_nothing_after_sign_in(site: Flask) -> None:
    visitor = Visitor(site)
    visitor.sign_up("Ada")
    visitor.sign_out()
    visitor.get("/sign-in")
    old = visitor.client.get_cookie("session", domain="localhost")
    assert old is not None
    with visitor.client.session_transaction() as session:
        session["planted"] = "by somebody else"
    visitor.sign_in("Ada")
    with visitor.client.session_transaction() as session:
        assert "planted" not in session
    visitor.client.set_cookie("session", old.value)
    assert visitor.get("/portfolio").status == 302


def test_new_session_key_ends_every_session(app: Flask, engine: Engine) -> None:
    visitor = Visitor(app)
    visitor.sign_up("Ada")
    with visitor.client.session_transaction() as session:
        key = session["_user_id"]
    with read_session(engine) as session:
        trader = find_trader(session, "Ada")
        assert trader is not None
        assert key == trader.session_key
        trader_id = trader.id or 0
    transact(engine, lambda session: change_session_key(session, trader_id))
    assert visitor.get("/portfolio").status == 302


def test_forged_cookie_is_anonymous(app: Flask) -> None:
    visitor = Visitor(app)
    for key in ("1", "a\x00b", 7, ["x"], "x" * 3000):
        with visitor.client.session_transaction() as session:
            session["_user_id"] = key
        assert visitor.get("/portfolio").status == 302


def test_token_of_a_page_that_was_open_for_long(site: Flask) -> None:
    with time_machine.travel(CLOCK, tick=False) as moment:
        visitor = Visitor(site)
        visitor.sign_up("Ada")
        page = visitor.get("/watching")
        moment.shift(3_700)
        visitor.environ["REMOTE_ADDR"] = "198.51.100.9"  # another network meanwhile
        assert visitor.submit(page, "/sign-out").status == 302
        assert visitor.get("/portfolio").status == 302


@pytest.mark.parametrize("change", ["header", "name"])
def test_wrong_sign_ins_are_limited(site: Flask, change: str) -> None:
    Visitor(site).sign_up("Ada")
    answers = []
    with time_machine.travel(CLOCK, tick=False):
        for number in range(20):
            forwarded = {"X-Forwarded-For": f"203.0.113.{number}", "Forwarded": f"for=203.0.113.{number}"}
            name = "Ada" if change == "header" else f"Name{number}"
            answers.append(Visitor(site, headers=forwarded).sign_in(name, "something else entirely"))
    statuses = [answer.status for answer in answers]
    wrong = {"header": 10, "name": 15}[change]
    assert statuses == [403] * wrong + [429] * (20 - wrong)
    assert "Try again in 15 minutes" in answers[-1].words
    assert answers[-1].response.headers["Retry-After"] == "900"


def test_right_sign_ins_are_not_limited_and_the_limit_ends(site: Flask) -> None:
    with time_machine.travel(CLOCK) as moment:
        Visitor(site).sign_up("Ada")
        for _ in range(20):
            assert Visitor(site).sign_in("Ada").status == 302
        for number in range(10):
            Visitor(site, address=f"192.0.2.{number}").sign_in("ada", "something else entirely")
        assert Visitor(site, address="192.0.2.99").sign_in("Ada").status == 429
        moment.shift(901)
        assert Visitor(site, address="192.0.2.99").sign_in("Ada").status == 302


def test_addresses_of_one_network_count_as_one(site: Flask) -> None:
    for number in range(15):
        Visitor(site, address=f"2001:db8:1:2::{number:x}").sign_in(f"Name{number}", PASSWORD)
    assert Visitor(site, address="2001:db8:1:2::ffff").sign_in("Name99").status == 429
    assert Visitor(site, address="2001:db8:1:3::1").sign_in("Name99").status == 403


def test_sign_ups_are_limited(site: Flask) -> None:
    visitors = [Visitor(site, headers={"X-Forwarded-For": f"203.0.113.{number}"}) for number in range(21)]
    statuses = [visitor.sign_up(f"Name{number}", "short").status for number, visitor in enumerate(visitors)]
    assert statuses == [400] * 20 + [429]


def test_every_cookie_in_production(sqlite_url: str, tmp_path: Path) -> None:
    engine = engine_for(sqlite_url)
    visitor = Visitor(make_app(engine, tmp_path, production=True))
    pages = [visitor.get("/sign-in"), visitor.sign_up("Ada"), visitor.get("/watching"), visitor.sign_out()]
    headers = [header for page in pages for header in page.response.headers.getlist("Set-Cookie")]
    assert headers
    for header in headers:
        [cookie] = SimpleCookie(header).values()
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax"), header
    engine.dispose()
