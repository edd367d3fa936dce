"""The request's session: one for reading on GET and HEAD, one for writing on everything else.

It opens at the first question asked of it, which on a POST is the sign-in look-up: a write session holds the
write lock from then on, so that what was read is still true when it writes. Whatever is not committed by
`writes` is undone when the request ends.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import ParamSpec, TypeVar

import flask
from flask import Flask, current_app, g, request
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from market.db import ATTEMPTS, is_retried, pause, read_session, write_session

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

READING = frozenset({"GET", "HEAD", "OPTIONS"})
EXTENSION = "market.engine"


def install(app: Flask, engine: Engine) -> None:
    """Give ``app`` its engine, and close each request's session."""
    app.extensions[EXTENSION] = engine
    app.teardown_appcontext(lambda _error: _close())


def engine() -> Engine:
    """The engine of the running application."""
    found: Engine = current_app.extensions[EXTENSION]
    return found


def session() -> Session:
    """The session of this request, opened when first asked for."""
    if "session" not in g:
        g.session_stack = ExitStack()
        opened = read_session if request.method in READING else write_session
        g.session = g.session_stack.enter_context(opened(engine()))
    found: Session = g.session
    return found


def writes(view: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Commit what the view wrote, once it has returned; undo all of it if it raises.

    When the database asks for the transaction to be run again, the whole view is, sign-in look-up included,
    with the cookie as it came. Place it next to the function, below the route.
    """

    @wraps(view)
    def repeated(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        cookie = copy.deepcopy(dict(flask.session))
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = view(*args, **kwargs)
                session().commit()
                return answer
            except DBAPIError as error:
                if attempt == ATTEMPTS or not is_retried(error):
                    raise
                _start_again(cookie)
                pause(attempt)
        raise AssertionError("unreachable")

    return repeated


def rollback() -> None:
    """Undo what this request has written so far; the session can be used on."""
    session().rollback()


def _start_again(cookie: dict[str, object]) -> None:
    _close()
    g.pop("_login_user", None)  # Flask-Login's memory of who is signed in
    if dict(flask.session) != cookie:
        flask.session.clear()
        flask.session.update(cookie)


def _close() -> None:
    stack = g.pop("session_stack", None)
    g.pop("session", None)
    if stack is not None:
        stack.close()
