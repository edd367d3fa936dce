"""Where a person is sent after a form: only to a page of this site, and only to one that can be read."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote, urljoin, urlsplit

from flask import current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import RequestRedirect

LONGEST_TARGET = 2000
_HERE = "http://here.invalid/"


def local_target(text: str | None) -> str | None:
    """The path, query and fragment of a page of this site, or None when `text` could lead elsewhere.

    Browsers drop tabs and line ends from an address, read a backslash as a slash and take `//name` for
    another host, so an address with any of these is refused whole, also when its path has them encoded.
    """
    if not text or len(text) > LONGEST_TARGET or not _is_plain(text):
        return None
    if not text.startswith("/") or text.startswith("//"):
        return None
    joined = urlsplit(urljoin(_HERE, text))
    if (joined.scheme, joined.netloc) != ("http", "here.invalid"):
        return None
    path = unquote(urlsplit(text).path)
    if path.startswith("//") or "\\" in path or _has_control(path):
        return None
    return text


def readable_target(text: str | None) -> str | None:
    """`local_target`, if this site answers a GET of it and it is not the address of a form."""
    target = local_target(text)
    if target is None:
        return None
    return target if _is_read(unquote(urlsplit(target).path)) else None


def after_form(text: str | None, default: str = "/") -> str:
    """Where to go after a form that named `text` as its next page."""
    return readable_target(text) or default


def _is_read(path: str) -> bool:
    """Whether a GET of the path is answered, and the path is not one that takes a form."""
    adapter = current_app.create_url_adapter(request)
    assert adapter is not None
    try:
        rule, _ = adapter.match(path, method="POST", return_rule=True)
        # A wider rule may answer a GET of the same address ("/<board>/<day>"), only to find nothing.
        return "GET" in (rule.methods or ())
    except RequestRedirect:
        return True  # a slash at the end was forgotten
    except MethodNotAllowed as only_read:
        return "GET" in (only_read.valid_methods or ())
    except HTTPException:
        return False


def _is_plain(text: str) -> bool:
    return "\\" not in text and not any(character.isspace() for character in text) and not _has_control(text)


def _has_control(text: str) -> bool:
    return any(unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs") for character in text)
