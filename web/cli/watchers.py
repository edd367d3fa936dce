"""`peer-revenue watchers`: how many watched a term at a moment."""

from __future__ import annotations

import click

from web.cli.balance import moment_of
from web.cli.database import database_option, opened


@click.command()
@click.argument("term")
@click.option("--board", "board_code", metavar="CODE", required=True, help="The board, as cs.LG.")
@click.option("--as-of", metavar="TIME", help="As 2026-05-17T20:00Z; a date alone means its end, UTC.")
@database_option
def watchers(term: str, board_code: str, as_of: str | None, database: str) -> None:
    """Count who watched a term.

    TERM is its address, as diffusion-model; "" is the board itself. The count follows from the recorded
    watches alone, at any moment of the past; without --as-of it is that of now.

    \b
    Example:
        peer-revenue watchers diffusion-model --board cs.LG --as-of 2026-05-17
    """
    from market.boards import board_by_code
    from market.db import read_session
    from market.listing import listed_term
    from market.watching import watcher_count_at
    from web.cli.settings import settings

    moment = moment_of(as_of) if as_of else settings().now()
    with opened(database, create=False) as engine, read_session(engine) as session:
        board = board_by_code(session, board_code)
        term_id, label = None, board.name
        if term:
            found = listed_term(session, board, term)[1]
            term_id, label = found.id, found.label
        assert board.id is not None
        count = watcher_count_at(session, board.id, term_id, moment)
    people = "1 watcher" if count == 1 else f"{count:,} watchers"
    click.echo(f"{label}: {people} at {moment.isoformat(timespec='minutes')}")
