"""Words of a TeX-flavoured text by a crude reading of its own, to judge the typesetter by.

Knows nothing of `nlp.typesetting`: some substitutions, each a line. Formulas are not told from text; what
stands in them is words like any other, so a word counts as lost wherever it went.
"""

from __future__ import annotations

import re
from html import unescape
from unicodedata import category, normalize

_STEPS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        # Keys, colours, lengths and names of environments are no words of the text
        (r"\\(?:cite|parencite|textcite)[a-z]*\*?\s?(?:\[[^\]]*\]\s?)*\{[^{}]*\}", " "),
        (r"\\(?:ref|eqref|cref|Cref|label)\{[^{}]*\}", " "),
        (r"\\(?:href|textcolor|color|colorbox|vspace\*?|hspace\*?|begin|end)\s*\{[^{}]*\}", " "),
        (r"\\fontsize\s*\{[^{}]*\}\{[^{}]*\}", ""),
        (r"\[([^\[\]]*)\]\(https?://[^\s()]*(?:\([^\s()]*\)[^\s()]*)*\)", r"\1"),
        (r"</?(?:b|i|em|strong|code|tt|sub|sup|br|p)\s*/?>", ""),
        # Characters by number: none of them is a letter here
        (r"\\(?:unicode|ding)\{[^{}]*\}", " "),
        (r"\*\*([^*\n]+)\*\*", r"\1"),
        # What a converter left of \rho, \kappa, \beta: letters of Greek, and those are no words here
        (r"\\(?:r\{ho|k\{appa|b\{eta|t\{au|c\{hi|v\{arphi|d\{elta)\}", ""),
        # Accents go; the letter under them stays
        (r"\\[`'^\"~=.]\s?\{\\?([A-Za-z])\s?\}", r"\1"),
        (r"\\[`'^\"~=.]\\?([A-Za-z])", r"\1"),
        (r"\\[uvHtcdbkr](?:\{\\?([A-Za-z]+)\}|\s([A-Za-z]))", r"\1\2"),
        (r"\\ss(?![A-Za-z])\s?(?:\{\})?", "ß"),
        (r"\\(aa|AA|ae|AE|oe|OE|o|O|l|L|i|j)(?![A-Za-z])\s?(?:\{\})?", r"\1"),
        # Abbreviations that authors make macros of
        (r"\\([ei])([ge])(?![A-Za-z])", r"\1 \2 "),
        (r"\\etal(?![A-Za-z])", " et al "),
        (r"\\(etc|cf|vs)(?![A-Za-z])", r" \1 "),
        (r"\\(?:La|Bib)?TeX(?![A-Za-z])", " TeX "),
        # Every other command is markup; braces and dollars part no word
        (r"\\(?:footnote|thanks|textsuperscript|textsubscript)(?![A-Za-z])", " "),
        (r"\\[A-Za-z]+\*?\{", "{"),
        (r"\\[A-Za-z]+\*?", " "),
        (r"\\[\\,;: !]", " "),
        (r"\\-", ""),
        (r"[{}$]", ""),
    )
)
_NAME = re.compile(r"\\([A-Za-z]+)")
_WORD = re.compile(r"[A-Za-z0-9]+")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹₀-₉]+")
_LETTERS = {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "œ": "oe", "ı": "i"}


def words(tex: str) -> list[str]:
    """The words of ``tex`` in order: letters and digits of ASCII, accents taken off, commands left out."""
    tex = unescape(tex)
    for pattern, by in _STEPS:
        tex = pattern.sub(by, tex)
    return _WORD.findall(folded(tex))


def names(tex: str) -> set[str]:
    """The names of the commands in ``tex``: an author's macro may be shown by its name."""
    return set(_NAME.findall(tex))


def folded(text: str) -> str:
    """Without marks and unseen characters; ligatures, raised digits and styled letters as plain ones."""
    if text.isascii():
        return text
    text = "".join(_LETTERS.get(char, char) for char in _RAISED.sub(r" \g<0>", text))
    return "".join(char for char in normalize("NFKD", text) if category(char) not in ("Mn", "Cf"))
