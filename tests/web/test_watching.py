"""Watching from any page, and the list of what is watched with its new papers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask
from sqlalchemy import Engine
from sqlmodel import Session, SQLModel

from market.activity import count_days
from market.db import read_session, transact
from market.reads.watching import NEWEST_PAPERS, watch_list
from market.tables import Board, Watch, WatchEvent
from market.watching import set_watch
from nlp.tables import Term
from nlp.typeset import runs_to_json, typeset
from tests.market.factories import NOW, add_board, add_paper, add_term, add_trader
from tests.web.visitor import PASSWORD, Visitor, cheap_hashing, make_app

DAY = date(2026, 5, 17)
CHANGE = "/watching/change"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from cheap_hashing(monkeypatch)


def add_readable_paper(session: Session, board: Board, day: date, terms: list[Term], identifier: str) -> None:
    """A paper whose title and abstract are stored as intake stores them."""
    paper = add_paper(session, board, day, terms, identifier)
    paper.title_runs = runs_to_json(typeset(paper.title_text))
    paper.abstract_runs = runs_to_json(typeset(paper.abstract_text))
    session.add(paper)
    session.flush()


@pytest.fixture
def boards(engine: Engine) -> None:
    """Two boards that share a paper; terms a to d, of which noise on papers nobody asked for."""

    def work(session: Session) -> None:
        learning, vision = add_board(session), add_board(session, "cs.CV", position=2)
        diffusion = add_term(session, "diffusion model", learning, vision)
        federated = add_term(session, "federated learning", learning)
        other = add_term(session, "something else", learning, vision)
        add_readable_paper(session, learning, DAY, [diffusion, federated], "arxiv:2605.00001")
        add_readable_paper(session, learning, DAY - timedelta(days=1), [diffusion], "arxiv:2605.00002")
        add_readable_paper(session, learning, DAY, [other], "arxiv:2605.00003")
        add_readable_paper(session, vision, DAY, [other, diffusion], "arxiv:2605.00004")
        for board in (learning, vision):
            count_days(session, board.id, [DAY, DAY - timedelta(days=1)], NOW)

    transact(engine, work)


@pytest.fixture
def app(engine: Engine, boards: None, tmp_path: Path) -> Flask:
    return make_app(engine, tmp_path)


@pytest.fixture
def ada(app: Flask) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_up("Ada")
    return visitor


def rows(engine: Engine, table: type) -> int:
    with Session(engine) as session:
        return session.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def watch(visitor: Visitor, board: str, term: str = "", on: str = "1", **fields: str) -> str:
    answer = visitor.post(CHANGE, board=board, term=term, on=on, **{"next": "/watching", **fields})
    assert answer.status == 303
    return answer.location


def test_empty_list_says_how_to_watch(ada: Visitor) -> None:
    assert "You watch nothing yet. Press Watch beside a term" in ada.get("/watching").words


def test_watching_and_stopping(ada: Visitor, engine: Engine) -> None:
    place = "/cs.LG/2026-05-17?view=market#arxiv-2605.00001"
    assert watch(ada, "cs.LG", "diffusion-model", next=place) == place
    watch(ada, "cs.LG", "diffusion-model")
    watch(ada, "cs.CV")
    assert (rows(engine, Watch), rows(engine, WatchEvent)) == (2, 2)
    page = ada.get("/watching")
    assert [form.get("action") for form in page.tree.forms].count(CHANGE) == 2
    for form in page.tree.xpath(f"//form[@action='{CHANGE}']"):
        fields = {name: value or "" for name, value in form.form_values()}
        assert ada.post(CHANGE, **fields).location == "/watching"
    assert (rows(engine, Watch), rows(engine, WatchEvent)) == (0, 4)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"board": "cs.XX", "on": "1"}, 404),
        ({"board": "cs.LG", "term": "nothing", "on": "1"}, 404),
        ({"board": "cs.CV", "term": "federated-learning", "on": "1"}, 404),
        ({"board": "cs.LG", "term": "a\x00b", "on": "1"}, 404),
        ({"board": "a\x00b", "on": "1"}, 404),
        ({"board": "cs.LG", "on": "yes"}, 400),
        ({"board": "cs.LG"}, 400),
        ({}, 400),
    ],
)
def test_what_cannot_be_watched(ada: Visitor, engine: Engine, fields: dict[str, str], status: int) -> None:
    assert ada.post(CHANGE, **fields).status == status
    assert rows(engine, WatchEvent) == 0


def test_next_page_is_one_of_this_site(ada: Visitor) -> None:
    for number, target in enumerate(["//evil.example", "https://evil.example/", "/\\evil.example", CHANGE]):
        assert watch(ada, "cs.LG", on=str(number % 2), next=target) == "/"


def test_guest_signs_in_and_presses_again(app: Flask, ada: Visitor, engine: Engine) -> None:
    guest = Visitor(app)
    here = "/cs.LG/2026-05-17"
    answer = guest.post(CHANGE, board="cs.LG", term="diffusion-model", on="1", next=here)
    assert answer.status == 302
    sign_in = guest.get(answer.location)
    assert "press Watch" in sign_in.words
    back = guest.submit(sign_in, "/sign-in", name="Ada", password=PASSWORD)
    assert (back.status, back.location) == (302, here)
    assert rows(engine, WatchEvent) == 0
    assert guest.get("/watching").status == 200
    assert Visitor(app).get("/watching").location == "/sign-in?next=/watching"


def test_new_papers_once_each_newest_first(ada: Visitor) -> None:
    watch(ada, "cs.LG", "diffusion-model")
    watch(ada, "cs.LG", "federated-learning")
    watch(ada, "cs.CV", "diffusion-model")
    page = ada.get("/watching")
    papers = page.tree.xpath("//ol[@class='new-papers']/li")
    links = [paper.xpath(".//h3/a/@href")[0] for paper in papers]
    assert links == [
        "/cs.CV/2026-05-17#arxiv-2605.00004",
        "/cs.LG/2026-05-17#arxiv-2605.00001",
        "/cs.LG/2026-05-16#arxiv-2605.00002",
    ]
    terms = [paper.xpath(".//p[@class='with']/a/@href") for paper in papers]
    assert terms == [
        ["/cs.CV/terms/diffusion-model"],
        ["/cs.LG/terms/diffusion-model", "/cs.LG/terms/federated-learning"],
        ["/cs.LG/terms/diffusion-model"],
    ]
    for link in links:
        path, _, anchor = link.partition("#")
        assert ada.get(path).tree.xpath(f"//*[@id='{anchor}']")


def test_paper_on_two_boards_is_listed_once(engine: Engine, boards: None) -> None:
    def work(session: Session) -> int:
        from market.tables import BoardPaper
        from nlp.tables import Paper

        trader = add_trader(session, "Ada").id or 0
        paper_id = session.scalar(sa.select(Paper.id).where(Paper.identifier == "arxiv:2605.00001"))
        vision = session.scalar(sa.select(Board.id).where(Board.code == "cs.CV"))
        session.add(BoardPaper(board_id=vision, paper_id=paper_id, day=DAY, section="cross", position=9))
        session.flush()
        term_id = session.scalar(sa.select(Term.id).where(Term.slug == "diffusion-model"))
        for board_id in session.scalars(sa.select(Board.id)):
            set_watch(session, trader, board_id, term_id, True, NOW)
        return trader

    trader = transact(engine, work)
    with read_session(engine) as session:
        papers = watch_list(session, trader, NOW).papers
    assert [paper.identifier for paper in papers].count("arxiv:2605.00001") == 1
    [paper] = [paper for paper in papers if paper.identifier == "arxiv:2605.00001"]
    assert [term.slug for term in paper.terms] == ["diffusion-model"]


def test_terms_with_price_and_papers(ada: Visitor) -> None:
    watch(ada, "cs.LG", "diffusion-model")
    watch(ada, "cs.LG")
    words = ada.get("/watching").words
    assert "1 of 2\xa0papers".replace("\xa0", " ") in words.replace("\xa0", " ")
    assert "no trade yet" in words
    assert "Papers of cs.LG" in words


def test_no_visit_changes_a_row(app: Flask, ada: Visitor, engine: Engine) -> None:
    watch(ada, "cs.LG", "diffusion-model")
    page = ada.get("/cs.LG/terms/diffusion-model/quote?period=2026-W21&amount=5")
    assert ada.submit(page, "/cs.LG/terms/diffusion-model/orders").status == 303
    values = {
        "board": "cs.LG", "day": "2026-05-17", "slug": "diffusion-model", "order_id": "1",
        "name": "2026-W21", "period": "2026-W21",
    }  # fmt: skip
    before = everything(engine)
    visited = 0
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint == "static":
            continue
        path = rule.rule
        for argument in rule.arguments:
            path = re.sub(rf"<[^>]*{argument}>", values[argument], path)
        for question in ("", "?period=2026-W22&side=SHORT&action=buy&by=credits&amount=3", "?page=2"):
            assert ada.get(path + question).status < 500, path + question
        visited += 1
    assert visited >= 15
    assert everything(engine) == before


def everything(engine: Engine) -> dict[str, list[object]]:
    """Every row of every table."""
    with engine.connect() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in SQLModel.metadata.sorted_tables
        }


def test_other_peoples_watches_are_theirs(app: Flask, ada: Visitor) -> None:
    watch(ada, "cs.LG", "diffusion-model")
    bob = Visitor(app)
    bob.sign_up("Bob")
    assert "You watch nothing yet" in bob.get("/watching").words


def test_questions_do_not_grow_with_the_list(engine: Engine, boards: None) -> None:
    def work(session: Session) -> int:
        trader = add_trader(session, "Ada").id or 0
        board = session.scalars(sa.select(Board).where(Board.code == "cs.LG")).one()
        for number in range(NEWEST_PAPERS + 10):
            term = add_term(session, f"term {number}", board)
            day = DAY - timedelta(days=number % 3)
            add_readable_paper(session, board, day, [term], f"arxiv:2606.{number:05d}")
            set_watch(session, trader, board.id or 0, term.id, True, NOW)
        return trader

    trader = transact(engine, work)
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT") or statement.startswith("WITH"):
            statements.append(statement)

    sa.event.listen(engine, "before_cursor_execute", note)
    with read_session(engine) as session:
        found = watch_list(session, trader, NOW)
    sa.event.remove(engine, "before_cursor_execute", note)
    assert (len(found.terms), len(found.papers)) == (NEWEST_PAPERS + 10, NEWEST_PAPERS)
    days = [paper.day for paper in found.papers]
    assert days == sorted(days, reverse=True)
    assert len(statements) <= 6
