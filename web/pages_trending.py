"""What the pages of trends show: one frozen dataclass per template."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar

from markupsafe import Markup

from market.reads.boards import BoardLink
from market.reads.comparing import NamedTerm, Stretch
from market.reads.movers import Mover
from market.reads.overview import MovedTerm, RisingTerm
from market.reads.quotes import TermQuote
from market.trends import Trending, TrendRow
from web.known import Known
from web.pages import Choice


@dataclass(frozen=True)
class RankView:
    """A place in a list against that of the listing day before: a glyph or word for the eye, the whole in
    words; ``way`` is "up", "down" or "flat". Empty where there is nothing to compare with."""

    shown: str = ""
    said: str = ""
    way: str = "flat"


@dataclass(frozen=True)
class BehindView:
    """A paper behind a trend; ``title`` is None where the source gave none."""

    href: str
    day: date
    title: Markup | None


@dataclass(frozen=True)
class TrendView:
    """A row of a trend: the counts, the quote of its term, its papers on the last listed days, and those of
    the window one by one, the first of them."""

    row: TrendRow
    quote: TermQuote
    rank: RankView
    spark: Markup
    watchers_gained: int
    papers: tuple[BehindView, ...]


@dataclass(frozen=True)
class MarketLists:
    """Terms that traders and watchers moved, in lists of their own."""

    up: tuple[Mover, ...]
    down: tuple[Mover, ...]
    watched: tuple[Mover, ...]


@dataclass(frozen=True)
class HeatCell:
    """Papers with a term on a day; ``level`` 0 (none) to 5 is their part of the day's, on the row's scale."""

    count: int
    level: int


@dataclass(frozen=True)
class HeatRow:
    slug: str
    label: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True)
class HeatTable:
    """Papers with each of several terms on the last days that list any, oldest first."""

    days: tuple[date, ...]
    listed: tuple[int, ...]
    rows: tuple[HeatRow, ...]


@dataclass(frozen=True)
class TrendingPage:
    """What rises and falls in a window, or with ``window`` None the counts of a day against usual.

    ``day`` is the day asked for, ``last_day`` the last one until it that lists papers. ``base_exposure`` 0
    means that there is nothing to compare with yet. ``evening_href`` is the same as known on the evening of
    the day, "" where that is what is shown or the day is not over; ``latest_href`` is "" for today's page.
    """

    template: ClassVar[str] = "trending.html"
    board: BoardLink
    known: Known | None
    windows: tuple[Choice, ...]
    window: int | None
    day: date
    first_day: date
    last_day: date
    base_first: date
    base_last: date
    exposure: int
    base_exposure: int
    rising: tuple[TrendView, ...]
    falling: tuple[TrendView, ...]
    new_terms: tuple[TrendView, ...]
    most_papers: tuple[TrendView, ...]
    market: MarketLists
    heat: HeatTable | None
    checked_count: int
    open_days: tuple[date, ...]
    counted_at: datetime | None
    period: str
    previous_href: str
    previous_day: date | None
    latest_href: str
    evening_href: str

    @property
    def title(self) -> str:
        return f"Trending on {self.board.name}"


@dataclass(frozen=True)
class CompareField:
    """A field of the form: what stands in it, and what is wrong with that."""

    value: str = ""
    fault: str = ""


@dataclass(frozen=True)
class ComparePage:
    """Up to five terms, each with its letter; ``stretches`` are the numbers behind the chart, oldest first.
    ``left_out`` are the names past the fifth."""

    template: ClassVar[str] = "compare.html"
    board: BoardLink
    known: Known | None
    windows: tuple[Choice, ...]
    window: int
    fields: tuple[CompareField, ...]
    left_out: tuple[str, ...]
    terms: tuple[tuple[str, NamedTerm], ...]
    stretches: tuple[Stretch, ...]
    chart: Markup | None

    @property
    def title(self) -> str:
        return f"Terms of {self.board.name} compared"


@dataclass(frozen=True)
class BoardTrends:
    """A board and its trends."""

    board: BoardLink
    trends: Trending


@dataclass(frozen=True)
class OverviewPage:
    """What is rising over all boards; every row names its own."""

    template: ClassVar[str] = "overview.html"
    title: ClassVar[str] = "Trending on all boards"
    windows: tuple[Choice, ...]
    window: int
    boards: tuple[BoardTrends, ...]
    rising: tuple[RisingTerm, ...]
    up: tuple[MovedTerm, ...]
    watched: tuple[MovedTerm, ...]
