"""`peer-revenue terms`: which terms there are and why, and everything that changes them."""

from __future__ import annotations

import click

from web.cli.changing import board_named
from web.cli.database import database_option, opened
from web.cli.discover import discover
from web.cli.ending import Commands
from web.cli.extract import extract
from web.cli.term_changes import delist, list_term, merge, rename, split

STATUSES = ("listed", "delisted", "merged", "all")


@click.group(cls=Commands)
def terms() -> None:
    """Show the terms of the boards and why they are listed; list, delist, merge, split and rename them.

    TERM is the end of a term's address, its label, or another spelling of it. Every change is kept with its
    time, reason and operator, and shown to all; open contracts run out on the forms they were opened with.

    \b
    Example:
        peer-revenue terms list --board cs.LG
        peer-revenue terms merge ddpm diffusion-model --reason "One thing under two names."
    """


@terms.command("list")
@click.option("--board", "board_code", metavar="CODE", help="Only this board.")
@click.option("--status", type=click.Choice(STATUSES), default="listed", show_default=True)
@click.option("--proposed", is_flag=True, help="What traders propose and nobody has decided about.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
@database_option
def list_(board_code: str | None, status: str, proposed: bool, as_json: bool, database: str) -> None:
    """List terms: board, address, label, status, papers, since when, and the reason.

    On a terminal a table; otherwise lines with tabs, without a head.

    \b
    Example:
        peer-revenue terms list --board cs.LG --status delisted
        peer-revenue terms list --proposed
    """
    from market.boards import all_boards
    from market.db import read_session
    from market.proposals import open_proposals
    from market.reads.term_list import terms_of_boards
    from web.cli import term_tables

    with opened(database, create=False) as engine, read_session(engine) as session:
        boards = [board_named(session, board_code)] if board_code else all_boards(session)
        if proposed:
            term_tables.write_proposals(open_proposals(session, boards), as_json=as_json)
            return
        found = [term for term in terms_of_boards(session, boards) if status in ("all", term.status)]
        term_tables.write_terms(found, as_json=as_json)
        if not found and not as_json:
            click.echo("There is no such term.", err=True)


@terms.command()
@click.argument("term")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_option
def show(term: str, as_json: bool, database: str) -> None:
    """Show a TERM: its forms, what there is of it, and every decision about it, newest first.

    \b
    Example:
        peer-revenue terms show diffusion-model
    """
    from market.db import read_session
    from market.reads.term_changes import term_story
    from web.cli import term_tables

    with opened(database, create=False) as engine, read_session(engine) as session:
        term_tables.write_term(term_story(session, term), as_json=as_json)


for command in (list_term, delist, merge, split, rename, discover, extract):
    terms.add_command(command)
