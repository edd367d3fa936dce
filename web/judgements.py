"""A reader says what is a term and what is not; an operator decides about it."""

from __future__ import annotations

import flask
from flask import Blueprint, Flask, Response, abort, redirect, request, url_for
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from market.judgements import (
    JudgementRefused,
    Said,
    UnknownJudgement,
    decide,
    not_a_term,
    should_be_a_term,
    take_back,
)
from market.operators import is_operator
from market.reads.boards import Board
from market.reads.judgements import waiting_judgements
from market.remarks import InvalidRemark, Remark
from nlp.annotations import Quote, Verdict
from web import db, frame
from web.attempts import Attempts
from web.auth import sign_in_first
from web.errors import error_page
from web.pages_judgements import JudgementsPage
from web.redirects import after_form

blueprint = Blueprint("judgements", __name__)

LONGEST_NUMBER = 18  # digits
KEPT = "Thank you: “{}” {}. An operator looks at it; nothing changes before, and you can take it back below."
WORDS = {Verdict.TERM: "should be a term", Verdict.NOT_A_TERM: "is not a term here"}


@blueprint.post("/judgements/say")
@db.writes
def say() -> ResponseReturnValue:
    """Keep what a reader says of one paper: of a term in it, or of words that should be one."""
    next_page = after_form(request.form.get("next"))
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(next_page)
    board, _ = frame.board(request.form.get("board", ""))
    try:
        said = _said(trader_id, board)
    except (JudgementRefused, UnknownJudgement) as error:
        db.rollback()
        flask.flash(str(error), "error")
    else:
        words = f"“{said.quote}” {WORDS[said.verdict]}"
        kept = KEPT.format(said.quote, WORDS[said.verdict])
        flask.flash(kept if said.is_new else f"You said so before: {words}.")
    return redirect(next_page, 303)


def _said(trader_id: int, board: Board) -> Said:
    form = request.form
    paper, slug = form.get("paper", ""), form.get("term", "")
    quote = Quote(*(_plain(form.get(name, "")) for name in ("exact", "prefix", "suffix")))
    if slug:  # a button below an abstract; what is typed beside it is of no matter
        return not_a_term(db.session(), trader_id, board, paper, slug, frame.now())
    if form.get("verdict") == Verdict.NOT_A_TERM:
        return not_a_term(db.session(), trader_id, board, paper, "", frame.now(), quote)
    return should_be_a_term(db.session(), trader_id, board, paper, quote, frame.now())


@blueprint.post("/judgements/take-back", endpoint="take_back")
@db.writes
def take_back_said() -> ResponseReturnValue:
    """Take back what the reader said."""
    next_page = after_form(request.form.get("next"))
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(next_page)
    try:
        quote = take_back(db.session(), trader_id, _number(), frame.now())
        flask.flash(f"Taken back: what you said of “{quote}”.")
    except UnknownJudgement as error:
        flask.flash(str(error), "error")
    return redirect(next_page, 303)


@blueprint.get("/judgements")
def index() -> ResponseReturnValue:
    """What waits for a decision; only operators learn that there is such a page."""
    _operator()
    return frame.show(JudgementsPage(waiting_judgements(db.session())))


@blueprint.post("/judgements/decide")
@db.writes
def settle() -> ResponseReturnValue:
    """Agree or not with a group of judgements."""
    name = _operator()
    accept = request.form.get("accept", "")
    if accept not in ("0", "1"):
        raise BadRequest
    try:
        remark = Remark(request.form.get("reason", ""), name)
        decision = decide(db.session(), _number(), accept == "1", remark, frame.now())
        about = f"{len(decision.event_ids)} of {decision.key!r}"
        flask.flash(f"Kept: you {'agree' if decision.is_accepted else 'do not agree'} with {about}.")
    except (InvalidRemark, UnknownJudgement) as error:
        db.rollback()
        flask.flash(str(error), "error")
    return redirect(url_for("judgements.index"), 303)


def _operator() -> str:
    """The name of the operator who asks; for everybody else the page is not there."""
    trader_id, name = frame.trader_id(), frame.trader_name()
    if trader_id is None or name is None or not is_operator(db.session(), trader_id):
        abort(404)
    return name


def _number() -> int:
    text = request.form.get("event", "")
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
        raise BadRequest
    return int(text)


def _plain(text: str) -> str:
    """Line ends as a browser gives them for those of a text; NUL stands in no text."""
    return text.replace("\r\n", "\n").replace("\0", "")


def _refuse(minutes: int) -> Response:
    detail = f"You said a lot in a short time. Go on in {minutes} {'minute' if minutes == 1 else 'minutes'}."
    return flask.make_response(error_page(429, detail))


def _install(state: BlueprintSetupState) -> None:
    assert isinstance(state.app, Flask)
    attempts = Attempts(state.app)
    for endpoint in ("judgements.say", "judgements.take_back"):
        attempts.limit_judgements(endpoint, _refuse)


blueprint.record_once(_install)  # after the routes above, which it limits
