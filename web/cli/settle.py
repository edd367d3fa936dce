"""`peer-revenue settle`: what is over is paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened
from web.cli.sweep import sweep_now

if TYPE_CHECKING:
    from market.settlement import SettlementOutcome


@click.command()
@database_option
def settle(database: str) -> None:
    """Pay the contracts that are over.

    Each is settled once, when its period and grace days are over. A contract whose days are not all closed
    waits and is named with the reason; that is no failure. Limit orders that are over are ended first; what
    traders roll on is ordered afterwards. Contracts are settled some at a time, so that trading goes on; when
    it was stopped, run it again. What had been forecast of them is kept for the record. Run it every night
    after close-day.

    \b
    Example:
        peer-revenue settle
    """
    from market.forecast_records import record_settled
    from market.rolling import roll_settled
    from market.settlement import settle_in_steps
    from web.cli.settings import settings

    with opened(database) as engine:
        sweep_now(engine)
        outcomes = settle_in_steps(engine, settings().now())
        record_settled(engine, settings().now())
        rolled = roll_settled(engine, settings().now())
    for outcome in outcomes:
        click.echo(f"{outcome.board} {outcome.term_label} {outcome.period}: {_said(outcome)}")
    if rolled:
        filled = sum(receipt.is_filled for receipt in rolled)
        click.echo(f"{filled:,} of {len(rolled):,} orders that roll on were filled.")
    if not outcomes:
        click.echo("No contract is due.", err=True)


def _said(outcome: SettlementOutcome) -> str:
    return f"settled on {outcome.counted:,} papers" if outcome.is_settled else f"waits: {outcome.reason}"
