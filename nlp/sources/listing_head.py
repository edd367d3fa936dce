"""The head of a listing page: which board it is of, the board's name, and the day."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from nlp.errors import UnknownSource
from nlp.sources.dates import MONTHS, WEEKDAYS, agreed_day
from nlp.sources.source import Page

CROSS_LISTED = " · Cross-listed from "

_BOARD = re.compile(r"([a-z][a-z-]*(?:\.[A-Za-z-]+)?) Watch (.+?)(?: \(sign in to use\))?")
_DAY = re.compile(rf"({'|'.join(WEEKDAYS)}) ([0-9]{{1,2}}) ({'|'.join(MONTHS)})(?: ([0-9]{{4}}))?")
_LONGEST = 40  # lines


@dataclass(frozen=True, slots=True)
class Head:
    """``board`` is the code, ``name`` the words that begin each record; the records start at ``end``."""

    board: str
    name: str
    day: date
    end: int


def states_board(line: str) -> bool:
    """Whether the line is "cs.LG Watch Machine Learning (sign in to use)"."""
    return _BOARD.fullmatch(line) is not None


def read_head(lines: list[str], first_lines: Iterable[str], page: Page) -> Head:
    """The head of a page, completed by what the sender says.

    ``lines`` are the page's, ``first_lines`` the first of each record as far as they can be told
    without a head: a page that has none names its board by the most frequent of them. Raises
    `UnknownSource` where the board or the day is unknown or contradicts what was given.
    """
    board, name, day, end = page.board, "", None, 0
    for index, line in enumerate(lines[:_LONGEST]):
        if name and line.partition(CROSS_LISTED)[0] == name:
            break
        if not name and (found := _BOARD.fullmatch(line)):
            board, name, end = _agreed_board(page, found[1]), found[2], index + 1
        elif name and (found := _DAY.fullmatch(line)):
            day, end = _full_day(page, found), index + 1
            break
    name = name or _most_frequent(first_lines)
    if not name:
        raise UnknownSource(page.origin, "a listing page without a board's name or a paper")
    if board is None:
        raise UnknownSource(page.origin, "the page does not state its board; give it with --board CODE")
    return Head(board, name, agreed_day(page, day), end)


def _agreed_board(page: Page, stated: str) -> str:
    if page.board not in (None, stated):
        reason = f"the page is of the board {stated}, but the board given is {page.board}"
        raise UnknownSource(page.origin, reason)
    return stated


def _full_day(page: Page, stated: re.Match[str]) -> date:
    """The day of "Saturday 16 May" with the year of the day given, or of "Saturday 16 May 2026"."""
    weekday, number, month, stated_year = stated.groups()
    says = f"the page is of “{stated[0]}”"
    year = int(stated_year) if stated_year else page.day.year if page.day else None
    if year is None:
        raise UnknownSource(page.origin, f"{says} of an unknown year; give --day YYYY-MM-DD")
    try:
        day = date(year, MONTHS.index(month) + 1, int(number))
    except ValueError:
        raise UnknownSource(page.origin, f"{says}, and there is no such day in {year}") from None
    if page.day not in (None, day):
        raise UnknownSource(page.origin, f"{says}, but the day given is {page.day}")
    if WEEKDAYS[day.weekday()] != weekday:
        raise UnknownSource(page.origin, f"{says}, but {day} is a {WEEKDAYS[day.weekday()]}")
    return day


def _most_frequent(first_lines: Iterable[str]) -> str:
    names = Counter(line.partition(CROSS_LISTED)[0] for line in first_lines)
    return names.most_common(1)[0][0] if names else ""
