"""Hostile texts and damaged files, each with the Python expression that makes it once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

LARGE = 50_000  # characters of a hostile text, bytes of a damaged file

PIECES = (
    "\\", "{", "}", "{}", "$", "$$", "\\(", "\\)", "\\[", "\\]", "~", "-", "--", "---", "``", "''",
    "'", '"', "`", "*", "**", "_", "^", "^{", "_{", "%", "&", "&amp;", "&#65532;", "&nbsp;", "<",
    "<b>", "</b>", "<sub>", "<p>", "[", "]", "[a](", "[a](https://a.org)", "https://",
    "https://a.org/(", "http://a.b).,;", "://", "\n", "\n  ", "\n\n", "\r\n", " ", "  ", "\t",
    "\x00", "\x85", "\u2028", "\u00a0", "\u200b", "\u202e", "\ufeff", "\\textbf{", "\\emph{",
    "{\\em ", "{\\bf", "\\cite{", "\\cite[", "\\footnote{", "\\url{", "\\href{", "\\ref{a}",
    "\\href{http://a}{", "\\textsuperscript{", "\\begin{", "\\begin{equation}", "\\end{equation}",
    "\\begin{align}", "\\frac{", "\\frac{a}{b}", "\\sqrt{", "\\mathcal{O}", "\\text{", "\\mbox{",
    "\\left(", "\\def\\a{\\a\\a}", "\\foo", "\\foo{", "\\FOO{", "\\item", "\\par", "\\verb|", "|",
    "\\unicode{xfffc}", "\\ding{51}", "\\'e", "\\'", "\\'{", "{\\'e}", "\\c{", "\\c ", "\\v s",
    "\\r{ho}", "\\ss", "\\i", "\\$", "\\{", "\\}", "\\\\", "\\,", "\\ ", "word", "x", "5",
    "$5 and ", "$x$", "$x^2$ ", "{a, b}", "\u0301", "\u0316\u0301", "&#790;", "e\u0301", "\u1100\u1161",
    "\u11a8", "\u212b", "\ufb01", "\ufffc", "\ud800", "é", "漢", "\U0001f600", "\U0001d465", "𝒪",
    "ﷺ",
    # What begins or ends a record, a field or a document somewhere
    "Title: ", "Authors: ", "Abstract: ", "URL: ", "---", "Date: ", "\\\\\n", "-" * 78, "%-%-%-",
    "%%--%%--", "arXiv:2605.01234", "https://openreview.net/forum?id=", "From ", "=3D", "=\n",
    "Read the full abstract", "<entry>", "</entry>", "<item>", "</item>", "<record>", "<![CDATA[",
    "]]>", "<!--", "<?xml", "&lt;", "&#0;", "<!DOCTYPE a [<!ENTITY b 'bb'>]>", "&b;", "{\"id\":",
    "\"abstract\":", "[[", "null", "1e999", ": ", ", ", ";",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One input: ``made`` is an expression over the functions of this module, `sample` included."""

    made: str
    text: str


def repeated(pieces: Sequence[str], tail: str = "", before: str = "", size: int = LARGE) -> str:
    """The pieces over and over, then as many times ``tail``, at most ``size`` characters in all."""
    unit = "".join(pieces)
    times = max(1, (size - len(before)) // max(1, len(unit) + len(tail)))
    return before + unit * times + tail * times


def damaged(text: str, edits: Sequence[tuple[str, float, str]], size: int = LARGE) -> str:
    """The text after each edit (what, where as a share of the length, piece), cut to ``size``."""
    for what, share, piece in edits:
        at = int(share * len(text))
        if what == "insert":
            text = text[:at] + piece + text[at:]
        elif what == "flood":
            text = text[:at] + repeated([piece], size=size - min(size, len(text))) + text[at:]
        elif what == "replace":
            text = text[:at] + piece + text[at + len(piece) :]
        elif what == "delete":
            text = text[:at] + text[at + 8 * len(piece) :]
        elif what == "cut":
            text = text[:at]
        elif what == "double":
            text = text[:at] + text[at // 2 :]
    return text[:size]


EDITS = ("insert", "insert", "flood", "replace", "delete", "cut", "double")

piece = st.one_of(st.sampled_from(PIECES), st.text(max_size=4))
edit = st.tuples(st.sampled_from(EDITS), st.floats(0, 1), piece)


def tangled() -> st.SearchStrategy[Case]:
    """Short texts: pieces in any order, and anything at all."""
    some = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=120))
    return some.map(lambda text: Case(ascii(text), text))


def flooded() -> st.SearchStrategy[Case]:
    """Long texts: a few pieces over and over, groups nested in groups, after what opens the text."""
    tail = st.sampled_from(("", "", "}", "}}", "$", "\\)", "</b>"))
    return st.tuples(st.lists(piece, min_size=1, max_size=4), tail, piece).map(_flood)


def _flood(drawn: tuple[list[str], str, str]) -> Case:
    pieces, tail, before = drawn
    return Case(f"repeated({pieces!a}, {tail!a}, {before!a})", repeated(pieces, tail, before))


def hurt(named: Sequence[tuple[str, str]]) -> st.SearchStrategy[Case]:
    """Real texts after one to six edits; ``named`` are (expression, text)."""
    drawn = st.tuples(st.sampled_from(named), st.lists(edit, min_size=1, max_size=6))
    return drawn.map(_hurt)


def _hurt(drawn: tuple[tuple[str, str], list[tuple[str, float, str]]]) -> Case:
    (name, text), edits = drawn
    return Case(f"damaged({name}, {edits!a})", damaged(text, edits))
