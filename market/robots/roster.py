"""Who the simulated traders are: their names say what they do."""

from __future__ import annotations

from dataclasses import dataclass

from market.robots.momentum import momentum
from market.robots.noise import noise
from market.robots.reversion import reversion
from market.robots.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Robot:
    """A simulated trader: at each moment it glances so many times at a few markets, perhaps to trade."""

    name: str
    strategy: Strategy
    glances: int


ROSTER = (
    Robot("noise-1", noise, 3),
    Robot("noise-2", noise, 2),
    Robot("noise-3", noise, 2),
    Robot("momentum-1", momentum, 2),
    Robot("momentum-2", momentum, 1),
    Robot("reversion-1", reversion, 2),
    Robot("reversion-2", reversion, 1),
)
