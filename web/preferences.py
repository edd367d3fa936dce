"""How a reader wants the pages: light, dark or as the system; with prices in the text or without."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from web.frame import THEME_COOKIE, THEMES, VIEW_COOKIE, VIEWS, settings
from web.parameters import one_of
from web.redirects import after_form

blueprint = Blueprint("preferences", __name__)
ONE_YEAR = 365 * 24 * 60 * 60


@blueprint.post("/preferences")
def change() -> AnyResponse:
    """Keep a choice in a cookie of its own, which names nobody, and go back to the page."""
    response = redirect(after_form(request.form.get("next")), 303)
    _keep(response, THEME_COOKIE, THEMES)
    _keep(response, VIEW_COOKIE, VIEWS)
    return response


def _keep(response: Response | AnyResponse, name: str, choices: tuple[str, ...]) -> None:
    value = request.form.get(name)
    if value is None:
        return
    kept = one_of(name, value, choices)
    secure = settings().production
    response.set_cookie(name, kept, max_age=ONE_YEAR, secure=secure, httponly=True, samesite="Lax")
