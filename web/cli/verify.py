"""`peer-revenue verify`: the ledger, recomputed."""

from __future__ import annotations

import sys

import click

from web.cli.database import database_option, opened
from web.cli.progress import Progress

SHOWN = 20


@click.command()
@database_option
def verify(database: str) -> None:
    """Check the whole ledger.

    Recomputes every balance from its postings and checks every invariant. The status is 0 if all of it holds.
    Otherwise it is 1, and the first bad entry comes first.

    \b
    Example:
        peer-revenue verify
        peer-revenue verify --database postgresql://reader@localhost/papers
    """
    from market.audit import verify as verify_ledger
    from market.db import read_session

    progress = Progress()
    with (
        opened(database, create=False) as engine,
        read_session(engine) as session,
        progress.step("Ledger") as step,
    ):
        checked = verify_ledger(session, step.reach)
    counts = (f"{checked.entry_count:,} entries", f"{checked.posting_count:,} postings")
    click.echo(f"{', '.join(counts)}, {checked.account_count:,} accounts")
    for finding in checked.findings[:SHOWN]:
        where = f"entry {finding.entry_id}" if finding.entry_id is not None else "no single entry"
        click.echo(f"{finding.invariant}: {where}: {finding.message}", err=True)
    if len(checked.findings) > SHOWN:
        click.echo(f"and {len(checked.findings) - SHOWN:,} more", err=True)
    click.echo("All invariants hold." if not checked.findings else f"{len(checked.findings):,} findings.")
    sys.exit(1 if checked.findings else 0)
