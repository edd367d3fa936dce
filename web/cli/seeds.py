"""Where the seed documents are: package data, so that an installed wheel has them too."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def seed(name: str) -> Path:
    """The path of a file in seeds/, as "lexicon.toml"."""
    return Path(str(files("seeds"))) / name
