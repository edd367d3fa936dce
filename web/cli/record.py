"""`peer-revenue record`: how good the crowd has been on a board."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from web.cli.database import database_option, opened

if TYPE_CHECKING:
    from market.reads.record import BoardRecord, PeriodRecord


@click.command()
@click.argument("board")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_option
def record(board: str, as_json: bool, database: str) -> None:
    """Show how near prices came to what papers did.

    For each settled period of BOARD the mean absolute error, in papers, of the market at the close, of
    the forecast that contracts opened with, and of what could be forecast from counts alone at the close: the
    plain forecast, a moving average and the last count. The logarithmic score, in nats, is in brackets. Of
    both, less is better.

    --json has for each period, newest first, and in "total": period, contracts, papers, and for each of
    market, opening, plain, smoothed and last its "error" and "score".

    \b
    Example:
        peer-revenue record cs.LG
        peer-revenue record cs.LG --json
    """
    from market.boards import board_by_code
    from market.db import read_session
    from market.reads.record import record_of

    with opened(database, create=False) as engine, read_session(engine) as session:
        row = board_by_code(session, board)
        found, code, kind = record_of(session, row), row.code, row.period
    if as_json:
        click.echo(json.dumps(_as_json(code, found), indent=1))
    elif found.total is not None and found.verdict is not None:
        _write_table(found)
        from web.verdicts import verdict_sentence

        click.echo(verdict_sentence(found.verdict, kind).replace("\xa0", " "))
    if not found.periods:
        click.echo(_nothing(code, found), err=True)


def _as_json(code: str, found: BoardRecord) -> dict[str, Any]:
    verdict = found.verdict
    return {
        "board": code,
        "periods": [_period(each) for each in found.periods],
        "total": None if found.total is None else _period(found.total),
        "market_less_plain": verdict and {
            "difference": verdict.difference, "standard_error": verdict.standard_error,
            "periods": verdict.period_count, "is_clear": verdict.is_clear,
        },
    }  # fmt: skip


def _period(record: PeriodRecord) -> dict[str, Any]:
    errors = {each.method: {"error": each.error, "score": each.score} for each in record.errors}
    return {
        "period": record.period or None, "contracts": record.contract_count, "papers": record.paper_count,
        **errors,
    }  # fmt: skip


def _write_table(found: BoardRecord) -> None:
    assert found.total is not None
    methods = [each.method for each in found.total.errors]
    click.echo("  ".join([f"{'period':9}", "contracts", *(f"{method:>14}" for method in methods)]))
    for each in (*found.periods, found.total):
        cells = [f"{errors.error:7.2f} ({errors.score:4.2f})" for errors in each.errors]
        name = each.period or "all"
        click.echo("  ".join([f"{name:9}", f"{each.contract_count:9,}", *(f"{cell:>14}" for cell in cells)]))


def _nothing(code: str, found: BoardRecord) -> str:
    if found.waiting is None:
        return f"Nothing is settled on {code}, and nothing was traded."
    until = f"{found.waiting.grace_until:%-d %B %Y}"
    return f"Nothing is settled on {code} yet; {found.waiting.period} can be when {until} is over."
