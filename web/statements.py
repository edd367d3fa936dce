"""What a contract was settled on: a page to read, and JSON to count again with."""

from __future__ import annotations

import json

from flask import Blueprint, Response, abort, request, url_for
from flask.typing import ResponseReturnValue

from market.listing import listed_term
from market.reads.statements import CountedPaper, NoStatement, statement_named, statement_view
from market.statement_json import as_json
from market.stored_statements import UnknownContract
from web import db, frame
from web.pages_record import CountedView, StatementPage
from web.papers import anchor_of
from web.parameters import BadParameter
from web.rendering import reading_html

blueprint = Blueprint("statements", __name__)


@blueprint.get("/<board>/terms/<slug>/<period>/statement")
def statement(board: str, slug: str, period: str) -> ResponseReturnValue:
    """The papers that count, the hashes, and what was corrected."""
    row, link = frame.board(board)
    term = listed_term(db.session(), row, slug)[1]
    try:
        view = statement_view(db.session(), row.code, slug, period, _number())
    except (NoStatement, UnknownContract) as error:
        abort(404, str(error))
    papers = tuple(_counted(row.code, paper) for paper in view.papers)
    return frame.show(StatementPage(link, term.slug, term.label, period, view, papers))


@blueprint.get("/<board>/terms/<slug>/<period>/statement.json")
def document(board: str, slug: str, period: str) -> ResponseReturnValue:
    """The statement as JSON, whole: see `peer-revenue recount`."""
    row, _ = frame.board(board)
    try:
        found = statement_named(db.session(), row.code, slug, period, _number())
    except (NoStatement, UnknownContract) as error:
        abort(404, str(error))
    response = Response(json.dumps(as_json(found), ensure_ascii=False), mimetype="application/json")
    name = f"{row.code}-{slug}-{period}-statement-{found.number}.json"
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def _counted(board: str, paper: CountedPaper) -> CountedView:
    href = None
    if paper.day is not None:
        anchor = anchor_of(paper.identifier)
        href = url_for("papers.day", board=board, day=paper.day.isoformat(), _anchor=anchor)
    title = reading_html(paper.title) if paper.title.text.strip() else None
    return CountedView(paper.identifier, href, paper.day, title)


def _number() -> int | None:
    """Which of the contract's statements is asked for; None: the one in force."""
    asked = request.args.get("number")
    if asked is None:
        return None
    if asked not in ("1", "2"):
        raise BadParameter("number", asked, "1, or 2 for the statement after a correction")
    return int(asked)
