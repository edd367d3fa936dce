"""What is known of a paper after any number of sightings, whatever order they came in.

`merged` is commutative, associative and idempotent, so the order of the sightings, their repetition and how
they are spread over files make no difference to what is stored: each fact has one rule that chooses among the
sightings, and the row of a paper holds all that the rules need.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import date, datetime

from nlp.records import RawPaper, Section

# Of two announcements on one day. `Section.REPLACED` announces nothing.
ANNOUNCING = (Section.ACCEPTED, Section.SUBMITTED, Section.NEW, Section.CROSS)


@dataclass(frozen=True, slots=True)
class Wording:
    """A paper's text as one source gave it. ``primary`` is the first of its categories, "" where it had none;
    ``is_notice`` says that it came with a withdrawal."""

    title: str
    abstract: str
    authors: tuple[str, ...]
    primary: str
    url: str | None
    source: str
    version: int | None
    is_notice: bool


@dataclass(frozen=True, slots=True)
class Announcement:
    """That a source announced the paper, on ``day`` where it states one."""

    section: Section
    day: date | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a paper. ``announced`` is None while it is only known from replacements."""

    wording: Wording
    categories: frozenset[str]
    announced: Announcement | None
    submitted_at: datetime | None
    is_withdrawn: bool


def seen(raw: RawPaper) -> Facts:
    """What one sighting says. A replacement says nothing of days, not even when the paper was submitted."""
    announces = raw.section is not Section.REPLACED
    primary = raw.categories[0] if raw.categories else ""
    return Facts(
        wording=Wording(
            raw.title, raw.abstract, raw.authors, primary, raw.url, raw.source, raw.version, raw.is_withdrawn
        ),
        categories=frozenset(raw.categories),
        announced=Announcement(raw.section, raw.day) if announces else None,
        submitted_at=raw.submitted_at if announces else None,
        is_withdrawn=raw.is_withdrawn,
    )


def merged(one: Facts, other: Facts) -> Facts:
    """What both say together."""
    if one == other:
        return one
    return Facts(
        wording=_better(one.wording, other.wording),
        categories=one.categories | other.categories,
        announced=_first([each for each in (one.announced, other.announced) if each is not None]),
        submitted_at=min(filter(None, (one.submitted_at, other.submitted_at)), default=None),
        is_withdrawn=one.is_withdrawn or other.is_withdrawn,
    )


def _first(announcements: list[Announcement]) -> Announcement | None:
    """The one of the first stated day; without any stated day, and of one day, the one that says more."""
    return min(
        announcements,
        key=lambda each: (each.day or date.max, ANNOUNCING.index(each.section)),
        default=None,
    )


def _better(one: Wording, other: Wording) -> Wording:
    """The wording that a paper is shown and counted with.

    A text before none, a paper's own before the notice that withdraws it, a later version before an earlier
    one. Within a version, which sources spell in their own ways: what is complete before what is not; the TeX
    spelling, in which arXiv is written, before its conversion to other characters; else, since it must not
    depend on which came first, the lesser hash.
    """
    if one == other:
        return one
    ranks = _rank(one), _rank(other)
    if ranks[0] == ranks[1]:
        return min(one, other, key=_hash)
    return one if ranks[0] < ranks[1] else other


def _rank(wording: Wording) -> tuple[int | bool, ...]:
    """The less, the better."""
    return (
        not wording.primary,
        not wording.abstract,
        wording.is_notice,
        -(wording.version or 0),
        not wording.title,
        not wording.authors,
        wording.url is None,
        sum(not character.isascii() for character in wording.title + wording.abstract),
    )


def _hash(wording: Wording) -> str:
    fields = (wording.title, wording.abstract, wording.authors, wording.primary, wording.url, wording.source)
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()
