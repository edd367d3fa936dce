"""The log of what was decided about a board's terms, and the form by which a reader proposes one."""

from __future__ import annotations

from types import MappingProxyType

from flask import Blueprint, abort, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from market.listing import TermChangeRefused
from market.proposals import NoteRefused, propose_term
from market.reads.term_changes import CHANGES_SHOWN, changes_on_board
from web import db, frame
from web.auth import sign_in_first
from web.filters import counted
from web.pages import Choice
from web.pages_terms import ProposalPage, TermChangesPage
from web.parameters import one_of, page_number

blueprint = Blueprint("log", __name__)  # a part of `terms`

DECIDED = ""  # what somebody decided, of any kind
KINDS = {
    DECIDED: "Decided", "listed": "Listed", "delisted": "Delisted", "merged": "Merged", "split": "Split",
    "renamed": "Renamed", "refused": "Refused",
}  # fmt: skip


@blueprint.get("/<board>/terms/changes")
def changes(board: str) -> ResponseReturnValue:
    """What was decided about the board's terms, newest first."""
    row, link = frame.board(board)
    kind = one_of("kind", request.args.get("kind", DECIDED), KINDS)
    number = page_number(request.args.get("page"))
    found = changes_on_board(db.session(), row, (kind,) if kind else (), number)
    page_count = max(1, -(-found.change_count // CHANGES_SHOWN))
    if number > page_count:
        abort(404, f"The list has {counted(page_count, 'page')}.")
    page = TermChangesPage(
        board=link,
        changes=found.changes,
        change_count=found.change_count,
        kinds=tuple(
            Choice(words, url_for("terms.log.changes", board=board, kind=name or None), name == kind)
            for name, words in KINDS.items()
        ),
        kind=kind,
        number=number,
        page_count=page_count,
    )
    return frame.show(page)


@blueprint.get("/<board>/terms/propose")
def proposal(board: str) -> ResponseReturnValue:
    """The form by which a term is proposed."""
    _, link = frame.board(board)
    page = ProposalPage(link, "", "", MappingProxyType({}), frame.trader_id() is not None)
    return frame.show(page)


@blueprint.post("/<board>/terms/propose")
@db.writes
def propose(board: str) -> ResponseReturnValue:
    """Keep a proposal, or say what is wrong with it."""
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first(url_for("terms.log.proposal", board=board))
    row, link = frame.board(board)
    label, note = request.form.get("label", ""), request.form.get("note", "")
    try:
        is_new = propose_term(db.session(), trader_id, row, label, note, frame.now())
    except TermChangeRefused as refusal:
        field = "note" if isinstance(refusal, NoteRefused) else "label"
        return frame.show(ProposalPage(link, label, note, {field: str(refusal)}, True), 400)
    words = "is proposed. An operator decides" if is_new else "was proposed by you before"
    flash(f"“{' '.join(label.split())}” {words}.")
    return redirect(url_for("terms.index", board=board), 303)
