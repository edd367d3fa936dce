"""Limit orders as they are asked for, and where on a contract their limit lies. Pure.

A limit is a forecast. Buying LONG and selling SHORT raise the market's forecast, so such an order is filled
only as far *up* as its limit; selling LONG and buying SHORT lower it, and are filled as far *down*. Since the
forecast depends on LONG shares less SHORT shares alone (the *lead*), the limit is kept as a lead: whether an
order can be filled, and how far, is then a comparison of whole numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction
from math import floor

from market.errors import InvalidLimit
from market.maker import UNITS_PER_PAPER, Maker, Side, fee_for
from market.money import checked_shares
from market.orders import Action, hash_of
from market.periods import parse_period

MILLI = 1000  # forecasts are in thousandths of a paper
# From here to the cap less as much, a share of either side is worth a few units at the limit, so that a sale
# at it always brings more than its fee.
LEAST_FORECAST_MILLI = 50
_BEYOND_DOUBT = Fraction(1, 10**30)  # far more than the error of `Maker.long_chance`


class Stands(StrEnum):
    """How long an order stands."""

    UNTIL_CANCELLED = "until_cancelled"  # or until its contract closes
    UNTIL_DATE = "until_date"  # that day included, by the board's time
    AT_ONCE = "at_once"  # filled whole and at once, or refused


@dataclass(frozen=True, slots=True)
class LimitRequest:
    """An order for ``share_count`` shares, as far as the market's forecast does not pass ``forecast_milli``.

    ``term`` is the slug; the forecast is in thousandths of a paper. ``good_until`` goes with
    `Stands.UNTIL_DATE`. Raises `InvalidAmount`, `InvalidLimit` and `UnknownPeriod`.
    """

    board: str
    term: str
    period: str
    side: Side
    action: Action
    share_count: int
    forecast_milli: int
    stands: Stands = Stands.UNTIL_CANCELLED
    good_until: date | None = None

    def __post_init__(self) -> None:
        parse_period(self.period)
        object.__setattr__(self, "side", Side(self.side))
        object.__setattr__(self, "action", Action(self.action))
        object.__setattr__(self, "stands", Stands(self.stands))
        checked_shares(self.share_count)
        if type(self.forecast_milli) is not int or not 0 < self.forecast_milli < 2**40:
            raise InvalidLimit("A limit is a forecast of more than 0 papers, in thousandths of a paper.")
        if (self.stands is Stands.UNTIL_DATE) != (self.good_until is not None):
            raise InvalidLimit("An order that stands until a date says which, and no other order does.")

    @property
    def is_upward(self) -> bool:
        """Whether filling it raises the forecast."""
        return raises_forecast(self.side, self.action)

    def body_hash(self) -> str:
        """SHA-256 of the order in canonical JSON (sorted keys, no spaces), in hexadecimal."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["good_until"] = self.good_until and self.good_until.isoformat()
        return hash_of(fields)


def raises_forecast(side: Side, action: Action) -> bool:
    """Whether such an order raises the forecast: buying LONG and selling SHORT do."""
    return (side is Side.LONG) == (action is Action.BUY)


def check_limit(maker: Maker, forecast_milli: int) -> None:
    """Raise `InvalidLimit` unless orders on this maker may have this limit."""
    highest = MILLI * maker.cap - LEAST_FORECAST_MILLI
    if not LEAST_FORECAST_MILLI <= forecast_milli <= highest:
        least, most = papers_text(LEAST_FORECAST_MILLI), papers_text(highest)
        raise InvalidLimit(f"A limit on this contract lies between {least} and {most} papers.")


_PAPERS = re.compile(r"([0-9]{1,6}|[0-9]{1,3},[0-9]{3})(?:\.([0-9]{1,3}))?")


def parse_papers(text: str) -> int:
    """The thousandths of a forecast written in papers, as "61", "61.25" or "0.5"; raises `InvalidLimit`."""
    found = _PAPERS.fullmatch(text.strip(" "))
    if found is None:
        shown = text if len(text) <= 40 else f"{text[:36]}..."
        raise InvalidLimit(f"{shown!r} is not a number of papers; write it like 61.2.")
    whole, decimals = found.groups()
    return int(whole.replace(",", "")) * MILLI + int((decimals or "").ljust(3, "0"))


def papers_text(forecast_milli: int) -> str:
    """A forecast in papers with as many decimals as it needs: "61.2", "0.05", "7"."""
    whole, rest = divmod(forecast_milli, MILLI)
    return f"{whole:,}.{rest:03d}".rstrip("0").rstrip(".")


def limit_lead(maker: Maker, forecast_milli: int, is_upward: bool) -> int:
    """The last lead (LONG less SHORT shares) at which the forecast has not passed the limit.

    Upward, the greatest lead whose forecast, in whole thousandths, is at most ``forecast_milli``; downward,
    the least one whose forecast is at least that. For a limit that `check_limit` lets pass.
    """
    if is_upward:
        return _last(maker, lambda found: found <= forecast_milli)
    return -_last(maker, lambda found: found >= forecast_milli, sign=-1)


def hold_each_units(maker: Maker, side: Side, lead: int) -> int:
    """The most that one share of a buy with its limit at ``lead`` can take, fee included, in units.

    A share bought on the way to the limit costs at most the price at the limit, P; the integer potential adds
    less than 1 to a difference, so m shares at once cost at most ceil(m*P) <= m*ceil(P), and their fee, a
    rounded-up share of that, is at most m times the fee of ceil(P). So the hold of an order is this times its
    shares, however many fills they come in, and what m of them need never exceeds their part of it.
    """
    chance = maker.long_chance(max(lead, 0), max(-lead, 0))
    price = UNITS_PER_PAPER * maker.cap * (chance if side is Side.LONG else 1 - chance)
    most = floor(price + _BEYOND_DOUBT) + 1
    return most + fee_for(most)


def shares_to_limit(lead: int, limit: int, is_upward: bool) -> int:
    """How many shares bring a contract at ``lead`` to the limit; 0 when it is there or past it."""
    return max(0, limit - lead if is_upward else lead - limit)


def _last(maker: Maker, holds: Callable[[int], bool], sign: int = 1) -> int:
    """The greatest x for which ``holds(forecast at lead sign*x)``, which is true up to it, false after."""

    def true_at(steps: int) -> bool:
        lead = sign * steps
        return holds(maker.forecast_milli(max(lead, 0), max(-lead, 0)))

    step = maker.depth_shares
    low, high = (0, step) if true_at(0) else (-step, 0)
    while true_at(high):
        low, high, step = high, high + 2 * step, 2 * step
    while not true_at(low):
        low, high, step = low - 2 * step, low, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if true_at(middle) else (low, middle)
    return low
