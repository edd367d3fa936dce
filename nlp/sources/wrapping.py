"""Lines that were broken where a term was highlighted, joined again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from nlp.sources import characters

# A break may fall inside a word or right after an opening bracket or quote; elsewhere it was a blank.
_OPEN_END = re.compile(r"[^\s\-](?:-{1,3}|[‐‑–—/])\Z|[(\[{“‘«]\Z|(?:\A|[\s(\[{])[\"']\Z")
_CLOSED_START = re.compile(r"[,.;:!?)\]}”’»%]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank. ``after_blank`` is true for the first one too."""

    number: int
    text: str
    after_blank: bool


def number_lines(text: str) -> list[Line]:
    """The lines with something on them, without the blanks at their ends."""
    found, after_blank = [], True
    for number, line in characters.lines(text):
        line = line.strip(" \t")
        if line:
            found.append(Line(number, line, after_blank))
        after_blank = not line
    return found


def join(lines: list[Line]) -> str:
    """One text: neighbouring lines make a paragraph, a blank line between them begins another ("\\n\\n")."""
    pieces = [line.text for line in lines[:1]]
    for before, line in pairwise(lines):
        pieces += [_between(before.text, line), line.text]
    return "".join(pieces)


def _between(before: str, line: Line) -> str:
    if line.after_blank:
        return "\n\n"
    return "" if _OPEN_END.search(before[-4:]) or _CLOSED_START.match(line.text) else " "
