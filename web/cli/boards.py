"""`peer-revenue boards`: which boards there are, and a new one."""

from __future__ import annotations

import click

from web.cli.database import database_option, opened


@click.group(invoke_without_command=True)
@database_option
@click.pass_context
def boards(ctx: click.Context, database: str) -> None:
    """List the boards, or add one.

    A board is a population of papers, such as arXiv's cs.LG: every paper whose categories contain its code.

    \b
    Example:
        peer-revenue boards
        peer-revenue boards add cs.CL --name "Computation and Language" --period week
    """
    if ctx.invoked_subcommand is not None:
        return
    from market.boards import all_boards
    from market.db import read_session

    with opened(database) as engine, read_session(engine) as session:
        found = all_boards(session)
        for board in found:
            days = f"{board.day_rule} days in {board.time_zone}"
            click.echo(f"{board.code}\t{board.name}\tby {board.period}\t{days}")
        if not found:
            click.echo("There are no boards yet; add one with: peer-revenue boards add --help", err=True)


def _of_the_group() -> str:
    """What `boards --database URL add` said, or the environment."""
    group = click.get_current_context().parent
    assert group is not None
    return str(group.params["database"])


@boards.command()
@click.argument("code")
@click.option("--name", required=True, help='What people read, as "Machine Learning".')
@click.option("--field", default="Computer Science", show_default=True, help="The field that it belongs to.")
@click.option("--period", type=click.Choice(["week", "month"]), required=True, help="What a contract counts.")
@click.option("--day-rule", type=click.Choice(["announced", "submitted"]), default="announced",
              show_default=True, help="What puts a paper on a day: its announcement, or its submission.")
@click.option("--time-zone", default="UTC", show_default=True,
              help='Where its days begin and end, as "America/New_York".')
@click.option("--grace-days", type=click.IntRange(0, 60), default=3, show_default=True,
              help="Days after a period in which late papers still count.")
@click.option("--database", metavar="URL", default=_of_the_group, help="As above.")
def add(
    code: str,
    name: str,
    field: str,
    period: str,
    day_rule: str,
    time_zone: str,
    grace_days: int,
    database: str,
) -> None:
    """Add the board CODE; for one that is there, only its name, field and grace days are changed.

    \b
    Example:
        peer-revenue boards add cs.CL --name "Computation and Language" --period week
    """
    from market.boards import ensure_board
    from market.db import transact

    with opened(database) as engine:
        transact(
            engine,
            lambda session: ensure_board(session, code, name, field, period, day_rule, time_zone, grace_days),
        )
    click.echo(f"Board {code}: {name}, contracts by {period}.")
