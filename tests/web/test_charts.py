"""Charts are images with words; they draw what they are given and bring no style of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from web import charts

START = datetime(2026, 5, 16, 20, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"


def drawn(markup: str) -> etree._Element:
    return etree.fromstring(markup)


def bars(*counts: int) -> etree._Element:
    data = [charts.Bar(f"{at} May", count) for at, count in enumerate(counts, 1)]
    return drawn(charts.bars("days", "Papers <with> terms", "Three & more", data))


def test_a_chart_says_what_it_is() -> None:
    chart = bars(3, 0, 1)
    assert chart.get("role") == "img"
    named = [chart.xpath(f"//*[@id = '{name}']")[0].text for name in chart.get("aria-labelledby").split()]
    assert named == ["Papers <with> terms", "Three & more"]
    assert not chart.xpath("//@style")


def test_bars_are_as_high_as_their_counts() -> None:
    rects = bars(4, 0, 1, 2).findall("rect")
    heights = [float(rect.get("height")) for rect in rects]
    assert heights[0] == pytest.approx(4 * heights[2])
    assert heights[1] == 0
    bottoms = {float(rect.get("y")) + float(rect.get("height")) for rect in rects}
    assert max(bottoms) - min(bottoms) < 0.11


def test_few_bars_are_labelled_one_by_one_and_many_at_their_ends() -> None:
    assert [text.text for text in bars(7, 2).findall("text")] == ["7", "1 May", "2", "2 May"]
    assert [text.text for text in bars(*range(20)).findall("text")] == ["19", "0", "1 May", "20 May"]


def test_no_papers_at_all_is_a_flat_chart() -> None:
    assert {rect.get("height") for rect in bars(0, 0).findall("rect")} == {"0.0"}


def steps(values: list[float], reference: float) -> etree._Element:
    data = [charts.Step(START + timedelta(hours=at), value) for at, value in enumerate(values)]
    return drawn(charts.steps("trace", "A", "B", data, "first", "last", reference))


@given(
    st.lists(st.floats(min_value=0, max_value=1e5), min_size=1, max_size=30),
    st.floats(min_value=0, max_value=1e5),
)
def test_a_trace_stays_inside_its_frame(values: list[float], reference: float) -> None:
    chart = steps(values, reference)
    [trace] = chart.xpath("//*[@class = 'trace']")
    heights = heights_of(trace)
    assert len(heights) == len(values)
    assert all(charts.TOP - 0.1 <= height <= charts.HEIGHT - charts.BOTTOM + 0.1 for height in heights)


def test_a_higher_value_stands_higher() -> None:
    [trace] = steps([1.0, 1.5, 2.0, 1.2], 1.0).xpath("//*[@class = 'trace']")
    first, second, third, last = heights_of(trace)
    assert first > second > third < last
    assert second < last < first  # 1.2 stands between 1.5 and 1.0, counted from the top


def test_one_moment_is_a_line_too() -> None:
    assert heights_of(steps([3.0], 3.0).xpath("//*[@class = 'trace']")[0])


def heights_of(trace: etree._Element) -> list[float]:
    parts = trace.get("d").replace("M", "V").split("V")[1:]
    return [float(part.split("H")[0].split(" ")[-1]) for part in parts]


def test_sparklines_are_for_the_eye() -> None:
    spark = drawn(charts.sparkline([0, 2, 1]))
    assert spark.get("aria-hidden") == "true"
    assert len(spark.findall("rect")) == 2
    assert drawn(charts.sparkline([])).findall("rect") == []
