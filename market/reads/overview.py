"""What is rising over all boards: each board's own trends and movers, side by side and never added up.

A share is of the papers of its board, and a paper may stand on several; so a row belongs to a board, and is
found there with its reasons.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from market.reads.movers import MOVERS_SHOWN, Mover, moved_up, newly_watched
from market.reads.trending import moment_of, movers_until
from market.tables import Board
from market.trends import Trending, TrendRow, trending

ROWS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class RisingTerm:
    """A row of the trends of the board called ``board``."""

    board: str
    row: TrendRow


@dataclass(frozen=True, slots=True)
class MovedTerm:
    """What traders and watchers did to a term on the board called ``board``."""

    board: str
    mover: Mover


@dataclass(frozen=True, slots=True)
class Overview:
    """``boards`` has each board's trends by its code. The lists are of all boards: ``rising`` the surest
    first, ``up`` by papers added to the forecast, ``watched`` by watchers gained."""

    boards: tuple[tuple[str, Trending], ...]
    rising: tuple[RisingTerm, ...]
    up: tuple[MovedTerm, ...]
    watched: tuple[MovedTerm, ...]


def overview(session: Session, boards: Iterable[Board], window: int, now: datetime) -> Overview:
    """The trends of the ``window`` days (7 or 30) that end today on each board's calendar."""
    trends: list[tuple[str, Trending]] = []
    up: list[MovedTerm] = []
    watched: list[MovedTerm] = []
    for board in boards:
        moment = moment_of(board, now)
        trends.append((board.code, trending(session, board, moment.day, window)))
        found = movers_until(session, board, window, moment)
        up += [MovedTerm(board.code, mover) for mover in moved_up(found)]
        watched += [MovedTerm(board.code, mover) for mover in newly_watched(found)]
    rising = [RisingTerm(code, row) for code, of_board in trends for row in of_board.rising]
    rising.sort(key=lambda term: (-term.row.score, term.row.label))
    up.sort(key=lambda term: (-(term.mover.change_units or 0), term.mover.label))
    watched.sort(key=lambda term: (-term.mover.watchers_gained, term.mover.label))
    return Overview(
        tuple(trends), tuple(rising[:ROWS_SHOWN]), tuple(up[:MOVERS_SHOWN]), tuple(watched[:MOVERS_SHOWN])
    )
