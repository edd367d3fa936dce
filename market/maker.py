"""The market maker: a logarithmic market scoring rule with a prior, in whole units. Pure.

    C(qL, qS) = u*K*( qS + b*ln( p0*e^(d/b) + 1 - p0 ) ),  d = qL - qS,  u = 100 units

A trade costs the difference of the *integer potential* ``ceil(C)``. Since that is one function of the state,
any cycle of trades costs exactly 0 before fees and splitting an order changes nothing.

Taking the leading side's shares out of the logarithm leaves

    C = u*K*max(qL, qS) + u*K*b*ln( r + (1 - r)*e^(-|d|/b) ),  r the prior of the leading side,

whose second part lies in [-S, 0]: nothing overflows, and it is plain that the pool (S + C) can always pay.

Sources: R. Hanson, "Logarithmic market scoring rules for modular combinatorial information aggregation",
Journal of Prediction Markets 1 (2007); Y. Chen and D. Pennock, "A utility framework for bounded-loss market
makers", UAI 2007 (the loss is bounded by the prior).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import ceil

from market.exact import log_floor, mixture_log_ceiling, mixture_share
from market.money import LIMIT_SHARES

UNITS_PER_PAPER = 100  # what a LONG share pays for each counted paper: one cent
PRIOR_STEPS = 1024
FEE_BPS = 50  # 0.5 % of the cost

_LOWEST_CAP = 16
_LOWEST_DEPTH = 50
_LOWEST_PRIOR, _HIGHEST_PRIOR = PRIOR_STEPS // 32, PRIOR_STEPS * 31 // 32
_HIGHEST_FORECAST = 2**20  # papers a period; far above any board


class Side(StrEnum):
    """What a share pays on: LONG on counted papers, SHORT on the papers that are missing from the cap."""

    LONG = "LONG"
    SHORT = "SHORT"


@dataclass(frozen=True, slots=True)
class _Tier:
    tenth_credits: int  # what moving the forecast by a tenth costs
    limit_factor: Fraction  # by how much one trader's position can move the forecast


_THIN = _Tier(2, Fraction(7, 5))
_MIDDLING = _Tier(10, Fraction(2))
_BUSY = _Tier(40, Fraction(3))


@dataclass(frozen=True, slots=True)
class Maker:
    """The maker of one contract: the cap K in papers, the prior p0 in 1/1024, the depth b in shares.

    The state is not kept here: ``long`` and ``short`` are the shares that traders hold, both >= 0.
    """

    cap: int
    prior_1024: int
    depth_shares: int

    def potential(self, long: int, short: int) -> int:
        """The integer potential ``ceil(C)`` in units; 0 at (0, 0), growing in both arguments."""
        _check_state(long, short)
        certain = UNITS_PER_PAPER * self.cap * max(long, short)
        prior, lead = self._prior_of_lead(long, short), abs(long - short)
        return certain + mixture_log_ceiling(self._scale, prior, PRIOR_STEPS, lead, self.depth_shares)

    def price_units(self, long: int, short: int) -> int:
        """The price of the next LONG share in units, rounded; a SHORT share's is u*K less that."""
        return _rounded_share(self, long, short, UNITS_PER_PAPER)

    def forecast_milli(self, long: int, short: int) -> int:
        """The papers that the market expects, K*p, in thousandths, rounded."""
        return _rounded_share(self, long, short, 1000)

    def long_chance(self, long: int, short: int) -> Fraction:
        """The probability p that the state gives to each paper below the cap, to about 50 digits."""
        _check_state(long, short)
        prior, lead = self._prior_of_lead(long, short), abs(long - short)
        chance = mixture_share(prior, PRIOR_STEPS, lead, self.depth_shares)
        return chance if long > short else 1 - chance

    def subsidy_units(self) -> int:
        """The most that the house can lose, S: moved into the pool when the contract opens."""
        scarcer = min(self.prior_1024, PRIOR_STEPS - self.prior_1024)
        return -log_floor(self._scale, Fraction(scarcer, PRIOR_STEPS))

    def position_limit(self) -> int:
        """The most shares of one side that one trader may hold.

        So many shares of SHORT alone divide the opening forecast by 1.4 (thin), 2 (middling) or 3 (busy); as
        many of LONG multiply it by less. With odds p/(1 - p) that is b*ln((factor - p0) / (1 - p0)).
        """
        return _position_limit(self)

    def payout_units(self, side: Side, counted: int) -> int:
        """What one share of ``side`` pays when ``counted`` papers (>= 0) carried the term."""
        return payout_units(self.cap, side, counted)

    def solvent_units(self, long: int, short: int) -> int:
        """What the pool must hold to pay whatever is counted: u*K*max(qL, qS)."""
        return UNITS_PER_PAPER * self.cap * max(long, short)

    @property
    def _scale(self) -> int:
        return UNITS_PER_PAPER * self.cap * self.depth_shares

    def _prior_of_lead(self, long: int, short: int) -> int:
        return self.prior_1024 if long > short else PRIOR_STEPS - self.prior_1024

    def _tier(self) -> _Tier:
        """The tier that `maker_for` took the depth from, read back out of the depth."""
        forecast = Fraction(self.cap * self.prior_1024, PRIOR_STEPS)
        missing = 1 - Fraction(self.prior_1024, PRIOR_STEPS)
        tenth_credits = self.depth_shares * forecast / (1000 * missing)
        if tenth_credits < 5:
            return _THIN
        return _MIDDLING if tenth_credits < 20 else _BUSY


@lru_cache(maxsize=16_384)  # where one trade ends the next one begins
def _rounded_share(maker: Maker, long: int, short: int, each: int) -> int:
    return round(maker.long_chance(long, short) * (each * maker.cap))


@lru_cache(maxsize=16_384)  # every order asks, and a maker never changes
def _position_limit(maker: Maker) -> int:
    factor = maker._tier().limit_factor
    prior = Fraction(maker.prior_1024, PRIOR_STEPS)
    return log_floor(maker.depth_shares, (factor - prior) / (1 - prior))


def maker_for(f0: Decimal) -> Maker:
    """The maker of a contract whose count is expected to be ``f0`` papers, 0 < f0 <= 2**20.

    The cap is the least power of two >= max(16, 4*f0 + 4), the prior f0/K within [1/32, 31/32] in steps of
    1/1024. The depth follows from what moving the forecast by a tenth shall cost: 2 credits below 3 papers,
    10 up to 30, 40 above; in whole shares, rounded up. Raises `ValueError` for an f0 out of range.
    """
    if not f0.is_finite() or not 0 < f0 <= _HIGHEST_FORECAST:
        raise ValueError(f"an opening forecast is a number of papers in (0, {_HIGHEST_FORECAST}], not {f0}")
    exact = Fraction(f0)
    cap = _LOWEST_CAP
    while cap < 4 * exact + 4:
        cap *= 2
    prior = min(max(round(exact / cap * PRIOR_STEPS), _LOWEST_PRIOR), _HIGHEST_PRIOR)
    tier = _THIN if exact < 3 else _MIDDLING if exact <= 30 else _BUSY
    # Where the prior was raised to its least value, the market opens at that forecast and not at f0.
    opening = max(exact, Fraction(cap * _LOWEST_PRIOR, PRIOR_STEPS))
    missing = 1 - Fraction(prior, PRIOR_STEPS)
    depth = ceil(tier.tenth_credits * 1000 * missing / opening)
    return Maker(cap, prior, max(_LOWEST_DEPTH, depth))


def payout_units(cap: int, side: Side, counted: int) -> int:
    """What one share of ``side`` pays, in units, when ``counted`` papers (>= 0) carried the term."""
    reached = min(counted, cap)
    return UNITS_PER_PAPER * (reached if side is Side.LONG else cap - reached)


def cost_of(maker: Maker, long: int, short: int, side: Side, change: int) -> int:
    """What it costs, in units without the fee, to buy ``change`` shares of ``side``; negative: to sell them.

    A negative cost is proceeds. Raises `ValueError` when more shares are sold than traders hold.
    """
    after = moved(long, short, side, change)
    return maker.potential(*after) - maker.potential(long, short)


def moved(long: int, short: int, side: Side, change: int) -> tuple[int, int]:
    """The state (long, short) after ``change`` shares of ``side`` went to traders."""
    return (long + change, short) if side is Side.LONG else (long, short + change)


def fee_for(cost_units: int) -> int:
    """The fee of a trade: 0.5 % of its cost or proceeds, rounded up, at least 1 unit."""
    return max(1, -(-abs(cost_units) * FEE_BPS // 10_000))


def shares_for_spend(maker: Maker, long: int, short: int, side: Side, spend_units: int) -> int:
    """The most shares of ``side`` whose cost and fee together fit into ``spend_units``; may be 0."""

    def fits(count: int) -> bool:
        cost = cost_of(maker, long, short, side, count)
        return cost + fee_for(cost) <= spend_units

    chance = maker.long_chance(long, short)
    price = UNITS_PER_PAPER * maker.cap * (chance if side is Side.LONG else 1 - chance)
    # The price only rises on the way, so this many do not fit.
    too_many = min(LIMIT_SHARES, ceil((spend_units + 1) / price) + 1) if price else LIMIT_SHARES
    fitting = 0
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        if fits(middle):
            fitting = middle
        else:
            too_many = middle
    return fitting


def _check_state(long: int, short: int) -> None:
    if long < 0 or short < 0:
        raise ValueError(f"traders cannot hold a negative number of shares: {long} LONG, {short} SHORT")
