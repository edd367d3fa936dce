"""What every response carries, which hosts are answered, and how responses are packed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine

from market.db import engine_for
from tests.web.visitor import SECRET, Visitor, make_app
from web import create_app
from web.config import Settings

PAGES = ("/", "/cs.LG/2026-05-16", "/about", "/no-such-page/", "/cs.LG/2026-13-40")


@pytest.mark.parametrize("address", PAGES)
def test_security_headers(client: FlaskClient, address: str) -> None:
    headers = client.get(address).headers
    policy = {rule.split()[0]: rule.split()[1:] for rule in headers["Content-Security-Policy"].split("; ")}
    assert policy["default-src"] == ["'self'"]
    assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == ["'none'"]
    assert policy["form-action"] == ["'self'"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]
    assert "Strict-Transport-Security" not in headers


def test_production_is_strict(sqlite_url: str, tmp_path: Path) -> None:
    app = make_app(engine_for(sqlite_url), tmp_path, production=True)
    response = app.test_client().post("/preferences", data={"theme": "dark"}, base_url="https://localhost")
    assert "max-age=31536000" in response.headers["Strict-Transport-Security"]
    for cookie in response.headers.getlist("Set-Cookie"):
        assert {"Secure", "HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))


def test_pages_hold_neither_script_nor_style(client: FlaskClient) -> None:
    for address in PAGES:
        page = html.fromstring(client.get(address).get_data(as_text=True))
        assert not page.xpath("//style | //*[@style] | //script[not(@src)] | //@*[starts-with(name(), 'on')]")


def test_signed_in_pages_are_kept_nowhere(client: FlaskClient, reader: FlaskClient) -> None:
    assert client.get("/cs.LG/2026-05-16").headers["Cache-Control"] == "private, no-cache"
    assert reader.get("/cs.LG/2026-05-16").headers["Cache-Control"] == "private, no-store"
    assert "Cookie" in reader.get("/about").headers["Vary"]


def test_a_guest_who_only_reads_is_given_no_cookie(client: FlaskClient) -> None:
    for address in PAGES:
        assert "Set-Cookie" not in client.get(address).headers


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "evil.example:80", ""])
def test_unknown_hosts_are_refused(client: FlaskClient, host: str) -> None:
    response = client.get("/about", headers={"Host": host})
    assert response.status_code == 400
    assert "evil" not in response.get_data(as_text=True)


def test_known_hosts(sqlite_url: str, tmp_path: Path) -> None:
    settings = Settings(secret_key=SECRET, instance_folder=tmp_path, trusted_hosts=("papers.example.org",))
    client = create_app(settings, engine_for(sqlite_url)).test_client()
    assert client.get("/about", headers={"Host": "papers.example.org:8000"}).status_code == 200
    assert client.get("/about").status_code == 400


def test_compressed_for_whoever_takes_it(client: FlaskClient) -> None:
    plain = client.get("/cs.LG/2026-05-16")
    packed = client.get("/cs.LG/2026-05-16", headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.get_data()) == plain.get_data()
    assert int(packed.headers["Content-Length"]) == len(packed.get_data())
    assert "Accept-Encoding" in plain.headers["Vary"]
    refused = client.get("/cs.LG/2026-05-16", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


def test_the_size_of_a_packed_page_says_little(client: FlaskClient) -> None:
    sizes = {
        len(client.get("/about", headers={"Accept-Encoding": "gzip"}).get_data()) for _ in range(20)
    }
    assert len(sizes) > 5


def test_static_files_are_kept_for_a_year_under_their_content(client: FlaskClient) -> None:
    page = html.fromstring(client.get("/about").get_data(as_text=True))
    for address in page.xpath("//link/@href | //script/@src"):
        assert "?v=" in address
        for asked, kept in ((address, True), (address.split("?")[0], False), (address + "0", False)):
            with client.get(asked) as response:
                assert response.status_code == 200
                assert ("immutable" in response.headers.get("Cache-Control", "")) is kept


def test_a_changed_theme_comes_back_to_the_page(client: FlaskClient) -> None:
    response = client.post("/preferences", data={"theme": "dark", "next": "/about"})
    assert (response.status_code, response.headers["Location"]) == (303, "/about")
    page = html.fromstring(client.get("/about").get_data(as_text=True))
    assert page.get("data-theme") == "dark"
    assert client.post("/preferences", data={"theme": "pink"}).status_code == 400
    away = client.post("/preferences", data={"theme": "light", "next": "//evil.example"})
    assert away.headers["Location"] == "/"


def test_a_forged_choice_is_none(client: FlaskClient) -> None:
    client.set_cookie("theme", '"><script>')
    page = html.fromstring(client.get("/about").get_data(as_text=True))
    assert page.get("data-theme") == "auto"


def test_a_visitor_of_production_needs_https_for_the_session(engine: Engine, tmp_path: Path) -> None:
    app = make_app(engine, tmp_path, production=True)
    response = Visitor(app).get("/sign-in").response
    [cookie] = response.headers.getlist("Set-Cookie")
    assert {"Secure", "HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
