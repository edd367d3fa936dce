"""Static files under addresses that change with their content, so that browsers may keep them for a year."""

from __future__ import annotations

import hashlib
from pathlib import Path

from flask import Flask, request, url_for

FOREVER = "public, max-age=31536000, immutable"
_EXTENSION = "web.assets"


def install(app: Flask) -> None:
    """Read the static files' hashes and give templates `asset(name)`."""
    assert app.static_folder is not None
    folder = Path(app.static_folder)
    hashes = {path.name: _hash(path) for path in sorted(folder.iterdir()) if path.is_file()}
    app.extensions[_EXTENSION] = hashes

    def asset(name: str) -> str:
        """The address of the static file `name`; KeyError for one that is not there."""
        return url_for("static", filename=name, v=hashes[name])

    app.jinja_env.globals["asset"] = asset


def is_current(app: Flask) -> bool:
    """Whether this request asks for a static file by the hash of what it is going to get."""
    if request.endpoint != "static" or request.view_args is None:
        return False
    hashes: dict[str, str] = app.extensions[_EXTENSION]
    return request.args.get("v") == hashes.get(request.view_args["filename"])


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
