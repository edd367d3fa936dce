"""TeX-flavoured text to a reading text: one canonical string, and runs that say what each stretch is.

Decided here, and relied on by whoever matches terms:

- Paragraphs are parted by two line feeds; all other white space, ties and thin spaces included, is
  one plain blank, so that a term of two words is found whatever its author put between them.
- ``%`` is text: an abstract is not a TeX file, and one in five has a bare percent sign.
- Apostrophes and quotes are curly, ``--`` is an en dash, ``---`` an em dash; a matcher has to take
  ``’`` for ``'`` and may take ``–`` for ``-``.
- A citation reads "[ref]", a footnote stands in brackets, a macro of the author's reads as its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from nlp.records import ReadingText
from nlp.typesetting.characters import take_other
from nlp.typesetting.commands import take_backslash
from nlp.typesetting.formulas import take_dollar
from nlp.typesetting.groups import take_close_brace, take_open_brace
from nlp.typesetting.links import take_colon
from nlp.typesetting.markup import take_ampersand, take_bracket, take_less_than, take_star, take_underscore
from nlp.typesetting.normal import source_range
from nlp.typesetting.punctuation import (
    take_backtick,
    take_double_quote,
    take_hyphen,
    take_single_quote,
    take_space,
    take_tie,
)
from nlp.typesetting.scan import Scan
from nlp.typesetting.stored import runs_from_json, runs_to_json, text_hash

__all__ = ["TYPESETTER_VERSION", "runs_from_json", "runs_to_json", "source_range", "text_hash", "typeset"]

TYPESETTER_VERSION = 2
"""Counts up whenever a reading text could come out otherwise: stored offsets belong to one version."""

Handler = Callable[[Scan, int], int]
"""Deals with the character at a position and gives back where to go on, always further right.

What it does not write or skip stays pending and becomes text as it stands.
"""

_HANDLERS: dict[str, Handler] = {
    "\\": take_backslash, "{": take_open_brace, "}": take_close_brace, "$": take_dollar, "~": take_tie,
    "`": take_backtick, "'": take_single_quote, '"': take_double_quote, "-": take_hyphen, ":": take_colon,
    "*": take_star, "_": take_underscore, "[": take_bracket, "&": take_ampersand, "<": take_less_than,
    **dict.fromkeys(" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000", take_space),
    **dict.fromkeys(map(chr, range(0x2000, 0x200B)), take_space),
}  # fmt: skip

# Every character that may mean more than itself. One class, so that the engine skips to the next
# without trying alternatives; blanks are in it only for a text that has two in a row.
_MEANING = r"\x00-\x1f\x7f-\U0010ffff\\{}$~`'\"\-:*_\[\]&<"
_NEXT = re.compile(f"[{_MEANING}]")
_NEXT_OR_BLANK = re.compile(f"[ {_MEANING}]")


def typeset(source: str, *, paragraphs: bool = True) -> ReadingText:
    """The reading text of a source string; any string has one.

    ``paragraphs=False`` is for a title: there a line break never begins a paragraph, though
    sources indent the lines of a long title as arXiv indents the first line of a paragraph.
    """
    scan = Scan(source, paragraphs=paragraphs)
    search = (_NEXT_OR_BLANK if "  " in source else _NEXT).search
    at = 0
    while found := search(source, at):
        at = found.start()
        scan.leave(at - 1)
        handler = Scan.close if at in scan.closers else _HANDLERS.get(found.group(), take_other)
        at = handler(scan, at)
    return scan.finish()
