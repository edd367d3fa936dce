"""The command `peer-revenue`. Each subcommand is a module here and imports what it needs when it runs, so
that help and `highlight` start at once."""

from __future__ import annotations

import click

from web.cli.annotations import annotation_files
from web.cli.backtest import backtest
from web.cli.balance import balance
from web.cli.boards import boards
from web.cli.checkpoint import checkpoint
from web.cli.close_day import close_day
from web.cli.correct import correct, void
from web.cli.demo import demo
from web.cli.ending import Commands
from web.cli.fetch import fetch
from web.cli.halt import halt, resume
from web.cli.highlight import highlight
from web.cli.ingest import ingest
from web.cli.judgements import judgements, operators
from web.cli.link import link_accounts, unlink_accounts
from web.cli.model_rank import model  # `model` with all its subcommands
from web.cli.record import record
from web.cli.recount import recount
from web.cli.replay import replay
from web.cli.season import season
from web.cli.serve import serve
from web.cli.settle import settle
from web.cli.statement import statement
from web.cli.sweep import sweep
from web.cli.terms import terms
from web.cli.trends import trends
from web.cli.verify import verify
from web.cli.watchers import watchers

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
ALL = (
    demo, boards, fetch, ingest, close_day, settle, sweep, trends, terms, serve, verify, replay, checkpoint,
    balance, statement, recount, correct, void, record, watchers,
    halt, resume, link_accounts, unlink_accounts, season,
    judgements, operators, annotation_files, highlight, backtest, model,
)  # fmt: skip


@click.group(cls=Commands, commands=ALL, context_settings=CONTEXT)
@click.version_option(package_name="peer-revenue", message="%(prog)s %(version)s")
def main() -> None:
    """Read the day's research papers, and trade what their terms will do.

    To look around, nothing else needed:

    \b
        peer-revenue demo

    With your own papers, in this order, the last three every night:

    \b
        peer-revenue boards add cs.CL --name "Computation and Language" --period week
        peer-revenue fetch arxiv --category cs.CL       (or: peer-revenue ingest FILE...)
        peer-revenue close-day
        peer-revenue settle

    and `peer-revenue serve` for the pages. Papers, accounts and trades are kept in one database: the SQLite
    file instance/peer-revenue.sqlite, or what DATABASE_URL or --database names. Each command explains itself:
    peer-revenue ingest --help
    """
