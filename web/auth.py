"""Signing up, in and out. The cookie of a session holds the trader's random session key and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import flask
from flask import Blueprint, Flask, redirect, request, url_for
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue
from flask_login import LoginManager, login_user
from werkzeug.wrappers import Response

from market.db import read_session
from market.errors import NameTaken
from market.money import GRANT_UNITS, UNITS_PER_CREDIT
from market.traders import InvalidName, find_trader, open_trader, trader_by_session_key
from web import db, frame
from web.attempts import WRONG_STATUS, Attempts
from web.forms import SignUpForm, read_sign_up
from web.names import LONGEST_NAME, NAME_RULE, PASSWORD_RULE, name_fault, normal_name
from web.passwords import hash_password, is_password
from web.redirects import after_form

blueprint = Blueprint("auth", __name__)

_SESSION_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
WRONG = "The name or the password is wrong."
REASONS = {
    "watch": "Sign in, and then press Watch on the page you come back to.",
    "order": "Sign in, and you come back to the quote, made anew.",
}


@dataclass(frozen=True)
class SignedIn:
    """The trader who is signed in, as Flask-Login wants to know them."""

    id: int
    name: str
    session_key: str
    is_authenticated: ClassVar[bool] = True
    is_active: ClassVar[bool] = True
    is_anonymous: ClassVar[bool] = False

    def get_id(self) -> str:
        return self.session_key


@dataclass(frozen=True)
class SignInPage:
    """`next_page` is where signing in leads; `reason` says why it is asked for; `fault` is "" at first."""

    template: ClassVar[str] = "sign_in.html"
    title: ClassVar[str] = "Sign in"
    name: str
    next_page: str
    reason: str = ""
    fault: str = ""


@dataclass(frozen=True)
class SignUpPage:
    """`grant_units` is the play money that a new account starts with."""

    template: ClassVar[str] = "sign_up.html"
    title: ClassVar[str] = "Sign up"
    name: str
    next_page: str
    faults: Mapping[str, str]
    name_rule: str = NAME_RULE
    password_rule: str = PASSWORD_RULE
    grant_units: int = GRANT_UNITS


def sign_in_first(next_page: str, reason: str = "") -> Response:
    """Send a guest to sign in, and from there to `next_page`, which must be one that can be read."""
    return redirect(url_for("auth.sign_in", next=next_page, reason=reason or None))


@blueprint.get("/sign-in")
def sign_in() -> ResponseReturnValue:
    if frame.trader_id() is not None:
        return redirect(_next())
    return frame.show(SignInPage("", _next(), REASONS.get(request.args.get("reason", ""), "")))


@blueprint.post("/sign-in")
def check_sign_in() -> ResponseReturnValue:
    trader = _verified(normal_name(request.form.get("name", "")), request.form.get("password", ""))
    if trader is None:
        return frame.show(SignInPage(_typed_name(), _next(), fault=WRONG), WRONG_STATUS)
    _begin_session(trader)
    return redirect(_next())


@blueprint.get("/sign-up")
def sign_up() -> ResponseReturnValue:
    if frame.trader_id() is not None:
        return redirect(_next())
    return frame.show(SignUpPage("", _next(), {}))


@blueprint.post("/sign-up")
@db.writes
def open_account() -> ResponseReturnValue:
    form = read_sign_up(request.form)
    if form.faults:
        return _sign_up_again(form, form.faults, 400)
    hashed = hash_password(form.password)  # before the session opens: it takes long, and others wait to write
    try:
        trader = open_trader(db.session(), form.name, hashed, frame.now())
    except (NameTaken, InvalidName) as error:
        return _sign_up_again(form, {"name": str(error)}, 409 if isinstance(error, NameTaken) else 400)
    _begin_session(SignedIn(_number(trader.id), trader.name, trader.session_key))
    credits = GRANT_UNITS // UNITS_PER_CREDIT
    flask.flash(f"Welcome, {trader.name}. Your account starts with {credits:,} credits of play money.")
    return redirect(_next())


@blueprint.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    flask.session.clear()
    return redirect(_next())


def _next() -> str:
    return after_form(request.values.get("next"))


def _typed_name() -> str:
    return request.form.get("name", "")[:LONGEST_NAME]


def _sign_up_again(form: SignUpForm, faults: Mapping[str, str], status: int) -> flask.Response:
    return frame.show(SignUpPage(form.name, _next(), faults), status)


def _begin_session(trader: SignedIn) -> None:
    """A new session: whatever an earlier visitor of this browser, or a forged cookie, had in it is gone."""
    flask.session.clear()
    flask.session.permanent = True
    login_user(trader)


def _verified(name: str, password: str) -> SignedIn | None:
    """Whose name and password these are. Reads only, so nobody waits while the hash is computed."""
    who, hashed = None, None
    if name_fault(name) is None:
        with read_session(db.engine()) as session:
            trader = find_trader(session, name)
            if trader is not None:
                who = SignedIn(_number(trader.id), trader.name, trader.session_key)
                hashed = trader.password_hash
    return who if is_password(password, hashed) else None


def _load(session_key: object) -> SignedIn | None:
    if not (isinstance(session_key, str) and _SESSION_KEY.fullmatch(session_key)):
        return None  # a cookie of another program under the same name and key
    trader = trader_by_session_key(db.session(), session_key)
    return None if trader is None else SignedIn(_number(trader.id), trader.name, trader.session_key)


def _number(stored: int | None) -> int:
    assert stored is not None  # every stored row has one
    return stored


def _refuse_sign_in(minutes: int) -> flask.Response:
    return frame.show(SignInPage(_typed_name(), _next(), fault=_wait(minutes)), 429)


def _refuse_sign_up(minutes: int) -> flask.Response:
    return frame.show(SignUpPage(_typed_name(), _next(), {"name": _wait(minutes)}), 429)


def _wait(minutes: int) -> str:
    return f"Too many attempts. Try again in {minutes} {'minute' if minutes == 1 else 'minutes'}."


def _install(state: BlueprintSetupState) -> None:
    app = state.app
    assert isinstance(app, Flask)
    manager = LoginManager(app)
    # An address changes with the network that somebody reads from; the random key is what ends a session.
    manager.session_protection = None
    manager.user_loader(_load)
    attempts = Attempts(app)
    attempts.limit_sign_ins("auth.check_sign_in", _refuse_sign_in)
    attempts.limit_sign_ups("auth.open_account", _refuse_sign_up)


blueprint.record_once(_install)  # after the routes above, which it limits
