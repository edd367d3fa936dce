"""Lines of author names: telling one from a title, and taking it apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nlp.sources.characters import squeeze

_LONGEST = 400  # characters; a line of three names is never near it
_ET_AL = re.compile(r" et al\. \(\+[0-9]+ more\)\Z")
# ", " is no end of a name before "Jr", as in "Bob Lid, Jr"; ": " ends a collaboration's name.
_SEPARATOR = re.compile(r"[()]|,? and |, (?!(?:Jr|Sr|II|III|IV)\b)|: ")
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
    return bool(_ET_AL.search(line)) or all(map(_is_name, split_names(line) or ("",)))


def split_names(line: str) -> tuple[str, ...]:
    """The names in "A, B and C" or "A, B, C et al. (+3 more)"; a comma in brackets parts nothing."""
    line = _ET_AL.sub("", squeeze(line))
    parts, start, depth = [], 0, 0
    for found in _SEPARATOR.finditer(line):
        if found[0] in "()":
            depth = max(depth + (1 if found[0] == "(" else -1), 0)
        elif depth == 0:
            parts.append(line[start : found.start()])
            start = found.end()
    return tidy_names((*parts, line[start:]))


def tidy_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names without stray blanks, commas, colons and "and"; what is nothing else is left out."""
    tidy = (squeeze(name).strip(" ,:;").removeprefix("and ").removesuffix(" and").strip() for name in names)
    return tuple(name for name in tidy if name and name != "and")


def _is_name(part: str) -> bool:
    words = part.split(" ")
    if not 2 <= len(words) <= 6 or not all(map(_WORD.fullmatch, words)):
        return False
    small = [word for word in words if word[0] == word[0].lower()]
    return len(small) < len(words) and all(map(_PARTICLES.fullmatch, small))
