"""A fetch from its first page to its last: each stored as it comes, and what to do when one does not come."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from web.cli.ingest import counted, summary
from web.cli.progress import Progress, Step
from web.cli.seeds import install_seed_lexicon
from web.cli.settings import settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from market.fetches import FetchState
    from market.reads.boards import Board
    from nlp.errors import NlpError
    from nlp.fetching.client import Client
    from nlp.fetching.errors import FetchError
    from nlp.fetching.pages import FetchedPage
    from web.config import Settings

GO_ON = "Run the same command again to go on."


@dataclass(frozen=True, slots=True)
class Way:
    """A way to fetch: the name its state is kept by, what people call it, its address, and its pages."""

    source: str
    title: str
    address: Callable[[Settings], str]
    pages: Callable[[Client, FetchState, Settings], Iterator[FetchedPage]]


def board_called(engine: Engine, code: str) -> Board:
    """The board; one that is missing is refused with the command that adds it."""
    from market.boards import board_by_code
    from market.db import read_session
    from market.errors import UnknownBoard

    try:
        with read_session(engine) as session:
            return board_by_code(session, code)
    except UnknownBoard as error:
        add = f'peer-revenue boards add {code} --name "What people read" --period week'
        raise click.ClickException(f"{error} Add it first: {add}") from None


def fetch_papers(engine: Engine, board: Board, way: Way, limit: int | None) -> None:
    """Fetch and store until the end, or a page that reaches ``limit`` records; ends the command."""
    from nlp.errors import NlpError

    install_seed_lexicon(engine)
    run = _Run(engine, board, way)
    try:
        with _client(way) as client, Progress().step(run.title) as step:
            is_done = run.store_pages(client, step, limit)
    except NlpError as error:
        run.note(error)
        run.say()
        raise click.ClickException(str(error)) from error
    except BaseException:
        run.say()
        click.echo(f"Stopped; what was read until then is stored. {GO_ON}", err=True)
        raise
    run.say()
    if not is_done:
        click.echo(f"There is more. {GO_ON}", err=True)
    sys.exit(1 if run.counts["refused"] else 0)


class _Run:
    """What is known while the pages go by."""

    def __init__(self, engine: Engine, board: Board, way: Way) -> None:
        self._engine, self._board, self._way = engine, board, way
        self.title = f"{board.code} from {way.title}"
        self.counts: Counter[str] = Counter()

    def store_pages(self, client: Client, step: Step, limit: int | None) -> bool:
        """Whether the last page was reached."""
        from market.db import read_session
        from market.fetches import fetch_state

        with read_session(self._engine) as session:
            state = fetch_state(session, self._board, self._way.source)
        cursor = state.cursor
        for page in self._way.pages(client, state, settings()):
            self._store(page, cursor)
            cursor = page.cursor
            step.reach(page.done, page.total)
            if page.is_last:
                return True
            if limit is not None and self.counts["read"] >= limit:
                return False
        return True

    def note(self, error: NlpError) -> None:
        """Write down that the fetch failed."""
        from market.db import transact
        from market.fetches import note_failure

        now = settings().now()
        transact(
            self._engine, lambda session: note_failure(session, self._board, self._way.source, error, now)
        )

    def say(self) -> None:
        """The summary of what is stored."""
        click.echo(f"{self.title}: {summary(self.counts)}")

    def _store(self, page: FetchedPage, cursor: str) -> None:
        from market.db import transact
        from market.fetches import store_page

        code, source, now = self._board.code, self._way.source, settings().now()
        report = transact(
            self._engine, lambda session: store_page(session, self._board, source, page, cursor, now)
        )
        self.counts.update(counted(report))
        for refusal in report.refusals:
            click.echo(str(refusal), err=True)
        if page.remark:
            click.echo(f"{code}: {page.remark}", err=True)
        if page.missed:
            days = ", ".join(str(day) for day in page.missed)
            command = f"peer-revenue fetch arxiv --category {code} --since {page.missed[0]}"
            click.echo(f"{code}: announced since the last time and not read: {days}; {command}", err=True)


def _client(way: Way) -> Client:
    from nlp.fetching.client import Client
    from nlp.fetching.waiting import interval_seconds, real_timing

    chosen = settings()
    name = f"peer-revenue/{version('peer-revenue')}"
    agent = f"{name} ({chosen.contact})" if chosen.contact else name
    interval = interval_seconds(way.address(chosen))
    return Client(agent, real_timing(), interval_seconds=interval, on_pause=_say_pause)


def _say_pause(seconds: float, error: FetchError) -> None:
    click.echo(f"{error.brief}; asking again in {seconds:.0f} seconds", err=True)
