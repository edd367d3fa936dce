"""Lines of author names: telling one from a title, and taking it apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nlp.sources.characters import squeeze

_LONGEST = 400  # characters; a line of three names is never near it
_MORE = re.compile(r" et al\. \(\+[0-9]+ more\)\Z")
# "Jr" goes on with the name before its comma, "Jr-Shin Li" is the next one. ": " ends a collaboration's name.
_SUFFIX = r"(?:Jr|Sr|II|III|IV)\b\.?(?= ?(?:[,:;&]|and\b|et al\b|\Z))"
_SEPARATOR = re.compile(rf",? (?:and|&) |,(?! ?{_SUFFIX}) ?|: ")
_BRACKET = re.compile(r"[()\[\]]")
_NUMBERS = re.compile(r"[(\[](?:[0-9,;&* ]|and)+[)\]]")  # "(1, 2)": the affiliations of the name before it
_STRAY = re.compile(r"\A(?:and|&) |(?: (?:and|&)|(?:\A| )et\.? al\b\.?)\Z")
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[.'’`‐-])*")
_PARTICLES = re.compile(
    "a[fln]|av|ben|bint?|das?|de[lmnr]?|della|di|dos?|du|e|el|ibn|las?|le|los|st|te[nr]?|ul|und|v[.]|v[ao]n|vom|y|zur?"
)


def is_byline(line: str) -> bool:
    """Whether every part of the line could be a person's name, or it ends in "et al. (+3 more)".

    Of 9,953 real lists of authors it knows 99.9 %, and takes 4.4 % of the papers' titles for one:
    never decide by it alone.
    """
    if len(line) > _LONGEST:
        return False
    return bool(_MORE.search(line)) or all(map(_is_name, split_names(line) or ("",)))


def split_names(line: str) -> tuple[str, ...]:
    """The names in "A, B and C" or "A, B, C et al. (+3 more)"; what stands in brackets parts nothing."""
    line = _MORE.sub("", squeeze(line))
    parts, start, after = [], 0, 0
    for opening, closing in (*bracketed(line), (len(line), len(line))):
        for found in _SEPARATOR.finditer(line, after, opening):
            parts.append(line[start : found.start()])
            start = found.end()
        if _NUMBERS.fullmatch(line, opening, closing):  # "Ana Kettle (1) Bob Lid (2)"
            parts.append(line[start:closing])
            start = closing
        after = closing
    return tidy_names((*parts, line[start:]))


def tidy_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names without stray blanks, commas, colons, "and", "et al."; what is nothing else is left out."""
    tidy = (_STRAY.sub("", squeeze(name).strip(" ,:;")).strip(" ,:;") for name in names)
    return tuple(name for name in tidy if name and name not in ("and", "&"))


def without_brackets(text: str) -> str:
    """The text without what stands in matching brackets, and without these."""
    pieces, after = [], 0
    for opening, closing in bracketed(text):
        pieces.append(text[after:opening])
        after = closing
    return squeeze("".join((*pieces, text[after:])))


def bracketed(text: str) -> list[tuple[int, int]]:
    """The outermost stretches [start, end) in matching brackets, round or square, in order and apart.

    A bracket whose other half is missing is a character like any other: nothing is lost behind it.
    """
    openings: dict[str, list[int]] = {")": [], "]": []}
    found: list[tuple[int, int]] = []
    for bracket in _BRACKET.finditer(text):
        place = bracket.start()
        if bracket[0] in "([":
            openings[")" if bracket[0] == "(" else "]"].append(place)
        elif openings[bracket[0]]:
            start = openings[bracket[0]].pop()
            while found and found[-1][1] > start:  # inside of it, or crossing it
                start = min(start, found.pop()[0])
            found.append((start, place + 1))
    return found


def _is_name(part: str) -> bool:
    words = part.split(" ")
    if not 2 <= len(words) <= 6 or not all(map(_WORD.fullmatch, words)):
        return False
    small = [word for word in words if word[0] == word[0].lower()]
    return len(small) < len(words) and all(map(_PARTICLES.fullmatch, small))
