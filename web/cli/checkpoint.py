"""`peer-revenue checkpoint`: the state of the ledger's hash chains, signed and kept outside the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Engine

    from web.config import Settings


@click.command()
@database_option
def checkpoint(database: str) -> None:
    """Sign the ledger as it stands.

    The heads of all hash chains that grew since the last checkpoint are recorded, signed with CHECKPOINT_KEY
    (or a key kept in instance/checkpoint_key) and added to a file (PEER_REVENUE_CHECKPOINTS, or
    instance/checkpoints.jsonl). Copy that file elsewhere: verify holds the database against it. close-day
    does the same every night.

    \b
    Example:
        peer-revenue checkpoint
    """
    from web.cli.settings import settings

    with opened(database, create=False) as engine:
        path, count = write_checkpoint(engine, settings())
    if count:
        click.echo(f"{path}: {count} checkpoint{'s' if count > 1 else ''} added")
    else:
        click.echo("Nothing was booked since the last checkpoint.", err=True)


def write_checkpoint(engine: Engine, settings: Settings) -> tuple[Path, int]:
    """Make a checkpoint if anything was booked, and bring the file up to date; the file, and the lines added.

    A checkpoint that was stored but not written, as after a crash, is written now.
    """
    from market.checkpoints import checkpoints_after, make_checkpoint
    from market.db import read_session, transact
    from web.checkpoint_file import BadCheckpointFile, append_checkpoints, read_checkpoints
    from web.config import checkpoint_file_of, checkpoint_key_of

    path = checkpoint_file_of(settings)
    try:
        written = read_checkpoints(path)
        key = checkpoint_key_of(settings)
        transact(engine, lambda session: make_checkpoint(session, key, settings.now()))
        with read_session(engine) as session:
            missing = checkpoints_after(session, written[-1].number if written else 0)
        if missing:
            append_checkpoints(path, missing)
    except (BadCheckpointFile, OSError) as error:
        raise click.ClickException(f"The checkpoint cannot be kept outside the database: {error}") from None
    return path, len(missing)
