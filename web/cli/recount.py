"""`peer-revenue recount`: a settlement counted again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened

if TYPE_CHECKING:
    from market.recounting import PaperText, Recounted
    from market.statement_documents import Statement

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("contract", required=False)
@click.option("--statement", "document", type=FILE, metavar="FILE",
              help="A statement as JSON, instead of a contract of the database.")
@click.option("--papers", type=FILE, metavar="FILE",
              help="The papers' texts for --statement: JSON lines with id and abstract.")
@database_option
def recount(contract: str | None, document: Path | None, papers: Path | None, database: str) -> None:
    """Count a settlement again.

    CONTRACT is the number of a settled contract, or its board, term and period. The papers that are stored
    now are read once more with the lexicon that its statement froze. The status is 0 and the answer "equal"
    if the same papers carry the term. Otherwise it is 1, and each paper that differs is named with why: one
    may have come, moved or been replaced since.

    With --statement and --papers no database is needed.

    \b
    Example:
        peer-revenue recount cs.LG/diffusion-model/2026-W21
        peer-revenue recount --statement statement.json --papers papers.jsonl
    """
    if (contract is None) == (document is None) or (document is None) != (papers is None):
        raise click.UsageError("Name a contract, or give both --statement and --papers.")
    if document is not None and papers is not None:
        statement, recounted = _of_files(document, papers)
    else:
        statement, recounted = _of_database(str(contract), database)
    _say(statement, recounted)
    sys.exit(0 if recounted.is_equal else 1)


def _of_database(contract: str, database: str) -> tuple[Statement, Recounted]:
    from market.db import read_session
    from market.stored_statements import contract_named, recount_stored, statement_of

    with opened(database, create=False) as engine, read_session(engine) as session:
        statement = statement_of(session, contract_named(session, contract))
        return statement, recount_stored(session, statement)


def _of_files(document: Path, papers: Path) -> tuple[Statement, Recounted]:
    from market.recounting import recount as count_again
    from market.statement_json import BadStatement, statement_from_json

    try:
        statement = statement_from_json(json.loads(document.read_bytes()))
    except (BadStatement, ValueError) as error:
        raise click.ClickException(f"{document}: {error}") from None
    if statement.listed is None or statement.lexicon is None:
        raise click.ClickException(f"{document}: a statement from before papers and lexicon were kept.")
    return statement, count_again(statement, _texts(statement, papers))


def _texts(statement: Statement, papers: Path) -> Iterator[PaperText]:
    """The texts of the papers that the statement lists; others in the file are passed over."""
    from market.recounting import PaperText
    from nlp.typeset import typeset

    days = {paper.identifier: paper.day for paper in statement.listed or ()}
    with papers.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            identifier, abstract = _paper(line, f"{papers}:{number}")
            if (day := days.pop(identifier, None)) is not None:
                yield PaperText(identifier, day, typeset(abstract))
    if days:
        some = ", ".join(sorted(days)[:3]) + (", ..." if len(days) > 3 else "")
        raise click.ClickException(f"{papers} has no text of {len(days):,} listed papers: {some}")


def _paper(line: bytes, where: str) -> tuple[str, str]:
    from nlp.sources.arxiv_ids import arxiv_id

    try:
        paper = json.loads(line)
    except ValueError as error:
        raise click.ClickException(f"{where}: no JSON: {error}") from None
    identifier, abstract = (paper.get(name) for name in ("id", "abstract")) if type(paper) is dict else (0, 0)
    if type(identifier) is not str or type(abstract) is not str:
        raise click.ClickException(f'{where}: not an object with "id" and "abstract"')
    found = arxiv_id(identifier)  # "2605.01234v2" is the paper "arxiv:2605.01234"
    return found.identifier if found else identifier, abstract


def _say(statement: Statement, recounted: Recounted) -> None:
    what = f"{statement.term_label} of {statement.period} on {statement.board}"
    found = f"{len(recounted.papers):,} papers, {'equal' if recounted.is_equal else 'which differs'}"
    click.echo(f"{what}: the statement counts {statement.counted:,}, the texts {found}.")
    for fault in recounted.faults:
        click.echo(f"the statement contradicts itself: {fault}")
    for each in recounted.differences:
        stands = "counted" if each.is_in_statement else "not counted"
        click.echo(f"{each.identifier}: {stands} in the statement, {each.reason}")
    for note in recounted.notes:
        click.echo(f"note: {note}", err=True)
