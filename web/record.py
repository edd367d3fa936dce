"""How good the crowd has been on a board, by period and by contract."""

from __future__ import annotations

from flask import Blueprint, abort, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from market.errors import UnknownPeriod
from market.periods import parse_period
from market.reads.record import BoardRecord, contracts_of_period, record_of
from web import charts, db, frame
from web.filters import counted, decimal, period, short_period
from web.pages_record import PeriodRecordPage, RecordPage
from web.parameters import page_number
from web.verdicts import verdict_sentence

blueprint = Blueprint("record", __name__)

DRAWN = (("market", "M"), ("opening", "O"), ("plain", "P"))  # and the letters of their lines


@blueprint.get("/<board>/record")
def board(board: str) -> ResponseReturnValue:
    """Every period that is settled, the market beside forecasts from counts alone."""
    row, link = frame.board(board)
    found = record_of(db.session(), row)
    verdict = verdict_sentence(found.verdict, row.period) if found.verdict else ""
    return frame.show(RecordPage(link, found, verdict, _chart(found)))


@blueprint.get("/<board>/record/<name>")
def of_period(board: str, name: str) -> ResponseReturnValue:
    """The settled contracts of one period."""
    row, link = frame.board(board)
    try:
        named = parse_period(name)
    except UnknownPeriod as error:
        abort(404, str(error))
    number = page_number(request.args.get("page"))
    page = contracts_of_period(db.session(), row, named.name, number)
    if not page.contracts:
        abort(404, f"No contract for {period(named.name)} is settled on {link.name}.")
    return frame.show(PeriodRecordPage(link, named.name, period(named.name), page, number))


def _chart(record: BoardRecord) -> Markup | None:
    """The mean errors of each period, oldest first."""
    periods = tuple(reversed(record.periods))
    if not periods:
        return None
    lines = [charts.Line(letter, [each.of(method).error for each in periods]) for method, letter in DRAWN]
    total = record.total
    assert total is not None
    description = (
        f"Mean absolute error in papers of {counted(total.contract_count, 'contract')}: market "
        f"{decimal(total.of('market').error, 2)}, opening forecast {decimal(total.of('opening').error, 2)}, "
        f"plain forecast at the close {decimal(total.of('plain').error, 2)}. The table below has the numbers."
    )
    ends = short_period(periods[0].period), short_period(periods[-1].period)
    return charts.lines("record", "How many papers forecasts lay off", description, lines, *ends)
