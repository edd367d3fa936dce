"""The portfolio, and the entries of the ledger that it is made of."""

from __future__ import annotations

import csv
import io
import secrets
from datetime import UTC

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from market.entries import CREDITS
from market.halts import all_halts
from market.listing import listed_term
from market.maker import Side
from market.money import credits_text
from market.reads.entries import OwnPosting, entry_page, own_postings
from market.reads.open_orders import open_orders
from market.reads.portfolio import portfolio
from market.reads.rolls import rolls_of
from market.rolling import set_roll
from web import db, frame
from web.auth import sign_in_first
from web.filters import MINUS
from web.pages_trading import EntriesPage, PortfolioPage
from web.parameters import BadParameter, page_number

blueprint = Blueprint("portfolio", __name__)

CSV_HEADER = (
    "entry", "recorded_at", "kind", "memo", "board", "term", "period", "account", "asset", "amount",
    "account_balance", "amount_in_credits",
)  # fmt: skip


@blueprint.app_template_filter()
def exact_credits(units: int) -> str:
    """Credits to the unit and with a real minus sign: 12.3456, −0.50. Where amounts must add up."""
    return credits_text(units).replace("-", MINUS)


@blueprint.app_template_filter()
def gain(units: int) -> str:
    """Credits to the unit with their sign: +12.3456, −0.50, 0.00."""
    return f"+{exact_credits(units)}" if units > 0 else exact_credits(units)


@blueprint.get("/portfolio")
def index() -> ResponseReturnValue:
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(request.path)
    orders = open_orders(db.session(), trader_id, frame.now())
    keys = {order.order_id: secrets.token_urlsafe(24) for order in orders}
    found, rolls = portfolio(db.session(), trader_id, frame.now()), rolls_of(db.session(), trader_id)
    return frame.show(PortfolioPage(found, orders, keys, rolls, all_halts(db.session())))


@blueprint.post("/portfolio/rolls")
@db.writes
def roll() -> ResponseReturnValue:
    """Begin or stop rolling on the side of the term that the form names."""
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first("/portfolio")
    on, side = request.form.get("on", ""), request.form.get("side", "")
    if on not in ("0", "1") or side not in set(Side):
        raise BadRequest
    board, _ = frame.board(request.form.get("board", ""))
    term = listed_term(db.session(), board, request.form.get("term", ""))[1]
    assert term.id is not None
    set_roll(db.session(), trader_id, board, term.id, Side(side), on == "1", frame.now())
    return redirect(f"{url_for('portfolio.index')}#rolls", 303)


@blueprint.get("/portfolio/entries")
def entries() -> ResponseReturnValue:
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(request.path)
    number = page_number(request.args.get("page"))
    page = entry_page(db.session(), trader_id, number)
    if page is None:
        raise BadParameter("page", str(number), "the number of a page that your entries fill")
    return frame.show(EntriesPage(page))


@blueprint.get("/portfolio/entries.csv")
def entries_csv() -> ResponseReturnValue:
    """Every posting on the trader's accounts, oldest first, amounts in whole units and shares."""
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first("/portfolio/entries")
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(CSV_HEADER)
    rows.writerows(_row(posting) for posting in own_postings(db.session(), trader_id))
    response = Response(text.getvalue(), mimetype="text/csv")
    response.headers["Content-Disposition"] = 'attachment; filename="peer-revenue-entries.csv"'
    return response


def _row(posting: OwnPosting) -> tuple[object, ...]:
    in_credits = credits_text(posting.amount).replace(",", "") if posting.asset == CREDITS else ""
    return (
        posting.entry_id, posting.recorded_at.astimezone(UTC).isoformat(), posting.kind, posting.memo,
        posting.board_code or "", posting.term_slug or "", posting.period or "",
        posting.account, posting.asset, posting.amount, posting.balance, in_credits,
    )  # fmt: skip
