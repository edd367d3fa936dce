r"""What a backslash begins: escapes, spacing, accents, symbols, and commands with their arguments.

A command is one entry of ``COMMANDS``; one that is not there is an author's own macro: alone it is
shown by its name, before a group it is taken for a style, so that its argument stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import combining

from nlp.records import RunKind
from nlp.typesetting.accents import take_accent_name, take_accent_sign
from nlp.typesetting.arguments import (
    cite,
    dingbat,
    drop_arguments,
    footnote,
    link,
    script,
    show_address,
    unicode_character,
)
from nlp.typesetting.characters import clean
from nlp.typesetting.formulas import put_formula, take_environment, take_round, take_square
from nlp.typesetting.groups import open_group
from nlp.typesetting.macros import CITATIONS, DROPPED, FOOTNOTES, FORMULAS, SPACES, STYLES, SWITCHES
from nlp.typesetting.punctuation import put_double_quote
from nlp.typesetting.scan import Scan
from nlp.typesetting.symbols import ABBREVIATIONS, LETTERS, SYMBOLS

Command = Callable[[Scan, int, int, str], int]  # (scan, start, end of the name, name) -> where to go on

_NAME = re.compile(r"[A-Za-z]+")
_SPACES = re.compile(r"[ \t]*\n?[ \t]*")
_GLUED = re.compile(r"(?:textit|textbf|emph|texttt|textsc)(?=[A-Z])")  # `\textitHow`, its braces lost
_VERB = re.compile(r"\\verb\*?([^A-Za-z\s*])([^\n]{0,200}?)\1")
_PIECE = re.compile(r"\s+|\S+")
_LINE_BREAK = re.compile(r"\\\\\*?(?:\[[^\]\n]{0,12}\])?")
_MOST_GROUPS = 9  # TeX's own limit of arguments

_BLANKS = " ,;:\n\t\r"
_NOTHING = "!/-@"


def take_backslash(scan: Scan, at: int) -> int:
    """A command with a name, or a backslash before some other character."""
    name = _NAME.match(scan.source, at + 1)
    if name is None:
        return _take_sign(scan, at)
    accented = take_accent_name(scan, at, name.end(), name.group())
    if accented is not None:
        return accented
    return COMMANDS.get(name.group(), _show_name)(scan, at, name.end(), name.group())


def _take_sign(scan: Scan, at: int) -> int:
    char = scan.source[at + 1 : at + 2]
    if char in ("(", "["):
        return take_round(scan, at) if char == "(" else take_square(scan, at)
    accented = take_accent_sign(scan, at)
    if accented is not None:
        return accented
    if char == "\\":
        found = _LINE_BREAK.match(scan.source, at)
        end = found.end() if found else at + 2
        scan.put(" ", at, end)
        return end
    end = at + 1 + len(char)
    if not char or char in _NOTHING:
        scan.skip(at, end)
    elif char in _BLANKS:
        scan.put(" ", at, end)
    elif char == '"':
        put_double_quote(scan, at, end)
    elif char in "'`":
        scan.put("’" if char == "'" else "‘", at, end)
    else:
        scan.skip(at, at + 1)  # the escaped character is text
        if char > "~" or char < " ":
            return at + 1
    return _past_empty_group(scan, end)


def _past_empty_group(scan: Scan, end: int) -> int:
    r"""``\ss{}``: the braces only part the name from what follows."""
    if scan.source.startswith("{}", end):
        scan.skip(end, end + 2)
        return end + 2
    return end


def _symbol(scan: Scan, at: int, end: int, name: str) -> int:
    scan.put(SYMBOLS[name], at, end)
    return _past_empty_group(scan, end)


def _letter(scan: Scan, at: int, end: int, name: str) -> int:
    spaces = _SPACES.match(scan.source, end)
    after = spaces.end() if spaces and spaces.end() > end else end
    scan.put(LETTERS[name], at, after)
    return _past_empty_group(scan, after)


def _abbreviation(scan: Scan, at: int, end: int, name: str) -> int:
    for separator in ("{}", "."):
        if scan.source.startswith(separator, end):
            end += len(separator)
    scan.put(ABBREVIATIONS[name], at, end)
    return end


def _style(scan: Scan, at: int, end: int, name: str) -> int:
    """A command that sets its one argument in a style."""
    spaces = _SPACES.match(scan.source, end)
    brace = spaces.end() if spaces else end
    if not scan.source.startswith("{", brace):
        scan.skip(at, end)
        return end
    scan.skip(at, brace + 1)
    closing = scan.partner(brace)
    if closing is not None:
        scan.open(STYLES[name], closing)
        scan.closers[closing] = (closing + 1, "")
    return brace + 1


def _switch(scan: Scan, at: int, end: int, name: str) -> int:
    r"""``{\em ...}``: the style holds to the end of the group around it."""
    scan.skip(at, end)
    if scan.frame_end is not None:
        scan.open(SWITCHES[name], scan.frame_end)
    return end


def _formula(scan: Scan, at: int, end: int, name: str) -> int:
    """A command of mathematics outside a formula, with its arguments: a formula of its own."""
    after = end
    for _ in range(FORMULAS[name]):
        closing = scan.partner(after) if scan.source.startswith("{", after) else None
        if closing is None:
            return _show_name(scan, at, end, name)
        after = closing + 1
    tex = scan.source[end + 1 : after - 1] if name == "ensuremath" else scan.source[at:after]
    put_formula(scan, RunKind.MATH, at, after, tex)
    return after


def _dropped(scan: Scan, at: int, end: int, name: str) -> int:
    if name == "begin" and (after := take_environment(scan, at)) is not None:
        return after
    return drop_arguments(scan, at, end, DROPPED[name])


def _space(scan: Scan, at: int, end: int, name: str) -> int:
    scan.put(" • " if name == "item" else " ", at, end)
    return end


def _paragraph(scan: Scan, at: int, end: int, name: str) -> int:
    if scan.paragraphs:
        scan.put_paragraph(at, end)
    else:
        scan.put(" ", at, end)
    return end


def _verbatim(scan: Scan, at: int, end: int, name: str) -> int:
    found = _VERB.match(scan.source, at)
    if found is None or not clean(found[2]) or combining(clean(found[2])[0]):  # a mark belongs to a letter
        return _show_name(scan, at, end, name)
    scan.skip(at, found.start(2))
    scan.open(RunKind.CODE, found.end(2))
    for piece in _PIECE.finditer(scan.source, *found.span(2)):
        scan.put(" " if piece.group().isspace() else clean(piece.group()), *piece.span())
    scan.leave(found.end(2))
    scan.skip(found.end(2), found.end())
    return found.end()


def _show_name(scan: Scan, at: int, end: int, name: str) -> int:
    """An author's macro: its argument is text; without one, its name is."""
    if glued := _GLUED.match(name):
        scan.skip(at, at + 1 + glued.end())
        return at + 1 + glued.end()
    closing = scan.partner(end) if scan.source.startswith("{", end) else None
    if closing is None or closing == end + 1:
        scan.skip(at, at + 1)  # the name is text, up to the braces that part it from the next word
        return _past_empty_group(scan, end)
    if sum(map(str.isupper, name)) >= 2:  # the name of a thing, not of a style
        scan.skip(at, at + 1)
        scan.gaps.add(end)
        return end
    open_group(scan, at, end + 1, closing)
    for _ in range(_MOST_GROUPS):
        brace, closing = closing + 1, scan.partner(closing + 1)
        if closing is None:
            break
        scan.gaps.add(brace)
    return end + 1


COMMANDS: dict[str, Command] = {
    **dict.fromkeys(SYMBOLS, _symbol),
    **dict.fromkeys(LETTERS, _letter),
    **dict.fromkeys(ABBREVIATIONS, _abbreviation),
    **dict.fromkeys(STYLES, _style),
    **dict.fromkeys(SWITCHES, _switch),
    **dict.fromkeys(FORMULAS, _formula),
    **dict.fromkeys(DROPPED, _dropped),
    **dict.fromkeys(SPACES, _space),
    **dict.fromkeys(CITATIONS, cite),
    **dict.fromkeys(FOOTNOTES, footnote),
    "textsuperscript": script,
    "textsubscript": script,
    "par": _paragraph,
    "verb": _verbatim,
    "url": show_address,
    "nolinkurl": show_address,
    "href": link,
    "unicode": unicode_character,
    "ding": dingbat,
}
