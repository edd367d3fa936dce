"""What every page carries around its own content, and the one way a page is rendered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol

from flask import Response, current_app, g, make_response, render_template, request
from flask_login import current_user

from market.errors import UnknownBoard
from market.reads.boards import Board, BoardLink, board_links
from web import db
from web.config import Settings
from web.parameters import one_of

SETTINGS = "web.settings"
THEMES = ("auto", "light", "dark")
THEME_COOKIE = "theme"
VIEWS = ("reading", "market", "plain")
VIEW_COOKIE = "view"


class Page(Protocol):
    """A frozen dataclass: everything its template shows."""

    template: ClassVar[str]

    @property
    def title(self) -> str:
        """The page's name in the browser's title bar."""


@dataclass(frozen=True)
class Frame:
    """The header and footer. ``board`` is the code of the board whose pages are offered ("" for none), and
    ``is_board_page`` whether this page is one of them; ``demonstration`` is the market clock where it stands
    still, else None; ``here`` the address to come back to after a form.
    """

    boards: tuple[BoardLink, ...] = ()
    board: str = ""
    is_board_page: bool = False
    trader_name: str | None = None
    theme: str = "auto"
    demonstration: datetime | None = None
    here: str = "/"
    section: str = ""

    @classmethod
    def of_request(cls) -> Frame:
        """The frame of this request's page; at most one query, whatever the page asks for beside it."""
        asked = (request.view_args or {}).get("board", _home_code() if request.path == "/" else "")
        codes = [link.code for link in boards()]
        return cls(
            boards=boards(),
            board=asked if asked in codes else _home_code(),
            is_board_page=asked in codes,
            trader_name=trader_name(),
            theme=_theme(),
            demonstration=settings().market_clock,
            here=_here(),
            section=(request.endpoint or "").split(".")[0],
        )

    @classmethod
    def bare(cls) -> Frame:
        """A frame that asks the database for nothing."""
        return cls(theme=_theme(), demonstration=settings().market_clock)


def show(page: Page, status: int = 200, frame: Frame | None = None) -> Response:
    """The response with `page` in its template."""
    html = render_template(page.template, page=page, frame=frame or Frame.of_request())
    return make_response(html, status)


def settings() -> Settings:
    """The settings that the application was made with."""
    found: Settings = current_app.extensions[SETTINGS]
    return found


def now() -> datetime:
    """The market's time, the same for the whole request."""
    if "now" not in g:
        g.now = settings().now()
    moment: datetime = g.now
    return moment


def trader_id() -> int | None:
    """The number of the trader who is signed in."""
    trader = _trader()
    return None if trader is None else int(trader.id)


def trader_name() -> str | None:
    """The name of the trader who is signed in."""
    trader = _trader()
    return None if trader is None else str(trader.name)


def boards() -> tuple[BoardLink, ...]:
    """Every board with its newest day, asked for once a request."""
    return tuple(link for _, link in _boards())


def home_board() -> BoardLink | None:
    """The board with the newest day, the first of several; None before any paper was read in."""
    days = [(link.newest_day, -at) for at, link in enumerate(boards()) if link.newest_day is not None]
    return boards()[-max(days)[1]] if days else None


def board(code: str) -> tuple[Board, BoardLink]:
    """The board called `code`; raises `UnknownBoard`."""
    for row, link in _boards():
        if link.code == code:
            return row, link
    raise UnknownBoard(code)


def view() -> str:
    """How the reader wants papers shown: as this address says, else as they keep it."""
    asked = request.args.get("view")
    if asked is not None:
        return one_of("view", asked, VIEWS)
    return kept_view()


def kept_view() -> str:
    """The view that the reader keeps, the first of `VIEWS` unless they chose another."""
    kept = request.cookies.get(VIEW_COOKIE, VIEWS[0])
    return kept if kept in VIEWS else VIEWS[0]


def _boards() -> tuple[tuple[Board, BoardLink], ...]:
    if "boards" not in g:
        g.boards = board_links(db.session(), trader_id())
    found: tuple[tuple[Board, BoardLink], ...] = g.boards
    return found


def _home_code() -> str:
    home = home_board()
    return "" if home is None else home.code


def _trader() -> Any:
    return current_user if current_user and current_user.is_authenticated else None


def _theme() -> str:
    theme = request.cookies.get(THEME_COOKIE, "auto")
    return theme if theme in THEMES else "auto"


def _here() -> str:
    """The address to come back to after a form on this page."""
    return request.full_path.removesuffix("?") if request.method == "GET" else "/"
