"""A board with nine weeks of papers, ten a day: one term rises, one falls, one is new, one stays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date, datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from market.activity import count_days
from market.inserts import insert_new
from market.maker import Side
from market.orders import Action
from market.tables import Board, BoardPaper, PlacementEvent
from market.trading import place_order
from market.trends import keep_rankings
from market.watching import set_watch
from nlp.tables import Paper, StoredMention, Term
from tests.market.factories import NOW, add_board, add_term, add_trader, order

LAST_DAY = date(2026, 5, 17)
PER_DAY, DAYS, WINDOW = 10, 63, 7
PAPERS_A_DAY = {"rising": (1, 9), "falling": (8, 1), "new here": (0, 2), "steady": (5, 5)}  # before, and now


def fill(session: Session, *, per_day: dict[str, tuple[int, int]] = PAPERS_A_DAY) -> Board:
    """The board, each of its days counted in its own evening, and its last ranking kept."""
    board = add_board(session)
    terms = [(add_term(session, label, board), *counts) for label, counts in per_day.items()]
    for back in reversed(range(DAYS)):
        day = LAST_DAY - timedelta(days=back)
        carried = [(term, now if back < WINDOW else before) for term, before, now in terms]
        add_day(session, board, day, carried)
        assert board.id is not None
        count_days(session, board.id, [day], evening(day))
    keep_rankings(session, board, NOW)
    return board


def add_day(
    session: Session, board: Board, day: date, carried: Iterable[tuple[Term, int]], papers: int = PER_DAY
) -> None:
    """Papers of a day, of which the first so many carry each term; nothing is counted."""
    listed = sa.select(sa.func.count()).where(col(BoardPaper.day) == day)
    first = 1000 * (day - date(2026, 1, 1)).days + session.execute(listed).scalar_one()
    numbers = range(first, first + papers)
    insert_new(session, Paper, [_paper(number, day) for number in numbers])
    places = [
        {"board_id": board.id, "paper_id": number, "day": day, "section": "new", "position": number - first}
        for number in numbers
    ]
    insert_new(session, BoardPaper, places)
    insert_new(session, PlacementEvent, [{**place, "recorded_at": evening(day)} for place in places])
    # Terms are a code point long here and stand side by side; each has a version with its own id.
    mentions = [
        {"paper_id": number, "term_version_id": term.id, **_span(at)}
        for at, (term, count) in enumerate(carried)
        for number in numbers[:count]
    ]
    insert_new(session, StoredMention, mentions)


def trade_and_watch(session: Session) -> None:
    """Two people buy what rises, and begin to watch it, on Sunday afternoon."""
    for name, hours in (("Ana Kettle", 3), ("Bob Lid", 2)):
        trader, at = add_trader(session, name), NOW - timedelta(hours=hours)
        assert trader.id is not None
        asked = order(Side.LONG, Action.BUY, 40, term="rising")
        assert place_order(session, trader.id, asked, f"key-{hours}", at).is_filled
        set_watch(session, trader.id, 1, 1, True, at)


def evening(day: date) -> datetime:
    return NOW - (NOW.date() - day)


def _span(at: int) -> dict[str, object]:
    return {"start_offset": at, "end_offset": at + 1, "quote": "abcdefghij"[at]}


def _paper(number: int, day: date) -> dict[str, object]:
    text = "abcdefghij"
    return {
        "id": number, "identifier": f"arxiv:2605.{number:05d}", "source": "arxiv", "url": None,
        "title_source": "A title", "title_runs": [["t", 7, 0]], "title_text": "A title",
        "abstract_source": text, "abstract_runs": [["t", len(text), 0]], "abstract_text": text,
        "text_hash": hashlib.sha256(text.encode()).hexdigest(), "typesetter_version": 1,
        "authors": ["A. Author"], "categories": ["cs.LG"], "announced_on": day, "announced_as": "new",
        "taken_in_at": evening(day), "is_notice": False,
    }  # fmt: skip
