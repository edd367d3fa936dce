"""A clock that stands still until somebody sleeps, so that no test waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from nlp.fetching.client import Client
from nlp.fetching.waiting import Timing

NOON = datetime(2026, 5, 15, 12, 0, tzinfo=UTC)  # a Friday
AGENT = "peer-revenue/0 (ana@example.org)"


class Clock:
    """`slept` are the seconds of each sleep; `steps` seconds pass whenever somebody looks."""

    def __init__(self, chance: float = 0.0, steps: float = 0.0) -> None:
        self.moment = NOON
        self.slept: list[float] = []
        self._chance, self._steps = chance, steps

    def timing(self) -> Timing:
        return Timing(self._now, self._sleep, lambda: self._chance)

    def _now(self) -> datetime:
        self.moment += timedelta(seconds=self._steps)
        return self.moment

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += timedelta(seconds=seconds)


def client_on(clock: Clock, *, interval_seconds: float = 0.0, timeout_seconds: float = 10.0) -> Client:
    """A client that goes by this clock."""
    return Client(
        AGENT, clock.timing(), interval_seconds=interval_seconds, timeout_seconds=timeout_seconds
    )
