"""What the pages of settlements and of the crowd's record show: one frozen dataclass per template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import ClassVar

from markupsafe import Markup

from market.forecast_records import METHODS
from market.reads.boards import BoardLink
from market.reads.record import BoardRecord, ContractPage
from market.reads.statements import StatementView

METHOD_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "market": "Market at the close",
        "opening": "Opening forecast",
        "plain": "Plain forecast at the close",
        "smoothed": "Moving average",
        "last": "Last count",
    }
)


@dataclass(frozen=True)
class RecordPage:
    """``verdict`` is the one sentence on whether the market beats the plain forecast; "" without a period."""

    template: ClassVar[str] = "record.html"
    board: BoardLink
    record: BoardRecord
    verdict: str
    chart: Markup | None
    methods: ClassVar[tuple[str, ...]] = METHODS
    words: ClassVar[Mapping[str, str]] = METHOD_WORDS

    @property
    def title(self) -> str:
        return f"Forecast record of {self.board.name}"


@dataclass(frozen=True)
class PeriodRecordPage:
    """The settled contracts of a period, one page of them."""

    template: ClassVar[str] = "record_period.html"
    board: BoardLink
    period: str
    period_words: str
    page: ContractPage
    number: int
    methods: ClassVar[tuple[str, ...]] = METHODS
    words: ClassVar[Mapping[str, str]] = METHOD_WORDS

    @property
    def title(self) -> str:
        return f"Settled for {self.period_words}: {self.board.name}"


@dataclass(frozen=True)
class CountedView:
    """A paper that counts and its place in the page of its day, None where that is not known; ``title`` is
    None where the source gave none."""

    identifier: str
    href: str | None
    day: date | None
    title: Markup | None


@dataclass(frozen=True)
class StatementPage:
    template: ClassVar[str] = "statement.html"
    board: BoardLink
    slug: str
    label: str
    period: str
    view: StatementView
    papers: tuple[CountedView, ...]

    @property
    def title(self) -> str:
        return f"Settlement statement: {self.label}"
