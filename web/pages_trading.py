"""What the pages of watching, ordering and the portfolio show: one frozen dataclass per template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from market.entries import CREDITS, Kind
from market.halts import Halt, covering
from market.maker import UNITS_PER_PAPER, Side, payout_units
from market.orders import Action, Quote
from market.periods import Period
from market.reads.entries import OTHERS, EntryPage, EntryView, Line
from market.reads.open_orders import OpenOrder
from market.reads.orders import OrderReceipt
from market.reads.portfolio import Portfolio, Position
from market.reads.rolls import RollView
from market.reads.watching import NewPaper, WatchList
from web.forms import OrderForm

# How far the price may move between quote and order before the order is refused, unless the trader says
# otherwise: one small trade by somebody else moves it by less, a large one by more.
TOLERANCE_PERCENT = 2
KIND_WORDS: Mapping[str, str] = {
    Kind.GRANT: "Sign-up grant",
    Kind.SETTLE: "Settled",
    Kind.HOLD: "Set aside for an order",
    Kind.RELEASE: "Returned from an order",
    Kind.CORRECT: "Correction",
}
ACCOUNT_WORDS = {
    "fees": "Fees",
    "house:mint": "Mint, where play money comes from",
    "house:subsidy": "House, which funds the pools",
    OTHERS: "Other traders",
}


@dataclass(frozen=True)
class OrderFormView:
    """The order form of one term, for its page and the quote page. `periods` are the open ones, `halts` those
    that concern any of them."""

    board: str
    term: str
    term_label: str
    periods: tuple[Period, ...]
    form: OrderForm
    halts: tuple[Halt, ...] = ()

    @property
    def chosen_period(self) -> str:
        """The period asked for, else the first open one."""
        return self.form.period or (self.periods[0].name if self.periods else "")

    @property
    def halted_periods(self) -> frozenset[str]:
        """The names of the open periods that take no orders for now."""
        names = (period.name for period in self.periods)
        return frozenset(name for name in names if covering(self.halts, self.board, self.term, name))

    @property
    def is_halted(self) -> bool:
        """Whether none of them takes orders."""
        return len(self.halted_periods) == len(self.periods) > 0


@dataclass(frozen=True)
class Payout:
    """What the shares of a quote pay for `papers` papers with the term, and what the order gained then."""

    papers: int
    pays_units: int
    gain_units: int


@dataclass(frozen=True)
class QuotePage:
    """A quote with the form that places it; `quote` is None when there is none, and `refusal` may say why.

    `limit` is the text of the most to pay (or least to get), `key` the idempotency key of the order.
    """

    template: ClassVar[str] = "quote.html"
    order: OrderFormView
    quote: Quote | None = None
    refusal: str = ""
    limit: str = ""
    key: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)
    is_signed_in: bool = False
    tolerance_percent: int = TOLERANCE_PERCENT

    @property
    def title(self) -> str:
        return f"Order: {self.order.term_label}"

    @property
    def payouts(self) -> tuple[Payout, ...]:
        """For a few counts around the forecast, and the ends of what can be paid."""
        return () if self.quote is None else payouts(self.quote)

    @property
    def own_price_before(self) -> int:
        """The price of one share of the order's side before it, in units; `own_price_after` likewise."""
        return 0 if self.quote is None else _own_price(self.quote, self.quote.price_before_units)

    @property
    def own_price_after(self) -> int:
        return 0 if self.quote is None else _own_price(self.quote, self.quote.price_after_units)


@dataclass(frozen=True)
class ReceiptPage:
    template: ClassVar[str] = "receipt.html"
    receipt: OrderReceipt
    key: str = ""  # of the form that cancels the order

    @property
    def title(self) -> str:
        return f"Order {self.receipt.order_id}"


@dataclass(frozen=True)
class PaperLink:
    """A paper that carries watched terms, and its place in the page of its day."""

    paper: NewPaper
    href: str


@dataclass(frozen=True)
class WatchingPage:
    template: ClassVar[str] = "watching.html"
    title: ClassVar[str] = "Watch list"
    watch_list: WatchList
    papers: tuple[PaperLink, ...]


@dataclass(frozen=True)
class PortfolioPage:
    template: ClassVar[str] = "portfolio.html"
    title: ClassVar[str] = "Portfolio"
    portfolio: Portfolio
    orders: tuple[OpenOrder, ...] = ()
    keys: Mapping[int, str] = field(default_factory=dict)  # of the forms that cancel them, by order
    rolls: tuple[RollView, ...] = ()
    halts: tuple[Halt, ...] = ()  # of any board

    def at_hand(self, position: Position) -> int:
        """The shares of the position that no open sale has set aside."""
        place = (position.board_code, position.term_slug, position.period, position.side)
        sales = (order for order in self.orders if not order.is_buy)
        return position.share_count - sum(
            order.open_shares
            for order in sales
            if (order.board_code, order.term_slug, order.period, order.side) == place
        )

    def is_halted(self, place: Position | OpenOrder) -> bool:
        """Whether what is held, or what an order waits for, is not traded for now."""
        return bool(covering(self.halts, place.board_code, place.term_slug, place.period))

    @property
    def halts_here(self) -> tuple[Halt, ...]:
        """Those that concern something that is held or waits."""
        places: list[Position | OpenOrder] = [each for each in self.portfolio.held if each.is_open]
        places += self.orders
        return tuple(
            halt
            for halt in self.halts
            if any(covering([halt], each.board_code, each.term_slug, each.period) for each in places)
        )

    @property
    def rolled(self) -> frozenset[tuple[str, str, str]]:
        """Board, term and side of what is rolled on."""
        return frozenset((roll.board_code, roll.term_slug, roll.side) for roll in self.rolls)


@dataclass(frozen=True)
class EntriesPage:
    template: ClassVar[str] = "entries.html"
    title: ClassVar[str] = "Entries"
    listing: EntryPage

    def words(self, entry: EntryView) -> str:
        """What happened, as "Bought 12 LONG"."""
        return entry_words(entry)

    def account(self, line: Line) -> str:
        """What the line's account is called."""
        return account_words(line.account)


def entry_words(entry: EntryView) -> str:
    """What an entry did for the trader, from its kind and the shares that moved."""
    shares = next((line for line in entry.lines if line.is_own and line.asset != CREDITS), None)
    if entry.kind == Kind.TRADE and shares is not None:
        verb = "Bought" if shares.amount > 0 else "Sold"
        return f"{verb} {abs(shares.amount):,} {shares.asset.rpartition(':')[2]}"
    return KIND_WORDS.get(entry.kind, entry.kind)


def account_words(name: str) -> str:
    """What an account of an entry is called on a page, from its name in the ledger."""
    parts = name.split(":")
    if parts[0] == "trader":
        if parts[2] == "hold":
            return "Set aside for your orders" if len(parts) == 3 else f"Your {parts[-1]} shares, set aside"
        return "Your cash" if parts[2] == "cash" else f"Your {parts[-1]} shares"
    if parts[0] == "pool":
        words = {"cash": "Pool of the contract", "fees": "Fees"}
        return words.get(parts[2], f"{parts[-1]} shares issued")
    return ACCOUNT_WORDS.get(name, name)


def payouts(quote: Quote) -> tuple[Payout, ...]:
    """The rows of the quote's table: none of the papers, around the forecast, and all up to the cap."""
    expected = quote.forecast_before_milli / 1000
    counts = {0, *(round(expected * times) for times in (0.5, 1, 1.5, 2)), quote.cap}
    return tuple(_payout(quote, count) for count in sorted(counts) if count <= quote.cap)


def _payout(quote: Quote, papers: int) -> Payout:
    pays = payout_units(quote.cap, quote.request.side, papers) * quote.share_count
    gain = pays - quote.total_units if quote.request.action is Action.BUY else quote.total_units - pays
    return Payout(papers, pays, gain)


def _own_price(quote: Quote, long_units: int) -> int:
    return long_units if quote.request.side is Side.LONG else UNITS_PER_PAPER * quote.cap - long_units
