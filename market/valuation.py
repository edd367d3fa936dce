"""What a position is worth: what selling all of it to the maker would bring. Pure.

Not price times quantity: each share that is sold lowers the price of the next. The potential is a function of
the state alone, so in which order or in how many parts the shares are sold makes no difference before fees;
by this reckoning all LONG shares are sold in one order, then all SHORT shares in another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from market.maker import Maker, Side, cost_of, fee_for, moved


@dataclass(frozen=True, slots=True)
class Sale:
    """The sale of all of a trader's shares of one side: ``proceeds_units`` (0 or more) before the fee."""

    share_count: int
    proceeds_units: int
    fee_units: int

    @property
    def value_units(self) -> int:
        """What it would bring; 0 where the fee would take it all, since such a sale is refused."""
        return max(0, self.proceeds_units - self.fee_units)


def sales(maker: Maker, long: int, short: int, held: Mapping[Side, int]) -> dict[Side, Sale]:
    """The sale of each side that is held, LONG first, at the contract's state (``long``, ``short``).

    ``held`` are the trader's shares of each side, which are among those of the state. Raises `ValueError`
    when they are not.
    """
    found: dict[Side, Sale] = {}
    state = (long, short)
    for side in Side:
        count = held.get(side, 0)
        if count:
            proceeds = -cost_of(maker, *state, side, -count)
            found[side] = Sale(count, proceeds, fee_for(proceeds))
            state = moved(*state, side, -count)
    return found


def liquidation_units(maker: Maker, long: int, short: int, held: Mapping[Side, int]) -> int:
    """What selling everything would bring, after fees, in units."""
    return sum(sale.value_units for sale in sales(maker, long, short, held).values())
