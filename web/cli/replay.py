"""`peer-revenue replay`: the order log, played again in memory."""

from __future__ import annotations

import sys

import click

from web.cli.database import database_option, opened
from web.cli.progress import Progress

SHOWN = 20


@click.command()
@database_option
def replay(database: str) -> None:
    """Play all orders again.

    Sign-ups, openings, filled orders and settlements go through the market's rules once more, in memory, from
    nothing. The status is 0 if every cost, price, balance and version comes out as it is stored; otherwise it
    is 1, and the first entry that differs comes first.

    \b
    Example:
        peer-revenue replay
    """
    from market.audit import replay as replay_orders
    from market.db import read_session

    progress = Progress()
    with (
        opened(database, create=False) as engine,
        read_session(engine) as session,
        progress.step("Orders") as step,
    ):
        played = replay_orders(session, step.reach)
    counts = (f"{played.entry_count:,} entries", f"{played.order_count:,} filled orders")
    click.echo(f"{', '.join(counts)}, {played.contract_count:,} contracts")
    for finding in played.findings[:SHOWN]:
        click.echo(finding.message, err=True)
    if len(played.findings) > SHOWN:
        click.echo(f"and {len(played.findings) - SHOWN:,} more", err=True)
    differing = f"{len(played.findings):,} things come out otherwise."
    click.echo(differing if played.findings else "Everything comes out the same.")
    sys.exit(1 if played.findings else 0)
