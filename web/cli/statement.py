"""`peer-revenue statement`: what a contract was settled on, as JSON."""

from __future__ import annotations

import json

import click

from web.cli.database import database_option, opened


@click.command()
@click.argument("contract")
@click.option(
    "--number", type=click.IntRange(min=1), metavar="N", help="The first, or 2 after a correction; otherwise "
    "the one in force.",
)  # fmt: skip
@database_option
def statement(contract: str, number: int | None, database: str) -> None:
    """Write a contract's settlement statement.

    CONTRACT is its number, or its board, term and period. The JSON names every paper that counts and every
    paper that was listed, each with the hash of its text, the lexicon that was looked for, the rules of the
    board and the versions of the program: with the papers' texts, whoever likes can count again, here with
    `peer-revenue recount --statement FILE --papers FILE`. Its fields are described in market/README.md.

    \b
    Example:
        peer-revenue statement cs.LG/diffusion-model/2026-W21 > statement.json
    """
    from market.db import read_session
    from market.statement_json import as_json
    from market.stored_statements import contract_named, statement_of

    with opened(database, create=False) as engine, read_session(engine) as session:
        found = statement_of(session, contract_named(session, contract), number)
    click.echo(json.dumps(as_json(found), ensure_ascii=False, indent=1))
