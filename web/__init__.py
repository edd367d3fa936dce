"""The web application: HTTP on top of the market. `create_app` makes one; nothing is made at import."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from flask import Flask
from flask_wtf import CSRFProtect
from jinja2 import StrictUndefined
from sqlalchemy import Engine

from market.db import engine_for
from web import assets, db, errors, filters, headers, preferences, rendering
from web.config import Settings, secret_key_of
from web.frame import SETTINGS

BLUEPRINTS = (
    "about", "papers", "terms", "trending", "preferences", "auth", "watching", "orders", "portfolio",
)  # fmt: skip
LARGEST_FORM = 64 * 1024


def create_app(settings: Settings | None = None, engine: Engine | None = None) -> Flask:
    """An application on ``engine``, or on one made for ``settings.database_url``; its tables must be there.

    Raises `web.config.BadSettings`.
    """
    settings = settings or Settings()  # type: ignore[call-arg]
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
        WTF_CSRF_SSL_STRICT=False,  # the Referer that it asks for is one we tell browsers not to send
    )
    _prepare_templates(app)
    headers.install(app)
    db.install(app, engine or engine_for(settings.database_url))
    errors.install(app)
    csrf = CSRFProtect(app)
    csrf.exempt(preferences.blueprint)  # colours are no secret, and guests then need no cookie
    for name in BLUEPRINTS:
        module = import_module(f"web.{name}")
        app.register_blueprint(module.blueprint)
    return app


def _prepare_templates(app: Flask) -> None:
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    filters.install(app)
    rendering.install(app)
    assets.install(app)
