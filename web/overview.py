"""What is rising over all boards."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from market.reads.overview import overview
from market.trends import WINDOWS
from web import db, frame
from web.pages_trending import BoardTrends, OverviewPage
from web.parameters import one_of
from web.trending import windows

blueprint = Blueprint("overview", __name__)

CHOICES = {str(days): f"{days} days" for days in WINDOWS}


@blueprint.get("/trending")
def trending() -> ResponseReturnValue:
    """The trends of all boards, each row with its board."""
    window = int(one_of("window", request.args.get("window", "7"), CHOICES))
    links = frame.boards()
    rows = [frame.board(link.code)[0] for link in links]
    found = overview(db.session(), rows, window, frame.now())
    page = OverviewPage(
        windows=windows(str(window), CHOICES),
        window=window,
        boards=tuple(
            BoardTrends(link, trends) for link, (_, trends) in zip(links, found.boards, strict=True)
        ),
        rising=found.rising,
        up=found.up,
        watched=found.watched,
    )
    return frame.show(page)
