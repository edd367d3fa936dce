"""Trends written out: a table for a terminal, tabs for a pipe, JSON and CSV for programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from market.trends import Trending, TrendRow

COLUMNS = (
    "board", "window", "first_day", "last_day", "known", "list", "rank", "rank_before", "slug", "label",
    "papers", "listed", "base_papers", "base_listed", "usual", "ratio", "low", "high", "q_value",
)  # fmt: skip
TITLES = {"rising": "Rising", "falling": "Falling", "new": "New", "most": "Most papers, rising or not"}
HEADS = ("#", "before", "term", "papers", "usual", "ratio", "80 % range", "by chance")
DIGITS = 6  # more are noise, and differ from machine to machine


def write_json(board: str, found: Trending, known: date | None) -> None:
    """One object: the window, and each list as an array of rows."""
    lists = {
        name: [{key: row[key] for key in COLUMNS[COLUMNS.index("rank") :]} for row in rows]
        for name, rows in _by_list(board, found, known).items()
    }
    head = {
        "board": board, "window": found.window, "first_day": str(found.first_day),
        "last_day": str(found.last_day), "known": str(known) if known else None, "listed": found.exposure,
        "base_first": str(found.base_first), "base_last": str(found.base_last),
        "base_listed": found.base_exposure, "terms_looked_at": found.checked_count,
        "open_days": [str(day) for day in found.open_days],
    }  # fmt: skip
    click.echo(json.dumps(head | lists, ensure_ascii=False, indent=2))


def write_csv(board: str, found: Trending, known: date | None) -> None:
    """A line for each row of each list, under a head."""
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for rows in _by_list(board, found, known).values():
        writer.writerows(rows)


def write_table(found: Trending) -> None:
    """On a terminal a table for each list that has rows; otherwise lines with tabs, the list's name first."""
    compared = found.previous_day is not None
    lists = {name: [_cells(row, compared) for row in rows] for name, rows in _lists(found).items() if rows}
    if not sys.stdout.isatty():
        for name, rows in lists.items():
            for row in rows:
                click.echo("\t".join((name, *row)))
        return
    from rich.console import Console

    console = Console()
    console.print(
        f"{found.exposure:,} papers from {found.first_day} to {found.last_day}, against "
        f"{found.base_exposure:,} from {found.base_first} to {found.base_last}",
        highlight=False,
    )
    for name, rows in lists.items():
        console.print(_table(TITLES[name], rows))


def _table(title: str, rows: Sequence[Sequence[str]]) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for head in HEADS:
        table.add_column(head, justify="left" if head == "term" else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def _cells(row: TrendRow, is_compared: bool) -> tuple[str, ...]:
    against = ("-", "-", "-")
    if row.base_papers:
        against = (f"x{row.ratio:.1f}", f"{row.low:.1f} to {row.high:.1f}", f"{100 * row.q_value:.1f} %")
    before = ("new" if is_compared else "-") if row.rank_before is None else str(row.rank_before)
    return (str(row.rank), before, row.label, f"{row.papers:,}", f"{row.usual:,.1f}", *against)


def _lists(found: Trending) -> dict[str, tuple[TrendRow, ...]]:
    return {
        "rising": found.rising, "falling": found.falling, "new": found.new_terms, "most": found.most_papers,
    }  # fmt: skip


def _by_list(board: str, found: Trending, known: date | None) -> dict[str, list[dict[str, Any]]]:
    return {name: list(_records(board, name, rows, found, known)) for name, rows in _lists(found).items()}


def _records(
    board: str, name: str, rows: Sequence[TrendRow], found: Trending, known: date | None
) -> Iterator[dict[str, Any]]:
    for row in rows:
        against = (row.usual, row.ratio, row.low, row.high, row.q_value) if row.base_listed else (None,) * 5
        values = (
            board, found.window, str(found.first_day), str(found.last_day), str(known) if known else None,
            name, row.rank, row.rank_before, row.slug, row.label, row.papers, row.listed, row.base_papers,
            row.base_listed,
            *(None if value is None else round(value, DIGITS) for value in against),
        )  # fmt: skip
        yield dict(zip(COLUMNS, values, strict=True))
