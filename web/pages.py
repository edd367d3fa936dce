"""What the reading pages show: one frozen dataclass per template, everything decided but the layout."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar

from markupsafe import Markup

from market.halts import Halt
from market.reads.boards import BoardLink
from market.reads.empty_days import EmptyDay
from market.reads.judgements import OwnJudgement
from market.reads.quotes import TermQuote
from market.reads.terms import TermOnBoard
from web.filters import day as day_in_words
from web.known import Known
from web.pages_trading import OrderFormView


@dataclass(frozen=True)
class Choice:
    """One of several ways to see a page: a link, unless it is the one that is shown."""

    words: str
    href: str
    is_current: bool


@dataclass(frozen=True)
class TwinView:
    """A paper with the same text as another: what it is called, and where it is read, None if nowhere."""

    words: str
    href: str | None


@dataclass(frozen=True)
class PaperView:
    """A paper in a list. ``title`` is None where the source gave none; ``anchor`` is its place in the page.

    ``terms`` are those of its abstract, in order of their first mention, each once. ``twins`` have the same
    text; ``more_twins`` have it too. ``judgements`` are what the reader said of its terms.
    """

    anchor: str
    board_name: str
    cross_listed_from: str
    title: Markup | None
    authors: tuple[str, ...]
    source: str
    url: str | None
    abstract: Markup
    is_long: bool
    terms: tuple[TermQuote, ...]
    withdrawn_at: datetime | None
    twins: tuple[TwinView, ...]
    more_twins: int
    identifier: str
    judgements: tuple[OwnJudgement, ...]


@dataclass(frozen=True)
class PaperSection:
    """Papers under one heading; "" where a day has one kind of papers only."""

    heading: str
    papers: tuple[PaperView, ...]


@dataclass(frozen=True)
class DayPage:
    """The papers that a board lists on a day; without any, ``is_to_come`` says that it is still ahead.

    ``paper_count`` is of the whole day, ``sections`` hold what the filter lets through. ``period`` is what
    prices are forecasts of, ``change_began`` the day that changes are counted from. ``known`` is the past
    moment that all of it is of, None for now; ``evening_href`` is the page as known on the evening of its
    day, "" where that is what is shown or the day is not over. ``empty`` is why there are no papers, None
    where there are some. ``halts`` are shown beside the prices: of the board, and of terms on the page.
    """

    template: ClassVar[str] = "day.html"
    board: BoardLink
    known: Known | None
    evening_href: str
    day: date
    previous_day: date | None
    next_day: date | None
    is_to_come: bool
    paper_count: int
    shown_count: int
    filters: tuple[Choice, ...]
    views: tuple[Choice, ...]
    view: str
    kept_view: str
    sections: tuple[PaperSection, ...]
    period: str
    change_began: date
    is_signed_in: bool
    empty: EmptyDay | None
    halts: tuple[Halt, ...] = ()

    @property
    def takes_judgements(self) -> bool:
        """Whether the reader can say what is a term: signed in, on the page of today."""
        return self.is_signed_in and self.known is None

    @property
    def title(self) -> str:
        return f"{self.board.name}, {day_in_words(self.day)}"


@dataclass(frozen=True)
class EmptyPage:
    """The home page before any paper has been read in."""

    template: ClassVar[str] = "empty.html"
    title: ClassVar[str] = "Papers"


@dataclass(frozen=True)
class ContextView:
    """A paper that carries the term: its title, and the sentence with the term marked."""

    href: str
    day: date
    title: Markup | None
    sentence: Markup
    withdrawn_at: datetime | None


@dataclass(frozen=True)
class TermPage:
    """One term of a board. ``days_chart`` is None before the board lists anything, ``trace_chart`` before the
    first trade of the next period's contract; the tables beside them are made from ``term``. ``known`` is
    the past moment that all of it is of, None for now."""

    template: ClassVar[str] = "term.html"
    board: BoardLink
    known: Known | None
    term: TermOnBoard
    contexts: tuple[ContextView, ...]
    days_chart: Markup | None
    trace_chart: Markup | None
    change_began: date
    order: OrderFormView
    is_signed_in: bool

    @property
    def title(self) -> str:
        return f"{self.term.label} on {self.board.name}"


@dataclass(frozen=True)
class TermRow:
    """A term in a list: its quote, and its papers on the board so far and on its last listed days."""

    quote: TermQuote
    paper_count: int
    spark: Markup


@dataclass(frozen=True)
class SortHeading:
    """The head of a column: what sorting by it is called and whether the list is sorted by it."""

    words: str
    href: str
    is_current: bool
    is_number: bool


@dataclass(frozen=True)
class TermsPage:
    """The listed terms of a board, a page of them at a time."""

    template: ClassVar[str] = "terms.html"
    board: BoardLink
    term_count: int
    rows: tuple[TermRow, ...]
    headings: tuple[SortHeading, ...]
    sort: str
    number: int
    page_count: int
    period: str
    change_began: date

    @property
    def title(self) -> str:
        return f"Terms of {self.board.name}"


@dataclass(frozen=True)
class AboutPage:
    """The market in plain words, with the numbers it runs on."""

    template: ClassVar[str] = "about.html"
    title: ClassVar[str] = "About the market"
    grant_credits: int
    fee_percent: str
    open_period_count: int
