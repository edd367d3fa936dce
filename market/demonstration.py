"""The demonstration: the seed documents read in the order of their days, and simulated traders in between.

Everything goes the ordinary way, each thing at its own moment of the market clock, so that nothing knows what
came later. Building again does only what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from sqlalchemy import Engine
from sqlmodel import Session

from market.activity import close_day
from market.boards import board_by_code, ensure_board
from market.db import read_session, transact
from market.intake import IntakeReport, install_lexicon, take_in
from market.reads.open_days import open_days
from market.robots.trading import last_traded, people_have_traded, trade_once
from nlp.lexicon import Lexicon, load_lexicon
from nlp.manifest import Manifest, ManifestDocument, load_manifest
from nlp.sources import read_source

CLOCK = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)  # where the demonstration's time stands still
MORNING = time(8, 0, tzinfo=UTC)  # when a day's document is read, which is all that the day lists
FIRST_TRADE = datetime(2026, 5, 16, 18, 0, tzinfo=UTC)
LAST_TRADE = datetime(2026, 5, 17, 19, 30, tzinfo=UTC)
BETWEEN_TRADES = timedelta(minutes=45)


class Step(Protocol):
    """A step that somebody watches; `outcome` is set when it is known."""

    outcome: str

    def reach(self, done: int) -> None: ...


class Progress(Protocol):
    """Whoever shows how far the building is."""

    def step(self, title: str, total: int | None = None) -> AbstractContextManager[Step]: ...


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What a build found in the seeds and did: each document's papers, and how many simulated trades."""

    reports: tuple[tuple[str, IntakeReport], ...]
    trade_count: int


def build(engine: Engine, seeds: Path, progress: Progress, *, with_robots: bool) -> Demonstration:
    """Build what is missing of the demonstration, from the documents of `seeds` and their manifest.

    Each document, and each moment of trading, is one transaction: a build that was interrupted goes on where
    it stopped. Raises `BadManifest`, `BadLexicon` or `UnknownSource` for seeds that cannot be read, and
    `NameTaken` when a person has the name of a simulated trader.
    """
    manifest = load_manifest(seeds / "manifest.toml")
    with progress.step("Boards and lexicon") as step:
        lexicon = load_lexicon(seeds / "lexicon.toml")
        transact(engine, lambda session: _prepare(session, manifest, lexicon))
        step.outcome = f"{len(manifest.boards)} boards, {len(lexicon.terms):,} terms"
    moments = _moments_to_trade(engine, progress) if with_robots else []
    reports: list[tuple[str, IntakeReport]] = []
    trade_count = 0
    for document in sorted(manifest.documents, key=lambda document: document.day):
        morning = datetime.combine(document.day, MORNING)
        trade_count += _trade(engine, [at for at in moments if at < morning], progress)
        moments = [at for at in moments if at >= morning]
        reports.append((document.file, _read(engine, seeds, document, morning, progress)))
    trade_count += _trade(engine, moments, progress)
    return Demonstration(tuple(reports), trade_count)


def trading_moments() -> list[datetime]:
    """When the simulated traders trade."""
    count = (LAST_TRADE - FIRST_TRADE) // BETWEEN_TRADES
    return [FIRST_TRADE + number * BETWEEN_TRADES for number in range(count + 1)]


def _prepare(session: Session, manifest: Manifest, lexicon: Lexicon) -> None:
    for board in manifest.boards:
        ensure_board(session, **asdict(board))
    first_day = min(document.day for document in manifest.documents)
    install_lexicon(session, lexicon, datetime.combine(first_day, MORNING))


def _read(
    engine: Engine, seeds: Path, document: ManifestDocument, now: datetime, progress: Progress
) -> IntakeReport:
    data = (seeds / document.file).read_bytes()

    def work(session: Session) -> IntakeReport:
        papers = read_source(
            data, document.file, source=document.kind, board=document.board, day=document.day
        )
        report = take_in(session, papers, now=now, origin=document.file)
        board = board_by_code(session, document.board)
        for day in open_days(session, board, now):
            close_day(session, board, day, now)
        return report

    with progress.step(document.file) as step:
        report = transact(engine, work)
        step.outcome = f"{report.new_count} papers" if report.new_count else "read before"
    return report


def _moments_to_trade(engine: Engine, progress: Progress) -> list[datetime]:
    """The moments that are left; none once people have traded, for whom time would run backwards."""
    with read_session(engine) as session:
        last = last_traded(session)
        too_late = people_have_traded(session)
    moments = [at for at in trading_moments() if last is None or at > last]
    if moments and too_late:
        with progress.step("Simulated traders") as step:
            step.outcome = "left out, since people have traded already"
        return []
    return moments


def _trade(engine: Engine, moments: Sequence[datetime], progress: Progress) -> int:
    if not moments:
        return 0
    filled_count = 0
    with progress.step(f"Simulated traders until {moments[-1]:%-d %B, %H:%M}", len(moments)) as step:
        for number, at in enumerate(moments, 1):
            filled_count += transact(engine, partial(trade_once, now=at)).filled_count
            step.reach(number)
        step.outcome = f"{filled_count} trades"
    return filled_count
