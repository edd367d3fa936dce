"""What the quote page of a limit order shows, and how limits are said in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from market.limit_pricing import LimitQuote
from market.limits import Stands, raises_forecast
from market.maker import Side
from market.orders import Action
from market.pricing import ContractState
from web.pages_trading import OrderFormView


@dataclass(frozen=True)
class LimitQuotePage:
    """A limit order's quote with the form that places it; `quote` is None when there is none, and `refusal`
    may say why. `key` is the idempotency key of the order."""

    template: ClassVar[str] = "limit_quote.html"
    order: OrderFormView
    quote: LimitQuote | None = None
    refusal: str = ""
    key: str = ""
    is_signed_in: bool = False

    @property
    def title(self) -> str:
        return f"Order: {self.order.term_label}"

    @property
    def forecast_before_milli(self) -> int:
        """The market's forecast before it, in thousandths of a paper; `forecast_after_milli` likewise."""
        return _forecast(self.quote.contract) if self.quote else 0

    @property
    def forecast_after_milli(self) -> int:
        return _forecast(self.quote.after) if self.quote else 0

    @property
    def needed_units(self) -> int:
        """The cash that leaves the account when a buy is placed: paid at once, and set aside."""
        return self.quote.total_units + self.quote.hold_units if self.quote else 0


def bound_words(side: str, action: str) -> str:
    """On which side of its limit an order is filled: "at most" or "at least"."""
    return "at most" if raises_forecast(Side(side), Action(action)) else "at least"


def stands_words(stands: str) -> str:
    """How long an order stands, in words that end a sentence; a date is said after them."""
    return {
        Stands.UNTIL_CANCELLED: "until you cancel it or the contract closes",
        Stands.UNTIL_DATE: "until the end of",
        Stands.AT_ONCE: "at once and whole, or not at all",
    }[Stands(stands)]


def _forecast(contract: ContractState) -> int:
    return contract.maker.forecast_milli(contract.long, contract.short)
