"""Quotes, orders and their receipts. The form is sent to the quote page, and only the quote can be placed."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType
from urllib.parse import urlencode

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from market import errors as refusals
from market.boards import today_of
from market.errors import KeyReused, MarketError, UnknownBoard, UnknownPeriod, UnknownTerm
from market.halts import covering, halts_of_board
from market.limit_trading import quote_limit
from market.listing import listed_term
from market.money import credits_text
from market.orders import Action, InvalidKey, OrderRequest, Quote
from market.periods import front_periods
from market.reads.boards import Board
from market.reads.orders import order_receipt
from market.trading import place_order, quote
from web import db, frame
from web.auth import sign_in_first
from web.errors import STATUS
from web.forms import LIMIT, LONGEST_TEXT, SHARES, ConfirmForm, OrderForm, read_confirm, read_order
from web.pages_limits import LimitQuotePage
from web.pages_trading import TOLERANCE_PERCENT, OrderFormView, QuotePage, ReceiptPage

blueprint = Blueprint("orders", __name__)

LARGEST_NUMBER = 2**63 - 1  # of a row
NO_FAULTS: Mapping[str, str] = MappingProxyType({})


@blueprint.get("/<board>/terms/<slug>/quote", endpoint="quote")
def show_quote(board: str, slug: str) -> ResponseReturnValue:
    form = read_order(board, slug, request.args) if request.args else OrderForm()
    if form.kind == LIMIT:
        return limit_quote_page(order_form(board, slug, form), status=400 if form.faults else 200)
    return _quote_page(order_form(board, slug, form), form.request, status=400 if form.faults else 200)


@blueprint.post("/<board>/terms/<slug>/orders")
@db.writes
def place(board: str, slug: str) -> ResponseReturnValue:
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(_quote_address(board, slug, request.form), "order")
    form = read_confirm(board, slug, request.form)
    key = request.form.get("key", "")
    if form.request is None:
        return _quote_again(board, slug, form, 400, limit=form.limit, key=key, faults=form.faults)
    try:
        answer = place_order(db.session(), trader_id, form.request, key, frame.now())
    except InvalidKey as refusal:
        return _quote_again(board, slug, form, 400, refusal=str(refusal))
    except KeyReused as refusal:
        return _quote_again(board, slug, form, 409, refusal=str(refusal))
    if not answer.is_filled:
        return _quote_again(board, slug, form, refusal_status(answer.reason), refusal=answer.message)
    return redirect(url_for("orders.receipt", order_id=answer.order_id), 303)


@blueprint.get(f"/orders/<int(max={LARGEST_NUMBER}):order_id>")
def receipt(order_id: int) -> ResponseReturnValue:
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(request.path)
    found = order_receipt(db.session(), trader_id, order_id)
    if found is None:
        raise NotFound
    return frame.show(ReceiptPage(found, key=secrets.token_urlsafe(24)))


def order_form(board: str, slug: str, form: OrderForm) -> OrderFormView:
    """The order form of a listed term; raises `UnknownBoard` and `UnknownTerm`."""
    found, _ = frame.board(board)
    _, term = listed_term(db.session(), found, slug)
    return form_view(found, term.slug, term.label, form)


def form_view(board: Board, slug: str, label: str, form: OrderForm) -> OrderFormView:
    """The order form of a term that has been found, with the periods that are open now."""
    assert board.id is not None
    periods = front_periods(board.period, today_of(board, frame.now()))
    halts = [
        halt
        for halt in halts_of_board(db.session(), board.id)
        if any(covering([halt], board.code, slug, period.name) for period in periods)
    ]
    return OrderFormView(board.code, slug, label, periods, form, tuple(halts))


def limit_quote_page(
    view: OrderFormView, status: int, *, refusal: str = "", key: str = ""
) -> Response:
    """The quote of the form's limit order with the form that places it, or why there is none."""
    trader_id = frame.trader_id()
    asked, made = view.form.limit_request, None
    try:
        made = quote_limit(db.session(), trader_id, asked, frame.now()) if asked is not None else None
    except (UnknownBoard, UnknownTerm):
        raise
    except MarketError as error:
        if not refusal:
            refusal, status = str(error), refusal_status(type(error).__name__)
    page = LimitQuotePage(
        order=view,
        quote=made,
        refusal=refusal,
        key=key or secrets.token_urlsafe(24),
        is_signed_in=trader_id is not None,
    )
    return frame.show(page, status)


def refusal_status(reason: str) -> int:
    """The HTTP status of a stored refusal, from the name of its class in `market.errors`."""
    kind: type = getattr(refusals, reason, MarketError)
    if issubclass(kind, UnknownPeriod):  # here a field of a form and not, as elsewhere, part of the address
        return 400
    return next((STATUS[ancestor] for ancestor in kind.__mro__ if ancestor in STATUS), HTTPStatus.CONFLICT)


def _quote_again(
    board: str, slug: str, form: ConfirmForm, status: int, *,
    refusal: str = "", limit: str = "", key: str = "", faults: Mapping[str, str] = NO_FAULTS,
) -> Response:  # fmt: skip
    """A fresh quote of an order that was not placed, with a new key unless the old one is still good."""
    shown = read_order(board, slug, _order_values(request.form))
    if form.asked is None:
        shown, faults = replace(shown, faults=faults), NO_FAULTS
    view = order_form(board, slug, shown)
    return _quote_page(view, form.asked, status, refusal=refusal, limit=limit, key=key, faults=faults)


def _quote_page(
    view: OrderFormView, asked: OrderRequest | None, status: int, *,
    refusal: str = "", limit: str = "", key: str = "", faults: Mapping[str, str] = NO_FAULTS,
) -> Response:  # fmt: skip
    trader_id = frame.trader_id()
    made = None
    try:
        made = quote(db.session(), trader_id, asked, frame.now()) if asked is not None else None
    except (UnknownBoard, UnknownTerm):
        raise
    except MarketError as error:
        if not refusal:
            refusal, status = str(error), refusal_status(type(error).__name__)
    page = QuotePage(
        order=view,
        quote=made,
        refusal=refusal,
        limit=limit or (credits_text(limit_units(made)) if made else ""),
        key=key or secrets.token_urlsafe(24),
        faults=faults,
        is_signed_in=trader_id is not None,
    )
    return frame.show(page, status)


def limit_units(made: Quote) -> int:
    """The limit that the page proposes: what the order was to spend, else the quoted total and the tolerance.

    The most that a buy may take, the least that a sale must bring; at least 1 unit.
    """
    if made.request.spend_units is not None:
        return made.request.spend_units
    tolerance = made.total_units * TOLERANCE_PERCENT // 100
    if made.request.action is Action.BUY:
        return made.total_units + tolerance
    return max(1, made.total_units - tolerance)


def _quote_address(board: str, slug: str, values: Mapping[str, str]) -> str:
    where = url_for("orders.quote", board=board, slug=slug)
    return f"{where}?{urlencode(_order_values(values))}"


def _order_values(values: Mapping[str, str]) -> dict[str, str]:
    """The fields that ask for the quote again, from those that place it."""
    asked = {name: values.get(name, "")[:LONGEST_TEXT] for name in ("period", "side", "action")}
    return {**asked, "by": SHARES, "amount": values.get("shares", "")[:LONGEST_TEXT]}
