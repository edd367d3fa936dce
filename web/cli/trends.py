"""`peer-revenue trends`: what is rising on a board, as a table, as JSON or as CSV."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened

if TYPE_CHECKING:
    from sqlmodel import Session

    from market.reads.boards import Board
    from market.reads.trending import Moment
    from market.trends import Trending

DATE = click.DateTime(["%Y-%m-%d"])


@click.command()
@click.option("--board", "board_code", metavar="CODE", required=True, help="The board, as cs.LG.")
@click.option("--day", type=DATE, metavar="DATE",
              help="The last day of the window; otherwise today, or the day of --known.")
@click.option("--window", type=click.Choice(["7", "30"]), default="7", show_default=True,
              help="Calendar days.")
@click.option("--known", type=DATE, metavar="DATE",
              help="As it was known at the end of that day, on the board's calendar.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV with a head.")
@database_option
def trends(
    board_code: str,
    day: datetime | None,
    window: str,
    known: datetime | None,
    as_json: bool,
    as_csv: bool,
    database: str,
) -> None:
    """Show what is rising on a board.

    Papers of a window against the 56 days before it: what rises and falls beyond chance, what is new, and the
    plain list of most papers. A list holds what passes its test and nothing else, so it may be empty. On a
    terminal a table; otherwise lines with tabs, without a head.

    The columns of --csv, and the fields of each row of --json, in this order:

    \b
        board, window, first_day, last_day   the board's code, the days counted
        known        the day on whose evening it was known, empty for now
        list         rising, falling, new or most
        rank         the place in that list, from 1
        rank_before  that of the listing day before, empty if it was not in it
        slug, label  the term, in addresses and in words
        papers, listed            with the term and in all, in the window
        base_papers, base_listed  the same in the 56 days before it
        usual        papers that the share before would have meant
        ratio        share in the window over share before, the median
        low, high    the range of it with a probability of 80 %
        q_value      the part of rows as striking that chance would bring

    The last five are empty where nothing was listed before. Columns may be added at the end; these stay.

    \b
    Example:
        peer-revenue trends --board cs.LG
        peer-revenue trends --board cs.LG --window 30 --day 2026-05-16 --csv
        peer-revenue trends --board cs.LG --known 2026-05-16 --json
    """
    from market.db import read_session
    from market.trends import trending
    from web.cli import trend_tables

    if as_json and as_csv:
        raise click.UsageError("Choose one of --json and --csv.")
    known_on = known.date() if known else None
    with opened(database, create=False) as engine, read_session(engine) as session:
        board = _board(session, board_code)
        moment = _moment(board, day.date() if day else None, known_on)
        found = trending(session, board, moment.day, int(window), known_at=moment.known_at)
        newest = _newest_day(session, board, moment)
        code = board.code
    if as_json:
        trend_tables.write_json(code, found, known_on)
    elif as_csv:
        trend_tables.write_csv(code, found, known_on)
    else:
        trend_tables.write_table(found)
    _say_what_is_missing(code, found, moment, newest)


def _board(session: Session, code: str) -> Board:
    from market.boards import all_boards, board_by_code
    from market.errors import UnknownBoard

    try:
        return board_by_code(session, code)
    except UnknownBoard as error:
        codes = ", ".join(board.code for board in all_boards(session))
        which = f"There are: {codes}." if codes else "Add one with: peer-revenue boards add --help"
        raise click.ClickException(f"{error} {which}") from error


def _moment(board: Board, day: date | None, known: date | None) -> Moment:
    from market.boards import today_of
    from market.reads.trending import moment_of
    from web.cli.settings import settings
    from web.parameters import EARLIEST

    now = settings().now()
    today = today_of(board, now)
    for name, value in (("--day", day), ("--known", known)):
        if value is not None and value > today:
            raise click.BadParameter(
                f"{value} has not come yet on {board.code}, where it is {today}.", param_hint=name
            )
        if value is not None and value < EARLIEST:
            raise click.BadParameter(f"{value} is before any paper; name a later day.", param_hint=name)
    if day is not None and known is not None and day > known:
        raise click.BadParameter(
            f"On the evening of {known} nothing was known of {day}; name a day until then.",
            param_hint="--day",
        )
    return moment_of(board, now, day, known)


def _newest_day(session: Session, board: Board, moment: Moment) -> date | None:
    from market.reads.series import daily_series

    days = daily_series(session, board, (), days=1, last=moment.day, known_at=moment.known_at).days
    return days[0] if days else None


def _say_what_is_missing(code: str, found: Trending, moment: Moment, newest: date | None) -> None:
    """On standard error, so that the output stays data."""
    span = f"from {found.first_day} to {found.last_day}"
    if not found.exposure:
        where = "read some in: peer-revenue ingest"
        if newest:
            where = f"the newest are of {newest}: --day {newest}"
        then = " that were known then" if moment.known_at else ""
        click.echo(f"{code} lists no papers {span}{then}; {where}", err=True)
    elif not found.base_exposure:
        click.echo(f"{code} has no papers before {found.first_day} to compare with.", err=True)
    elif not found.rising:
        looked_at = f"{found.checked_count:,} terms were looked at"
        click.echo(f"Nothing is rising beyond chance on {code} {span}; {looked_at}.", err=True)
