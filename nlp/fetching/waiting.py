"""How long to wait: between two requests, and before asking again after an answer that was none."""

from __future__ import annotations

import ipaddress
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

INTERVAL_SECONDS = 3.0  # arXiv asks for no more than one request in three seconds
ATTEMPTS = 5
FIRST_PAUSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 600.0  # of what a server may ask for


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock that a client goes by: ``now`` (aware), ``sleep`` for some seconds, and ``chance``, evenly
    from 0 to 1, so that clients that failed together do not come back together."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    chance: Callable[[], float]


def real_timing() -> Timing:
    """The machine's own."""
    return Timing(lambda: datetime.now(UTC), time.sleep, random.random)


def interval_seconds(address: str) -> float:
    """Seconds between two requests to an address: none where the server is on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        is_here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = False
    return 0.0 if is_here else INTERVAL_SECONDS


def pause_seconds(attempt: int, asked_seconds: float | None, chance: float) -> float:
    """Seconds to wait after the failed ``attempt`` (1 is the first).

    Twice as long each time, more by up to half of that by ``chance``; at least what the server asked for.
    """
    grown: float = FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)
    return max(grown * (1 + chance / 2), asked_seconds or 0.0)


def asked_seconds(retry_after: str | None, now: datetime) -> float | None:
    """What the header Retry-After asks for, given as seconds or as a date; None where it is neither."""
    text = (retry_after or "").strip()
    if text.isdecimal() and text.isascii():
        return float(text[:12])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)  # "-0000": GMT, which HTTP dates are in anyway
    return max(0.0, (moment - now).total_seconds())
