r"""A formula put into the TeX that the converter knows: ``\mbox``, bare ``%``, authors' macros."""

from __future__ import annotations

import re

MACROS = {
    "R": r"\mathbb{R}", "N": r"\mathbb{N}", "Z": r"\mathbb{Z}", "C": r"\mathbb{C}", "Q": r"\mathbb{Q}",
    "F": r"\mathbb{F}", "E": r"\mathbb{E}", "Prob": r"\mathbb{P}", "Expect": r"\mathbb{E}", "Bbb": r"\mathbb",
    "calO": r"\mathcal{O}", "bigO": r"\mathcal{O}", "tildeO": r"\tilde{O}", "eps": r"\epsilon",
    "bW": r"\mathbf{W}", "db": r"\mathrm{dB}", "TV": r"\mathrm{TV}", "KL": r"\mathrm{KL}",
    "argmin": r"\operatorname*{arg\,min}", "argmax": r"\operatorname*{arg\,max}", "tr": r"\operatorname{tr}",
    "norm": r"\left\lVert #1\right\rVert", "abs": r"\left\lvert #1\right\rvert",
    "ensuremath": "#1", "num": "#1", "nicefrac": r"\frac{#1}{#2}", "sfrac": r"\frac{#1}{#2}",
    "mathds": r"\mathbb", "mathbbm": r"\mathbb", "textsuperscript": r"^{\text{#1}}",
    "textsubscript": r"_{\text{#1}}", "textdegree": r"^\circ",
    "degree": r"^\circ", "xspace": "", "boldmath": "", "smash": "", "noindent": "", "textquoteright": "’",
}  # fmt: skip

# Since 2025-11 arXiv spells Greek in Unicode, in formulas too: `\epsilon` comes as "ε" (`\varepsilon` stays),
# `\phi` as "φ", and a capital, which TeX sets upright, as a letter that would be set in italics.
_GREEK = {
    "ε": "ϵ", "φ": "ϕ", "Γ": "\\Gamma ", "Δ": "\\Delta ", "Θ": "\\Theta ", "Λ": "\\Lambda ", "Ξ": "\\Xi ",
    "Π": "\\Pi ", "Σ": "\\Sigma ", "Υ": "\\Upsilon ", "Φ": "\\Phi ", "Ψ": "\\Psi ", "Ω": "\\Omega ",
}  # fmt: skip
_GREEK_OR_TEXT = re.compile(
    rf"\\(?:text|mbox|hbox|emph)[a-z]*\s*\{{(?:[^{{}}]++|\{{[^{{}}]*\}})*+\}}|[{''.join(_GREEK)}]"
)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%")
_UNICODE = re.compile(r"\\unicode\s*\{(?:x([0-9A-Fa-f]{2,6})|([0-9]{2,7}))\}")
_DROPPED = re.compile(r"\\(?:label|tag\*?|vspace\*?)\s*\{[^{}]*\}")
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
_SPECIAL = re.compile(r"(?<!\\)([_&#])")
_UNKNOWN = re.compile(r'Unknown command "\\([A-Za-z]+)"')
_OF_TEXT = re.compile(r"(\d+): Not valid in math mode")
_NAME = re.compile(r"\\([A-Za-z]+)")
_ACCENTED = re.compile(r"\\[`'^\"~=.](?:\\?[A-Za-z]|\{\\?[A-Za-z]\})")


def prepared(tex: str) -> str:
    """The formula in the TeX that the converter knows."""
    if not tex.isascii():
        tex = _GREEK_OR_TEXT.sub(lambda found: _GREEK.get(found.group(), found.group()), tex)
    tex = _COMMENT.sub(r"\1\\%", tex)
    tex = _UNICODE.sub(_character, tex)
    tex = _DROPPED.sub("", tex)
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


def repaired(tex: str, message: str) -> str | None:
    """The formula without what the converter's ``message`` is about; None where that cannot be mended."""
    return _with_name_shown(tex, message) or _as_text(tex, message)


def _with_name_shown(tex: str, message: str) -> str | None:
    """The formula with an author's macro shown by its name, as in running text.

    None where the message is about something else, or the macro takes an argument.
    """
    of_text = _OF_TEXT.match(message)  # `\H` is an accent in text: here it is an author's own
    unknown = _NAME.match(tex, int(of_text[1])) if of_text else _UNKNOWN.search(message)
    if unknown is None:
        return None
    name = unknown[1]
    shown = re.sub(rf"\\{name}(?![A-Za-z])(?!\s*[{{\[])", rf"\\mathrm{{{name}}}", tex)
    return shown if shown != tex else None


def _as_text(tex: str, message: str) -> str | None:
    r"""The formula with the accented letter that the message is about, ``\'e``, set as text, or None."""
    of_text = _OF_TEXT.match(message)
    letter = _ACCENTED.match(tex, int(of_text[1])) if of_text else None
    if letter is None:
        return None
    return f"{tex[: letter.start()]}\\text{{{letter.group()}}}{tex[letter.end() :]}"
