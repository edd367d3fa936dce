"""White space, dashes, quotes, apostrophes and ties of running text."""

from __future__ import annotations

import re

from nlp.records import RunKind
from nlp.typesetting.scan import Scan

_BREAK = re.compile(r"\n[ \t]{2,}|\n\s*\n")  # what parts two paragraphs: an indented or an empty line
_SPACE = re.compile(r"\s+")
_HYPHENS = re.compile(r"-+")
_DASHES = {2: "–", 3: "—"}
# A dash that is glued to the word after it has a fellow; a flag has none.
_FLAG = re.compile(r"--[a-z][a-z0-9]*(?![^\n]{0,120}\w--(?![A-Za-z-]))")
_CODE = re.compile(r"`([^`'\n]{1,120})`(?!`)")

_BEFORE_ABOUT = " \n([<>≤≥"
_ABOUT = re.compile(r"~(?:[0-9$ /]|\\\$)")
_RANGE = re.compile(r"~[0-9]")
_YEAR = re.compile(r"`[0-9]{2}(?![0-9A-Za-z`'])")

_OPENERS = " \n([{—–-/“‘\"'=~"  # what may stand before an opening quote


def take_space(scan: Scan, at: int) -> int:
    """Any white space becomes one blank, or a break between paragraphs."""
    space = _SPACE.match(scan.source, at)
    if space is None:
        return at + 1
    end = space.end()
    if scan.paragraphs and _BREAK.search(space.group()) and scan.style is not RunKind.LINK:
        scan.put_paragraph(at, end)
    elif space.group() != " ":
        scan.put(" ", at, end)
    return end


def take_hyphen(scan: Scan, at: int) -> int:
    """``--`` and ``---`` are dashes, but neither in code nor in a command-line flag."""
    hyphens = _HYPHENS.match(scan.source, at)
    end = hyphens.end() if hyphens else at + 1
    dash = _DASHES.get(end - at)
    if dash is None or scan.style is RunKind.CODE:
        return end
    if scan.previous(at) in " \n(“‘" and _FLAG.match(scan.source, at):
        return end
    scan.put(dash, at, end)
    return end


def take_tie(scan: Scan, at: int) -> int:
    """``~`` is a blank between two words; itself where it says "about", gives a range or begins a path."""
    before = scan.previous(at)
    if before in _BEFORE_ABOUT and _ABOUT.match(scan.source, at):
        return at + 1
    if before in "0123456789%" and _RANGE.match(scan.source, at):
        return at + 1
    scan.put(" ", at, at + 1)
    return at + 1


def take_double_quote(scan: Scan, at: int) -> int:
    """A straight ``"`` is made curly where what stands around it leaves no doubt."""
    if scan.style is not RunKind.CODE:
        put_double_quote(scan, at, at + 1)
    return at + 1


def put_double_quote(scan: Scan, start: int, end: int) -> None:
    """Write the double quote at [start, end): opening, closing, or straight where it could be both."""
    before, after = scan.previous(start), scan.source[end : end + 1]
    opens = before in _OPENERS and bool(after) and not after.isspace()
    closes = scan.quote_open and not before.isspace() and not after.isalnum()
    if closes and not (opens and before.isspace()):
        _put_quote(scan, "”", start, end)
    elif opens and not scan.quote_open:
        _put_quote(scan, "“", start, end)
    elif end > start + 1:
        scan.put('"', start, end)


def take_single_quote(scan: Scan, at: int) -> int:
    """``'`` is an apostrophe, a closing or an opening quote; ``''`` closes what was opened."""
    source = scan.source
    if scan.style is RunKind.CODE:
        return at + 1
    before, after = scan.previous(at), source[at + 1 : at + 2]
    if after == "'":
        opens = before in _OPENERS and not scan.quote_open and source[at + 2 : at + 3].isalnum()
        _put_quote(scan, "“" if opens else "”", at, at + 2)
        return at + 2
    if before.isdigit() and not after.isalpha():
        return at + 1  # feet, minutes, or a prime
    opens = before in _OPENERS and after.isalpha()
    scan.put("‘" if opens else "’", at, at + 1)
    return at + 1


def take_backtick(scan: Scan, at: int) -> int:
    """Two backticks open a quote; one opens a single quote, a piece of code, or is an apostrophe."""
    source = scan.source
    if scan.style is RunKind.CODE:
        return at + 1
    if source.startswith("``", at):
        _put_quote(scan, "“", at, at + 2)
        return at + 2
    if scan.previous(at).isalpha() or _YEAR.match(source, at):
        scan.put("’", at, at + 1)
    elif code := _CODE.match(source, at):
        scan.skip(at, at + 1)
        scan.open(RunKind.CODE, code.end() - 1)
        scan.closers[code.end() - 1] = (code.end(), "")
    else:
        scan.put("‘", at, at + 1)
    return at + 1


def _put_quote(scan: Scan, quote: str, start: int, end: int) -> None:
    scan.put(quote, start, end)
    scan.quote_open = quote == "“"
