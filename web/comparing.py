"""Up to five terms of a board on one scale."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from sqlmodel import Session

from market.reads.boards import Board
from market.reads.comparing import NamedTerm, Stretch, find_term, shares_of, suggested_terms
from market.reads.trending import moment_of
from market.trends import WINDOWS
from web import charts, db, frame
from web.filters import counted, percent, plain_day, short_date
from web.known import known
from web.pages_trending import CompareField, ComparePage
from web.parameters import one_of
from web.trending import windows

blueprint = Blueprint("comparing", __name__)

MOST_TERMS = 5
LETTERS = "ABCDE"
CHOICES = {str(days): f"{days} days" for days in WINDOWS}


@blueprint.get("/<board>/compare")
def board(board: str) -> ResponseReturnValue:
    """The terms that the address names, each by its address or as people write it."""
    row, link = frame.board(board)
    window = int(one_of("window", request.args.get("window", "7"), CHOICES))
    shown = known(row)
    names = list(dict.fromkeys(name.strip() for name in request.args.getlist("term") if name.strip()))
    fields, terms = _looked_up(db.session(), row, names[:MOST_TERMS])
    moment = moment_of(row, frame.now(), None, shown.day if shown else None)
    stretches: tuple[Stretch, ...] = ()
    if terms:
        slugs = [term.slug for term in terms]
        stretches = shares_of(
            db.session(), row, slugs, window, last=moment.day, known_at=moment.known_at
        )
    page = ComparePage(
        board=link,
        known=shown,
        windows=windows(str(window), CHOICES),
        window=window,
        fields=fields,
        left_out=tuple(names[MOST_TERMS:]),
        terms=tuple(zip(LETTERS, terms, strict=False)),
        stretches=stretches,
        chart=_chart(terms, stretches, window),
    )
    return frame.show(page)


def _looked_up(
    session: Session, row: Board, names: Sequence[str]
) -> tuple[tuple[CompareField, ...], list[NamedTerm]]:
    """The fields of the form, with what is wrong in them, and the terms that were found, each once."""
    fields, terms = [], []
    for name in names:
        term = find_term(session, row, name)
        if term is None:
            fields.append(CompareField(name, _unknown(session, row, name)))
            continue
        fields.append(CompareField(term.label))
        if term not in terms:
            terms.append(term)
    return (*fields, *[CompareField()] * (MOST_TERMS - len(fields))), terms


def _unknown(session: Session, row: Board, name: str) -> str:
    close = " or ".join(f"“{term.label}”" for term in suggested_terms(session, row, name))
    return f"No term “{name}” is listed on {row.name}." + (f" Did you mean {close}?" if close else "")


def _chart(terms: Sequence[NamedTerm], stretches: Sequence[Stretch], window: int) -> Markup | None:
    if not terms or not stretches:
        return None
    first, last = stretches[0], stretches[-1]
    ends = "; ".join(
        f"{letter}, {term.label}: {percent(first.papers[at], first.listed)} to "
        f"{percent(last.papers[at], last.listed)}"
        for at, (letter, term) in enumerate(zip(LETTERS, terms, strict=False))
    )
    description = (
        f"From {plain_day(first.day)} to {plain_day(last.day)}, {counted(len(stretches), 'listed day')}. "
        f"{ends}. The table below has the numbers."
    )
    lines = [
        charts.Line(letter, [100 * one.papers[at] / one.listed for one in stretches])
        for at, letter in enumerate(LETTERS[: len(terms)])
    ]
    title = f"Per cent of the papers in the {window} days up to each day"
    return charts.lines("compare", title, description, lines, short_date(first.day), short_date(last.day))
