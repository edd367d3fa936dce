"""Every refusal has a status and a page in words; faults of ours tell nothing away."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient
from lxml import html
from werkzeug.exceptions import TooManyRequests

from market import errors as refusals
from market.db import engine_for
from market.errors import MarketError
from tests.web.visitor import make_app
from web.errors import STATUS, WORDS, error_page, status_of
from web.parameters import BadParameter, day_of, page_number

OURS = {refusals.UnbalancedEntry, refusals.Insolvent}
KINDS = [
    kind
    for _, kind in inspect.getmembers(refusals, inspect.isclass)
    if issubclass(kind, MarketError) and kind is not MarketError
]


@pytest.fixture
def failing(sqlite_url: str, tmp_path: Path) -> Flask:
    """The application with pages that fail in every way."""
    app = make_app(engine_for(sqlite_url), tmp_path)
    fail(app, "parameter", BadParameter("page", "１", "a whole number from 1"))
    fail(app, "market", refusals.UnknownTerm("<b>term</b>", "cs.LG"))
    fail(app, "ours", refusals.Insolvent("pool 3 would hold 12"))
    fail(app, "bug", ZeroDivisionError("secret detail"))
    fail(app, "limit", TooManyRequests())
    return app


def fail(app: Flask, name: str, error: Exception) -> None:
    """Give the application a page that raises `error`."""

    def view() -> str:
        raise error

    app.add_url_rule(f"/fail/{name}", name, view)


@pytest.mark.parametrize("kind", KINDS)
def test_every_refusal_has_a_status(kind: type[MarketError]) -> None:
    status = status_of(kind.__new__(kind))
    assert (status >= 500) is (kind in OURS)
    assert status in WORDS


def test_the_nearest_ancestor_decides() -> None:
    assert status_of(refusals.InsufficientShares("position", 1, 2)) == STATUS[refusals.InsufficientFunds]


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/fail/parameter", 400, "“１” for the page, which must be a whole number from 1"),
        ("/fail/market", 404, "The term '<b>term</b>' is not listed on cs.LG."),
        ("/fail/ours", 500, "Something broke on our side"),
        ("/fail/bug", 500, "Nothing was booked; trying again is safe."),
        ("/fail/limit", 429, "Too many attempts"),
    ],
)
def test_pages_in_words(failing: Flask, address: str, status: int, said: str) -> None:
    response = failing.test_client().get(address)
    assert response.status_code == status
    text = response.get_data(as_text=True)
    page = html.fromstring(text)
    assert said in " ".join(page.xpath("//main")[0].text_content().split())
    assert "secret detail" not in text
    assert "pool 3" not in text
    assert not page.xpath("//main//b")


def test_a_broken_database_still_gives_a_page(failing: Flask) -> None:
    with failing.app_context():
        engine = failing.extensions["market.engine"]
        with engine.begin() as connection:
            connection.execute(sa.text("DROP TABLE watch"))
    response = failing.test_client().get("/")
    assert response.status_code == 500
    assert "Something broke on our side" in response.get_data(as_text=True)


def test_the_wrong_method_is_named(client: FlaskClient) -> None:
    response = client.post("/about")
    assert response.status_code == 405
    assert "GET" in response.headers["Allow"]
    assert "This cannot be done here" in response.get_data(as_text=True)


def test_a_form_without_its_token_is_refused_in_words(client: FlaskClient) -> None:
    response = client.post("/watching/change", data={"board": "cs.LG", "on": "1"})
    assert response.status_code == 400
    assert "The form belongs to another visit" in response.get_data(as_text=True)


def test_too_large_a_form(client: FlaskClient) -> None:
    response = client.post("/preferences", data={"theme": "x" * 100_000})
    assert response.status_code == 413


@pytest.mark.parametrize(
    "value", ["-1", "0", "abc", "1e9", "9223372036854775808", "１", "", " 1", "1.0", "+1", "01", "true"]
)
def test_numbers_of_pages_are_read_strictly(value: str) -> None:
    with pytest.raises(BadParameter, match="must be a whole number from 1"):
        page_number(value)


def test_numbers_of_pages() -> None:
    assert [page_number(value) for value in (None, "1", "17", "999999999")] == [1, 1, 17, 999999999]


@pytest.mark.parametrize("value", ["2026-13-40", "2026-02-29", "0000-01-01"])
def test_days_are_read_strictly(value: str) -> None:
    with pytest.raises(BadParameter, match="must be a day of the calendar"):
        day_of(value)


def test_error_page_is_one(app: Flask) -> None:
    with app.test_request_context("/"):
        response = app.make_response(error_page(418))
    assert response.status_code == 418
