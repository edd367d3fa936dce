"""Real crawls of several months, some papers seen on many days: the order of the days makes no difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from market.db import engine_for, upgrade
from tests.bench.sightings import crawled_days, feed, orders
from tests.conftest import SHARED_DATA

CORPUS = SHARED_DATA / "corpus"
EVERY = 200  # papers; `python -m tests.bench.sightings` takes them all


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside the repository")
def test_days_of_a_crawl_in_any_order_give_the_same_papers_and_counts(tmp_path: Path) -> None:
    days = crawled_days(CORPUS, EVERY)
    rows = [row for _, lines in days for row in lines]
    outcomes = []
    for number, (_, files) in enumerate(orders(days)):
        engine = engine_for(f"sqlite:///{tmp_path}/{number}.sqlite")
        upgrade(engine)
        outcomes.append(feed(engine, files))
        engine.dispose()
    assert {(outcome.paper_count, outcome.new_count) for outcome in outcomes} == {(50, 50)}
    assert outcomes[0].read_count == len(rows) > 60
    assert len({(outcome.places, outcome.activity) for outcome in outcomes}) == 1
