"""Terms on one scale: what is drawn, the same numbers beside it, and names as people write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine

from market.db import transact
from tests.market import nine_weeks
from tests.web.conftest import statements
from tests.web.visitor import make_app

See = Callable[[str], html.HtmlElement]

PAGE = "/cs.LG/compare"


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def faults(page: html.HtmlElement) -> list[str]:
    return [words(fault) for fault in page.find_class("fault")]


@pytest.fixture
def compared(engine: Engine, tmp_path: Path) -> See:
    """A board with nine weeks of papers."""
    transact(engine, nine_weeks.fill)
    client = make_app(engine, tmp_path).test_client()
    return lambda address: html.fromstring(client.get(address).get_data(as_text=True))


def test_the_chart_and_its_table_have_the_same_numbers(compared: See) -> None:
    page = compared(f"{PAGE}?term=rising&term=steady")
    rows = [[words(cell) for cell in row] for row in page.xpath("//table/tbody/tr")]
    assert len(rows) == 30
    assert rows[0] == ["17 May 2026", "63 90.0 %", "35 50.0 %", "70"]
    assert rows[6] == ["11 May 2026", "15 21.4 %", "35 50.0 %", "70"]
    assert rows[-1] == ["18 April 2026", "7 10.0 %", "35 50.0 %", "70"]
    [chart] = page.xpath("//svg[@role = 'img']")
    lines = [path.get("d") for path in chart.xpath("./path[contains(@class, 'series-')]")]
    heights = [[float(point.split()[1]) for point in line[1:].split("L")] for line in lines]
    assert [len(line) for line in heights] == [30, 30]
    floor, top = max(heights[0]), min(heights[0])
    assert len(set(heights[1])) == 1
    # On one scale: 50 % stands where 50 of the way from 10 to 90 % is.
    assert heights[1][0] == pytest.approx((floor + top) / 2, abs=0.2)
    assert "A, rising: 10.0 % to 90.0 %" in words(chart.xpath("./desc")[0])
    letters = [words(text) for text in chart.xpath("./text[@text-anchor = 'start']")]
    assert letters[:2] == ["A", "B"]


def test_a_longer_window_looks_further_back(compared: See) -> None:
    page = compared(f"{PAGE}?term=rising&window=30")
    rows = [[words(cell) for cell in row] for row in page.xpath("//table/tbody/tr")]
    assert rows[0] == ["17 May 2026", "86 28.7 %", "300"]
    assert rows[29] == ["18 April 2026", "30 10.0 %", "300"]


def test_terms_are_found_as_people_write_them(see: See) -> None:
    page = see(f"{PAGE}?term=LLM&term=Diffusion+Models&term=large-language-model")
    assert [words(link) for link in page.xpath("//ul[@class = 'key']//a")] == [
        "large language model", "diffusion model",
    ]  # fmt: skip
    assert page.xpath("//input[@name = 'term']/@value") == [
        "large language model", "diffusion model", "large language model", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["no such term", "100%", "_", "\\", '"', "a' OR 1=1 --", "é\x00"])
def test_an_unknown_name_is_said_at_its_field(see: See, name: str) -> None:
    page = see(f"{PAGE}?term={quote(name)}&term=LLM")
    [fault] = faults(page)
    assert fault.startswith("No term “")
    assert "is listed on Machine Learning." in fault
    assert page.xpath("//input[@aria-invalid = 'true']/@aria-describedby") == ["term-1-fault"]
    [above] = page.xpath("//header[@class = 'masthead']//p[@class = 'message error']/a")
    assert (above.get("href"), words(above)) == ("#term-1", fault)
    assert page.xpath("//svg[@role = 'img']")


def test_a_part_of_a_name_brings_suggestions(see: See) -> None:
    [fault] = faults(see(f"{PAGE}?term=languag"))
    assert "Did you mean “" in fault
    assert "language model”" in fault


def test_more_than_five_are_left_out_and_named(see: See) -> None:
    names = [words(link) for link in see("/cs.LG/terms/").xpath("//tbody//th/a")[:7]]
    page = see(f"{PAGE}?" + "&".join(f"term={name}" for name in names))
    assert len(page.xpath("//ul[@class = 'key']/li")) == 5
    assert faults(page) == [f"Five terms fit on one scale; left out: {names[5]}, {names[6]}."]


def test_without_terms_the_form_is_there(see: See) -> None:
    page = see(PAGE)
    assert len(page.xpath("//input[@name = 'term']")) == 5
    assert not page.xpath("//svg[@role = 'img']")


def test_what_is_ticked_in_the_table_of_days_is_compared(see: See) -> None:
    trends = see("/cs.LG/trending")
    [form] = [form for form in trends.forms if form.get("action") == PAGE]
    slugs = form.xpath(".//input[@type = 'checkbox']/@value")[:3]
    page = see(f"{PAGE}?" + "&".join(f"term={slug}" for slug in slugs))
    assert page.xpath("//ul[@class = 'key']//a/@href") == [f"/cs.LG/terms/{slug}" for slug in slugs]


def test_the_questions_it_asks(client: FlaskClient, seeded_engine: Engine) -> None:
    with statements(seeded_engine) as sent:
        client.get(f"{PAGE}?term=large-language-model&term=diffusion-model")
    assert len(sent) <= 5, sent
