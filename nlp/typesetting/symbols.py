"""TeX names that stand for characters, outside formulas."""

from __future__ import annotations

_NAMES = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip

GREEK: dict[str, str] = {name: chr(0x3B1 + at) for at, name in enumerate(_NAMES) if name}
GREEK |= {name.capitalize(): chr(0x391 + at) for at, name in enumerate(_NAMES) if name}
GREEK |= {"varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varrho": "ϱ", "varsigma": "ς", "varpi": "ϖ"}

SYMBOLS: dict[str, str] = GREEK | {
    # marks and signs of text
    "dots": "…", "ldots": "…", "cdots": "⋯", "textellipsis": "…", "textendash": "–", "textemdash": "—",
    "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“", "textquotedblright": "”",
    "textquotesingle": "'", "textquotedbl": '"', "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textunderscore": "_", "textgreater": ">", "textless": "<", "textbar": "|",
    "textbullet": "•", "textperiodcentered": "·", "textdegree": "°", "degree": "°", "textmu": "µ",
    "texttimes": "×", "textpm": "±", "texteuro": "€", "euro": "€", "pounds": "£", "textsterling": "£",
    "textdollar": "$", "copyright": "©", "textcopyright": "©", "textregistered": "®", "texttrademark": "™",
    "S": "§", "P": "¶", "dag": "†", "ddag": "‡", "slash": "/", "lbrace": "{", "rbrace": "}",
    "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "checkmark": "✓", "cmark": "✓", "xmark": "✗",
    # signs of mathematics that stand outside a formula now and then
    "times": "×", "pm": "±", "mp": "∓", "cdot": "·", "div": "÷", "approx": "≈", "sim": "∼", "simeq": "≃",
    "equiv": "≡", "propto": "∝", "neq": "≠", "ne": "≠", "leq": "≤", "le": "≤", "leqslant": "≤", "geq": "≥",
    "ge": "≥", "geqslant": "≥", "ll": "≪", "gg": "≫", "lesssim": "≲", "gtrsim": "≳", "in": "∈", "notin": "∉",
    "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "emptyset": "∅", "forall": "∀", "exists": "∃",
    "infty": "∞", "partial": "∂", "nabla": "∇", "sum": "∑", "prod": "∏", "int": "∫", "ell": "ℓ", "hbar": "ħ",
    "circ": "∘", "star": "⋆", "ast": "∗", "dagger": "†", "prime": "′", "perp": "⊥", "top": "⊤", "mid": "|",
    "langle": "⟨", "rangle": "⟩", "oplus": "⊕", "otimes": "⊗", "odot": "⊙", "to": "→", "rightarrow": "→",
    "leftarrow": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "Leftrightarrow": "⇔", "implies": "⇒",
    "iff": "⇔", "mapsto": "↦", "uparrow": "↑", "downarrow": "↓", "triangleq": "≜", "wedge": "∧", "vee": "∨",
    "neg": "¬", "bullet": "•",
}  # fmt: skip

# The blank after these is TeX's, not the author's: "Stra\ss e" is one word.
LETTERS: dict[str, str] = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ",
    "DJ": "Đ", "SS": "ẞ", "ng": "ŋ", "NG": "Ŋ",
}  # fmt: skip

# What authors' own short macros say; a full stop that follows one of these is already there.
ABBREVIATIONS: dict[str, str] = {
    "eg": "e.g.", "Eg": "E.g.", "ie": "i.e.", "Ie": "I.e.", "etal": "et al.", "etc": "etc.", "cf": "cf.",
    "vs": "vs.", "wrt": "w.r.t.", "aka": "a.k.a.", "iid": "i.i.d.",
}  # fmt: skip

SUPERSCRIPTS = dict(zip("0123456789+-−=()in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁱⁿ", strict=True))
SUBSCRIPTS = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))


_MOST_RAISED = 12  # characters that are raised one by one; more are easier to read as they are


def raised(source: str, start: int, end: int, table: dict[str, str]) -> str | None:
    """The short text [start, end) in raised (or lowered) characters; None where Unicode lacks one of them."""
    if not 0 < end - start <= _MOST_RAISED:
        return None
    text = source[start:end]
    return "".join(map(table.__getitem__, text)) if all(char in table for char in text) else None
