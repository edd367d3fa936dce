"""Braces: most only group, and are left out; some stand for themselves."""

from __future__ import annotations

import re

from nlp.typesetting.scan import Scan
from nlp.typesetting.symbols import SUBSCRIPTS, SUPERSCRIPTS, raised

# "{0, 1}", "Qwen3-{0.6B, 8B}": a short list in braces is meant to be seen, and so are its braces.
_LIST = re.compile(r"\{[^{}\\,$]{1,24}(?:,[^{}\\,$]{1,24}){1,20}\}")

WORD = re.compile(r"[^\W_]+")  # letters and digits, up to the first other character


def take_open_brace(scan: Scan, at: int) -> int:
    """Leave out the brace that opens a group, and its partner when the walk comes to it."""
    end = scan.partner(at)
    if end is None:
        after = at + 1
        while scan.source.startswith("{", after) and scan.partner(after) is None:
            after += 1
        scan.skip(at, after)
        return after
    before = scan.source[at - 1 : at] if at else ""
    if before in ("^", "_") and at - 1 >= scan.plain:
        return _take_script(scan, at, end, before)
    opening, closing = "", ""
    if not before.isdigit() and _LIST.fullmatch(scan.source, at, end + 1):
        opening, closing = "{", "}"
    elif at in scan.gaps:
        opening = " "
    open_group(scan, at, at + 1, end, opening, closing)
    return at + 1


def open_group(scan: Scan, start: int, inside: int, end: int, opening: str = "", closing: str = "") -> None:
    """Pass the markup [start, inside), and enter the group that the brace at ``end`` closes."""
    scan.put(opening, start, inside)
    scan.open(scan.style, end, scan.content)
    scan.closers[end] = (end + 1, closing)


def take_close_brace(scan: Scan, at: int) -> int:
    """A brace that closes nothing is left out."""
    after = at + 1
    while scan.source.startswith("}", after) and after not in scan.closers:
        after += 1
    scan.skip(at, after)
    return after


def _take_script(scan: Scan, at: int, end: int, sign: str) -> int:
    """``10^{-6}`` outside a formula: raised digits where Unicode has them, else brackets."""
    table = SUPERSCRIPTS if sign == "^" else SUBSCRIPTS
    text = raised(scan.source, at + 1, end, table)
    if text is not None:
        scan.put(text, at - 1, end + 1)
        return end + 1
    brackets = ("", "") if WORD.fullmatch(scan.source, at + 1, end) else ("(", ")")
    open_group(scan, at, at + 1, end, *brackets)
    return at + 1
