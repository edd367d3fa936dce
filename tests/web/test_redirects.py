"""Where a form may lead: to a page of this site that can be read, whatever its `next` field says."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from hypothesis import example, given
from hypothesis import strategies as st

from market.db import engine_for
from tests.web.visitor import Visitor, make_app
from web.redirects import after_form, local_target

ELSEWHERE = [
    "////evil.example", "///evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example",
    "/\t/evil.example", "/%09/evil.example", "/%5Cevil.example", "/%2Fevil.example", "/%2F%2Fevil.example",
    "/\r\nLocation: x", "/%0d%0aX: 1", "\n/watching", " /watching", "/watching ", "https://evil.example",
    "https:evil.example", "http:///evil.example", "javascript:alert(1)", "data:text/html,x", "watching", "",
    "?next=/", "#x", "@evil.example", "/\u2028/evil.example",
    "/\u200b/evil.example", "/\x00", "/" + "a" * 3000, "ftp://evil.example", "/\ud800",
]  # fmt: skip
HERE = [
    "/", "/watching", "/cs.LG/2026-05-16?view=market#arxiv-2605.00001", "/cs.LG/terms/?sort=a%20b",
    "/portfolio/entries?page=2",
]  # fmt: skip
FORMS = [
    "/watching/change", "/sign-out", "/sign-in?next=/", "/sign-up", "/cs.LG/terms/x/orders",
    "/no/such/page/here",
]  # fmt: skip


@pytest.fixture
def app(sqlite_url: str, tmp_path: Path) -> Flask:
    engine = engine_for(sqlite_url)
    return make_app(engine, tmp_path)


@pytest.mark.parametrize("target", ELSEWHERE)
def test_what_leads_elsewhere_is_no_target(target: str) -> None:
    assert local_target(target) is None


@pytest.mark.parametrize("target", HERE)
def test_pages_of_this_site_are(target: str) -> None:
    assert local_target(target) == target


@given(st.text(alphabet="/\\%09\t\r\n .:@evilhtps?#;&2F5C", max_size=30))
@example("/;@evil.example/..//")
def test_no_target_ever_names_a_host(target: str) -> None:
    found = local_target(target)
    if found is not None:
        # As a browser reads it: blanks at the ends and control characters go, backslashes are slashes.
        read = "".join(character for character in found.strip() if character > "\x1f").replace("\\", "/")
        assert read.startswith("/")
        assert not read.startswith("//")
        assert urlsplit(read).netloc == ""


@pytest.mark.parametrize("target", FORMS)
def test_what_takes_a_form_is_not_gone_to(app: Flask, target: str) -> None:
    with app.test_request_context("/sign-in"):
        assert after_form(target) == "/"


@pytest.mark.parametrize("target", HERE)
def test_what_can_be_read_is(app: Flask, target: str) -> None:
    with app.test_request_context("/sign-in"):
        assert after_form(target) == target


@pytest.mark.parametrize("target", ELSEWHERE)
def test_signing_out_never_leads_elsewhere(app: Flask, target: str) -> None:
    visitor = Visitor(app)
    fields = visitor.get("/sign-in").fields("/sign-in")
    sendable = target.encode("utf-8", "replace").decode()
    answer = visitor.post("/sign-out", csrf_token=fields["csrf_token"], next=sendable)
    assert (answer.status, answer.location) == (302, "/")
