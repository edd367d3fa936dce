"""XML from elsewhere, opened safely: no entity is resolved, no DTD is taken, nothing is fetched."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from nlp.errors import UnknownSource
from nlp.sources import characters

Element = etree._Element

_MARK = "\x7f"  # stands for what XML forbids; it is allowed itself, and a flaw of any text
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\udc80-\udcff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:x0*(?P<hex>[0-9A-Fa-f]{1,6})|0*(?P<decimal>[0-9]{1,7}));")
_OTHER_ENCODING = re.compile(rb"""\s*<\?xml[^>]*\bencoding=["'](?!utf-8["'])""", re.IGNORECASE)


def document(data: bytes, origin: str) -> Element:
    """The root of a document; raises `UnknownSource` for an empty file, for what is no XML or breaks off, and
    for one with a DTD, which no feed has and attacks need.

    A character that XML forbids, or bytes that are not UTF-8, would make the whole document unreadable: there
    it is read with a mark in their place, which `flaw_of` finds, so that only the record is refused.
    """
    if not data.strip():
        raise UnknownSource(origin, "an empty file")
    try:
        root = _root(data)
    except etree.XMLSyntaxError as error:
        line = f"line {error.lineno}: " if error.lineno else ""
        reason = f"{line}not XML that can be read: {error.msg}"
        try:
            root = _root(_marked(data))
        except etree.XMLSyntaxError:
            raise UnknownSource(origin, reason) from None
    docinfo: Any = root.getroottree().docinfo
    if docinfo.doctype:
        raise UnknownSource(origin, "an XML document with a DTD, which is not read")
    return root


def text_of(parent: Element, path: str, names: dict[str, str]) -> str:
    """The text of the first element on the path, with that of all elements in it; "" where there is none."""
    found = parent.find(path, names)
    return _text(found) if found is not None else ""


def texts_of(parent: Element, path: str, names: dict[str, str]) -> list[str]:
    """The texts of all elements on the path, without empty ones."""
    return [text for found in parent.iterfind(path, names) if (text := _text(found))]


def line_of(element: Element) -> int:
    """The line that an element begins on."""
    line: Any = element.sourceline
    return line if isinstance(line, int) else 1


def flaw_of(record: Element) -> str | None:
    """What is wrong with the characters of a record, in any of its elements, or None."""
    text = "".join(map(str, record.itertext()))
    return "a control character, or bytes that are not UTF-8" if characters.flaw(text) else None


def _root(data: bytes) -> Element:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True,
        remove_pis=True,
    )  # fmt: skip
    return etree.fromstring(data, parser)


def _marked(data: bytes) -> bytes:
    """The document with a mark for everything that XML forbids, if it is one in UTF-8."""
    if _OTHER_ENCODING.match(data[:200]):
        return data
    text = _FORBIDDEN.sub(_MARK, data.decode("utf-8", "surrogateescape"))
    return _REFERENCE.sub(_reference, text).encode("utf-8", "surrogateescape")


def _reference(found: re.Match[str]) -> str:
    code = int(found["hex"], 16) if found["hex"] else int(found["decimal"])
    is_allowed = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF and not _FORBIDDEN.match(chr(code))
    return found[0] if is_allowed else _MARK


def _text(element: Element) -> str:
    return "".join(map(str, element.itertext())).strip()
