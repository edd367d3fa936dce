"""XML from elsewhere, opened safely: no entity is resolved, no DTD is taken, nothing is fetched."""

from __future__ import annotations

from typing import Any

from lxml import etree

from nlp.errors import UnknownSource
from nlp.sources import characters

Element = etree._Element


def document(data: bytes, origin: str) -> Element:
    """The root of a document; raises `UnknownSource` for an empty file, for what is no XML or breaks off, and
    for one with a DTD, which no feed has and attacks need."""
    if not data.strip():
        raise UnknownSource(origin, "an empty file")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = f"line {error.lineno}: " if error.lineno else ""
        raise UnknownSource(origin, f"{line}not XML that can be read: {error.msg}") from None
    docinfo: Any = root.getroottree().docinfo
    if docinfo.doctype:
        raise UnknownSource(origin, "an XML document with a DTD, which is not read")
    return root


def text_of(parent: Element, path: str, names: dict[str, str]) -> str:
    """The text of the first element on the path, "" where there is none; what is nested in it is left out."""
    found = parent.find(path, names)
    return (found.text or "").strip() if found is not None else ""


def texts_of(parent: Element, path: str, names: dict[str, str]) -> list[str]:
    """The texts of all elements on the path, without empty ones."""
    return [text for found in parent.iterfind(path, names) if (text := (found.text or "").strip())]


def line_of(element: Element) -> int:
    """The line that an element begins on."""
    line: Any = element.sourceline
    return line if isinstance(line, int) else 1


def flaw_in(*texts: str) -> str | None:
    """The first flaw in the characters of some texts."""
    return next((reason for text in texts if (reason := characters.flaw(text))), None)
