"""What the leaderboard shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from market.reads.leaderboard import Leaderboard, OwnMembership
from market.seasons import Season
from web.pages import Choice


@dataclass(frozen=True)
class LeaderboardPage:
    """A season's places. ``own`` is what the reader has said of taking part, None for a guest, and ``own_id``
    their number; ``seasons`` are the other ones to look at, ``simulated`` whether simulated traders show."""

    template: ClassVar[str] = "leaderboard.html"
    board: Leaderboard
    seasons: tuple[Choice, ...]
    simulated: tuple[Choice, ...]
    own: OwnMembership | None
    own_id: int | None

    @property
    def title(self) -> str:
        return f"Leaderboard, {self.span}"

    @property
    def span(self) -> str:
        """The season in words, as "April to June 2026"."""
        return season_words(self.board.season)

    @property
    def has_own_place(self) -> bool:
        """Whether the reader has a place."""
        return any(place.trader_id == self.own_id for place in self.board.places)


def season_words(season: Season) -> str:
    """A season in words, as "April to June 2026"."""
    return f"{season.first_day:%B} to {season.last_day:%B %Y}"
