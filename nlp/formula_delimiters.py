r"""Opening delimiters in a formula that may lack a partner: the converter takes twice as long for each.

It looks for the partner of every opening delimiter, and does so once more for every other one without any
(math-core 0.9: 24 of them take 0.2 s, 40 take hours). What is a partner only a parser can say, so in a
formula with more than a few of them they are set as text, which looks the same and is not looked into.
"""

from __future__ import annotations

import re

MOST = 6  # opening delimiters that are left as they are; they cost up to 2**MOST passes

_SIGNS = {
    "\\{": "\\{", "\\lbrace": "\\{", "\\lbrack": "[", "\\lparen": "(", "\\langle": "⟨", "\\lang": "⟨",
    "\\lfloor": "⌊", "\\lceil": "⌈", "\\lvert": "|", "\\lVert": "‖", "\\llbracket": "⟦", "\\lgroup": "⟮",
    "\\ulcorner": "⌜", "\\llcorner": "⌞",
}  # fmt: skip
_OPENING = "[(\\[⟨⟦⟪⟬⟮⦃⦅⌈⌊⁅❨❬❰❲❴⦇⦉]"
_FENCE = r"\s*(?:\\[A-Za-z]+|\\.|.)"
_TOKEN = re.compile(
    rf"""\\(?:left|right|middle)(?![A-Za-z]){_FENCE}  # half of a pair that its commands make
    |\\text[a-z]*\s*\{{[^{{}}]*\}}
    |(?P<sized>\\[bB]igg?)[lmr]?(?![A-Za-z])(?P<fence>{_FENCE})
    |(?P<opening>{_OPENING}|\\\{{|\\[lu]?l(?:paren|brac|ang|floor|ceil|group|vert|Vert|corner)[A-Za-z]*)
    |(?P<kept>(?:\\sqrt|\\x[A-Za-z]+|\\\\)\s*\[          # begins an optional argument, mostly
        |\\p(?:mod|od)(?![A-Za-z])|\\[lu]?l(?:moust|Brac|Ang|b)[A-Za-z]*|\\L[A-Za-z]+)
    |\\[A-Za-z]+|\\.""",
    re.VERBOSE | re.DOTALL,
)
_OPENS = re.compile(_OPENING + r"|\\\{|\\[lu]?l[A-Z]?[a-z]|\\[bB]igg?l|\\p(?:mod|od)|\\L")


def without_search(tex: str) -> str | None:
    """The formula as the converter may have it; None where it could keep the converter busy all the same."""
    if len(_OPENS.findall(tex)) <= MOST:
        return tex
    left = 0
    pieces = []
    at = 0
    for token in _TOKEN.finditer(tex):
        pieces.append(tex[at : token.start()])
        at = token.end()
        if token["opening"]:
            sign = _SIGNS.get(token["opening"], token["opening"])
            left += len(sign) > 2
            pieces.append(f"\\text{{{sign}}}" if len(sign) <= 2 else sign)
        elif token["sized"]:
            pieces.append(token["sized"] + token["fence"])  # the same size, not told to be an opening one
        else:
            left += token["kept"] is not None
            pieces.append(token.group())
    return "".join([*pieces, tex[at:]]) if left <= MOST else None
