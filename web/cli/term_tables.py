"""Terms written out: a table for a terminal, tabs for a pipe, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from market.proposals import Proposal
    from market.reads.term_changes import TermChange, TermStory, Touched
    from market.reads.term_list import ListedTerm

TERM_HEADS = ("board", "term", "label", "status", "papers", "since", "reason")
PROPOSAL_HEADS = ("board", "term", "proposed by", "since", "note")
CHANGE_HEADS = ("on", "what", "board", "by", "reason")
NUMBERS = ("papers", "proposed by")


def write_terms(terms: Iterable[ListedTerm], *, as_json: bool) -> None:
    """What boards list, or listed."""
    if as_json:
        write_json([asdict(term) | {"listed_on": term.listed_on.isoformat()} for term in terms])
        return
    rows = [
        (
            term.board, term.slug, term.label, f"part of {term.into}" if term.into else term.status,
            f"{term.paper_count:,}", str(term.listed_on), term.reason,
        )
        for term in terms
    ]  # fmt: skip
    write_rows(TERM_HEADS, rows)


def write_proposals(proposals: Iterable[Proposal], *, as_json: bool) -> None:
    """What traders propose and nobody has decided about."""
    if as_json:
        write_json([asdict(each) | {"since": each.since.isoformat()} for each in proposals])
        return
    rows = [
        (each.board, each.label, f"{each.proposed_count:,}", str(each.since.date()), each.note)
        for each in proposals
    ]
    write_rows(PROPOSAL_HEADS, rows)


def write_term(story: TermStory, *, as_json: bool) -> None:
    """One term: its names, what there is of it, and every decision about it, newest first."""
    if as_json:
        told = [asdict(change) | {"recorded_at": change.recorded_at.isoformat()} for change in story.changes]
        plain = asdict(story)
        write_json({**plain.pop("touched"), **plain, "changes": told})
        return
    click.echo(f"{story.label} ({story.slug}), version {story.version}: {', '.join(story.forms)}")
    click.echo(said_touched(story.touched))
    rows = [
        (f"{change.recorded_at:%Y-%m-%d}", said_change(change), change.board or "all", change.decided_by,
         change.reason)
        for change in story.changes
    ]  # fmt: skip
    write_rows(CHANGE_HEADS, rows)


def said_touched(touched: Touched) -> str:
    """In a sentence."""
    boards = ", ".join(touched.boards) or "no board"
    return (
        f"Listed on {boards}; {counted(touched.open_contract_count, 'open contract')}, "
        f"{counted(touched.watcher_count, 'watcher')}, {counted(touched.paper_count, 'paper')}."
    )


def said_change(change: TermChange) -> str:
    """What was decided, in a few words."""
    words = {
        "merged": f"{change.label} merged into {change.other_label}",
        "split": f"{', '.join(change.forms)} split off {change.label} as {change.other_label}",
        "renamed": f"{change.other_label} renamed {change.label}",
    }
    return words.get(change.kind, f"{change.label} {change.kind}")


def counted(count: int, noun: str) -> str:
    """As "3 papers"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def write_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def write_rows(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """On a terminal a table; otherwise lines with tabs, without a head."""
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head, justify="right" if head in NUMBERS else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    Console().print(table)
