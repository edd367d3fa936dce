"""Characters beyond printable ASCII: which are kept, which are spelled out, which are left out."""

from __future__ import annotations

import re
from unicodedata import combining

from nlp.typesetting.scan import Scan

_MARKS_KEPT = 30  # a stream-safe text has no more marks in a row (Unicode Standard Annex 15, section 13)

_JOINERS = "\u200c\u200d"  # needed by Persian and by emoji, noise inside an ASCII word

_FOLDED: dict[str, str] = {
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st",
    "\ufb06": "st", "\u2010": "-", "\u2011": "-",
}  # fmt: skip


def _span(first: int, last: int) -> str:
    return f"{chr(first)}-{chr(last)}"


# Left out: controls; soft hyphen; zero-width characters; directions, which could make a page show
# other words than it holds; U+FFFC, which stands for a formula; halves of surrogate pairs, which
# no encoding can write; tags.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u180e\u200b\u200e\u200f"
    + _span(0x202A, 0x202E)
    + _span(0x2060, 0x206F)
    + "\ufeff"
    + _span(0xFFF0, 0xFFFC)
    + _span(0xD800, 0xDFFF)
    + _span(0xE0000, 0xE0FFF)
    + "]+"
)


def take_other(scan: Scan, at: int) -> int:
    """A control character or one beyond ASCII: most stay as they are."""
    char = scan.source[at]
    if char in _FOLDED:
        scan.put(_FOLDED[char], at, at + 1)
        return at + 1
    if char.isalnum():
        return at + 1  # a letter is seen, joins nothing and is no mark
    if unseen := _UNSEEN.match(scan.source, at):
        scan.skip(at, unseen.end())
        return unseen.end()
    if combining(char):
        scan.marks = scan.marks + 1 if combining(scan.previous(at)) else 1
        if scan.marks > _MARKS_KEPT:
            scan.skip(at, at + 1)
    elif char in _JOINERS and scan.previous(at).isascii():
        scan.skip(at, at + 1)
    return at + 1


def clean(raw: str) -> str:
    """A raw string without unseen characters, its white space collapsed and its ligatures spelled out."""
    raw = " ".join(_UNSEEN.sub("", raw).split())
    return raw if raw.isascii() else "".join(_FOLDED.get(char, char) for char in raw)


def keep_visible(raw: str) -> str:
    """A raw string without unseen characters, the rest as it is: the TeX of a formula."""
    return _UNSEEN.sub("", raw)
