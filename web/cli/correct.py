"""`peer-revenue correct` and `void`: entries of the past taken back, each with its reason."""

from __future__ import annotations

from functools import partial

import click

from web.cli.database import database_option, opened

_reason = click.option("--reason", required=True, metavar="TEXT", help="Shown to everybody it touches.")


@click.command()
@click.argument("entry", type=click.IntRange(min=1))
@_reason
@database_option
def correct(entry: int, reason: str, database: str) -> None:
    """Take back an entry of the ledger by a linked one.

    ENTRY is its number. A settlement is reversed and paid anew, once, on the papers that a recount of its
    frozen lexicon finds now. A sign-up grant is taken back if its owner still has the credits. A trade alone
    is never corrected, since later ones were priced by it: see peer-revenue void. What would leave an
    account with less than nothing is refused, and nothing is booked.

    \b
    Example:
        peer-revenue recount cs.LG/diffusion-model/2026-W21
        peer-revenue correct 812 --reason "arXiv listed 14 papers of Monday late"
    """
    from market.corrections import correct_entry
    from market.db import transact
    from market.forecast_records import record_settled
    from web.cli.settings import settings

    now = settings().now()
    with opened(database, create=False) as engine:
        made = transact(engine, partial(correct_entry, entry_id=entry, reason=reason, now=now))
        record_settled(engine, now)
    click.echo(f"Entry {made.entry_id} takes back entry {made.corrects_id}.")
    if made.counted is not None:
        counts = f"{made.counted:,} papers instead of {made.counted_before:,}"
        click.echo(f"Contract {made.contract_id} is settled on {counts}.")


@click.command()
@click.argument("contract")
@_reason
@database_option
def void(contract: str, reason: str, database: str) -> None:
    """Void a contract: everybody gets back what they paid, fees too.

    CONTRACT is its number, or its board, term and period. Gains by it are taken back as well, settled or not,
    and its waiting orders end; then every account is what it would be without the contract. It is not opened
    again. Where somebody no longer has what they gained, it is refused and nothing is booked.

    \b
    Example:
        peer-revenue void cs.LG/diffusion-model/2026-W21 --reason "The term was a typing error"
    """
    from market.db import read_session, transact
    from market.stored_statements import contract_named
    from market.voiding import void_contract
    from web.cli.settings import settings

    with opened(database, create=False) as engine:
        with read_session(engine) as session:
            number = contract_named(session, contract)
        made = transact(
            engine, partial(void_contract, contract_id=number, reason=reason, now=settings().now())
        )
    click.echo(f"Contract {number} is void: entry {made.entry_id} takes back all that was booked on it.")
