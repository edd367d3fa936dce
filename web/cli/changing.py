"""A change of terms from the command line: what it touches is said, then asked, then done in one go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import click

from web.cli.database import database_option, opened
from web.cli.progress import Progress, Step
from web.cli.remark import remark_options

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlmodel import Session

    from market.reads.boards import Board
    from market.rehighlight import Changed
    from market.term_events import Decided

Command = TypeVar("Command", bound=Callable[..., Any])
Work = Callable[["Session", "Decided", "Shown"], "Changed | None"]


def change_options(command: Command) -> Command:
    """The options of every change: --reason, --by, --yes, --json, --database."""
    command = click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON.")(command)
    command = click.option("--yes", is_flag=True, help="Do not ask.")(command)
    return remark_options("Why; shown to all.")(database_option(command))


class Shown:
    """The progress of a change: a step for each thing that is counted."""

    def __init__(self, stack: ExitStack) -> None:
        self._progress, self._outer = Progress(), stack
        self._inner, self._name = ExitStack(), ""
        self._step: Step | None = None

    def __call__(self, name: str, done: int, total: int) -> None:
        if name != self._name or self._step is None:
            self._inner.close()
            self._inner = self._outer.enter_context(ExitStack())
            self._name = name
            self._step = self._inner.enter_context(self._progress.step(name.capitalize(), total))
        self._step.reach(done, total)


def change(
    database: str, names: Sequence[str], board_code: str | None, reason: str, operator: str, yes: bool,
    as_json: bool, what: str, work: Work,
) -> None:  # fmt: skip
    """Say what the change would touch, ask, make it in one transaction, and say what was done."""
    from market.db import transact
    from market.term_events import Decided
    from web.cli import term_tables
    from web.cli.settings import settings

    with opened(database, create=False) as engine:
        decided = Decided(operator, reason, settings().now())
        told = _told(engine, names, board_code)
        if not yes:
            for line in told:
                click.echo(line, err=True)
            click.confirm(f"{what}?", abort=True, err=True)
        with ExitStack() as stack:
            changed = transact(engine, lambda session: work(session, decided, Shown(stack)))
    papers, watches = (changed.paper_count, changed.watch_count) if changed else (0, 0)
    if as_json:
        term_tables.write_json(
            {"done": what, "by": decided.by, "reason": decided.reason, "at": decided.at.isoformat(),
             "papers_read": papers, "watches_begun": watches}
        )  # fmt: skip
        return
    also = f" {term_tables.counted(papers, 'paper')} read again." if papers else ""
    follow = f" {term_tables.counted(watches, 'watcher')} follow." if watches else ""
    click.echo(f"{what}: done.{also}{follow}")


def _told(engine: Engine, names: Sequence[str], board_code: str | None) -> list[str]:
    from market.db import read_session
    from market.naming import term_named
    from market.reads.term_changes import touched
    from web.cli.term_tables import said_touched

    with read_session(engine) as session:
        board = board_named(session, board_code) if board_code else None
        found = [term_named(session, name) for name in names]
        return [f"{term.label}: {said_touched(touched(session, term, board))}" for term in found]


def board_named(session: Session, code: str) -> Board:
    """The board, or an error that names those that there are."""
    from market.boards import all_boards, board_by_code
    from market.errors import UnknownBoard

    try:
        return board_by_code(session, code)
    except UnknownBoard as error:
        codes = ", ".join(board.code for board in all_boards(session))
        which = f"There are: {codes}." if codes else "Add one with: peer-revenue boards add --help"
        raise click.ClickException(f"{error} {which}") from error
