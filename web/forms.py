"""What people type into forms, as they typed it, and what it means. Pure: no request, no database.

Each form keeps the text of every field, so that a page can show it again beside what was wrong with it.
`faults` maps the name of a field to a sentence; a form without faults has its value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TypeVar

from market.errors import MarketError
from market.limits import LimitRequest, Stands, parse_papers
from market.maker import Side
from market.money import parse_credits, parse_shares
from market.orders import Action, OrderRequest
from market.periods import parse_period
from web.names import name_fault, normal_name, normal_password, password_fault

SHARES, CREDITS = "shares", "credits"
MARKET, LIMIT = "market", "limit"
LONGEST_TEXT = 60  # of an amount or a choice; more is not shown again

Value = TypeVar("Value")


@dataclass(frozen=True)
class SignUpForm:
    """A name and a password that can be used when there are no faults; both in their normal form."""

    name: str
    password: str = field(repr=False)
    faults: Mapping[str, str]


@dataclass(frozen=True)
class OrderForm:
    """The form that asks for a quote: how many `shares`, or how many `credits` to spend on them.

    An order of the `kind` "limit" has the limit's `forecast`, and `stands` (and `until`) say how long. It has
    its value in `limit_request`, one at the "market" in `request`.
    """

    period: str = ""
    side: str = Side.LONG
    action: str = Action.BUY
    by: str = SHARES
    amount: str = ""
    kind: str = MARKET
    forecast: str = ""
    stands: str = Stands.UNTIL_CANCELLED
    until: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)
    request: OrderRequest | None = None
    limit_request: LimitRequest | None = None


@dataclass(frozen=True)
class ConfirmForm:
    """The form below a quote: so many shares, and the most they may cost or the least they must bring.

    `asked` is the order without its limit, for a fresh quote; it is there when only the limit is at fault.
    """

    limit: str
    faults: Mapping[str, str]
    asked: OrderRequest | None
    request: OrderRequest | None


def read_sign_up(values: Mapping[str, str]) -> SignUpForm:
    """The fields name, password and repeated of the sign-up form."""
    name = normal_name(values.get("name", ""))
    password = normal_password(values.get("password", ""))
    faults: dict[str, str] = {}
    if fault := name_fault(name):
        faults["name"] = fault
    if fault := password_fault(password, name):
        faults["password"] = fault
    elif password != normal_password(values.get("repeated", "")):
        faults["repeated"] = "The two passwords differ; type the same one twice."
    return SignUpForm(name[:LONGEST_TEXT], password, faults)


def read_order(board: str, term: str, values: Mapping[str, str]) -> OrderForm:
    """The fields of the form on a term's page: period, side, action, by and amount; kind, and for a limit
    order forecast, stands and until."""
    form = OrderForm(
        period=_text(values, "period"),
        side=_text(values, "side", Side.LONG),
        action=_text(values, "action", Action.BUY),
        by=_text(values, "by", SHARES),
        amount=_text(values, "amount"),
        kind=_text(values, "kind", MARKET),
        forecast=_text(values, "forecast"),
        stands=_text(values, "stands", Stands.UNTIL_CANCELLED),
        until=_text(values, "until"),
    )
    faults: dict[str, str] = {}
    period, side, action = _instrument(faults, form.period, form.side, form.action)
    by_credits = form.by == CREDITS
    if form.by not in (SHARES, CREDITS):
        faults["by"] = "Choose whether the amount is shares or credits."
    elif by_credits and action is Action.SELL:
        faults["by"] = "A sale says how many shares to sell; credits are for buying."
    elif by_credits and form.kind == LIMIT:
        faults["by"] = "An order with a limit says how many shares; credits are for the market’s price."
    amount = _parsed(faults, "amount", values.get("amount", ""), _credits if by_credits else _shares)
    limit = _limit(faults, form) if form.kind == LIMIT else None
    if form.kind not in (MARKET, LIMIT):
        faults["kind"] = "Choose an order at the market’s price or one with a limit."
    if faults or period is None or side is None or action is None:
        return replace(form, faults=faults)
    if limit is not None:
        assert amount is not None
        return replace(form, limit_request=LimitRequest(board, term, period, side, action, amount, *limit))
    shares, spend = (None, amount) if by_credits else (amount, None)
    return replace(form, request=OrderRequest(board, term, period, side, action, shares, spend, None))


def read_confirm(board: str, term: str, values: Mapping[str, str]) -> ConfirmForm:
    """The fields period, side, action, shares and limit of the form below a quote."""
    faults: dict[str, str] = {}
    period, side, action = _instrument(
        faults, _text(values, "period"), _text(values, "side"), _text(values, "action")
    )
    shares = _parsed(faults, "shares", values.get("shares", ""), _shares)
    limit = _parsed(faults, "limit", values.get("limit", ""), _credits)
    asked = request = None
    if period is not None and side is not None and action is not None and shares is not None:
        asked = OrderRequest(board, term, period, side, action, shares, None, None)
        request = replace(asked, limit_units=limit) if limit is not None else None
    return ConfirmForm(_text(values, "limit"), faults, asked, request)


def _limit(faults: dict[str, str], form: OrderForm) -> tuple[int, Stands, date | None] | None:
    """The limit of the order and how long it stands; None, and why among the faults, when it does not say."""
    milli = _parsed(faults, "forecast", form.forecast, _papers)
    stands = _parsed(faults, "stands", form.stands, _stands)
    until = _parsed(faults, "until", form.until, _date) if stands is Stands.UNTIL_DATE else None
    if milli is None or stands is None:
        return None
    return milli, stands, until


def _text(values: Mapping[str, str], name: str, default: str = "") -> str:
    return values.get(name, default)[:LONGEST_TEXT]


def _instrument(
    faults: dict[str, str], period: str, side: str, action: str
) -> tuple[str | None, Side | None, Action | None]:
    return (
        _parsed(faults, "period", period, _period),
        _parsed(faults, "side", side, _side),
        _parsed(faults, "action", action, _action),
    )


class _Unreadable(MarketError):
    """A choice that the form does not offer."""


def _parsed(faults: dict[str, str], name: str, text: str, parse: Callable[[str], Value]) -> Value | None:
    """The value of a field; None, and the reason among the faults, when it has none."""
    try:
        return parse(text)
    except MarketError as error:
        faults[name] = str(error)
        return None


def _shares(text: str) -> int:
    if not text.strip(" "):
        raise _Unreadable("Say how many shares.")
    return parse_shares(text)


def _credits(text: str) -> int:
    if not text.strip(" "):
        raise _Unreadable("Say how many credits.")
    return parse_credits(text)


def _papers(text: str) -> int:
    if not text.strip(" "):
        raise _Unreadable("Say the forecast that is your limit, in papers.")
    return parse_papers(text)


def _stands(text: str) -> Stands:
    if text not in set(Stands):
        raise _Unreadable("Choose how long the order stands.")
    return Stands(text)


def _date(text: str) -> date:
    if not text.strip(" "):
        raise _Unreadable("Choose the last day on which the order stands.")
    try:
        return date.fromisoformat(text.strip(" "))
    except ValueError:
        raise _Unreadable(f"{text!r} is not a day; write it like 2026-05-24.") from None


def _period(text: str) -> str:
    if not text:
        raise _Unreadable("Choose a period.")
    return parse_period(text).name


def _side(text: str) -> Side:
    if text not in set(Side):
        raise _Unreadable("Choose LONG or SHORT.")
    return Side(text)


def _action(text: str) -> Action:
    if text not in set(Action):
        raise _Unreadable("Choose to buy or to sell.")
    return Action(text)
