"""How the application is put together: settings, database, templates, and the pages as blueprints."""

from __future__ import annotations

from pathlib import Path

from flask import Flask
from flask_wtf import CSRFProtect
from jinja2 import StrictUndefined
from sqlalchemy import Engine

from market.db import engine_for
from web import (
    about,
    assets,
    auth,
    comparing,
    db,
    errors,
    filters,
    headers,
    judgements,
    known,
    leaderboard,
    limit_orders,
    orders,
    overview,
    papers,
    portfolio,
    preferences,
    record,
    rendering,
    statements,
    terms,
    trending,
    watching,
)
from web.config import Settings, load_settings, secret_key_of
from web.frame import SETTINGS

PAGES = (
    about, papers, terms, trending, comparing, overview, preferences, auth, watching, orders, limit_orders,
    portfolio, judgements, leaderboard, record, statements,
)  # fmt: skip
LARGEST_FORM = 64 * 1024


def make(settings: Settings | None, engine: Engine | None) -> Flask:
    """See `web.create_app`."""
    settings = settings or load_settings()
    folder = str(settings.instance_folder.resolve())
    app = Flask("web", root_path=str(Path(__file__).parent), instance_path=folder)
    app.extensions[SETTINGS] = settings
    app.config.from_mapping(
        SECRET_KEY=secret_key_of(settings),
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.production,
        MAX_CONTENT_LENGTH=LARGEST_FORM,
        MAX_FORM_MEMORY_SIZE=LARGEST_FORM,
        WTF_CSRF_TIME_LIMIT=None,  # people read a page for longer than any limit; the session is what expires
        WTF_CSRF_SSL_STRICT=False,  # a browser may send no Referer, and the token stands without
    )
    _prepare_templates(app)
    headers.install(app)
    db.install(app, engine or engine_for(settings.database_url))
    errors.install(app)
    known.install(app)
    leaderboard.install(app)
    csrf = CSRFProtect(app)
    csrf.exempt(preferences.blueprint)  # colours are no secret, and guests then need no cookie
    for module in PAGES:
        app.register_blueprint(module.blueprint)
    return app


def _prepare_templates(app: Flask) -> None:
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    filters.install(app)
    rendering.install(app)
    assets.install(app)
