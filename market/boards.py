"""Boards: the populations of papers that terms are counted on, and the day each of them is in."""

from __future__ import annotations

from datetime import date, datetime, time
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from sqlmodel import Session, col, func, select

from market.errors import MarketError, UnknownBoard
from market.inserts import insert_one
from market.periods import period_of
from market.tables import Board

SUBMITTED = "submitted"  # a paper's day is that of its submission
DAY_RULES = ("announced", SUBMITTED)  # the same as `nlp.manifest` knows


class UnknownTimeZone(MarketError):
    """The time zone of a board is in no time zone database."""

    def __init__(self, name: str, board: str) -> None:
        close = get_close_matches(name, sorted(available_timezones())) or ["Europe/Paris"]
        choices = " or ".join(repr(zone) for zone in close)
        super().__init__(f"The time zone {name!r} of board {board} is unknown; write one as {choices}.")
        self.name = name
        self.board = board


class UnknownDayRule(MarketError):
    """No board counts its papers by such a rule."""

    def __init__(self, rule: str, board: str) -> None:
        choices = " or ".join(repr(each) for each in DAY_RULES)
        super().__init__(f"The day rule {rule!r} of board {board} is unknown; it is {choices}.")
        self.rule = rule
        self.board = board


class BoardDiffers(MarketError):
    """A board exists already and counts its days or periods in another way."""

    def __init__(self, code: str, what: str, stored: str, given: str) -> None:
        super().__init__(
            f"Board {code} has the {what} {stored!r}, and {given!r} was given. Contracts are made on it, "
            f"so it cannot be changed; add another board."
        )
        self.code = code


def today_of(board: Board, now: datetime) -> date:
    """The board's date at the moment ``now`` (aware), in the board's own time zone.

    Raises `UnknownTimeZone`; `ValueError` when ``now`` has no time zone.
    """
    return date_on(board, now)


def date_on(board: Board, moment: datetime) -> date:
    """The date that a board has at any moment; as `today_of`."""
    return date_in(board.time_zone, board.code, moment)


def start_of_day(board: Board, day: date) -> datetime:
    """The first moment of the day, on the board's calendar."""
    return datetime.combine(day, time(), zone_of(board))


def zone_of(board: Board) -> ZoneInfo:
    """The board's time zone, for whoever asks for many dates; raises `UnknownTimeZone`."""
    return _zone(board.time_zone, board.code)


def date_in(time_zone: str, code: str, moment: datetime) -> date:
    """The date that board ``code``, of this time zone, has at any moment; as `today_of`."""
    if moment.tzinfo is None:
        raise ValueError(f"a moment needs its time zone: {moment!r}")
    return moment.astimezone(_zone(time_zone, code)).date()


def board_by_code(session: Session, code: str) -> Board:
    """The board called ``code``, as "cs.LG"; raises `UnknownBoard`."""
    board = session.exec(select(Board).where(Board.code == code)).one_or_none()
    if board is None:
        raise UnknownBoard(code)
    return board


def all_boards(session: Session) -> tuple[Board, ...]:
    """Every board, in the order in which they were added."""
    return tuple(session.exec(select(Board).order_by(col(Board.position), col(Board.id))))


def ensure_board(
    session: Session,
    code: str,
    name: str,
    field: str,
    period: str,
    day_rule: str,
    time_zone: str,
    grace_days: int,
) -> Board:
    """The board ``code`` with these values, made if there is none; calling it again changes nothing.

    Name, field and grace days of an existing board are brought up to date. Its period, day rule and time
    zone say what is counted in a contract: other values raise `BoardDiffers`. Raises `UnknownTimeZone`,
    `UnknownDayRule` and `UnknownPeriod` for values that no board can have.
    """
    _zone(time_zone, code)
    if day_rule not in DAY_RULES:
        raise UnknownDayRule(day_rule, code)
    period_of(period, date(2000, 1, 1))
    board = session.exec(select(Board).where(Board.code == code)).one_or_none()
    if board is None:
        new = Board(
            code=code, name=name, field=field, period=period, day_rule=day_rule, time_zone=time_zone,
            grace_days=grace_days, position=_next_position(session),
        )
        insert_one(session, Board, new.model_dump(exclude={"id"}))  # another process may be doing the same
        board = board_by_code(session, code)
    _check_unchanged(board, period=period, day_rule=day_rule, time_zone=time_zone)
    board.name, board.field, board.grace_days = name, field, grace_days
    session.add(board)
    session.flush()
    return board


def _next_position(session: Session) -> int:
    return session.exec(select(func.coalesce(func.max(Board.position), 0))).one() + 1


def _check_unchanged(board: Board, **given: str) -> None:
    for what, value in given.items():
        stored = getattr(board, what)
        if stored != value:
            raise BoardDiffers(board.code, what.replace("_", " "), stored, value)


def _zone(name: str, board: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # "../x": ValueError; "Europe", a folder: OSError
        raise UnknownTimeZone(name, board) from None
