"""Short and long forms that a text introduces itself: "low-rank adaptation (LoRA)".

The method is that of A. Schwartz and M. Hearst, "A simple algorithm for identifying abbreviation
definitions in biomedical text" (PSB 2003): take a bracket, walk both strings backwards, and let every
letter of the short form find its place in the long form, the first one at the beginning of a word.

Added here: initials are tried first ("Mindful memoization (MM)"); both orders; plurals; a long form keeps
the whole of its first hyphenated word ("Self-Supervised ..."); no long form crosses a sentence; and
enumerations, references and formulas are no short forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from nlp.records import FORMULA

_BRACKET = re.compile(r"[(\[]([^()\[\]]{2,120})[)\]]")
# What ends a sentence or clause. An expression that begins with a set is many times as fast as with a choice.
_BREAK = re.compile(r"[.!?;:()\[\]\n](?:(?<=[.!?;:])\s|(?<=[()\[\]\n])|(?<=[.!?])$)")
_NO_BREAK = re.compile(r"(?:\be\.g|\bi\.e|\bvs|\bal|\bcf|\b[A-Z])\.$")
_PART = re.compile(r"[^\W_]+")
_SMALL = frozenset({"a", "an", "and", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})
_SHORT = re.compile(r"[^\W_][\w\-–‑/.+&*'’]{0,14}(?: [\w\-–‑/.+]{1,8})?$")
_LAST_WORD = re.compile(r"(?:^|[\s\"'“‘(])([^\s\"'“‘(]+)\s*$")
_TAIL = re.compile(r"\s*(?:[,;]|\bor\b|\be\.?g\b|\bi\.?e\b|\bhereafter\b|\babbreviated\b|\bcalled\b).*$")
_ROMAN = re.compile(r"(?:i{1,3}|iv|vi{0,3}|ix|xi{0,2})$", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:fig|eq|sec|tab|ref|see|cf|vs|et al|n ?=|p ?[<=>])\b|.*\b(?:19|20)\d\d[a-z]?$", re.IGNORECASE
)
LONGEST_SHORT = 14  # code points of a short form
_LONGEST_WINDOW = 400  # code points looked at on the left of a bracket


class AbbreviationPair(NamedTuple):
    """A short form and its long form as they stand in the text; spans are [start, end) in code points."""

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int


def abbreviation_pairs(text: str) -> tuple[AbbreviationPair, ...]:
    """Every pair that the text introduces, in the order of its brackets, as often as it is introduced."""
    pairs = (abbreviation_pair(text, bracket) for bracket in brackets(text))
    return tuple(pair for pair in pairs if pair is not None)


def brackets(text: str) -> Iterator[re.Match[str]]:
    """The brackets, without others in them, that are not too long for a short or long form; in order."""
    if "[" in text:
        yield from _BRACKET.finditer(text)
        return
    at = text.find("(")  # many times as fast as looking for an expression that begins with a choice
    while at >= 0:
        if bracket := _BRACKET.match(text, at):
            yield bracket
        at = text.find("(", at + 1)


def abbreviation_pair(text: str, bracket: re.Match[str]) -> AbbreviationPair | None:
    """The pair that this bracket of the text introduces."""
    return _long_before(text, bracket) or _short_before(text, bracket)


def _long_before(text: str, bracket: re.Match[str]) -> AbbreviationPair | None:
    """`long form (SF)`, also `(SF, ...)` and `(SFs)`."""
    inside = bracket[1]
    if not inside.isalnum():
        inside = _TAIL.sub("", inside)
    short = inside.strip().strip("\"'“”‘’")
    if not _is_short(short):
        return None
    start = text.index(short, bracket.start(1))
    for letters in _spellings(short):
        window = _window(text, bracket.start(), len(letters))
        place = _long_start(letters, window)
        if place is not None:
            begin = bracket.start() - len(window) + place
            return _pair(text, (start, start + len(short)), (begin, bracket.start()))
    return None


def _short_before(text: str, bracket: re.Match[str]) -> AbbreviationPair | None:
    """`SF (long form)`."""
    before = _LAST_WORD.search(text[max(0, bracket.start() - 40) : bracket.start()])
    inside = bracket[1]
    if before is None or " " not in inside.strip() or not _is_short(before[1]):
        return None
    short = before[1]
    end = bracket.start() - (len(before[0]) - len(before[0].rstrip()))
    for letters in _spellings(short):
        place = _long_start(letters, inside)
        if place is not None and not inside[:place].strip():
            return _pair(text, (end - len(short), end), (bracket.start(1) + place, bracket.end(1)))
    return None


def _pair(text: str, short: tuple[int, int], long: tuple[int, int]) -> AbbreviationPair:
    end = long[0] + len(text[long[0] : long[1]].rstrip(" ,"))
    return AbbreviationPair(text[slice(*short)], text[long[0] : end], *short, long[0], end)


@lru_cache(maxsize=32_768)  # the short forms of a field come again and again
def _is_short(short: str) -> bool:
    if not 2 <= len(short) <= LONGEST_SHORT or not _SHORT.match(short) or short.count(" ") > 1:
        return False
    if not any(ch.isalpha() for ch in short) or _ROMAN.match(short) or _REFERENCE.match(short):
        return False
    return not (short.islower() and len(short) > 6)  # a plain word in brackets


def _spellings(short: str) -> tuple[str, ...]:
    """The letters to be found: of a plural ("LLMs") first those of its singular."""
    if len(short) > 2 and short.endswith("s") and short[-2].isupper():
        return short[:-1], short
    return (short,)


def _window(text: str, end: int, letter_count: int) -> str:
    """The last min(n + 5, 2n) words before a bracket, the bound of the paper, as far as its sentence goes."""
    left = text[max(0, end - _LONGEST_WINDOW) : end]
    count = min(letter_count + 5, letter_count * 2)
    words = left.rsplit(None, count)
    begin = len(words[0]) if len(words) > count else 0
    window = left[begin:]
    cut = 0
    for stop in _BREAK.finditer(window.rstrip()):
        if not _NO_BREAK.search(window, 0, stop.start() + 1):
            cut = stop.end()
    return window[cut:]


def _long_start(short: str, long: str) -> int | None:
    """Where in `long` the long form of `short` begins, or None when its letters do not all find a place."""
    letters = _letters(short.lower())
    if not letters or len(long.strip()) <= len(short):
        return None
    low = long.replace("İ", "i").lower()  # the one character that grows in lower case
    place = _by_initials(letters, low)
    if place is None:
        place = _by_letters(letters, low)
    if place is None:
        return None
    start = max(low.rfind(" ", 0, place), low.rfind("\u00a0", 0, place)) + 1
    return start if _is_long(short, long[start:]) else None


def _letters(short: str) -> str:
    return short if short.isalnum() else "".join(filter(str.isalnum, short))


def _by_initials(letters: str, low: str) -> int | None:
    """The start of the words whose initials are the letters, small words between them passed over."""
    parts = [(part.start(), part[0]) for part in _PART.finditer(low)]
    for index in range(len(letters) - 1, -1, -1):
        is_last = index == len(letters) - 1
        while parts and not is_last and parts[-1][1] in _SMALL and parts[-1][1][0] != letters[index]:
            parts.pop()
        if not parts or parts[-1][1][0] != letters[index]:
            return None
        place = parts.pop()[0]
    return place


def _by_letters(letters: str, low: str) -> int | None:
    """The walk of Schwartz and Hearst, from the right."""
    place = len(low)
    for index in range(len(letters) - 1, -1, -1):
        place -= 1
        while place >= 0 and (low[place] != letters[index] or (index == 0 and not _begins_word(low, place))):
            place -= 1
        if place < 0:
            return None
    return place


def _begins_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()


def _is_long(short: str, long: str) -> bool:
    words = long.split()
    letter_count = len(_letters(short))
    if not 0 < len(words) <= min(letter_count + 5, letter_count * 2) or FORMULA in long:
        return False
    low = short.lower()
    return low not in long.lower() or low not in (word.lower().strip(".,") for word in words)
