r"""TeX accents in every spelling: ``\'e``, ``\'{e}``, ``{\'e}``, ``\'\i``, ``\c{c}``, ``\v s``."""

from __future__ import annotations

import re
from unicodedata import normalize

from nlp.typesetting.scan import Scan
from nlp.typesetting.symbols import GREEK, LETTERS

_SIGNS: dict[str, str] = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307", '"': "\u0308",
}  # fmt: skip
_NAMES: dict[str, str] = {
    "u": "\u0306", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip

_UNDER_MARKS = LETTERS | {"i": "i", "j": "j"}  # the dot goes when a mark takes its place

_LETTER = re.compile(r"\\(i|j|aa|AA|ae|AE|o|O|oe|OE|l|L)(?![A-Za-z])|([A-Za-z])")
_ARGUMENT = re.compile(r"[ \t]*(\{)?(?:" + _LETTER.pattern + ")")
_GREEK_TAIL = re.compile(r"\{([a-z]{1,9})\}")
_CONTRACTED = re.compile(r"\\'(?:t|s)(?![A-Za-z])")  # don\'t: an apostrophe that was escaped
_QUOTED = re.compile(r'\\"(?!\{)[^"\\\n]{0,80}(?<=\S)\\"(?![A-Za-z{])')  # \"word\": quotes that were escaped


def take_accent_sign(scan: Scan, at: int) -> int | None:
    r"""A backslash and a sign of ``_SIGNS`` before a letter; None where no letter follows."""
    mark = _SIGNS.get(scan.source[at + 1 : at + 2])
    if mark is None:
        return None
    if _CONTRACTED.match(scan.source, at) and scan.previous(at).islower() and scan.source[at - 1] != "{":
        return None
    if mark == "\u0308" and not scan.previous(at).isalpha() and _QUOTED.match(scan.source, at):
        return None
    return _put_accented(scan, at, at + 2, mark)


def take_accent_name(scan: Scan, at: int, end: int, name: str) -> int | None:
    r"""``\c{c}``, ``\v s``; None where ``name`` is no accent or no letter follows."""
    mark = _NAMES.get(name)
    if mark is None:
        return None
    tail = _GREEK_TAIL.match(scan.source, end)
    if tail and name + tail[1] in GREEK:  # `\r{ho}` is what a converter makes of `\rho`
        scan.put(GREEK[name + tail[1]], at, tail.end())
        return tail.end()
    return _put_accented(scan, at, end, mark)


def _put_accented(scan: Scan, at: int, end: int, mark: str) -> int | None:
    """Write the letter after ``end`` with its mark; a group around it closes where it closes."""
    argument = _ARGUMENT.match(scan.source, end)
    if argument is None:
        return None
    letter = argument[3] or _UNDER_MARKS[argument[2]]
    accented = normalize("NFC", letter + mark)
    after = argument.end()
    if argument[1] is None:
        if scan.source[end] in " \t" and (len(accented) > 1 or not scan.source[end - 1].isalpha()):
            return None  # an author's macro, or an escaped quote, before a word
        if argument[2] and scan.source.startswith(" ", after):
            after += 1  # it ends the name: `na\"\i ve`
    else:
        closing = scan.partner(argument.end(1) - 1)
        if closing == after:
            after += 1
        elif closing is not None:
            scan.closers[closing] = (closing + 1, "")
    scan.put(accented, at, after)
    return after
