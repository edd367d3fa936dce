"""The page of a term, and the list of terms."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from lxml import html
from sqlalchemy import Engine

from tests.web.conftest import statements

See = Callable[[str], html.HtmlElement]

TERM = "/cs.LG/terms/large-language-model"
INDEX = "/cs.LG/terms/"
BAD_NUMBERS = ("-1", "abc", "1e9", "9223372036854775808", "１", "")


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def section(page: html.HtmlElement, name: str) -> html.HtmlElement:
    [found] = page.xpath(f"//section[@aria-labelledby = '{name}']")
    return found


def column(page: html.HtmlElement, number: int) -> list[str]:
    return [words(row[number]) for row in page.xpath("//table[contains(@class, 'terms')]/tbody/tr")]


def test_the_head_of_a_term(see: See) -> None:
    page = see(TERM)
    assert words(page.xpath("//h1")[0]) == "large language model"
    assert words(page.find_class("also")[0]).startswith("also: LLM")
    assert "Watch large language model (sign in to use)" in words(page)
    assert re.search(r"1 watcher · in \d+ papers since 16 May 2026", words(page))


def test_the_price_is_a_forecast_in_words(see: See) -> None:
    said = " ".join(" ".join(section(see(TERM), "forecast").itertext()).split())
    found = re.search(
        r"(\d+\.\d\d) ¢ a LONG share The market expects (\d+\.\d\d) papers in the week of 18 May 2026\.", said
    )
    assert found is not None
    assert found[1] == found[2]
    assert re.search(r"The plain forecast, from counts alone \d+\.\d papers \(80 %: \d+ to \d+\)", said)


def test_a_chart_has_its_numbers_beside_it(see: See) -> None:
    activity = section(see(TERM), "activity")
    charts = activity.xpath(".//svg[@role = 'img']")
    tables = activity.xpath(".//details//table")
    assert len(charts) == len(tables) >= 1
    bars = [float(bar.get("height")) for bar in charts[0].xpath(".//rect")]
    counts = [int(words(row[1])) for row in tables[0].xpath(".//tbody/tr")]
    assert counts[::-1] == pytest.approx([bar * max(counts) / max(bars) for bar in bars], abs=0.05)


def test_papers_in_context_lead_to_the_paper(see: See, client: FlaskClient) -> None:
    items = section(see(TERM), "context").xpath("./ol/li")
    assert len(items) >= 5
    for item in items:
        assert re.search("LLM|[Ll]arge ([Rr]easoning )?[Ll]anguage [Mm]odel", words(item.xpath(".//mark")[0]))
        address, _, anchor = item.xpath(".//a/@href")[0].partition("#")
        page = html.fromstring(client.get(address).get_data(as_text=True))
        assert page.xpath(f"//article[@id = '{anchor}']")


def test_the_next_four_weeks_can_be_traded(see: See) -> None:
    rows = section(see(TERM), "contracts").xpath(".//tbody/tr")
    assert [words(row[0]) for row in rows] == [
        "the week of 18 May 2026", "the week of 25 May 2026", "the week of 1 June 2026",
        "the week of 8 June 2026",
    ]  # fmt: skip
    links = [row.xpath(".//a/@href")[0] for row in rows]
    assert links[1] == f"{TERM}?period=2026-W22#trade"
    chosen = see(links[1].partition("#")[0]).xpath("//select[@name = 'period']/option[@selected]/@value")
    assert chosen == ["2026-W22"]
    assert see(TERM).xpath("//form[@method = 'get']/@action") == [f"{TERM}/quote"]


def test_a_month_is_the_period_of_a_monthly_board(see: See) -> None:
    address = see("/tmlr/terms/").xpath("//tbody//a/@href")[0]
    assert "papers in June 2026." in words(section(see(address), "forecast"))


def test_the_tape_names_simulated_traders_and_nobody_else(see: See) -> None:
    traded = [
        address for address in see(f"{INDEX}?sort=change").xpath("//tbody//a/@href")[:3]
        if section(see(address), "tape").xpath(".//tbody/tr")
    ]  # fmt: skip
    assert traded
    for row in section(see(traded[0]), "tape").xpath(".//tbody/tr"):
        assert re.fullmatch(r"[\w-]+ \(simulated\)", words(row[1]))


def test_the_price_and_the_strip_agree(see: See) -> None:
    price = words(section(see(TERM), "forecast").find_class("figure")[0])
    strips = [
        words(item) for item in see("/cs.LG/2026-05-16").xpath("//div[contains(@class, 'strip')]/ul/li")
        if words(item).startswith("large language model")
    ]  # fmt: skip
    assert strips
    assert all(price in strip for strip in strips)


def test_the_list_of_terms(see: See) -> None:
    page = see(INDEX)
    assert len(column(page, 0)) == 100
    papers = [int(count) for count in column(page, 3)]
    assert papers == sorted(papers, reverse=True)
    labels = column(see(f"{INDEX}?sort=name"), 0)
    assert labels == sorted(labels, key=str.casefold)
    prices = [float(price) for price in column(see(f"{INDEX}?sort=price"), 1)]
    assert prices == sorted(prices, reverse=True)
    watchers = [int(count) for count in column(see(f"{INDEX}?sort=watchers"), 4)]
    assert watchers[:2] == [1, 0]


def test_pages_of_the_list_join(see: See) -> None:
    *full, last = (column(see(f"{INDEX}?sort=name&page={number}"), 0) for number in (1, 2, 3, 4))
    assert [len(page) for page in full] == [100, 100, 100]
    assert 0 < len(last) <= 100
    assert len({label for page in (*full, last) for label in page}) == 300 + len(last)


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("sort=foo", 400, "must be one of name, price, change, papers, watchers"),
        ("sort=", 400, "must be one of"),
        *((f"page={value}", 400, "must be a whole number from 1") for value in BAD_NUMBERS),
        ("page=99", 404, "The list has 4 pages."),
    ],
)
def test_bad_parameters_are_refused_in_words(client: FlaskClient, query: str, status: int, said: str) -> None:
    response = client.get(f"{INDEX}?{query}")
    assert response.status_code == status
    assert said in words(html.fromstring(response.get_data(as_text=True)).xpath("//main")[0])


def test_bad_periods_are_refused(client: FlaskClient) -> None:
    assert client.get(f"{TERM}?period=2026-W20").status_code == 400
    assert client.get("/cs.LG/terms/no-such-term").status_code == 404


def test_watching_a_term(reader: FlaskClient) -> None:
    page = html.fromstring(reader.get(TERM).get_data(as_text=True))
    button, *others = page.find_class("watch")
    assert words(button).startswith("Watching")
    fields = dict({form.get("id"): form for form in page.forms}[button.get("form")].form_values())
    assert (fields["on"], fields["board"], fields["next"]) == ("0", "cs.LG", TERM)
    assert button.get("value") == "large-language-model"
    related = section(page, "related").xpath(".//tbody/tr/th/a/@href")
    assert [f"/cs.LG/terms/{other.get('value')}" for other in others] == related
    [begin] = page.xpath("//form[@id = 'wr']//input[@name = 'on']/@value")
    assert (begin, {other.get("form") for other in others}) == ("1", {"wr"})


def test_related_terms_have_their_counts(see: See) -> None:
    found = section(see(TERM), "related")
    assert "0 for chance" in words(found)
    rows = [[words(cell) for cell in row] for row in found.xpath(".//tbody/tr")]
    assert rows
    closeness = [float(row[3]) for row in rows]
    assert closeness == sorted(closeness, reverse=True)
    assert min(closeness) > 0
    for row, href in zip(rows, found.xpath(".//tbody/tr/th/a/@href"), strict=True):
        assert 3 <= int(row[1].split()[0]) <= int(row[2])
        assert words(see(href).xpath("//h1")[0]) == row[0]


def test_each_open_contract_has_the_plain_forecast_beside_its_price(see: See) -> None:
    page = see(TERM)
    said = words(section(page, "forecast"))
    plain = re.search(r"counts alone ?(\d+\.\d) papers \(80 %: (\d+) to (\d+)\)", said)
    assert plain is not None
    rows = [[words(cell) for cell in row] for row in section(page, "contracts").xpath(".//tbody/tr")]
    assert [row[2] for row in rows] == [plain[1]] * 4
    assert rows[0][3] == f"{plain[2]} to {plain[3]}"
    widths = [int(row[3].split()[2]) - int(row[3].split()[0]) for row in rows]
    assert widths == sorted(widths)


def test_a_term_as_it_was_known(see: See) -> None:
    then, now = see(f"{TERM}?known=2026-05-16"), see(TERM)
    assert words(then.find_class("past")[0]).startswith("As known on the evening of Saturday 16 May 2026.")
    assert then.find_class("past")[0].xpath(".//a/@href") == [TERM]
    assert not then.xpath("//form[@class = 'order-form']")
    assert "0 watchers" in words(then)
    days, days_now = (
        [[words(cell) for cell in row] for row in section(page, "activity").xpath("./details[1]//tbody/tr")]
        for page in (then, now)
    )
    assert days == days_now[1:]
    papers = section(then, "context").xpath(".//a/@href")
    links = [link for link in section(now, "context").xpath(".//a/@href") if "2026-05-16" in link]
    assert papers == [link.replace("#", "?known=2026-05-16#") for link in links]
    trades = [words(row[0]) for row in section(then, "tape").xpath(".//tbody/tr")]
    assert all(trade.startswith("16 May 2026") for trade in trades)
    assert "open then" in words(section(then, "contracts"))


def test_the_list_asks_as_often_for_many_terms_as_for_few(client: FlaskClient, seeded_engine: Engine) -> None:
    with statements(seeded_engine) as sent:
        client.get(INDEX)
    assert len(sent) <= 8, sent
