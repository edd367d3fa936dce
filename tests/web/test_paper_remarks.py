"""What a page says of a paper that was withdrawn, and of one whose text another paper has too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from lxml import html
from sqlalchemy import Engine
from sqlmodel import Session

from market.db import transact
from market.intake import install_lexicon, take_in
from nlp.lexicon import load_lexicon
from nlp.records import RawPaper, Section
from tests.market.factories import NOW, add_board
from tests.web.conftest import statements
from tests.web.visitor import make_app

SATURDAY, SUNDAY = date(2026, 5, 16), date(2026, 5, 17)
DAY = "/cs.LG/2026-05-16"
TEXT = "A diffusion model pours tea into kettles of many shapes and sizes, and we ask who drinks it. " * 2
PAPER = RawPaper(
    identifier="arxiv:2605.01234", title="Kettles", abstract=TEXT, authors=("Ana Kettle",),
    categories=("cs.LG",), day=SATURDAY, section=Section.NEW, url="https://arxiv.org/abs/2605.01234",
    source="a test", line=1,
)  # fmt: skip
OTHER = replace(PAPER, identifier="arxiv:2605.05678", title="Lids", abstract="Other. " + TEXT)

Read = Callable[..., Callable[[str], html.HtmlElement]]


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def remarks(page: html.HtmlElement) -> dict[str, list[str]]:
    """What is remarked of each paper, by the paper's title."""
    return {
        words(paper.find_class("title")[0]): [words(remark) for remark in paper.find_class("remark")]
        for paper in page.xpath("//article")
    }


@pytest.fixture
def read(engine: Engine, tmp_path: Path) -> Read:
    """Takes papers in, and gives back what shows a page."""

    def take(*papers: RawPaper) -> Callable[[str], html.HtmlElement]:
        def work(session: Session) -> None:
            add_board(session)
            add_board(session, "cs.CV", position=2)
            install_lexicon(session, load_lexicon('[[term]]\nlabel = "diffusion model"\n'), NOW)
            take_in(session, papers, now=NOW)

        transact(engine, work)
        client = make_app(engine, tmp_path).test_client()
        return lambda address: html.fromstring(client.get(address).get_data(as_text=True))

    return take


def test_a_withdrawn_paper_is_marked_on_its_day_and_beside_its_terms(read: Read) -> None:
    see = read(PAPER, OTHER, replace(PAPER, section=Section.REPLACED, is_withdrawn=True))
    assert remarks(see(DAY)) == {
        "Kettles": ["Withdrawn (known since 17 May 2026, 20:00 UTC)"], "Lids": [],
    }  # fmt: skip
    contexts = [words(item) for item in see("/cs.LG/terms/diffusion-model").find_class("from")]
    assert contexts == ["Kettles 16 May 2026 Withdrawn", "Lids 16 May 2026"]


def test_papers_with_the_same_text_lead_to_each_other(read: Read) -> None:
    twin = replace(
        PAPER, identifier="openreview:Abc_1", title="Pots", categories=("cs.CV", "cs.LG"), day=SUNDAY,
        abstract=TEXT.upper(),
    )  # fmt: skip
    see = read(PAPER, OTHER, twin)
    page = see(DAY)
    assert remarks(page) == {
        "Kettles": ["Same text as OpenReview Abc_1, cs.LG of 17 May 2026"], "Lids": [],
    }  # fmt: skip
    [link] = page.xpath("//*[contains(@class, 'remark')]/a/@href")
    there = see(link.partition("#")[0])
    assert there.xpath("//article[@id = $id]", id=link.partition("#")[2])
    assert remarks(there)["Pots"] == ["Same text as arXiv 2605.01234, cs.LG of 16 May 2026"]
    assert remarks(see("/cs.CV/2026-05-17"))["Pots"] == remarks(there)["Pots"]


def test_a_paper_that_was_only_replaced_is_nobodys_twin(read: Read) -> None:
    replaced = replace(PAPER, identifier="arxiv:2605.09999", section=Section.REPLACED)
    assert remarks(read(PAPER, replaced)(DAY)) == {"Kettles": []}


def test_twins_ask_one_question_more_however_many(read: Read, engine: Engine) -> None:
    counts = []
    papers = [replace(PAPER, identifier=f"arxiv:2605.1{number:04d}") for number in range(30)]
    different = [replace(paper, abstract=f"Number {paper.identifier}. {TEXT}") for paper in papers]
    alike = [replace(paper, identifier=f"{paper.identifier}9", day=SUNDAY) for paper in papers]
    see = read(*different, *alike)
    for address in (DAY, "/cs.LG/2026-05-17"):
        with statements(engine) as sent:
            see(address)
        counts.append(len(sent))
    assert counts[1] == counts[0] + 1
    said = remarks(see("/cs.LG/2026-05-17"))["Kettles"]
    assert said[0].startswith("Same text as arXiv 2605.")
    assert said[0].endswith("and 24 more")
