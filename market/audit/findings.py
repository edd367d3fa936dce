"""What an audit says: findings with their invariant, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it must be.

    ``invariant`` is its number in this package's README ("L1"), ``entry_id`` the entry at fault or None when
    it is not an entry's fault, ``message`` names the account or row and what was found and expected.
    """

    invariant: str
    entry_id: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What was looked at and found; ``findings`` are in the order of the entries, those of none last."""

    entry_count: int
    posting_count: int
    account_count: int
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What was played again and what differs; ``order_count`` orders were filled."""

    entry_count: int
    order_count: int
    contract_count: int
    findings: tuple[Finding, ...]


class Progress:
    """Counts the rows that were checked and tells ``report(done, total)`` now and then."""

    EVERY = 500

    def __init__(self, total: int, report: Callable[[int, int], None] | None) -> None:
        self.total = total
        self.done = 0
        self._report = report

    def step(self) -> None:
        self.done += 1
        if self._report and self.done % self.EVERY == 0:
            self._report(self.done, self.total)

    def finish(self) -> None:
        if self._report:
            self._report(self.total, self.total)
