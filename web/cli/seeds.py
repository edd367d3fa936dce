"""The seed documents: package data, so that an installed wheel has them too; the lexicon among them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Engine


def seed(name: str) -> Path:
    """The path of a file in seeds/, as "lexicon.toml"."""
    return Path(str(files("seeds"))) / name


def install_seed_lexicon(engine: Engine) -> None:
    """Bring the terms that come with the program into the database, where papers are read into it."""
    from market.db import transact
    from market.intake import install_lexicon
    from nlp.lexicon import load_lexicon
    from web.cli.settings import settings

    lexicon = load_lexicon(seed("lexicon.toml"))
    transact(engine, lambda session: install_lexicon(session, lexicon, settings().now()))
