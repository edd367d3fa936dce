"""Which stretch of time a fetch reads: the one it was stopped in, the one that follows, or one asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

AT_FIRST = timedelta(days=7)  # read by a first fetch that was given no beginning


@dataclass(frozen=True, slots=True)
class Stretch:
    """What happened from ``first`` to ``until``; ``since`` is the earliest moment any fetch of the list began
    with, and what came before it announces nothing."""

    since: datetime
    first: datetime
    until: datetime
    is_done: bool = False


def stretch_to_read(
    last: Stretch | None, since: datetime | None, now: datetime, overlap: timedelta
) -> Stretch:
    """The stretch to read next after ``last``, which is returned itself where it goes on.

    From ``since`` if given, else from ``overlap`` before the end of the last one, since some things appear
    only some time after the moment they are listed by. One that was stopped is read to its end first, unless
    an earlier beginning is asked for.
    """
    if last is not None and not last.is_done and (since is None or since >= last.first):
        return last
    if last is not None and since is None:
        return Stretch(last.since, max(last.since, last.until - overlap), max(now, last.until))
    first = since or now - AT_FIRST
    return Stretch(min(first, last.since) if last else first, first, max(now, first))


def done(stretch: Stretch) -> Stretch:
    """The stretch, read to its end."""
    return replace(stretch, is_done=True)
