"""`peer-revenue close-day`: the counts of days declared complete."""

from __future__ import annotations

import sys
from datetime import date, datetime
from typing import TYPE_CHECKING

import click

from web.cli.checkpoint import write_checkpoint
from web.cli.database import database_option, opened
from web.cli.discovering import discover_on, load_extractor
from web.cli.settings import settings
from web.cli.sweep import sweep_now

if TYPE_CHECKING:
    from sqlalchemy import Engine


@click.command("close-day")
@click.option("--board", "board_code", metavar="CODE", help="Only this board; otherwise every board.")
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE",
              help="Only this day; otherwise every day until today that lists papers and is not closed.")
@click.option("--discover", is_flag=True, help="Put new terms of the days before the listing committee.")
@database_option
def close_day(board_code: str | None, day: datetime | None, discover: bool, database: str) -> None:
    """Close the days that are read in.

    A closed day's counts are complete, and what was rising on it is kept; contracts are settled on closed
    days only. Limit orders that are over are ended, and the ledger is signed as by `peer-revenue checkpoint`.
    Run it every night, as often as you like: a closed day stays closed, late papers correct its counts.

    With --discover the papers of the days are read for terms that the board does not list: each is counted,
    and listed or refused by the committee's rule once enough papers carry it, with the reason.

    \b
    Example:
        peer-revenue close-day
        peer-revenue close-day --board cs.LG --day 2026-05-16
    """
    with opened(database) as engine:
        days = _days(engine, board_code, day.date() if day else None)
        closed = [_close(engine, code, one) for code, one in days]
        if discover and any(closed):
            extractor = load_extractor()
            for (code, one), is_closed in zip(days, closed, strict=True):
                if is_closed:
                    discover_on(engine, code, one, extractor)
        sweep_now(engine)
        path, count = write_checkpoint(engine, settings())
    if count:
        click.echo(f"{path}: {count} checkpoint{'s' if count > 1 else ''} of the ledger added")
    if not days:
        click.echo("No day waits to be closed.", err=True)
    sys.exit(0 if all(closed) else 1)


def _days(engine: Engine, code: str | None, day: date | None) -> list[tuple[str, date]]:
    from market.boards import all_boards, board_by_code
    from market.db import read_session
    from market.reads.open_days import open_days

    with read_session(engine) as session:
        found: list[tuple[str, date]] = []
        for board in [board_by_code(session, code)] if code else all_boards(session):
            days = [day] if day else open_days(session, board, settings().now())
            found += [(board.code, each) for each in days]
        return found


def _close(engine: Engine, code: str, day: date) -> bool:
    """Whether the day is closed now."""
    from market.activity import close_day
    from market.boards import board_by_code
    from market.db import transact
    from market.errors import DayNotReady

    try:
        closed = transact(
            engine, lambda session: close_day(session, board_by_code(session, code), day, settings().now())
        )
    except DayNotReady as error:
        click.echo(f"{code} {day}: {error}", err=True)
        return False
    state = "was closed before" if closed.was_closed else "closed"
    counts = f"{_counted(closed.paper_count, 'paper')}, {_counted(closed.term_count, 'term')}"
    click.echo(f"{code} {day}: {state}, {counts}")
    return True


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
