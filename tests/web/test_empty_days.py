"""The page of a day without papers says why there are none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from lxml import html
from sqlalchemy import Engine
from sqlmodel import Session

from market.boards import board_by_code
from market.db import transact
from market.fetches import note_failure
from market.tables import Fetch
from nlp.fetching.errors import ServerFailed
from tests.market.factories import add_board
from tests.web.conftest import statements
from tests.web.visitor import SECRET
from web import create_app
from web.config import Settings

NOW = datetime(2026, 5, 18, 9, 0, tzinfo=UTC)  # a Monday


@pytest.fixture
def read(engine: Engine, tmp_path: Path) -> Callable[[str], str]:
    """What a page says where its papers would be."""
    transact(engine, lambda session: add_board(session))
    settings = Settings(secret_key=SECRET, market_clock=NOW, instance_folder=tmp_path)
    client = create_app(settings, engine).test_client()

    def words(address: str) -> str:
        page = html.fromstring(client.get(address).get_data(as_text=True))
        return " ".join(page.find_class("empty")[0].text_content().split())

    return words


def test_a_day_of_rest(read: Callable[[str], str]) -> None:
    assert read("/cs.LG/2026-05-17") == "arXiv announces no papers on Saturdays and Sundays."
    assert "because of a holiday" in read("/cs.LG/2026-01-02")
    assert read("/cs.LG/2026-05-17?known=2026-05-17") == "arXiv announces no papers on Saturdays and Sundays."


def test_a_day_whose_papers_could_not_be_fetched(engine: Engine, read: Callable[[str], str]) -> None:
    error = ServerFailed("https://rss.arxiv.org/rss/cs.LG?a=b", "status 503 <down>", "Run it again.")

    def fail(session: Session) -> None:
        note_failure(session, board_by_code(session, "cs.LG"), "arxiv-feed", error, NOW - timedelta(hours=2))

    transact(engine, fail)
    assert read("/cs.LG/2026-05-18") == (
        "No papers of Monday 18 May 2026 have come in: the fetch failed at 18 May 2026, 07:00 UTC. "
        "rss.arxiv.org: status 503 <down>"
    )
    assert "was not known then" in read("/cs.LG/2026-05-15?known=2026-05-15")


def test_a_day_that_was_fetched_and_has_none(engine: Engine, read: Callable[[str], str]) -> None:
    assert "last fetched" not in read("/cs.LG/2026-05-18")

    def succeed(session: Session) -> None:
        board = board_by_code(session, "cs.LG")
        session.add(Fetch(board_id=board.id, source="arxiv-feed", succeeded_at=NOW))

    transact(engine, succeed)
    assert "Papers were last fetched at 18 May 2026, 09:00 UTC." in read("/cs.LG/2026-05-18")


def test_the_reason_costs_one_question(engine: Engine, read: Callable[[str], str]) -> None:
    with statements(engine) as asked:
        read("/cs.LG/2026-05-18")
    assert sum("FROM fetch_state" in statement for statement in asked) == 1
    assert len(asked) <= 4
