"""Placing limit orders and cancelling them. Their quote is on the quote page, like any other."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from market.cancelling import cancel_order
from market.errors import KeyReused
from market.limit_trading import place_limit
from market.limits import papers_text
from market.orders import InvalidKey
from web import db, frame
from web.auth import sign_in_first
from web.errors import error_page
from web.forms import LIMIT, LONGEST_TEXT, SHARES, read_order
from web.orders import LARGEST_NUMBER, limit_quote_page, order_form, refusal_status
from web.pages_limits import bound_words, stands_words

blueprint = Blueprint("limit_orders", __name__)

blueprint.add_app_template_filter(papers_text, "exact_papers")
blueprint.add_app_template_global(bound_words)
blueprint.add_app_template_global(stands_words)

FIELDS = ("period", "side", "action", "amount", "forecast", "stands", "until")


@blueprint.post("/<board>/terms/<slug>/limit-orders")
@db.writes
def place(board: str, slug: str) -> ResponseReturnValue:
    values = {name: request.form.get(name, "")[:LONGEST_TEXT] for name in FIELDS}
    values |= {"kind": LIMIT, "by": SHARES}
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(
            f"{url_for('orders.quote', board=board, slug=slug)}?{urlencode(values)}", "order"
        )
    form = read_order(board, slug, values)
    view = order_form(board, slug, form)
    key = request.form.get("key", "")
    if form.limit_request is None:
        return limit_quote_page(view, 400, key=key)
    try:
        answer = place_limit(db.session(), trader_id, form.limit_request, key, frame.now())
    except InvalidKey as refusal:
        return limit_quote_page(view, 400, refusal=str(refusal))
    except KeyReused as refusal:
        return limit_quote_page(view, 409, refusal=str(refusal))
    if not answer.is_taken:
        return limit_quote_page(view, refusal_status(answer.reason), refusal=answer.message)
    return redirect(url_for("orders.receipt", order_id=answer.order_id), 303)


@blueprint.post(f"/orders/<int(max={LARGEST_NUMBER}):order_id>/cancel")
@db.writes
def cancel(order_id: int) -> ResponseReturnValue:
    """The order's receipt says what was returned."""
    receipt = url_for("orders.receipt", order_id=order_id)
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(receipt)
    try:
        cancel_order(db.session(), trader_id, order_id, request.form.get("key", ""), frame.now())
    except InvalidKey as refusal:
        return error_page(400, str(refusal))
    return redirect(receipt, 303)
