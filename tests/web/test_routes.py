"""Every page at once: links lead somewhere, reading changes nothing, templates and their pages agree."""

from __future__ import annotations

import dataclasses
import inspect
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import nodes
from lxml import html
from sqlalchemy import Engine

import web.auth
import web.errors
import web.pages
import web.pages_judgements
import web.pages_limits
import web.pages_record
import web.pages_seasons
import web.pages_terms
import web.pages_trading
import web.pages_trending
from market.db import engine_for
from tests.web.visitor import make_app
from web import frame

ARGUMENTS = {"board": "cs.LG", "day": "2026-05-16", "slug": "large-language-model", "filename": "style.css"}
MOST_PAGES = 70  # of the walk along the links; there are some four hundred


def addresses(app: Flask) -> list[str]:
    """One address of every route that can be visited."""
    with app.test_request_context("/"):
        adapter = app.create_url_adapter(None) or app.url_map.bind("localhost")
        return [
            adapter.build(rule.endpoint, {name: ARGUMENTS.get(name, 1) for name in rule.arguments})
            for rule in app.url_map.iter_rules()
            if rule.methods is not None and "GET" in rule.methods
        ]


def contents(engine: Engine) -> dict[str, list[str]]:
    """Every row of every table."""
    tables = sa.MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        return {
            name: sorted(repr(row) for row in connection.execute(sa.select(table)))
            for name, table in tables.tables.items()
        }


def test_reading_changes_no_row(app: Flask, reader: FlaskClient, seeded_engine: Engine) -> None:
    before = contents(seeded_engine)
    assert sum(map(len, before.values())) > 1000
    walked = addresses(app)
    assert len(walked) > 12
    for address in walked:
        for method in ("GET", "HEAD"):
            with reader.open(address, method=method) as response:
                assert response.status_code < 400 or response.status_code == 404, address
    assert contents(seeded_engine) == before


def test_every_link_leads_to_a_page(reader: FlaskClient) -> None:
    seen, waiting = {"/"}, deque(["/"])
    pages = 0
    while waiting and pages < MOST_PAGES:
        address = waiting.popleft()
        response = reader.get(address, follow_redirects=True)
        assert response.status_code == 200, address
        pages += 1
        if response.mimetype != "text/html":
            continue
        page = html.fromstring(response.get_data(as_text=True))
        check_page(page, address)
        # Breadth first would see one kind of page only: the last link of a page first, then its first.
        for link in page.xpath("//a/@href"):
            path = link.partition("#")[0]
            if path.startswith("/") and path not in seen:
                seen.add(path)
                waiting.append(path) if len(seen) % 3 else waiting.appendleft(path)
    assert pages > 40


def check_page(page: html.HtmlElement, address: str) -> None:
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids)), (address, [one for one in ids if ids.count(one) > 1])
    for link in page.xpath("//a[starts-with(@href, '#')]/@href"):
        assert link[1:] in ids, (address, link)
    for name in page.xpath("//@aria-labelledby | //@aria-describedby | //@for | //@form"):
        assert set(name.split()) <= set(ids), (address, name)
    assert page.get("lang") == "en"
    assert len(page.xpath("//h1")) == len(page.xpath("//main")) == 1, address
    levels = [int(heading.tag[1]) for heading in page.xpath("//h1 | //h2 | //h3 | //h4")]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), (address, levels)
    assert all(link.text_content().strip() for link in page.xpath("//a | //button")), address
    assert not page.xpath("//table[not(caption)] | //th[not(@scope)]"), address


def page_classes() -> Iterator[type]:
    for module in (
        web.pages, web.pages_judgements, web.pages_limits, web.pages_record, web.pages_seasons,
        web.pages_terms, web.pages_trading, web.pages_trending, web.auth, web.errors,
    ):
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == module.__name__ and hasattr(kind, "template"):
                yield kind


PAGES = {kind.template: kind for kind in page_classes()}


@pytest.fixture
def bare(sqlite_url: str, tmp_path: Path) -> Flask:
    """The application without papers: for its templates."""
    return make_app(engine_for(sqlite_url), tmp_path)


def test_every_page_has_its_template(bare: Flask) -> None:
    parts = {name for name in bare.jinja_env.list_templates() if not name.startswith("_")} - {"base.html"}
    assert parts == set(PAGES)


@pytest.mark.parametrize("template", PAGES)
def test_a_template_shows_what_its_page_declares(bare: Flask, template: str) -> None:
    """It asks the page for nothing that is not there, and leaves nothing unused."""
    kind = PAGES[template]
    asked = attributes_of(bare, template, "page")
    declared = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    properties = {name for name, value in inspect.getmembers(kind) if isinstance(value, property)}
    constants = {name for name in vars(kind) if not name.startswith("_")}
    assert asked <= declared | properties | constants
    read = "".join(inspect.getsource(vars(kind)[name].fget) for name in properties)
    assert {name for name in declared - asked if f"self.{name}" not in read} == set()


def test_the_frame_is_shown_wholly(bare: Flask) -> None:
    asked = attributes_of(bare, "base.html", "frame")
    assert asked == {field.name for field in dataclasses.fields(frame.Frame)}


def attributes_of(app: Flask, template: str, name: str) -> set[str]:
    """What a template asks of the variable `name`."""
    assert app.jinja_env.loader is not None
    source, _, _ = app.jinja_env.loader.get_source(app.jinja_env, template)
    found: set[str] = set()
    for node in app.jinja_env.parse(source).find_all(nodes.Getattr):
        target: Any = node.node
        if isinstance(target, nodes.Name) and target.name == name:
            found.add(node.attr)
    return found
