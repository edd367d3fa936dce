"""The listing committee: from what is known of a term that papers carry to whether a board lists it, and why.

A pure rule. Its thresholds stand here and nowhere else; every decision says which of them decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What the committee says of a candidate; of one that waits nothing is recorded."""

    LIST = "list"
    REFUSE = "refuse"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What is asked of a term before a board lists it.

    Papers that carry it, on how many days; the greatest share of the board's papers (0 to 1), above which it
    is a word of the field; papers that carry a name beside those that coin it; the least score of its
    extraction and the least share of its mentions that extraction finds too (0 to 1), C-value and weirdness,
    each asked only where it is known.
    """

    papers: int = 3
    days: int = 2
    most_share: float = 0.25
    papers_beside_coining: int = 3
    score: float = 0.45
    marked_share: float = 0.35
    c_value: float = 1.0
    weirdness: float = 2.0


THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is known of a term that could be listed on a board.

    It is in ``paper_count`` of the ``listed_count`` papers on the ``days_looked`` days that were looked at,
    on ``day_count`` of them; ``coined_count`` of its papers introduce it as a name of their own. ``score`` is
    the best that extraction gave it. ``marked_share``, C-value and weirdness are None where nobody has
    measured them. ``growth`` is the papers a day of the last week over those of the days before, None where
    there were none before. ``forms`` are further forms that it is to be listed with.
    """

    key: str
    label: str
    paper_count: int
    day_count: int
    listed_count: int
    days_looked: int
    score: float
    coined_count: int = 0
    is_generic: bool = False
    marked_share: float | None = None
    c_value: float | None = None
    weirdness: float | None = None
    growth: float | None = None
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict with the rule that decided ("papers", "generic", ...) and its figures in words."""

    verdict: Verdict
    rule: str
    reason: str


def judge(candidate: Candidate, thresholds: Thresholds = THRESHOLDS) -> Decision:
    """The committee's decision: the first rule that keeps the candidate out, or that it is listed."""
    for decision in _against(candidate, thresholds):
        return decision
    papers, days = _papers(candidate.paper_count), _days(candidate.day_count)
    return Decision(
        Verdict.LIST, "papers", f"{papers} on {days}; asked for {thresholds.papers} on {thresholds.days}"
    )


def _against(candidate: Candidate, asked: Thresholds) -> Iterator[Decision]:
    if candidate.is_generic:
        yield Decision(Verdict.REFUSE, "generic", "a word that every field uses names nothing to follow")
    others = candidate.paper_count - candidate.coined_count
    if candidate.coined_count and others < asked.papers_beside_coining:
        coined = f"{_papers(candidate.coined_count)} coined it"
        yield Decision(
            Verdict.WAIT, "coined",
            f"{coined}, {others} beside; asked for {asked.papers_beside_coining} beside",
        )  # fmt: skip
    if candidate.paper_count < asked.papers or candidate.day_count < asked.days:
        found = f"{_papers(candidate.paper_count)} on {_days(candidate.day_count)}"
        yield Decision(
            Verdict.WAIT, "papers", f"{found}; asked for {asked.papers} on {asked.days}"
        )  # fmt: skip
    share = candidate.paper_count / candidate.listed_count if candidate.listed_count else 0.0
    if share > asked.most_share:
        found = f"{candidate.paper_count:,} of {_papers(candidate.listed_count)}, {share:.0%}"
        yield Decision(Verdict.REFUSE, "share", f"{found}; a term is in at most {asked.most_share:.0%}")
    for rule, value, least in (
        ("score", candidate.score, asked.score),
        ("share of mentions found", candidate.marked_share, asked.marked_share),
        ("C-value", candidate.c_value, asked.c_value),
        ("weirdness", candidate.weirdness, asked.weirdness),
    ):
        if value is not None and value < least:
            yield Decision(Verdict.REFUSE, rule, f"{rule} {value:.2f}; asked for {least:.2f}")


def _papers(count: int) -> str:
    return "1 paper" if count == 1 else f"{count:,} papers"


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count:,} days"
