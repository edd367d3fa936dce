"""What is asked of the market and what it answers: frozen values. Pure.

An order that makes no sense cannot be made: the class checks itself, so that no later step has to.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from market.errors import InvalidAmount, MarketError
from market.maker import Side
from market.money import checked_shares, checked_units
from market.periods import parse_period

_KEY = re.compile(r"[A-Za-z0-9._:~-]{1,64}")


class InvalidKey(MarketError):
    """An idempotency key that is no key: 1 to 64 of the characters A-Z a-z 0-9 . _ : ~ -"""

    def __init__(self) -> None:
        super().__init__("The order came without a proper key. Ask for a new quote.")


class Action(StrEnum):
    """What a trader does with shares of a side."""

    BUY = "buy"
    SELL = "sell"


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """One order: ``share_count`` shares, or on a buy as many as ``spend_units`` pay for with the fee.

    ``term`` is the slug. ``limit_units`` is the most that a buy may take (fee included) or the least that a
    sale must bring (fee deducted); None: no limit. Raises `InvalidAmount` and `UnknownPeriod`.
    """

    board: str
    term: str
    period: str
    side: Side
    action: Action
    share_count: int | None
    spend_units: int | None
    limit_units: int | None

    def __post_init__(self) -> None:
        parse_period(self.period)
        # Members only: the text "LONG" would be stored and hashed the same, but is not `Side.LONG`.
        object.__setattr__(self, "side", Side(self.side))
        object.__setattr__(self, "action", Action(self.action))
        if (self.share_count is None) == (self.spend_units is None):
            raise InvalidAmount("An order says either how many shares or how many credits.")
        if self.share_count is not None:
            checked_shares(self.share_count)
        if self.spend_units is not None:
            checked_units(self.spend_units)
            if self.action is Action.SELL:
                raise InvalidAmount("A sale says how many shares; credits are for buying.")
        if self.limit_units is not None:
            checked_units(self.limit_units)

    def body_hash(self) -> str:
        """SHA-256 of the order in canonical JSON (sorted keys, no spaces), in hexadecimal."""
        return hash_of({name: getattr(self, name) for name in self.__slots__})


@dataclass(frozen=True, slots=True)
class Quote:
    """What an order would do at ``state_version``. Amounts in units, prices of one LONG share.

    ``cost_units`` is signed (negative: proceeds) and without the fee; ``total_units`` > 0 is the cash that
    leaves on a buy (cost and fee) or arrives on a sale (proceeds less fee). ``held_shares`` are of the
    order's side, before it; ``cash_units`` is None for a guest.
    """

    request: OrderRequest
    term_label: str
    share_count: int
    cost_units: int
    fee_units: int
    total_units: int
    price_before_units: int
    price_after_units: int
    forecast_before_milli: int
    forecast_after_milli: int
    cap: int
    state_version: int
    held_shares: int
    position_limit: int
    cash_units: int | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to an order, the same however often it is asked for again (``is_repeat``).

    A refused order has the refusal's name in ``reason``, a sentence in ``message`` and zeros elsewhere.
    """

    order_id: int
    is_filled: bool
    reason: str
    message: str
    share_count: int = 0
    cost_units: int = 0
    fee_units: int = 0
    total_units: int = 0
    price_before_units: int = 0
    price_after_units: int = 0
    version_before: int = 0
    version_after: int = 0
    is_repeat: bool = False


@dataclass(frozen=True, slots=True)
class LimitReceipt:
    """The answer to a limit order, the same however often it is asked for again (``is_repeat``).

    What was filled at once and what was put to rest when it was placed; a refused one as in `Receipt`.
    ``total_units`` is the cash that the fill at once took or brought, ``hold_units`` what was set aside.
    """

    order_id: int
    is_taken: bool
    reason: str
    message: str
    filled_shares: int = 0
    total_units: int = 0
    rested_shares: int = 0
    hold_units: int = 0
    is_repeat: bool = False


@dataclass(frozen=True, slots=True)
class CancelReceipt:
    """What a cancellation ended: so many shares of the order, and the credits that its hold gave back.

    ``ended_shares`` is 0 when nothing of the order rested any more.
    """

    order_id: int
    ended_shares: int
    returned_units: int
    is_repeat: bool = False


def hash_of(fields: Mapping[str, object]) -> str:
    """SHA-256 of an order's fields in canonical JSON (sorted keys, no spaces), in hexadecimal."""
    body = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(body.encode("ascii")).hexdigest()


def total_of(action: Action, cost_units: int, fee_units: int) -> int:
    """The cash that a trade takes (buy) or brings (sale), in units."""
    return cost_units + fee_units if action is Action.BUY else -cost_units - fee_units


def check_key(key: str) -> None:
    """Raise `InvalidKey` unless ``key`` can be an idempotency key."""
    if not isinstance(key, str) or _KEY.fullmatch(key) is None:
        raise InvalidKey
