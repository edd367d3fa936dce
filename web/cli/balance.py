"""`peer-revenue balance`: what an account held at a moment."""

from __future__ import annotations

from datetime import UTC, datetime, time

import click

from web.cli.database import database_option, opened


@click.command()
@click.argument("account")
@click.option("--as-of", metavar="TIME", help="As 2026-05-17T20:00Z; a date alone means its end, UTC.")
@click.option("--entry", type=click.IntRange(min=0), metavar="NUMBER", help="The last entry that counts.")
@database_option
def balance(account: str, as_of: str | None, entry: int | None, database: str) -> None:
    """Add up an account's postings.

    The balance is that after everything booked until a moment, or up to an entry; without either, now. It is
    in credits, or of a position in shares.

    \b
    Example:
        peer-revenue balance trader:7:cash --as-of 2026-05-17
        peer-revenue balance pool:3:issued:LONG --entry 1200
    """
    from market.db import read_session
    from market.entries import CREDITS
    from market.money import credits_text
    from market.reads.balances import balance_of

    moment = moment_of(as_of) if as_of else None
    with opened(database, create=False) as engine, read_session(engine) as session:
        found = balance_of(session, account, as_of=moment, entry_id=entry)
    is_money = found.asset == CREDITS
    amount = f"{credits_text(found.amount)} credits" if is_money else f"{found.amount:,} shares"
    last = f", the last in entry {found.last_entry}" if found.last_entry is not None else ""
    click.echo(f"{account}: {amount} ({found.posting_count:,} postings{last})")


def moment_of(text: str) -> datetime:
    """The moment that --as-of names; a date alone is its end in UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a time such as 2026-05-17T20:00Z or 2026-05-17.", param_hint="--as-of"
        ) from None
    if len(text) == len("2026-05-17"):
        moment = datetime.combine(moment, time.max)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
