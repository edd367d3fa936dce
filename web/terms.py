"""The page of one term, and the list of all terms of a board."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from market.maker import UNITS_PER_PAPER
from market.reads.boards import BoardLink
from market.reads.quotes import TermQuote, change_began, next_period, quotes_of_board
from market.reads.series import daily_counts
from market.reads.terms import PaperInContext, TermOnBoard, paper_counts, term_on_board
from web import charts, db, frame, term_log
from web.filters import counted, moment, plain_day, short_date
from web.forms import OrderForm
from web.known import known
from web.orders import form_view
from web.pages import ContextView, SortHeading, TermPage, TermRow, TermsPage
from web.papers import anchor_of
from web.parameters import one_of, page_number
from web.rendering import reading_html
from web.sentences import sentence_around

blueprint = Blueprint("terms", __name__)
blueprint.register_blueprint(term_log.blueprint)

ROWS_A_PAGE = 100
ELLIPSIS = "…"

Key = Callable[[TermQuote, int], Any]
SORTS: dict[str, tuple[str, Key]] = {
    "name": ("Term", lambda quote, papers: quote.label.casefold()),
    "price": ("Forecast", lambda quote, papers: -quote.price_units),
    "change": ("Change", lambda quote, papers: -abs(quote.change_units or 0)),
    "papers": ("Papers so far", lambda quote, papers: -papers),
    "watchers": ("Watchers", lambda quote, papers: -quote.watcher_count),
}


@blueprint.get("/<board>/terms/")
def index(board: str) -> ResponseReturnValue:
    """All terms that are listed on the board, a page of them at a time."""
    row, link = frame.board(board)
    sort = one_of("sort", request.args.get("sort", "papers"), SORTS)
    number = page_number(request.args.get("page"))
    session, now = db.session(), frame.now()
    quotes = _sorted(quotes_of_board(session, row, frame.trader_id(), now), paper_counts(session, row), sort)
    page_count = max(1, -(-len(quotes) // ROWS_A_PAGE))
    if number > page_count:
        abort(404, f"The list has {counted(page_count, 'page')}.")
    shown = quotes[(number - 1) * ROWS_A_PAGE : number * ROWS_A_PAGE]
    series = daily_counts(session, row, [quote.slug for quote, _ in shown])
    page = TermsPage(
        board=link,
        term_count=len(quotes),
        rows=tuple(TermRow(quote, papers, charts.sparkline(series[quote.slug])) for quote, papers in shown),
        headings=_headings(board, sort),
        sort=sort,
        number=number,
        page_count=page_count,
        period=next_period(row, now).name,
        change_began=change_began(row, now).date(),
    )
    return frame.show(page)


@blueprint.get("/<board>/terms/<slug>")
def term(board: str, slug: str) -> ResponseReturnValue:
    """One term: its forecast, its days, its papers, and the form to trade it."""
    row, link = frame.board(board)
    shown = known(row)
    now, known_at = frame.now(), shown.at if shown else None
    found = term_on_board(db.session(), row, slug, frame.trader_id(), now, known_at=known_at)
    if found.into or found.slug != slug:
        asked: dict[str, Any] = request.args.to_dict(flat=False)
        asked |= {"board": board, "slug": found.into or found.slug}
        return redirect(url_for("terms.term", **asked), 301)
    page = TermPage(
        board=link,
        known=shown,
        term=found,
        contexts=tuple(_context(board, paper) for paper in found.papers),
        days_chart=_days_chart(link, found),
        trace_chart=_trace_chart(found),
        change_began=change_began(row, known_at or now).date(),
        order=form_view(row, slug, found.label, OrderForm(period=_asked_period(found))),
        is_signed_in=frame.trader_id() is not None,
    )
    return frame.show(page)


def _sorted(
    quotes: Iterable[TermQuote], papers: Mapping[int, int], sort: str
) -> list[tuple[TermQuote, int]]:
    """Each quote with its papers so far, in the order asked for; equals by name."""
    key = SORTS[sort][1]
    pairs = [(quote, papers.get(quote.term_id, 0)) for quote in quotes]
    return sorted(pairs, key=lambda pair: (key(*pair), pair[0].label.casefold()))


def _headings(board: str, sort: str) -> tuple[SortHeading, ...]:
    return tuple(
        SortHeading(words, url_for("terms.index", board=board, sort=name), name == sort, name != "name")
        for name, (words, _) in SORTS.items()
    )


def _asked_period(term: TermOnBoard) -> str:
    """The period that a link to the order form names, "" for none."""
    asked = request.args.get("period")
    if asked is None:
        return ""
    return one_of("period", asked, [contract.period for contract in term.contracts if contract.is_open])


def _context(board: str, paper: PaperInContext) -> ContextView:
    sentence = sentence_around(paper.abstract, paper.mentions)
    anchor = anchor_of(paper.identifier)
    return ContextView(
        href=url_for("papers.day", board=board, day=paper.day.isoformat(), _anchor=anchor),
        day=paper.day,
        title=reading_html(paper.title) if paper.title.text.strip() else None,
        sentence=Markup("{}{}{}").format(
            ELLIPSIS if sentence.is_cut_before else "",
            reading_html(sentence.reading, sentence.mentions),
            ELLIPSIS if sentence.is_cut_after else "",
        ),
        withdrawn_at=paper.withdrawn_at,
    )


def _days_chart(board: BoardLink, term: TermOnBoard) -> Markup | None:
    days = term.days
    if not days:
        return None
    total = sum(day.paper_count for day in days)
    description = (
        f"{counted(total, 'paper')} on {counted(len(days), 'listed day')} of {board.name}, from "
        f"{plain_day(days[0].day)} to {plain_day(days[-1].day)}. The table below has the numbers."
    )
    data = [charts.Bar(short_date(day.day), day.paper_count) for day in days]
    return charts.bars("days", f"Papers with {term.label} per listed day", description, data)


def _trace_chart(term: TermOnBoard) -> Markup | None:
    if not term.trace:
        return None
    first, last = term.trace[0], term.trace[-1]
    values = _papers([price for _, price in term.trace])
    description = (
        f"From {values[0]:.1f} papers on {moment(first[0])} to {values[-1]:.1f} on {moment(last[0])}; "
        f"between {min(values):.1f} and {max(values):.1f}. Dashed: the plain forecast, {term.plain.mean:.1f}."
    )
    data = [charts.Step(at, value) for (at, _), value in zip(term.trace, values, strict=True)]
    title = f"The market's forecast of {term.label} after each trade"
    ends = moment(first[0]), moment(last[0])
    return charts.steps("trace", title, description, data, *ends, reference=float(term.plain.mean))


def _papers(prices: Sequence[int]) -> list[float]:
    return [price / UNITS_PER_PAPER for price in prices]
