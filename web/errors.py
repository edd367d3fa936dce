"""What went wrong, in words: one mapping from refusals to HTTP, one page for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import ClassVar

from flask import Flask, current_app, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from market import errors as refusals
from market.errors import MarketError
from web.frame import Frame, show
from web.parameters import BadParameter

__all__ = ["STATUS", "BadParameter", "error_page", "install", "status_of"]

# The nearest ancestor decides; a refusal that is not named here, or a fault of ours, is a 500.
STATUS: dict[type[MarketError], HTTPStatus] = {
    refusals.UnknownBoard: HTTPStatus.NOT_FOUND,
    refusals.UnknownTerm: HTTPStatus.NOT_FOUND,
    refusals.UnknownTrader: HTTPStatus.NOT_FOUND,
    refusals.UnknownPeriod: HTTPStatus.NOT_FOUND,
    refusals.InvalidAmount: HTTPStatus.BAD_REQUEST,
    refusals.NameTaken: HTTPStatus.CONFLICT,
    refusals.ContractClosed: HTTPStatus.CONFLICT,
    refusals.TradingHalted: HTTPStatus.CONFLICT,
    refusals.PriceMoved: HTTPStatus.CONFLICT,
    refusals.InsufficientFunds: HTTPStatus.CONFLICT,
    refusals.PositionLimit: HTTPStatus.CONFLICT,
    refusals.NotFilledAtOnce: HTTPStatus.CONFLICT,
    refusals.UnknownOrder: HTTPStatus.NOT_FOUND,
    refusals.KeyReused: HTTPStatus.CONFLICT,
    refusals.SettlementWaits: HTTPStatus.CONFLICT,
    refusals.DayNotReady: HTTPStatus.CONFLICT,
}

WORDS: dict[int, tuple[str, str]] = {
    400: ("This request could not be read", "Something in the address or the form was not as it should be."),
    403: ("This is not yours to see", "Sign in with the account it belongs to."),
    404: ("There is no such page", "The address may be mistyped, or the page may never have been here."),
    405: ("This cannot be done here", "Go back to the page before, and use its links and buttons."),
    409: ("This could not be done", "Something changed since the page was made. Go back and look again."),
    413: ("That is too much at once", "The form was larger than anything this site asks for."),
    429: ("Too many attempts", "Wait a little, then try again."),
    500: ("Something broke on our side", "It has been noted. Nothing was booked; trying again is safe."),
}


@dataclass(frozen=True)
class ErrorPage:
    """`heading` and `explanation` say what happened; `detail` is this case's own sentence, "" for none."""

    template: ClassVar[str] = "error.html"
    status: int
    heading: str
    explanation: str
    detail: str

    @property
    def title(self) -> str:
        return self.heading


def install(app: Flask) -> None:
    """Answer every refusal and every fault with a page in words."""
    app.register_error_handler(MarketError, _refused)
    app.register_error_handler(BadParameter, lambda error: error_page(400, str(error)))
    app.register_error_handler(CSRFError, _form_expired)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _fault)


def status_of(error: MarketError) -> HTTPStatus:
    """The HTTP status of a refusal."""
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def error_page(status: int, detail: str = "", frame: Frame | None = None) -> ResponseReturnValue:
    """The page for `status`; `detail` is a sentence about this case."""
    heading, explanation = WORDS.get(status, (HTTPStatus(status).phrase, ""))
    return show(ErrorPage(status, heading, explanation, detail), status, frame)


def _refused(error: MarketError) -> ResponseReturnValue:
    status = status_of(error)
    if status >= 500:
        return _fault(error)
    return error_page(status, str(error))


def _http(error: HTTPException) -> ResponseReturnValue:
    if error.code is None or error.code < 400:
        return error.get_response()  # a redirect
    is_our_sentence = error.description != type(error).description  # else it is the library's, about servers
    response = error_page(error.code, (error.description or "") if is_our_sentence else "")
    kept = ("Allow", "Retry-After")
    headers = {name: value for name, value in error.get_headers() if name in kept}
    return response, headers  # type: ignore[return-value]


def _form_expired(error: CSRFError) -> ResponseReturnValue:
    detail = "The form belongs to another visit: you signed in or out since, or cookies are off. Reload it."
    return error_page(400, detail)


def _fault(error: Exception) -> ResponseReturnValue:
    current_app.logger.error("%s %s failed", request.method, request.path, exc_info=error)
    # The database may be what broke, so this page asks it for nothing.
    return error_page(500, frame=Frame.bare())
