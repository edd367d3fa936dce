"""`peer-revenue verify`: the ledger, recomputed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened
from web.cli.progress import Progress

if TYPE_CHECKING:
    from market.checkpoints import SignedRoot

SHOWN = 20


@click.command()
@click.option(
    "--checkpoints",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The checkpoints kept outside the database, if not in PEER_REVENUE_CHECKPOINTS or "
    "instance/checkpoints.jsonl.",
)
@database_option
def verify(checkpoints: Path | None, database: str) -> None:
    """Check the whole ledger.

    Recomputes every balance from its postings, every hash chain and every invariant, and holds them against
    the signed checkpoints. The status is 0 if all of it holds. Otherwise it is 1, and the first bad entry
    comes first.

    \b
    Example:
        peer-revenue verify
        peer-revenue verify --database postgresql://reader@localhost/papers
    """
    from market.audit import verify as verify_ledger
    from market.db import read_session

    key, written = _signed(checkpoints)
    progress = Progress()
    with (
        opened(database, create=False) as engine,
        read_session(engine) as session,
        progress.step("Ledger") as step,
    ):
        checked = verify_ledger(session, step.reach, key=key, written=written)
    counts = (f"{checked.entry_count:,} entries", f"{checked.posting_count:,} postings")
    click.echo(f"{', '.join(counts)}, {checked.account_count:,} accounts")
    for finding in checked.findings[:SHOWN]:
        where = f"entry {finding.entry_id}" if finding.entry_id is not None else "no single entry"
        click.echo(f"{finding.invariant}: {where}: {finding.message}", err=True)
    if len(checked.findings) > SHOWN:
        click.echo(f"and {len(checked.findings) - SHOWN:,} more", err=True)
    click.echo("All invariants hold." if not checked.findings else f"{len(checked.findings):,} findings.")
    sys.exit(1 if checked.findings else 0)


def _signed(given: Path | None) -> tuple[str | None, list[SignedRoot]]:
    """The key of the checkpoints, and those kept outside the database; without any, neither."""
    from web.checkpoint_file import BadCheckpointFile, read_checkpoints
    from web.cli.settings import settings
    from web.config import checkpoint_file_of, checkpoint_key_of

    loaded = settings()
    try:
        written = read_checkpoints(given or checkpoint_file_of(loaded))
    except (BadCheckpointFile, OSError) as error:
        raise click.ClickException(str(error)) from None
    return (checkpoint_key_of(loaded), written) if written else (None, [])
