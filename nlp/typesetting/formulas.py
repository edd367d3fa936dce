r"""Formulas: ``$...$``, ``$$...$$``, ``\(...\)``, ``\[...\]``, environments; and dollars that are money.

A formula is written as one U+FFFC. What stands between two dollars is one unless it reads like
prose or like two prices; the corpus the rule was measured on is described in the design.
"""

from __future__ import annotations

import re

from nlp.records import FORMULA, RunKind
from nlp.typesetting.characters import keep_visible
from nlp.typesetting.scan import Scan

LONGEST = 2000  # code points; the longest of 46,000 formulas had 462

_UP_TO = f"{{1,{LONGEST}}}"
_INLINE = re.compile(r"(?:[^$\\]|\\.)" + _UP_TO + r"(?=\$)", re.DOTALL)
_DISPLAYED = re.compile(r"(?:[^$\\]|\\.)" + _UP_TO + r"(?=\$\$)", re.DOTALL)
_ROUND = re.compile(r"(?:[^\\]|\\[^()])" + _UP_TO + r"(?=\\\))", re.DOTALL)
_SQUARE = re.compile(r"(?:[^\\]|\\[^\[\]])" + _UP_TO + r"(?=\\\])", re.DOTALL)
_EMPTY_LINE = re.compile(r"\n\s*\n")

# `$\textit{knowledge distillation}$` is prose in italics: text, so that terms are found in it.
_STYLED = r"\\(?:text(?:bf|it|tt|sc|sf|rm|sl|up)?|emph|mbox)\s*\{"
_PLAIN = r"[^{}\\$^_]*[A-Za-z][^{}\\$^_]*\}"
_WORDS_ONLY = re.compile(
    rf"\s*(?:{_STYLED}{_PLAIN}|\\underline\s*\{{{_STYLED}{_PLAIN}\}}|{_STYLED}{_STYLED}{_PLAIN}\}}"
    r"|\\href\s*\{[^{}]*\}\s*\{[^{}]*\})\s*"
)
_TEXT_GROUP = re.compile(
    r"\\(?:text[a-z]*|mbox|mathrm|mathsf|mathtt|mathbf|mathit|operatorname)\*?\s*\{[^{}]*\}"
)
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)
_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}(?![A-Za-z])")
_SIGN = re.compile(r"[\\^_=<>+|]")

_ENVIRONMENT = re.compile(
    r"\\begin\s*\{(equation|displaymath|math|align|alignat|gather|multline|eqnarray|flalign)(\*?)\}"
)
_ALIGNED = {"align": "aligned", "flalign": "aligned", "eqnarray": "aligned", "gather": "gathered"}


def take_dollar(scan: Scan, at: int) -> int:
    """A formula in dollars; a dollar that opens none is text."""
    source = scan.source
    if source.startswith("$$", at):
        return _take_displayed(scan, at)
    end = _end_of_inline(scan, at)
    if end is None:
        return at + 1
    if _WORDS_ONLY.fullmatch(source, at + 1, end):
        scan.skip(at, at + 1)
        scan.closers[end] = (end + 1, "")
        return at + 1
    put_formula(scan, RunKind.MATH, at, end + 1, source[at + 1 : end])
    return end + 1


def put_formula(scan: Scan, kind: RunKind, start: int, end: int, tex: str) -> None:
    """Write one formula for the source [start, end)."""
    tex = keep_visible(tex).strip()
    if tex:
        scan.put_run(kind, FORMULA, start, end, tex)
    else:
        scan.skip(start, end)


def take_round(scan: Scan, at: int) -> int:
    r"""``\(...\)``; where it is never closed, a bracket."""
    return _take_bracketed(scan, at, _ROUND, RunKind.MATH)


def take_square(scan: Scan, at: int) -> int:
    r"""``\[...\]``; where it is never closed or holds no formula, a bracket."""
    return _take_bracketed(scan, at, _SQUARE, RunKind.DISPLAY)


def take_environment(scan: Scan, at: int) -> int | None:
    r"""``\begin{equation}...\end{equation}`` and its like; None where none begins at ``at``."""
    opening = _ENVIRONMENT.match(scan.source, at)
    if opening is None:
        return None
    closing = f"\\end{{{opening[1]}{opening[2]}}}"
    end = scan.source.find(closing, opening.end(), opening.end() + LONGEST)
    if end < 0:
        return None
    tex = scan.source[opening.end() : end].strip()
    if inner := _ALIGNED.get(opening[1]):
        tex = f"\\begin{{{inner}}}{tex}\\end{{{inner}}}"
    kind = RunKind.MATH if opening[1] == "math" else RunKind.DISPLAY
    put_formula(scan, kind, at, end + len(closing), tex)
    return end + len(closing)


def _take_displayed(scan: Scan, at: int) -> int:
    source = scan.source
    body = _DISPLAYED.match(source, at + 2)
    if body is None or not _is_formula(body.group(), "") or _crosses(scan, body.end()):
        end = at
        while source.startswith("$", end):
            end += 1
        return end
    put_formula(scan, RunKind.DISPLAY, at, body.end() + 2, body.group())
    return body.end() + 2


def _end_of_inline(scan: Scan, at: int) -> int | None:
    """Where the dollar is that closes the formula opened at ``at``; None if that opens none."""
    source = scan.source
    body = _INLINE.match(source, at + 1)
    if body is None:
        return None
    end = body.end()
    if body.group().count("{") > body.group().count("}"):
        end = _past_nested(source, at + 1, end)
    if _crosses(scan, end) or not _is_formula(source[at + 1 : end], source[end + 1 : end + 2]):
        return None
    return end


def _past_nested(source: str, start: int, end: int) -> int:
    r"""The end of a formula that holds another, ``$a \text{ if $b$}$``; ``end`` where it holds none."""
    inner = _INLINE.match(source, end + 1)
    outer = _INLINE.match(source, inner.end() + 1) if inner else None
    if outer and source.count("{", start, outer.end()) == source.count("}", start, outer.end()):
        return outer.end()
    return end


def _crosses(scan: Scan, end: int) -> bool:
    return scan.frame_end is not None and end > scan.frame_end


def _is_formula(body: str, after: str) -> bool:
    """Whether what stands between two dollars is a formula, not prose and not a price."""
    tex = body.strip()
    if not tex or _EMPTY_LINE.search(body):
        return False
    signs = _SIGN.search(tex)
    if tex[0].isdigit() and after.isdigit() and not signs:  # "$5-$10"
        return False
    if " " not in body and "\n" not in body:
        return True
    words = len(_WORD.findall(_COMMAND.sub(" ", _TEXT_GROUP.sub(" ", tex))))
    if tex[0].isdigit() and (words >= 2 or (not signs and body[-1].isspace())):
        return False
    if words and not signs and (body[0].isspace() or body[-1].isspace()):
        return False
    return words < 6 if not signs else words < 12


def _take_bracketed(scan: Scan, at: int, pattern: re.Pattern[str], kind: RunKind) -> int:
    body = pattern.match(scan.source, at + 2)
    if body is None or _crosses(scan, body.end()) or not _is_formula(body.group(), ""):
        taken = None
    else:  # `\[1\]` is a bracket that Markdown escapes
        taken = body if kind is RunKind.MATH or _SIGN.search(body.group()) else None
    if taken is None:
        scan.skip(at, at + 1)  # the bracket itself is text
        return at + 2
    put_formula(scan, kind, at, taken.end() + 2, taken.group())
    return taken.end() + 2
