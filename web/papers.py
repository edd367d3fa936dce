"""The papers of a day: the page that people come for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby

from flask import Blueprint, abort, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from market.boards import today_of
from market.halts import Halt, halts_of_board
from market.reads.boards import Board, BoardLink
from market.reads.empty_days import EmptyDay, empty_day
from market.reads.judgements import OwnJudgement, own_judgements
from market.reads.papers import DayOfPapers, DayPaper, day_of_papers
from market.reads.quotes import TermQuote, change_began, next_period
from market.reads.twins import Twin
from nlp.records import Section
from nlp.sources.arxiv_ids import arxiv_id
from web import db, frame
from web.filters import plain_day
from web.known import known
from web.pages import Choice, DayPage, EmptyPage, PaperSection, PaperView, TwinView
from web.parameters import day_of, looks_like_day, one_of
from web.rendering import TermLink, is_safe_address, paragraphs_html, reading_html

blueprint = Blueprint("papers", __name__)

ALL = "all"
HEADINGS = {Section.ACCEPTED: "Accepted papers", Section.SUBMITTED: "New submissions"}
FILTERS = {
    Section.NEW: "New",
    Section.CROSS: "Cross-listed",
    Section.ACCEPTED: "Accepted",
    Section.SUBMITTED: "Submissions",
}
VIEW_WORDS = {"reading": "Reading", "market": "Market", "plain": "Plain"}
MOST_TWINS = 5  # of a paper; a notice that hundreds were withdrawn with must not fill the page
SHORT_ABSTRACT = 380  # characters; shorter ones are shown whole


@blueprint.get("/")
def home() -> ResponseReturnValue:
    """The newest day of all boards."""
    newest = frame.home_board()
    if newest is None or newest.newest_day is None:
        return frame.show(EmptyPage())
    return _day_page(newest.code, newest.newest_day)


@blueprint.get("/<board>/")
def board(board: str) -> ResponseReturnValue:
    """To the board's newest day, today's where it has none yet."""
    row, link = frame.board(board)
    newest = link.newest_day or today_of(row, frame.now())
    return redirect(url_for("papers.day", board=board, day=newest.isoformat()))


@blueprint.get("/<board>/<day>")
def day(board: str, day: str) -> ResponseReturnValue:
    """The papers of one day."""
    frame.board(board)
    if not looks_like_day(day):
        abort(404)
    return _day_page(board, day_of(day))


def _day_page(code: str, day: date) -> ResponseReturnValue:
    row, link = frame.board(code)
    past = known(row)
    known_at = past.at if past else None
    now = known_at or frame.now()
    found = day_of_papers(db.session(), row, day, frame.trader_id(), now, known_at=known_at)
    present = {paper.section for paper in found.papers}
    shown = one_of("show", request.args.get("show", ALL), [ALL, *FILTERS])
    papers = [paper for paper in found.papers if shown in (ALL, paper.section)]
    view = frame.view()
    page = DayPage(
        board=link,
        known=past,
        evening_href=_evening(row, day) if past is None else "",
        day=day,
        previous_day=found.previous_day,
        next_day=found.next_day,
        is_to_come=day > today_of(row, frame.now()),
        paper_count=len(found.papers),
        shown_count=len(papers),
        filters=_filters(code, day, found.papers, shown) if len(present) > 1 or shown != ALL else (),
        views=_views(code, day, shown, view),
        view=view,
        kept_view=frame.kept_view(),
        sections=_sections(
            link, papers, found.quotes if view != "plain" else {}, view, _judgements(row, papers)
        ),
        period=next_period(row, now).name,
        change_began=change_began(row, now).date(),
        is_signed_in=frame.trader_id() is not None,
        empty=None if found.papers else _empty(row, found),
        halts=_halts(row, found.quotes) if view == "market" and past is None and found.papers else (),
    )
    return frame.show(page)


def _empty(row: Board, found: DayOfPapers) -> EmptyDay:
    return empty_day(db.session(), row, found.day, (found.previous_day, found.next_day))


def _halts(row: Board, quotes: Mapping[str, TermQuote]) -> tuple[Halt, ...]:
    """Those of the board that concern the period whose prices are shown, of all its terms or of one shown."""
    assert row.id is not None
    period = next_period(row, frame.now()).name
    shown = {quote.slug for quote in quotes.values()}
    return tuple(
        halt
        for halt in halts_of_board(db.session(), row.id)
        if halt.scope.period in (None, period) and (halt.slug is None or halt.slug in shown)
    )


def _evening(row: Board, day: date) -> str:
    """The day's page as it was known on its evening, once that is over."""
    return _address(row.code, day, known=day.isoformat()) if day < today_of(row, frame.now()) else ""


def _filters(code: str, day: date, papers: Iterable[DayPaper], shown: str) -> tuple[Choice, ...]:
    sections = [paper.section for paper in papers]
    choices = [Choice(f"All {len(sections)}", _address(code, day), shown == ALL)]
    for section, words in FILTERS.items():
        if section in sections or section == shown:
            words = f"{words} {sections.count(section)}"
            choices.append(Choice(words, _address(code, day, show=section.value), shown == section))
    return tuple(choices)


def _views(code: str, day: date, shown: str, view: str) -> tuple[Choice, ...]:
    show = None if shown == ALL else shown
    return tuple(
        Choice(words, _address(code, day, show=show, view=name), name == view)
        for name, words in VIEW_WORDS.items()
    )


def _address(code: str, day: date, **choices: str | None) -> str:
    """The address of a day, which keeps the view that this one asks for."""
    choices = {"view": request.args.get("view"), **choices}
    return url_for("papers.day", board=code, day=day.isoformat(), **choices)  # type: ignore[arg-type]


def _judgements(row: Board, papers: Sequence[DayPaper]) -> Mapping[str, tuple[OwnJudgement, ...]]:
    """What the reader said of these papers; of the past nothing is asked."""
    trader_id = frame.trader_id()
    if trader_id is None or not papers or known(row) is not None:
        return {}
    assert row.id is not None
    return own_judgements(db.session(), row.id, trader_id, [paper.identifier for paper in papers])


def _sections(
    board: BoardLink, papers: Iterable[DayPaper], quotes: Mapping[str, TermQuote], view: str,
    judged: Mapping[str, tuple[OwnJudgement, ...]],
) -> tuple[PaperSection, ...]:  # fmt: skip
    links = term_links(board.code, quotes.values(), with_prices=view == "market")
    return tuple(
        PaperSection(heading, tuple(_paper(board, paper, quotes, links, judged) for paper in group))
        for heading, group in groupby(papers, key=lambda paper: HEADINGS.get(paper.section, ""))
    )


def _paper(
    board: BoardLink, paper: DayPaper, quotes: Mapping[str, TermQuote], links: Mapping[str, TermLink],
    judged: Mapping[str, tuple[OwnJudgement, ...]],
) -> PaperView:  # fmt: skip
    mentions = [mention for mention in paper.mentions if mention.term in quotes]
    return PaperView(
        anchor=anchor_of(paper.identifier),
        board_name=board.name,
        cross_listed_from=paper.categories[0] if paper.section is Section.CROSS and paper.categories else "",
        title=reading_html(paper.title) if paper.title.text.strip() else None,
        authors=paper.authors,
        source=source_name(paper.identifier),
        url=source_address(paper.identifier, paper.url),
        abstract=paragraphs_html(paper.abstract, mentions, links),
        is_long=len(paper.abstract.text) > SHORT_ABSTRACT,
        terms=tuple(quotes[key] for key in dict.fromkeys(mention.term for mention in mentions)),
        withdrawn_at=paper.withdrawn_at,
        twins=tuple(_twin(twin) for twin in paper.twins[:MOST_TWINS]),
        more_twins=max(0, len(paper.twins) - MOST_TWINS),
        identifier=paper.identifier,
        judgements=judged.get(paper.identifier, ()),
    )


def _twin(twin: Twin) -> TwinView:
    """A twin's place on a board of ours, else its source."""
    name = f"{source_name(twin.identifier)} {twin.identifier.partition(':')[2]}"
    if twin.board is None or twin.day is None:
        return TwinView(name, source_address(twin.identifier, twin.url))
    anchor = anchor_of(twin.identifier)
    href = url_for("papers.day", board=twin.board, day=twin.day.isoformat(), _anchor=anchor)
    return TwinView(f"{name}, {twin.board} of {plain_day(twin.day)}", href)


def source_address(identifier: str, address: str | None) -> str | None:
    """Where a paper can be read: at the address its source gives, or on arXiv by its number."""
    if address and is_safe_address(address):
        return address
    found = arxiv_id(identifier)
    return found.url if found else None


def term_links(code: str, quotes: Iterable[TermQuote], *, with_prices: bool = False) -> dict[str, TermLink]:
    """The links of terms in running text, by key; in the market view with price and change beside them."""
    beside = current_app.jinja_env.get_template("_macros.html").module.beside  # type: ignore[attr-defined]
    return {
        quote.key: TermLink(
            url_for("terms.term", board=code, slug=quote.slug), beside(quote) if with_prices else Markup("")
        )
        for quote in quotes
    }


def anchor_of(identifier: str) -> str:
    """The place of a paper in its day's page: its identifier, with what an address cannot have left out."""
    return "".join(character if character.isalnum() or character in "._" else "-" for character in identifier)


def source_name(identifier: str) -> str:
    """Where a paper comes from, by the scheme of its identifier."""
    return {"arxiv": "arXiv", "openreview": "OpenReview"}.get(identifier.partition(":")[0], "the source")

