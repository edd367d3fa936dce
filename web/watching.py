"""Watching boards and terms: the buttons on every page come here, and the list of what is watched is here."""

from __future__ import annotations

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from market.listing import listed_term
from market.reads.watching import NewPaper, watch_list
from market.watching import set_watch
from web import db, frame
from web.auth import sign_in_first
from web.pages_trading import PaperLink, WatchingPage
from web.papers import anchor_of
from web.redirects import after_form

blueprint = Blueprint("watching", __name__)


@blueprint.get("/watching")
def index() -> ResponseReturnValue:
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(request.path)
    found = watch_list(db.session(), trader_id, frame.now())
    return frame.show(WatchingPage(found, tuple(PaperLink(paper, _place(paper)) for paper in found.papers)))


def _place(paper: NewPaper) -> str:
    day = url_for("papers.day", board=paper.board_code, day=paper.day.isoformat())
    return f"{day}#{anchor_of(paper.identifier)}"


@blueprint.post("/watching/change")
@db.writes
def change() -> ResponseReturnValue:
    """Watch, or stop watching, what the form names; then back to the page that it was on.

    A guest is sent to sign in and from there to that page: the press of the button is not kept, since whoever
    signs in may be watching it already, or be somebody else.
    """
    next_page = after_form(request.form.get("next"))
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(next_page, "watch")
    on = request.form.get("on", "")
    if on not in ("0", "1"):
        raise BadRequest
    session = db.session()
    board, _ = frame.board(request.form.get("board", ""))
    slug = request.form.get("term", "")
    term_id = listed_term(session, board, slug)[1].id if slug else None
    assert board.id is not None
    set_watch(session, trader_id, board.id, term_id, on == "1", frame.now())
    return redirect(next_page, 303)
