"""The converter's output, let through only as far as it is MathML: no style, no link, no other element."""

from __future__ import annotations

import re
from html import unescape

_TAG = re.compile(r"<(/?)([a-z]+)((?:\s[a-z-]+=\"[^\"<>]*\")*)\s*(/?)>")
_ATTRIBUTE = re.compile(r'\s([a-z-]+)="([^"]*)"')
_ELEMENTS = frozenset((
    "math", "semantics", "annotation", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt",
    "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts",
    "mtable", "mtr", "mtd", "mpadded", "mphantom", "merror",
))  # fmt: skip
_HTML_IN_TEXT = frozenset(("b", "i", "code", "span", "a"))
_ATTRIBUTES = frozenset((
    "display", "displaystyle", "scriptlevel", "encoding", "accent", "accentunder", "stretchy", "symmetric",
    "largeop", "movablelimits", "form", "fence", "separator", "lspace", "rspace", "minsize", "maxsize",
    "width", "height", "depth", "voffset", "linethickness", "mathvariant", "columnspan", "rowspan",
))  # fmt: skip
# Markup of nothing but these: what `only_mathml` would give back unchanged, told in one pass of the engine.
_MATHML = re.compile(
    rf"(?=<math)(?:[^<>&]++|&(?:amp|lt|gt);|</?(?:{'|'.join(sorted(_ELEMENTS))})"
    rf"(?: (?:{'|'.join(sorted(_ATTRIBUTES))})=\"[^\"<>]*\")*/?>)*+"
)
_DRAWN_BACK = re.compile(r'(?<=<mspace) style="[^"<>]*"')  # between primes, by hundreds in hostile input
# How a cell of a table stands: the rule that says it, the one that says it touches its neighbour, the class
_ALIGNED = (
    ("text-align: left", "padding-left: 0", "tex-left"),
    ("text-align: right", "padding-right: 0", "tex-right"),
)


def only_mathml(markup: str) -> str | None:
    """The converter's output without anything that is not MathML; None if that cannot be told."""
    markup = _DRAWN_BACK.sub("", markup).replace("&ApplyFunction;", "\u2061")
    if _MATHML.fullmatch(markup):
        return markup
    pieces = []
    at = 0
    for tag in _TAG.finditer(markup):
        pieces.append(_escaped(markup[at : tag.start()]))
        pieces.append(_checked(tag))
        at = tag.end()
    pieces.append(_escaped(markup[at:]))
    if None in pieces or not markup.startswith("<math"):
        return None
    return "".join(piece for piece in pieces if piece)


def _escaped(text: str) -> str | None:
    """Text between two tags, with the entities that only HTML knows spelled out."""
    if "<" in text or ">" in text:
        return None
    if "&" in text:
        text = unescape(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


def _checked(tag: re.Match[str]) -> str | None:
    """A tag of MathML with the attributes that are let through; None for an unknown element."""
    closing, name, attributes, empty = tag.groups()
    if name in _HTML_IN_TEXT:
        return ""
    if name == "menclose":  # not in MathML Core
        name, attributes = "mrow", ""
    if name not in _ELEMENTS:
        return None
    kept = []
    for attribute, value in _ATTRIBUTE.findall(attributes):
        if attribute in _ATTRIBUTES:
            kept.append(f' {attribute}="{value}"')
        elif attribute == "style":
            kept += [
                f' class="{name}{" tex-flush" * (touching in value)}"'
                for rule, touching, name in _ALIGNED
                if rule in value
            ]
    return f"<{closing}{name}{''.join(kept)}{empty}>"
