"""`peer-revenue annotations export|import`: what is marked in abstracts, as files of three formats."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened
from web.cli.ending import Commands

if TYPE_CHECKING:
    from sqlmodel import Session

    from market.reads.boards import Board
    from nlp.annotations import AnnotatedText, Annotation
    from nlp.records import Refusal

FORMATS = ("jsonl", "web-annotation", "docbin")
WHAT = ("mentions", "decisions")
_FORMAT = click.option("--format", "form", type=click.Choice(FORMATS), default="jsonl", show_default=True)


@click.group("annotations", cls=Commands)
def annotation_files() -> None:
    """Write what is marked in abstracts, or read in what others marked.

    jsonl is {"id", "title", "abstract", "spans": [[start, end, label], ...]} on each line; web-annotation one
    annotation of the W3C's Web Annotation Data Model, as JSON-LD, on each line; docbin a spaCy DocBin.
    Offsets are code points of the abstract as it is read.

    \b
    Example:
        peer-revenue annotations export mentions --board cs.LG --format web-annotation > mentions.jsonl
    """


@annotation_files.command("export")
@click.argument("what", type=click.Choice(WHAT))
@click.option("--board", "board_code", metavar="CODE", help="Only this board.")
@_FORMAT
@database_option
def export(what: str, board_code: str | None, form: str, database: str) -> None:
    """Write the highlighted mentions, or what operators decided about judgements, to standard output.

    The latter are rows to train with, labelled TERM or NOT_A_TERM. What cannot be found in its text any
    more is named on standard error.

    \b
    Example:
        peer-revenue annotations export mentions --board cs.LG --format web-annotation > mentions.jsonl
        peer-revenue annotations export decisions > decided.jsonl
    """
    from market.db import read_session
    from nlp.annotation_lines import text_line
    from nlp.web_annotations import annotation_line

    with opened(database, create=False) as engine, read_session(engine) as session:
        if form == "web-annotation":
            for annotation in _annotations(session, what, board_code):
                click.echo(annotation_line(annotation))
        elif form == "jsonl":
            for text in _texts(session, what, board_code):
                click.echo(text_line(text))
        else:
            from nlp.annotation_docs import docbin_of

            sys.stdout.buffer.write(docbin_of(_texts(session, what, board_code)))


@annotation_files.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--reader", metavar="NAME", required=True, help="The trader whose judgements they become.")
@click.option("--board", "board_code", metavar="CODE", required=True, help="The board of the papers.")
@_FORMAT
@database_option
def import_(file: Path, reader: str, board_code: str, form: str, database: str) -> None:
    """Read FILE in as judgements of a reader, to be decided about: "not a term" where an annotation says so,
    else "should be a term".

    A text that differs from the stored one is no matter where the quote is found in it. What cannot be taken
    is named with its line, the rest is taken, and the status is then 1. Reading it in again changes nothing.

    \b
    Example:
        peer-revenue annotations import marked.jsonl --reader "Ana Kettle" --board cs.LG
    """
    from market.db import transact
    from market.errors import MarketError, UnknownTrader
    from market.judgements import MOST_STANDING, not_a_term, should_be_a_term
    from market.traders import find_trader
    from nlp.annotations import Verdict
    from nlp.records import Refusal
    from web.cli.changing import board_named
    from web.cli.settings import settings

    counts = {True: 0, False: 0}
    refused: list[str] = []

    def work(session: Session) -> None:
        refused.clear()
        counts.update({True: 0, False: 0})
        trader, board = find_trader(session, reader), board_named(session, board_code)
        if trader is None or trader.id is None:
            raise UnknownTrader(f"There is no trader {reader!r}.")
        for found in _read(file, form):
            if isinstance(found, Refusal):
                refused.append(str(found))
                continue
            about = (session, trader.id, board, found.paper)
            try:
                if found.verdict is Verdict.NOT_A_TERM or found.key == "NOT_A_TERM":
                    said = not_a_term(*about, "", settings().now(), found.quote)
                else:
                    said = should_be_a_term(*about, found.quote, settings().now())
                counts[said.is_new] += 1
            except MarketError as error:
                refused.append(f"{file}: {found.paper}, {found.quote.exact!r}: {error}")

    with opened(database, create=False) as engine:
        transact(engine, work)
    for line in refused:
        click.echo(line, err=True)
    click.echo(f"{counts[True]:,} read in, {counts[False]:,} known, {len(refused):,} refused.", err=True)
    if any("take one back first" in line for line in refused):
        click.echo(f"One reader may say {MOST_STANDING} things of a paper.", err=True)
    sys.exit(1 if refused else 0)


def _texts(session: Session, what: str, board_code: str | None) -> Iterator[AnnotatedText]:
    from market.reads.annotations import mention_texts
    from market.reads.judgements import training_texts
    from nlp.annotations import AnnotatedText

    board_id = _board_id(session, board_code)
    for text in mention_texts(session, board_id) if what == "mentions" else training_texts(session, board_id):
        if isinstance(text, AnnotatedText):
            yield text
        else:
            click.echo(str(text), err=True)


def _annotations(session: Session, what: str, board_code: str | None) -> Iterator[Annotation]:
    from market.reads.annotations import decided_annotations, mention_annotations

    made = mention_annotations if what == "mentions" else decided_annotations
    yield from made(session, _board_id(session, board_code))


def _board_id(session: Session, board_code: str | None) -> int | None:
    from web.cli.changing import board_named

    board: Board | None = board_named(session, board_code) if board_code else None
    return None if board is None else board.id


def _read(file: Path, form: str) -> Iterator[Annotation | Refusal]:
    from nlp.annotation_lines import read_text_lines
    from nlp.annotations import annotated
    from nlp.records import Refusal
    from nlp.web_annotations import read_annotation_lines

    with file.open("rb") as lines:
        if form == "web-annotation":
            yield from read_annotation_lines(lines, str(file))
            return
        if form == "docbin":
            from nlp.annotation_docs import read_docbin

            texts = read_docbin(lines.read(), str(file))
        else:
            texts = read_text_lines(lines, str(file))
        for text in texts:
            if isinstance(text, Refusal):
                yield text
            else:
                yield from annotated(text)
