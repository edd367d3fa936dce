"""The web application: HTTP on top of the market. `create_app` makes one; nothing is made at import."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask
    from sqlalchemy import Engine

    from web.config import Settings

DEFAULT_DATABASE = "sqlite:///instance/peer-revenue.sqlite"  # of the commands and of the pages


def create_app(settings: Settings | None = None, engine: Engine | None = None) -> Flask:
    """An application on ``engine``, or on one made for ``settings.database_url``; its tables must be there.

    Raises `web.config.BadSettings`.
    """
    # Imported here, since the commands live in this package and most of them need no web framework.
    from web.application import make

    return make(settings, engine)
