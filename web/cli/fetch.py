"""`peer-revenue fetch`: papers from arXiv and from OpenReview."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened
from web.cli.fetching import Way, board_called, fetch_papers

if TYPE_CHECKING:
    from market.fetches import FetchState
    from market.reads.boards import Board
    from nlp.fetching.client import Client
    from nlp.fetching.pages import FetchedPage
    from web.config import Settings

NAMES = {"api": "arXiv's query interface", "rss": "arXiv's feed of today", "oai": "arXiv's archive"}


@click.group()
def fetch() -> None:
    """Read papers from arXiv, or from OpenReview.

    A fetch that is stopped, in whatever way, goes on where it stopped when the same command is run again. No
    service is asked more than once in three seconds. Say who asks: PEER_REVENUE_CONTACT=you@example.org

    \b
    Example:
        peer-revenue fetch arxiv --category cs.LG
        peer-revenue fetch tmlr
    """


@fetch.command()
@click.option("--category", required=True, metavar="CODE", help='The board, as "cs.LG"; cross-lists too.')
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE",
              help="All days from this one on; otherwise from where the last fetch ended.")
@click.option("--via", type=click.Choice(list(NAMES)),
              help="api: queries; rss: today's feed; oai: the archive. Otherwise rss, with --since api.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop after the page that reaches it.")
@database_option
def arxiv(category: str, since: datetime | None, via: str | None, limit: int | None, database: str) -> None:
    """Read a category of arXiv.

    The feed of today (rss) states its day and has new versions of older papers, but nothing of yesterday. The
    query interface (api) has every past paper; its day is worked out from arXiv's schedule. The archive (oai)
    has every record that changed, in the authors' own spelling, and takes longest. A board of the day rule
    "submitted" is read from the query interface.

    \b
    Example:
        peer-revenue fetch arxiv --category cs.LG --since 2026-05-01
        peer-revenue fetch arxiv --category cs.LG
    """
    from market.boards import SUBMITTED
    from nlp.arxiv_categories import is_arxiv_category

    if not is_arxiv_category(category):
        raise click.BadParameter(
            f"{category!r} is no category of arXiv, such as cs.LG.", param_hint="--category"
        )
    if via == "rss" and since is not None:
        raise click.BadParameter(
            "the feed has the papers of today only; read older ones with --via api.", param_hint="--since"
        )
    with opened(database) as engine:
        board = board_called(engine, category)
        by_submission = board.day_rule == SUBMITTED
        if via == "rss" and by_submission:
            raise click.BadParameter(
                f"{category} counts papers by their submission, which the feed does not say; use --via api.",
                param_hint="--via",
            )
        chosen = via or ("api" if since is not None or by_submission else "rss")
        ways = {"api": _query, "rss": _feed, "oai": _archive}
        fetch_papers(engine, board, ways[chosen](board, _day(since)), limit)


@fetch.command()
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE",
              help="All days from this one on; otherwise from where the last fetch ended.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Stop after the page that reaches it.")
@database_option
def tmlr(since: datetime | None, limit: int | None, database: str) -> None:
    """Read TMLR's submissions and accepted papers from OpenReview, onto the board tmlr.

    \b
    Example:
        peer-revenue fetch tmlr --since 2026-05-01
    """
    from nlp.sources.tmlr_digest import BOARD

    with opened(database) as engine:
        board = board_called(engine, BOARD)
        fetch_papers(engine, board, _notes(board, _day(since)), limit)


def _day(since: datetime | None) -> date | None:
    from web.cli.settings import settings

    if since is None:
        return None
    if since.date() > settings().now().date():
        raise click.BadParameter(f"{since.date()} has not come yet.", param_hint="--since")
    return since.date()


def _query(board: Board, since: date | None) -> Way:
    from market.fetches import beginning
    from nlp.fetching.arxiv_api import NAME, api_pages

    def pages(client: Client, state: FetchState, settings: Settings) -> Iterator[FetchedPage]:
        first = beginning(board, since) if since else None
        return api_pages(client, settings.arxiv_api, board.code, state.cursor, first, settings.now())

    return Way(NAME, NAMES["api"], lambda settings: settings.arxiv_api, pages)


def _feed(board: Board, _since: date | None) -> Way:
    from nlp.fetching.arxiv_feed import NAME, feed_page

    def pages(client: Client, state: FetchState, settings: Settings) -> Iterator[FetchedPage]:
        yield feed_page(client, settings.arxiv_feed, board.code, state.cursor, state.validators)

    return Way(NAME, NAMES["rss"], lambda settings: settings.arxiv_feed, pages)


def _archive(board: Board, since: date | None) -> Way:
    from market.fetches import beginning
    from nlp.fetching.arxiv_oai import NAME, oai_pages

    def pages(client: Client, state: FetchState, settings: Settings) -> Iterator[FetchedPage]:
        first = beginning(board, since) if since else None
        return oai_pages(client, settings.arxiv_oai, board.code, state.cursor, first, settings.now())

    return Way(NAME, NAMES["oai"], lambda settings: settings.arxiv_oai, pages)


def _notes(board: Board, since: date | None) -> Way:
    from market.fetches import beginning
    from nlp.fetching.tmlr import NAME, note_pages

    def pages(client: Client, state: FetchState, settings: Settings) -> Iterator[FetchedPage]:
        first = beginning(board, since) if since else None
        return note_pages(client, settings.openreview, state.cursor, first, settings.now())

    return Way(NAME, "OpenReview", lambda settings: settings.openreview, pages)
