"""Moments as feeds and mails write them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from email.utils import parsedate_to_datetime

_YEARS = range(1900, 3000)  # beyond these it is no date of a paper, and other zones' calendars end
_FORMS: tuple[Callable[[str], datetime], ...] = (datetime.fromisoformat, parsedate_to_datetime)


def moment(text: str) -> datetime | None:
    """The moment (aware) in "2026-05-13T18:00:01Z" or "Wed, 13 May 2026 18:00:01 GMT".

    None for anything else, a time without a zone among it.
    """
    for read in _FORMS:
        try:
            found = read(text)
        except (ValueError, IndexError, TypeError, OverflowError):
            continue
        return found if found.tzinfo is not None and found.year in _YEARS else None
    return None
