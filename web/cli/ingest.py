"""`peer-revenue ingest`: papers of files into the database."""

from __future__ import annotations

import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened
from web.cli.progress import Progress

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlmodel import Session

    from market.intake import IntakeReport


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--source", metavar="NAME", help="The files' format, when it shall not be recognised.")
@click.option("--board", metavar="CODE", help="The board, for formats that do not state one.")
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="The day, likewise.")
@database_option
def ingest(
    files: tuple[Path, ...], source: str | None, board: str | None, day: datetime | None, database: str
) -> None:
    """Read the papers of files.

    Their terms are found and counted. The format is recognised: JSON lines, the TMLR digest as text, a saved
    listing page. A record that cannot be taken is named on standard error with file, line and reason; the
    others are taken, and the status is 1. Reading a file twice changes nothing.

    \b
    Example:
        peer-revenue ingest papers.jsonl
        peer-revenue ingest saturday.txt --board cs.LG --day 2026-05-16
    """
    progress = Progress()
    is_clean = True
    with opened(database) as engine:
        _install_lexicon(engine)
        for file in files:
            is_clean &= _ingest(engine, file, source, board, day.date() if day else None, progress)
    sys.exit(0 if is_clean else 1)


def _install_lexicon(engine: Engine) -> None:
    from market.db import transact
    from market.intake import install_lexicon
    from nlp.lexicon import load_lexicon
    from web.cli.seeds import seed
    from web.cli.settings import settings

    lexicon = load_lexicon(seed("lexicon.toml"))
    transact(engine, lambda session: install_lexicon(session, lexicon, settings().now()))


def _ingest(
    engine: Engine, file: Path, source: str | None, board: str | None, day: date | None, progress: Progress
) -> bool:
    """Whether everything in the file could be taken."""
    from market.db import transact
    from market.intake import take_in
    from nlp.errors import UnknownSource
    from nlp.sources import read_source
    from web.cli.settings import settings

    try:
        data = file.read_bytes()
    except OSError as error:
        click.echo(f"{file}: {error.strerror}", err=True)
        return False

    now = settings().now()

    def work(session: Session) -> IntakeReport:
        papers = read_source(data, str(file), source=source, board=board, day=day)
        return take_in(session, papers, now=now, origin=str(file), progress=step.reach)

    try:
        with progress.step(str(file)) as step:
            report = transact(engine, work)
    except UnknownSource as error:
        click.echo(str(error), err=True)
        return False
    for refusal in report.refusals:
        click.echo(str(refusal), err=True)
    click.echo(f"{file}: {summary(report)}")
    return not report.refusals


def summary(report: IntakeReport) -> str:
    """As "30 read, 28 new, 2 known, 1 updated, 0 refused": what is rare is said where it happened."""
    counts = [
        (report.read_count, "read"),
        (report.new_count, "new"),
        (report.known_count, "known"),
        (report.replaced_only_count or None, "only replaced"),
        (report.updated_count or None, "updated"),
        (report.withdrawn_count or None, "withdrawn"),
        (report.duplicate_count or None, "with the text of another paper"),
        (len(report.refusals), "refused"),
    ]
    return ", ".join(f"{count:,} {words}" for count, words in counts if count is not None)
