"""`peer-revenue judgements list|accept|refuse` and `peer-revenue operators`: what readers say of terms."""

from __future__ import annotations

import click

from web.cli.database import database_option, opened
from web.cli.ending import Commands
from web.cli.remark import remark_options


@click.group(cls=Commands)
def judgements() -> None:
    """Show what readers say of terms ("not a term", "should be a term"), and decide about it.

    A decision is kept, shown to those readers and becomes a training row (`peer-revenue annotations export`).
    It changes no page by itself: the command that does is printed.

    \b
    Example:
        peer-revenue judgements list --board cs.LG
        peer-revenue judgements accept 1 --reason "Not a term in this sense."
    """


@judgements.command("list")
@click.option("--board", "board_code", metavar="CODE", help="Only this board.")
@database_option
def list_(board_code: str | None, database: str) -> None:
    """List what waits: number, board, what is said, the term or words, readers, and one quote.

    Lines with tabs. What most readers say comes first.

    \b
    Example:
        peer-revenue judgements list --board cs.LG
    """
    from market.db import read_session
    from market.reads.judgements import waiting_judgements
    from web.cli.changing import board_named

    with opened(database, create=False) as engine, read_session(engine) as session:
        board_id = board_named(session, board_code).id if board_code else None
        groups = waiting_judgements(session, board_id)
    for group in groups:
        quote = group.quotes[0].quote
        words = " ".join(f"{quote.prefix}[{quote.exact}]{quote.suffix}".split())
        fields = (group.number, group.board, group.verdict, group.label, group.reader_count, words)
        click.echo("\t".join(map(str, fields)))
    if not groups:
        click.echo("Nothing waits for a decision.", err=True)


@judgements.command()
@click.argument("number", type=click.IntRange(1, 2**62))
@remark_options("Why; shown to these readers.")
@database_option
def accept(number: int, reason: str, operator: str, database: str) -> None:
    """Agree with what is said under NUMBER of the list, by all its readers.

    \b
    Example:
        peer-revenue judgements accept 17 --reason "A verb here."
    """
    _decide(number, True, reason, operator, database)


@judgements.command()
@click.argument("number", type=click.IntRange(1, 2**62))
@remark_options("Why not; shown to these readers.")
@database_option
def refuse(number: int, reason: str, operator: str, database: str) -> None:
    """Do not agree with what is said under NUMBER of the list.

    \b
    Example:
        peer-revenue judgements refuse 17 --reason "Too few papers carry it."
    """
    _decide(number, False, reason, operator, database)


def _decide(number: int, is_accepted: bool, reason: str, operator: str, database: str) -> None:
    from market.db import read_session, transact
    from market.judgements import decide
    from market.reads.judgements import waiting_judgements
    from market.remarks import Remark
    from web.cli.settings import settings

    remark = Remark(reason, operator)
    with opened(database, create=False) as engine:
        with read_session(engine) as session:
            commands = {group.number: group.command for group in waiting_judgements(session)}
        decision = transact(
            engine, lambda session: decide(session, number, is_accepted, remark, settings().now())
        )
    count = len(decision.event_ids)
    said = "1 judgement" if count == 1 else f"{count:,} judgements"
    click.echo(f"{'Accepted' if is_accepted else 'Refused'}: {said} of {decision.key}.")
    if is_accepted and number in commands:
        click.echo(f"To make it so: {commands[number]}")


@click.group(cls=Commands)
def operators() -> None:
    """Say which traders are operators: they have the page /judgements.

    \b
    Example:
        peer-revenue operators add Ana-Kettle --reason "She keeps the lexicon."
    """


@operators.command("list")
@database_option
def list_operators(database: str) -> None:
    """List the operators, one a line."""
    from market.db import read_session
    from market.operators import operator_names

    with opened(database, create=False) as engine, read_session(engine) as session:
        names = operator_names(session)
    for name in names:
        click.echo(name)
    if not names:
        click.echo("Nobody is an operator.", err=True)


@operators.command("add")
@click.argument("name")
@remark_options("Why.")
@database_option
def add(name: str, reason: str, operator: str, database: str) -> None:
    """Make the trader called NAME an operator.

    \b
    Example:
        peer-revenue operators add "Ana Kettle" --reason "Looks after cs.LG."
    """
    _set(name, True, reason, operator, database)


@operators.command("remove")
@click.argument("name")
@remark_options("Why.")
@database_option
def remove(name: str, reason: str, operator: str, database: str) -> None:
    """Make the trader called NAME an operator no longer."""
    _set(name, False, reason, operator, database)


def _set(name: str, on: bool, reason: str, operator: str, database: str) -> None:
    from market.db import transact
    from market.operators import set_operator
    from market.remarks import Remark
    from web.cli.settings import settings

    with opened(database, create=False) as engine:
        remark, now = Remark(reason, operator), settings().now()
        changed = transact(engine, lambda session: set_operator(session, name, on, remark, now))
    state = "is an operator" if on else "is no operator"
    click.echo(f"{name} {state} now." if changed else f"Nothing changed: {name} {state}.")
