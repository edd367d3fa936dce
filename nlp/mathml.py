r"""TeX formulas to MathML Core, by math-core; what comes out may stand in a page as it is.

The converter escapes its input. Two things are added here: a formula is put into the TeX that the
converter knows (``\mbox``, ``\unicode``, bare ``%``, authors' commonest macros), and its output is
let through only as far as it is MathML: no style, no link, no other element.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from html import unescape

from math_core import LatexError, LatexToMathML

LONGEST = 2000  # code points; the longest of 46,000 formulas had 462
LONGEST_MARKUP = 40_000  # characters; a formula may define macros that expand a thousand times

_MACROS = {
    "R": r"\mathbb{R}", "N": r"\mathbb{N}", "Z": r"\mathbb{Z}", "C": r"\mathbb{C}", "Q": r"\mathbb{Q}",
    "F": r"\mathbb{F}", "E": r"\mathbb{E}", "Prob": r"\mathbb{P}", "Expect": r"\mathbb{E}", "Bbb": r"\mathbb",
    "calO": r"\mathcal{O}", "bigO": r"\mathcal{O}", "tildeO": r"\tilde{O}", "eps": r"\epsilon",
    "bW": r"\mathbf{W}", "db": r"\mathrm{dB}", "TV": r"\mathrm{TV}", "KL": r"\mathrm{KL}",
    "argmin": r"\operatorname*{arg\,min}", "argmax": r"\operatorname*{arg\,max}", "tr": r"\operatorname{tr}",
    "degree": r"^\circ", "xspace": "", "boldmath": "", "smash": "", "noindent": "", "textquoteright": "’",
}  # fmt: skip

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%")
_UNICODE = re.compile(r"\\unicode\s*\{(?:x([0-9A-Fa-f]{2,6})|([0-9]{2,7}))\}")
_LINK = re.compile(r"\\href\s*\{[^{}]*\}\s*\{")
_RENAMED = re.compile(
    r"\\(mbox|hbox|emph|textsc|textsf|textsl|textup|bm|boldsymbol(?=[^\s{\\A-Za-z]))(?![A-Za-z])"
)
_NEW_NAMES = {
    "mbox": r"\text", "hbox": r"\text", "emph": r"\textit", "textsc": r"\text", "textsf": r"\text",
    "textsl": r"\textit", "textup": r"\text", "bm": r"\boldsymbol", "boldsymbol": r"\boldsymbol ",
}  # fmt: skip
_TEXT = re.compile(r"(\\text(?:bf|it|tt|rm)?\s*\{)([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_OPERATOR = re.compile(r"\\operatorname\*?\s*\{(\\math[a-z]+\s*\{[^{}]*\})\}")
_UNKNOWN = re.compile(r'Unknown command "\\([A-Za-z]+)"')
_MOST_UNKNOWN = 5  # authors' macros in one formula
_SPECIAL = re.compile(r"(?<!\\)([_&#])")

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
_ALIGNED = {"text-align: left": "tex-left", "text-align: right": "tex-right"}


def formula_to_mathml(tex: str, *, display: bool) -> str | None:
    """One ``<math>`` element for a formula without its delimiters; None where it cannot be typeset.

    The element carries its TeX as an annotation, and no style, script or address: alignment in
    tables is left to the classes ``tex-left`` and ``tex-right``. Never raises.
    """
    tex = tex.strip()
    if not tex or len(tex) > LONGEST:
        return None
    return _convert(tex, display)


@lru_cache(maxsize=8_192)
def _convert(tex: str, display: bool) -> str | None:
    tex = prepared(tex)
    for _ in range(_MOST_UNKNOWN + 1):
        try:
            markup = _converter().convert_with_local_state(tex, displaystyle=display)
        except LatexError as error:
            known = _with_name_shown(tex, str(error))
            if known is None:
                return None
            tex = known
        except UnicodeError:  # half a surrogate pair
            return None
        else:
            return only_mathml(markup) if len(markup) <= LONGEST_MARKUP else None
    return None


@cache
def _converter() -> LatexToMathML:
    return LatexToMathML(macros=_MACROS, annotation=True, allow_unreliable_rendering=True, fancy_error=False)


def _with_name_shown(tex: str, message: str) -> str | None:
    """The formula with an author's macro shown by its name, as in running text.

    None where the message is about something else, or the macro takes an argument.
    """
    unknown = _UNKNOWN.search(message)
    if unknown is None:
        return None
    name = unknown[1]
    shown = re.sub(rf"\\{name}(?![A-Za-z])(?!\s*[{{\[])", rf"\\mathrm{{{name}}}", tex)
    return shown if shown != tex else None


def prepared(tex: str) -> str:
    """The formula in the TeX that the converter knows."""
    tex = _COMMENT.sub(r"\1\\%", tex)
    tex = _UNICODE.sub(_character, tex)
    tex = _LINK.sub(r"\\text{", tex)
    tex = _OPERATOR.sub(r"\1", tex)
    tex = _RENAMED.sub(lambda found: _NEW_NAMES[found[1]], tex)
    return _TEXT.sub(_text_group, tex)


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    return chr(code) if 0x20 < code <= 0x10FFFF else " "


def _text_group(found: re.Match[str]) -> str:
    """A group of text, its special characters escaped; formulas inside it step outside."""
    parts = found[2].split("$")
    if len(parts) % 2 == 0:
        return found.group()
    written = []
    for at, part in enumerate(parts):
        if at % 2:
            written.append(part)
        elif part:
            written.append(found[1] + _SPECIAL.sub(r"\\\1{}", part) + "}")
    return "".join(written) or "{}"


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
            kept += [f' class="{side}"' for rule, side in _ALIGNED.items() if rule in value]
    return f"<{closing}{name}{''.join(kept)}{empty}>"
