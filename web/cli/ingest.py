"""`peer-revenue ingest`: papers of files, folders, mailboxes and standard input into the database."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened
from web.cli.inputs import Input, Unreadable, files_of, opened_input
from web.cli.progress import Progress, Step
from web.cli.seeds import install_seed_lexicon

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from market.intake import IntakeReport
    from nlp.records import RawPaper, Refusal

TOGETHER = 5_000  # records of one transaction: a longer file is stored in steps
ELSEWHERE = "of no board here"
WORDS = (
    "read", "new", "known", "only replaced", "updated", "withdrawn", "with the text of another paper",
    ELSEWHERE, "refused",
)  # fmt: skip
ALWAYS_SAID = ("read", "new", "known", "refused")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was said of all the files, and the boards that there are."""

    source: str | None
    board: str | None
    day: date | None
    boards: frozenset[str]


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--source", metavar="NAME", help="The files' format, when it shall not be recognised.")
@click.option("--board", metavar="CODE", help="The board, for formats that do not state one.")
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="The day, likewise.")
@database_option
def ingest(
    paths: tuple[Path, ...], source: str | None, board: str | None, day: datetime | None, database: str
) -> None:
    """Read the papers of files, of all files in folders, and of standard input ("-").

    Their terms are found and counted. The format is recognised: JSON lines, arXiv's query answers, feeds,
    OAI-PMH answers, listing mails and metadata snapshot, OpenReview notes, the TMLR digest as text or mail, a
    saved listing page; packed with gzip or not, mails also in mailboxes.

    A record that cannot be taken is named on standard error with file, line and reason, and so is a file; the
    others are taken, and the status is 1. Papers of arXiv's files that are on no board here are only counted.
    A long file is stored in steps. Reading a file twice changes nothing, so after a break read it again.

    \b
    Example:
        peer-revenue ingest papers.jsonl arxiv-metadata-oai-snapshot.json.gz list.mbox folder/
        peer-revenue ingest saturday.txt --board cs.LG --day 2026-05-16
        zcat papers.jsonl.gz | peer-revenue ingest -
    """
    from nlp.sources import SOURCES

    if source not in (None, *SOURCES):
        raise click.BadParameter(f"{source!r} is none of {', '.join(SOURCES)}.", param_hint="--source")
    progress = Progress()
    is_clean = True
    with opened(database) as engine:
        wanted = Wanted(source, board, day.date() if day else None, _boards(engine, board))
        install_seed_lexicon(engine)
        for path in files_of(paths):
            is_clean &= _ingest(engine, path, wanted, progress)
    sys.exit(0 if is_clean else 1)


def _boards(engine: Engine, given: str | None) -> frozenset[str]:
    from market.boards import all_boards
    from market.db import read_session

    with read_session(engine) as session:
        codes = [board.code for board in all_boards(session)]
    if not codes or given not in (None, *codes):
        wanted = f"no board {given}; add it" if given else "no board yet; add one"
        known = f" There are {', '.join(codes)}." if codes else ""
        raise click.ClickException(f"There is {wanted} with: peer-revenue boards add --help.{known}")
    return frozenset(codes)


def _ingest(engine: Engine, path: Path | Unreadable, wanted: Wanted, progress: Progress) -> bool:
    """Whether everything in the file could be taken."""
    from nlp.errors import UnknownSource

    if isinstance(path, Unreadable):
        click.echo(str(path), err=True)
        return False
    counts: Counter[str] = Counter()
    try:
        with opened_input(path) as given:
            origin = given.origin
            with progress.step(origin, given.byte_count, is_bytes=True) as step:
                _take(engine, given, wanted, counts, step)
    except UnknownSource as error:
        click.echo(f"{error}{_so_far(counts)}", err=True)
        return False
    except OSError as error:
        click.echo(f"{path}: {error.strerror or error}{_so_far(counts)}", err=True)
        return False
    except BaseException:
        if counts:
            click.echo(f"{origin}: not read to its end{_so_far(counts)}", err=True)
        raise
    click.echo(f"{origin}: {summary(counts)}")
    return not counts["refused"]


def _so_far(counts: Counter[str]) -> str:
    return f"; stored before that: {summary(counts)}" if counts else ""


def _take(engine: Engine, given: Input, wanted: Wanted, counts: Counter[str], step: Step) -> None:
    """Store the records of an input, `TOGETHER` in a transaction, and count in ``counts`` what is stored."""
    from nlp.sources import read_source

    items = read_source(
        given.buffered(), given.origin, source=wanted.source, board=wanted.board, day=wanted.day
    )
    began = given.reached
    while records := list(islice(items, TOGETHER)):
        here = [record for record in records if not _is_elsewhere(record, wanted.boards)]
        if here:
            reach = partial(_reach, step, began, (given.reached - began) / len(here))
            report = _store(engine, here, given.origin, reach)
            for refusal in report.refusals:
                click.echo(str(refusal), err=True)
            counts.update(counted(report))
        counts.update({"read": len(records) - len(here), ELSEWHERE: len(records) - len(here)})
        began = given.reached


def _reach(step: Step, began: int, bytes_each: float, done: int) -> None:
    step.reach(began + int(done * bytes_each))


def _is_elsewhere(record: RawPaper | Refusal, boards: frozenset[str]) -> bool:
    """Whether it is one of the papers of other fields that arXiv's files are full of."""
    from nlp.records import Refusal

    if isinstance(record, Refusal) or not record.source.startswith("arxiv-"):
        return False
    return bool(record.categories) and boards.isdisjoint(record.categories)


def _store(
    engine: Engine, records: list[RawPaper | Refusal], origin: str, reach: Callable[[int], None]
) -> IntakeReport:
    from market.db import transact
    from market.intake import take_in
    from web.cli.settings import settings

    now = settings().now()
    return transact(
        engine, lambda session: take_in(session, records, now=now, origin=origin, progress=reach)
    )


def counted(report: IntakeReport) -> Counter[str]:
    """What a report says, by the words of a summary."""
    return Counter(
        {
            "read": report.read_count,
            "new": report.new_count,
            "known": report.known_count,
            "only replaced": report.replaced_only_count,
            "updated": report.updated_count,
            "withdrawn": report.withdrawn_count,
            "with the text of another paper": report.duplicate_count,
            "refused": len(report.refusals),
        }
    )


def summary(counts: Counter[str]) -> str:
    """As "30 read, 28 new, 2 known, 1 updated, 0 refused": what is rare is said where it happened."""
    said = ((words, counts[words]) for words in WORDS)
    return ", ".join(f"{count:,} {words}" for words, count in said if count or words in ALWAYS_SAID)
