"""What the market refuses, one class per reason, each carrying what a person needs to go on."""

from __future__ import annotations

from datetime import UTC, date, datetime


class MarketError(Exception):
    """Base of every refusal; `str()` is a sentence for the person who asked."""


class UnknownBoard(MarketError):
    """No board has this code."""

    def __init__(self, code: str) -> None:
        super().__init__(f"There is no board {code!r}.")
        self.code = code


class UnknownTerm(MarketError):
    """The term is not listed on this board."""

    def __init__(self, term: str, board: str) -> None:
        super().__init__(f"The term {term!r} is not listed on {board}.")
        self.term = term
        self.board = board


class UnknownTrader(MarketError):
    """No trader has this name or number."""


class NameTaken(MarketError):
    """Another trader has this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The name {name!r} is taken; choose another.")
        self.name = name


class InvalidAmount(MarketError):
    """An amount, price or count that is not a whole number in the allowed range."""


class InvalidLimit(InvalidAmount):
    """A limit, or a time that an order is to stand, that no order can have."""


class UnknownPeriod(MarketError):
    """The period is not one of the open ones of this board."""


class ContractClosed(MarketError):
    """The contract's period has begun or is over: nobody trades on a count that is already public."""

    def __init__(self, period: str, first_day: date) -> None:
        super().__init__(f"The contract for {period} closed before its first day, {first_day:%-d %B %Y}.")
        self.period = period
        self.first_day = first_day


class TradingHalted(MarketError):
    """The operator takes no orders on ``what`` ("diffusion model on cs.LG") for now."""

    def __init__(self, what: str, reason: str, since: datetime) -> None:
        moment = f"{since.astimezone(UTC):%-d %B %Y, %H:%M} UTC"
        super().__init__(f"Trading of {what} is halted since {moment}: {reason}")
        self.what = what
        self.reason = reason
        self.since = since


class ContractVoid(ContractClosed):
    """The contract was taken back as a whole, and is not opened again."""

    def __init__(self, period: str, first_day: date) -> None:
        super().__init__(period, first_day)
        self.args = (f"The contract for {period} is void: no orders are taken on it.",)


class PriceMoved(MarketError):
    """The market moved past the order's limit between quote and order; nothing was booked."""

    def __init__(self, limit_units: int, needed_units: int) -> None:
        super().__init__("The price moved past your limit. Nothing was booked; here is a fresh quote.")
        self.limit_units = limit_units
        self.needed_units = needed_units


class InsufficientFunds(MarketError):
    """The account does not hold what the posting would take; ``sentence`` says so to a trader, who knows no
    account names and no units."""

    def __init__(self, account: str, balance: int, needed: int, sentence: str = "") -> None:
        super().__init__(sentence or f"{account} holds {balance}, and {needed} is needed.")
        self.account = account
        self.balance = balance
        self.needed = needed


class InsufficientShares(InsufficientFunds):
    """A sale of more shares than the trader holds."""


class PositionLimit(MarketError):
    """The order would take the trader past the position limit of the contract."""

    def __init__(self, limit: int, held: int, reserved: int = 0) -> None:
        orders = f", and your open orders count for {reserved:,} more" if reserved else ""
        super().__init__(
            f"A trader may hold at most {limit:,} shares of one side of this contract; you hold {held:,}"
            f"{orders}."
        )
        self.limit = limit
        self.held = held


class NotFilledAtOnce(MarketError):
    """An order to be filled whole and at once that reaches its limit first; nothing was booked."""

    def __init__(self, share_count: int, possible: int) -> None:
        super().__init__(
            f"Only {possible:,} of the {share_count:,} shares can be had at once within your limit. "
            f"Nothing was booked."
        )
        self.share_count = share_count
        self.possible = possible


class UnknownOrder(MarketError):
    """The trader has no limit order of this number."""

    def __init__(self, order_id: int) -> None:
        super().__init__(f"You have no limit order {order_id}.")
        self.order_id = order_id


class KeyReused(MarketError):
    """The idempotency key was used before with another order (HTTP 409)."""

    def __init__(self, key: str) -> None:
        super().__init__("This form was sent before with other values. Ask for a new quote.")
        self.key = key


class UnbalancedEntry(MarketError):
    """An entry whose postings do not sum to zero per asset; a fault of ours, never of the caller's."""


class Insolvent(MarketError):
    """The pool would hold less than it could have to pay; the trade is undone."""


class SettlementWaits(MarketError):
    """A contract cannot be settled yet; the message says what is missing."""


class DayNotReady(MarketError):
    """A board's day cannot be closed yet; the message says why."""
