"""`peer-revenue halt` and `resume`: no orders are taken for a while, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from web.cli.database import database_option, opened
from web.cli.remark import remark_options

if TYPE_CHECKING:
    from market.halts import Halt, HaltChange

Command = TypeVar("Command", bound=Callable[..., Any])


def _scope(command: Command) -> Command:
    command = click.option("--period", metavar="PERIOD", help="Only of this week or month, as 2026-W21.")(
        command
    )
    return click.argument("term", required=False)(command)


@click.command()
@click.argument("board", required=False)
@_scope
@remark_options("Why; shown to all who look at what is halted.", is_required=False)
@database_option
def halt(
    board: str | None, term: str | None, period: str | None, reason: str | None, operator: str, database: str
) -> None:
    """Take no orders for a while, or list what is halted.

    On a whole BOARD, on one TERM of it (as in its address), or on one period's contracts. Orders and quotes
    are refused with the reason; what rests stays and is not filled, can be cancelled, and is returned when it
    is over; settlement goes on. Every halt is kept with its time, reason and operator. Halting what is halted
    changes nothing.

    \b
    Example:
        peer-revenue halt cs.LG diffusion-model --reason "The counts of Friday are in doubt."
        peer-revenue halt cs.LG --reason "Maintenance until noon UTC."
        peer-revenue halt
    """
    if board is None:
        _list(database)
        return
    if reason is None:
        raise click.UsageError("Missing option '--reason'.")
    from market.halts import halt as halt_trading

    changed = _changed(halt_trading, board, term, period, reason, operator, database)
    assert changed.halt is not None
    if changed.is_changed:
        click.echo(f"Trading of {changed.what} is halted.")
    else:
        click.echo(f"Nothing changed. Trading of {changed.what} is halted {_standing(changed.halt)}")


@click.command()
@click.argument("board")
@_scope
@remark_options("Why; kept beside the halt that it ends.")
@database_option
def resume(
    board: str, term: str | None, period: str | None, reason: str, operator: str, database: str
) -> None:
    """Take orders again.

    Ends what `peer-revenue halt` with the same BOARD, TERM and period began. Orders that were reached are
    filled by the next trade, or by `peer-revenue sweep`.

    \b
    Example:
        peer-revenue resume cs.LG diffusion-model --reason "Friday was counted again."
    """
    from market.halts import resume as resume_trading

    changed = _changed(resume_trading, board, term, period, reason, operator, database)
    if changed.is_changed:
        click.echo(f"Trading of {changed.what} is resumed.")
    else:
        click.echo(f"Nothing changed. Trading of {changed.what} was not halted.")
    for other in changed.others:
        click.echo(f"Still halted: {other.what}, {_standing(other)}", err=True)


def _changed(
    work: Callable[..., HaltChange], board: str, term: str | None, period: str | None, reason: str,
    operator: str, database: str,
) -> HaltChange:  # fmt: skip
    from market.db import transact
    from market.remarks import Remark
    from web.cli.settings import settings

    with opened(database, create=False) as engine:
        remark, now = Remark(reason, operator), settings().now()
        return transact(engine, lambda session: work(session, board, term, period, remark, now))


def _list(database: str) -> None:
    from market.db import read_session
    from market.halts import all_halts

    with opened(database, create=False) as engine, read_session(engine) as session:
        halts = all_halts(session)
    for each in halts:
        click.echo(f"{each.what}\t{_standing(each)}")
    if not halts:
        click.echo("Nothing is halted.", err=True)


def _standing(halt: Halt) -> str:
    from web.filters import full_moment

    return f"since {full_moment(halt.since)} by {halt.operator}: {halt.reason}"
