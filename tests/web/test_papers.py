"""The page of a day: what a reader sees, with and without an account."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine
from sqlmodel import Session, col

from market.activity import count_days
from market.db import transact
from nlp.tables import Paper
from tests.market.factories import NOW, add_board, add_paper, add_term
from tests.web.conftest import statements
from tests.web.visitor import make_app
from web.papers import source_address

See = Callable[[str], html.HtmlElement]

SATURDAY, SUNDAY, DIGEST = "/cs.LG/2026-05-16", "/cs.LG/2026-05-17", "/tmlr/2026-02-22"
DAYS = {SATURDAY: 30, SUNDAY: 30, DIGEST: 32}
MOST_QUERIES = 9  # one of them for what the reader said of the terms
MOST_BYTES = 60_000
# What TeX looks like when it was not typeset.
RAW = re.compile(r"\\[A-Za-z]+|\$[^$\s][^$]*\$|\\[{}%&_]|``|''|\\url|~|\ufffc")


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def visible(element: html.HtmlElement) -> str:
    """The text of an element without its formulas, which are looked at on their own."""
    copy = html.fromstring(html.tostring(element))
    for formula in copy.xpath(".//*[local-name() = 'math']"):
        formula.drop_tree()
    return words(copy)


@pytest.fixture(params=DAYS)
def day(request: pytest.FixtureRequest, see: See) -> tuple[str, html.HtmlElement]:
    return request.param, see(request.param)


def test_every_paper_is_there_and_typeset(day: tuple[str, html.HtmlElement]) -> None:
    address, page = day
    papers = page.xpath("//article")
    assert len(papers) == DAYS[address]
    for paper in papers:
        [abstract] = paper.find_class("abstract")
        assert len(words(abstract)) > 200
        raw = RAW.search(visible(paper))
        assert raw is None, (raw, visible(paper))
        for formula in paper.xpath(".//*[local-name() = 'math']"):
            assert formula.xpath(".//*[local-name() = 'mi' or local-name() = 'mn' or local-name() = 'mo']")
        assert not paper.find_class("tex")  # every formula of the seeds can be typeset


def test_the_head_of_a_day(see: See) -> None:
    page = see(SATURDAY)
    assert words(page.xpath("//h1")[0]) == "Machine Learning cs.LG"
    assert words(page.find_class("date")[0]) == "Saturday 16 May 2026"
    assert page.xpath("//time/@datetime")[1] == "2026-05-16"
    assert "Watch Machine Learning (sign in to use)" in words(page)
    [later] = page.xpath("//main/div/header//a[@rel = 'next']")
    assert (words(later), later.get("href")) == ("Later: Sun 17 May 2026 ›", SUNDAY)
    assert not page.xpath("//a[@rel = 'prev']")
    assert [words(link) for link in page.xpath("//nav[@aria-label = 'Papers']/*")] == [
        "Papers:", "All 30", "New 19", "Cross-listed 11",
    ]  # fmt: skip


def test_home_is_the_newest_day_of_all_boards(see: See, client: FlaskClient) -> None:
    assert words(see("/").find_class("date")[0]) == "Sunday 17 May 2026"
    assert client.get("/tmlr/").headers["Location"] == DIGEST


def test_every_page_says_what_time_it_is(day: tuple[str, html.HtmlElement]) -> None:
    said = words(day[1].find_class("demonstration")[0])
    assert said.startswith("Demonstration as of Sunday 17 May 2026, 20:00 UTC.")
    assert "simulated" in said


def test_category_lines(see: See) -> None:
    lines = [words(line) for line in see(SATURDAY).find_class("category")]
    assert lines[:2] == ["Machine Learning", "Machine Learning · Cross-listed from cs.CV"]
    assert sum("Cross-listed from" in line for line in lines) == 11


def test_authors_are_behind_a_disclosure(see: See) -> None:
    first = see(SATURDAY).xpath("//article")[0].find_class("authors")[0]
    assert words(first.find("summary")) == "Authors: Wei Tang, Jinpei Han, Kangning Cui et al. (+10 more)"
    rest = words(first.find("p"))
    assert rest.startswith("Mattia Carletti, Fredrik K. Gustafsson")
    assert len(rest.split(", ")) == 10


def test_a_paper_without_a_title_is_untitled_and_keeps_its_authors(see: See) -> None:
    untitled = [
        paper
        for address in DAYS
        for paper in see(address).xpath("//article")
        if words(paper.find_class("title")[0]) == "Untitled"
    ]
    assert len(untitled) == 1
    assert words(untitled[0].find_class("authors")[0]) != "Authors not named"


def test_a_digest_has_its_two_sections(see: See) -> None:
    page = see(DIGEST)
    assert [words(heading) for heading in page.xpath("//h2")] == ["Accepted papers 6", "New submissions 26"]
    assert len(page.xpath("//section[1]//article")) == 6
    assert [level.tag for level in page.xpath("//h1 | //h2 | //h3")][:3] == ["h1", "h2", "h3"]
    [source, *_] = page.xpath("//article[1]//a[@rel = 'noopener nofollow']/@href")
    assert source.startswith("https://openreview.net/")
    assert not see(SATURDAY).xpath("//h3")  # without sections the titles come right below the page's name


def test_the_first_mention_is_a_link_and_the_others_are_marked(day: tuple[str, html.HtmlElement]) -> None:
    count = 0
    for paper in day[1].xpath("//article"):
        links = paper.xpath(".//div[@class = 'text']//mark/a")
        targets = [link.get("href") for link in links]
        assert len(targets) == len(set(targets))
        assert all(link.get("tabindex") == "-1" for link in links)
        # Nothing is only in the text, so inline links need not be tab stops.
        assert targets == paper.xpath(".//div[contains(@class, 'strip')]/ul/li/a/@href")
        assert not paper.xpath(".//div[@class = 'text']//mark//mark")
        count += len(paper.xpath(".//mark"))
    assert count > 100


def test_no_highlight_in_formulas_links_and_names(day: tuple[str, html.HtmlElement]) -> None:
    page = day[1]
    assert not page.xpath("//*[local-name() = 'math']//mark | //a[@rel]//mark | //code//mark")
    marked = {words(mark) for mark in page.xpath("//mark")}
    assert not {"Star", "star", "StaR", "Diffusion"} & marked


def test_the_abstract_stands_once_in_the_page(client: FlaskClient) -> None:
    text = client.get(SATURDAY).get_data(as_text=True)
    assert text.count("have demonstrated strong transferability across a range of clinical applications") == 1


def test_the_strip_has_figures_in_words_too(see: See) -> None:
    first = see(SATURDAY).find_class("strip")[0].xpath("./ul/li")[0]
    change = "–|(▲|▼)?(up|down|no change) [+−±][\\d.]+"
    assert re.fullmatch(rf"[\w -]+ \d+\.\d+ ¢({change})☆ ?\d+ watching", words(first))


def test_views(see: See, client: FlaskClient) -> None:
    reading, market, plain = (see(f"{SATURDAY}?view={view}") for view in ("reading", "market", "plain"))
    assert not reading.find_class("beside")
    assert len(market.find_class("beside")) == len(market.xpath("//div[@class = 'text']//mark/a"))
    assert not plain.xpath("//mark")
    assert not plain.find_class("strip")
    texts = [[visible(text) for text in page.find_class("text")] for page in (reading, plain)]
    assert texts[0] == texts[1]  # a highlight changes no letter
    client.post("/preferences", data={"view": "market", "next": SATURDAY})
    kept = html.fromstring(client.get(SATURDAY).get_data(as_text=True))
    assert kept.find_class("beside")


def test_filters(see: See) -> None:
    assert len(see(f"{SATURDAY}?show=cross").xpath("//article")) == 11
    assert len(see(f"{DIGEST}?show=accepted").xpath("//article")) == 6
    nothing = see(f"{SATURDAY}?show=accepted")
    assert not nothing.xpath("//article")
    assert "No paper of this day is of that kind." in words(nothing)


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/cs.LG/2026-13-40", 400, "must be a day of the calendar"),
        ("/cs.LG/2026-02-30", 400, "must be a day of the calendar"),
        ("/cs.LG/20260516", 404, "There is no such page"),
        ("/cs.LG/２０２６-05-16", 404, "There is no such page"),
        ("/cs.LG/2026-05-16?show=foo", 400, "must be one of all, new, cross"),
        ("/cs.LG/2026-05-16?view=", 400, "must be one of reading, market, plain"),
        ("/cs.XX/2026-05-16", 404, "There is no board 'cs.XX'."),
    ],
)
def test_addresses_that_cannot_be_meant(client: FlaskClient, address: str, status: int, said: str) -> None:
    response = client.get(address)
    assert response.status_code == status
    assert said in words(html.fromstring(response.get_data(as_text=True)).xpath("//main")[0])


def test_a_day_without_papers_says_why(see: See) -> None:
    past, future = see("/cs.LG/2026-05-02"), see("/cs.LG/2026-05-30")
    assert "lists no papers on Saturday 2 May 2026" in words(past.find_class("empty")[0])
    assert "This day has not come yet." in words(future.find_class("empty")[0])
    assert SATURDAY in past.xpath("//main//a/@href")
    assert SUNDAY in future.xpath("//main//a/@href")


def test_a_reader_has_buttons_that_come_back_to_the_paper(reader: FlaskClient) -> None:
    page = html.fromstring(reader.get(SATURDAY).get_data(as_text=True))
    forms = {form.get("id"): dict(form.form_values()) for form in page.forms}
    for button in page.xpath("//button[@class and starts-with(@class, 'watch')]"):
        fields = forms[button.get("form")]
        is_watched = "on" in button.get("class").split()
        assert fields["on"] == ("0" if is_watched else "1")
        assert fields["board"] == "cs.LG"
        place = button.xpath("ancestor::article/@id")
        assert fields["next"] == (f"{SATURDAY}#{place[0]}" if place else SATURDAY)
    watched = [words(button) for button in page.find_class("on")]
    assert watched[0].startswith("Watching Machine Learning")
    assert set(watched[1:]) == {"Watching large language model (press to stop)"}


@pytest.mark.parametrize("address", [*DAYS, f"{SATURDAY}?view=market", "/"])
def test_the_questions_that_a_day_asks(reader: FlaskClient, seeded_engine: Engine, address: str) -> None:
    with statements(seeded_engine) as sent:
        reader.get(address)
    assert len(sent) <= MOST_QUERIES, sent


def test_the_weight_of_a_day(client: FlaskClient, reader: FlaskClient) -> None:
    static = [_weight(client, link) for link in _static(client)]
    for address in (*DAYS, f"{SUNDAY}?view=market"):
        assert _weight(reader, address) + sum(static) <= MOST_BYTES


def _weight(client: FlaskClient, address: str) -> int:
    with client.get(address, headers={"Accept-Encoding": "gzip"}) as response:
        return len(response.get_data())


def _static(client: FlaskClient) -> list[str]:
    page = html.fromstring(client.get(SATURDAY).get_data(as_text=True))
    found: list[str] = page.xpath("//link[@rel = 'stylesheet']/@href | //script/@src")
    assert len(found) >= 2
    return found


@pytest.fixture
def hostile(engine: Engine, tmp_path: Path) -> Callable[[str, str], html.HtmlElement]:
    """The page of a day with one paper of this title and abstract, as source text."""

    def show(title: str, abstract: str) -> html.HtmlElement:
        def work(session: Session) -> None:
            board = add_board(session)
            term = add_term(session, "diffusion model", board)
            paper = add_paper(session, board, date(2026, 5, 17), [term])
            set_texts(session, paper, title, abstract)
            count_days(session, board.id, [date(2026, 5, 17)], NOW)

        transact(engine, work)
        answer = make_app(engine, tmp_path).test_client().get(SUNDAY)
        assert answer.status_code == 200
        return html.fromstring(answer.get_data(as_text=True))

    return show


def set_texts(session: Session, paper: Paper, title: str, abstract: str) -> None:
    from nlp.tables import StoredMention
    from nlp.typeset import runs_to_json, text_hash, typeset

    session.execute(sa.delete(StoredMention).where(col(StoredMention.paper_id) == paper.id))
    set_title, set_abstract = typeset(title, paragraphs=False), typeset(abstract)
    paper.title_text, paper.title_runs = set_title.text, runs_to_json(set_title)
    paper.abstract_text, paper.abstract_runs = set_abstract.text, runs_to_json(set_abstract)
    paper.text_hash = text_hash(set_abstract.text)
    paper.url = "javascript:alert(1)"
    session.add(paper)
    session.flush()


HOSTILE = [
    r"$\text{</math><img src=x onerror=alert(1)>}$ and words",
    r"see $\href{javascript:alert(1)}{x}$ and words",
    r"a macro $\def\x{\x\x}\x$ and words",
    "{" * 5000 + " and words",
    r"a fraction $\frac{1}{$ and words",
    "a set $" + "(" * 60 + "$ and words",
    r"\textbf{$x<b$ \footnote{<i>\cite{a}}} and words",
    '<script>alert(1)</script> and "words" \' & <b onclick=alert(1)>words</b>',
    r"\url{javascript:alert(1)} and \href{data:text/html,x}{words}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_text(hostile: Callable[[str, str], html.HtmlElement], text: str) -> None:
    page = hostile(text, text)
    [paper] = page.xpath("//article")
    assert "words" in words(paper.find_class("text")[0])
    assert not paper.xpath(".//img | .//script | .//b | .//*[@style] | .//@*[starts-with(name(), 'on')]")
    for address in paper.xpath(".//a/@href"):
        assert address.startswith(("/", "https://", "http://")), address


def test_many_papers_ask_no_more_questions(engine: Engine, tmp_path: Path) -> None:
    def work(session: Session) -> None:
        board = add_board(session)
        terms = [add_term(session, f"term number {number}", board) for number in range(40)]
        for number in range(120):
            add_paper(session, board, date(2026, 5, 17), terms[number % 30 : number % 30 + 5])
        count_days(session, board.id, [date(2026, 5, 17)], NOW)
        # The builder's papers have no runs, as no paper that was read in.
        session.execute(sa.update(Paper).values(title_runs=[["t", 7, 0]]))
        for paper in session.scalars(sa.select(Paper)):
            paper.abstract_runs = [["t", len(paper.abstract_text), 0]]

    transact(engine, work)
    client = make_app(engine, tmp_path).test_client()
    with statements(engine) as sent:
        page = html.fromstring(client.get(SUNDAY).get_data(as_text=True))
    assert len(page.xpath("//article")) == 120
    assert len(sent) <= MOST_QUERIES - 2  # a guest is not looked up, and said nothing


def test_before_the_first_paper(engine: Engine, tmp_path: Path) -> None:
    client: FlaskClient = make_app(engine, tmp_path).test_client()
    page = html.fromstring(client.get("/").get_data(as_text=True))
    assert "Nothing has been read in so far" in words(page.xpath("//main")[0])


def test_the_application_asks_for_nothing_elsewhere(app: Flask, day: tuple[str, html.HtmlElement]) -> None:
    page = day[1]
    loaded = page.xpath("//script/@src | //link/@href | //img/@src | //form/@action")
    assert loaded
    assert all(address.startswith("/") and not address.startswith("//") for address in loaded)


@pytest.mark.parametrize(
    ("identifier", "given", "address"),
    [
        ("arxiv:2605.01234", None, "https://arxiv.org/abs/2605.01234"),
        ("arxiv:2605.01234", "javascript:alert(1)", "https://arxiv.org/abs/2605.01234"),
        ("openreview:x", "https://openreview.net/forum?id=x", "https://openreview.net/forum?id=x"),
        ("local:x", None, None),
        ("local:x", "javascript:alert(1)", None),
    ],
)
def test_where_a_paper_can_be_read(identifier: str, given: str | None, address: str | None) -> None:
    assert source_address(identifier, given) == address
