"""Markdown emphasis and links, the few HTML tags that authors use, and entities."""

from __future__ import annotations

import re
from html import unescape

from nlp.records import RunKind
from nlp.typesetting.characters import clean
from nlp.typesetting.links import safe_address
from nlp.typesetting.scan import Scan
from nlp.typesetting.symbols import SUBSCRIPTS, SUPERSCRIPTS, raised

_STRONG = re.compile(r"\*\*(?=[^\s*])[^*\n]{1,300}(?<!\s)\*\*(?!\*)")
_STAR = re.compile(r"\*(?=[^\s*])[^*\n]{1,300}(?<!\s)\*(?![\w*])")
_UNDERLINE = re.compile(r"_(?=[^\W_])[^_\n]{1,300}(?<![\s_])_(?![\w])")
_ADDRESS = r"https?://[^\s()<>]{1,500}(?:\([^\s()<>]{0,99}\)[^\s()<>]{0,99}){0,3}"
_LINK = re.compile(rf"\[([^\[\]\n]{{1,200}})\]\(({_ADDRESS})\)")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG = re.compile(r"<(/?)(b|i|em|strong|code|tt|sub|sup|br|p)\s*/?>", re.IGNORECASE)
_BEFORE_EMPHASIS = " \n([{—–-/“‘\"'"
_TAG_REACH = 1000  # how far from a tag its end is looked for

_TAGS = {
    "b": RunKind.STRONG, "strong": RunKind.STRONG, "i": RunKind.EMPHASIS, "em": RunKind.EMPHASIS,
    "code": RunKind.CODE, "tt": RunKind.CODE,
}  # fmt: skip


def take_star(scan: Scan, at: int) -> int:
    """``**x**`` and ``*x*`` around whole words; ``a*b*c`` is arithmetic."""
    source = scan.source
    if scan.style is RunKind.CODE or scan.previous(at) not in _BEFORE_EMPHASIS:
        return _after(source, at, "*")
    if strong := _STRONG.match(source, at):
        return _open(scan, RunKind.STRONG, at, strong.end(), 2)
    if star := _STAR.match(source, at):
        return _open(scan, RunKind.EMPHASIS, at, star.end(), 1)
    return _after(source, at, "*")


def take_underscore(scan: Scan, at: int) -> int:
    """``_x_`` around whole words; ``x_i_j`` and ``__init__`` are names."""
    if scan.style is not RunKind.CODE and scan.previous(at) in _BEFORE_EMPHASIS:
        underlined = _UNDERLINE.match(scan.source, at)
        if underlined:
            return _open(scan, RunKind.EMPHASIS, at, underlined.end(), 1)
    return _after(scan.source, at, "_")


def take_bracket(scan: Scan, at: int) -> int:
    """``[text](https://...)`` is a link; any other bracket is itself."""
    link = _LINK.match(scan.source, at)
    address = safe_address(scan.source, *link.span(2)) if link else None
    if link is None or address is None:
        return at + 1
    scan.skip(at, at + 1)
    scan.open(RunKind.LINK, link.end(1), address)
    scan.closers[link.end(1)] = (link.end(), "")
    return at + 1


def take_ampersand(scan: Scan, at: int) -> int:
    """An HTML entity is decoded once, and what comes out is text that nobody reads again."""
    entity = _ENTITY.match(scan.source, at)
    if entity is None or (decoded := unescape(entity.group())) == entity.group():
        return at + 1
    scan.put(" " if decoded.isspace() else clean(decoded), at, entity.end())
    return entity.end()


def take_less_than(scan: Scan, at: int) -> int:
    """A known tag that is closed again is markup; ``<think>``, ``a < b`` and the rest are text."""
    source = scan.source
    tag = _TAG.match(source, at)
    if tag is None:
        return at + 1
    name, inside = tag[2].lower(), tag.end()
    if name in ("br", "p"):
        if scan.paragraphs and name == "p":
            scan.put_paragraph(at, inside)
        else:
            scan.put(" ", at, inside)
        return inside
    end = -1 if tag[1] else source.find(f"</{tag[2]}>", inside, inside + _TAG_REACH)
    if end < 0:
        return at + 1
    after = end + len(tag[2]) + 3
    if name in ("sub", "sup"):
        text = raised(source, inside, end, SUPERSCRIPTS if name == "sup" else SUBSCRIPTS)
        if text is not None:
            scan.put(text, at, after)
            return after
    scan.skip(at, inside)
    scan.open(_TAGS.get(name, RunKind.TEXT), end)
    scan.closers[end] = (after, "")
    return inside


def _open(scan: Scan, kind: RunKind, at: int, end: int, width: int) -> int:
    scan.skip(at, at + width)
    scan.open(kind, end - width)
    scan.closers[end - width] = (end, "")
    return at + width


def _after(source: str, at: int, char: str) -> int:
    """Past a row of the same character, so that ``**`` is not looked at twice."""
    while source.startswith(char, at):
        at += 1
    return at
