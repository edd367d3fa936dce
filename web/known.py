"""The address says `?known=2026-05-16`: the page as it was known on the evening of that day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from flask import Flask, has_request_context, request, url_for

from market.boards import today_of
from market.reads.boards import Board
from market.reads.trending import end_of_day
from web import frame
from web.parameters import past_day

ARGUMENT = "known"
OF_THE_PAST = frozenset({"papers.day", "terms.term", "trending.board", "comparing.board"})


@dataclass(frozen=True)
class Known:
    """A page as it was known at the end of ``day``, which is ``at``; ``now_href`` is the page as of now."""

    day: date
    at: datetime
    now_href: str


def install(app: Flask) -> None:
    """Links between pages that can be of the past keep to the moment, unless they name one, or None for now.
    """

    @app.url_defaults
    def keep_moment(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint in OF_THE_PAST and has_request_context() and ARGUMENT in request.args:
            values.setdefault(ARGUMENT, request.args[ARGUMENT])


def known(board: Board) -> Known | None:
    """What this request asks for; None for what is known now. A day ahead is a `BadParameter`."""
    day = past_day(ARGUMENT, request.args.get(ARGUMENT), today_of(board, frame.now()))
    if day is None:
        return None
    return Known(day, min(frame.now(), end_of_day(board, day)), address(known=None))


def address(**changed: str | None) -> str:
    """The address of this page with some of its arguments changed; None leaves one out."""
    arguments: dict[str, Any] = {**request.args.to_dict(flat=False), **(request.view_args or {}), **changed}
    return url_for(request.endpoint or "", **arguments)
