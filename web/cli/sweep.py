"""`peer-revenue sweep`: orders that are over are ended, and what a trade left over is filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened

if TYPE_CHECKING:
    from sqlalchemy import Engine


@click.command()
@database_option
def sweep(database: str) -> None:
    """End the limit orders that are over, and fill those that a trade left over.

    What was set aside for an order goes back to its owner. close-day and settle do it too, and an order that
    is over is never filled, so nothing depends on when this runs. Run it as often as you like.

    \b
    Example:
        peer-revenue sweep
    """
    with opened(database) as engine:
        done = sweep_now(engine)
    click.echo(f"{done:,} resting {'order was' if done == 1 else 'orders were'} ended or filled.")


def sweep_now(engine: Engine) -> int:
    """Sweep at the market's present; how many orders were ended or filled."""
    from market.sweeping import sweep
    from web.cli.settings import settings

    return sweep(engine, settings().now())
