"""What a reader sees of the abstracts: are formulas typeset, and is TeX left in the page?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lxml import html

from nlp.mathml import formula_to_mathml
from nlp.records import ReadingText, RunKind
from web.rendering import paragraphs_html

FORMULAS = (RunKind.MATH, RunKind.DISPLAY)

_RAW = re.compile(r"\\[A-Za-z]+|[\\${}]")
_IN_FORMULA = re.compile(r"\\[A-Za-z]+|[\\$]")  # a set's braces are signs of mathematics
_MONEY = re.compile(r"\$(?=\s?[0-9.])")
_SET = re.compile(r"\{[^{}\\$]+,[^{}\\$]+\}")
_AROUND = 24  # characters shown on both sides


@dataclass(frozen=True, slots=True)
class Formulas:
    """The distinct formulas, and those of them that cannot be typeset."""

    distinct: int
    failed: tuple[str, ...]
    shown_as_source: int

    @property
    def share(self) -> float:
        return 1 - len(self.failed) / self.distinct if self.distinct else 1.0


def formulas(readings: Iterable[ReadingText]) -> Formulas:
    """Every distinct formula through the converter; every one it refuses looked for in its page."""
    seen: dict[str, ReadingText] = {}
    for reading in readings:
        for run in reading.runs:
            if run.kind in FORMULAS:
                seen.setdefault(run.content, reading)
    failed = tuple(tex for tex in seen if formula_to_mathml(tex, display=False) is None)
    shown = sum(tex in _sources_shown(seen[tex]) for tex in failed)
    return Formulas(len(seen), failed, shown)


@dataclass(frozen=True, slots=True)
class Visible:
    """Signs of TeX that a reader sees in one abstract, with what stands around each."""

    identifier: str
    raw: tuple[str, ...]
    meant: tuple[str, ...]  # a sum of money, a set in braces: the author's, not TeX's


def visible_tex(identifier: str, reading: ReadingText) -> Visible | None:
    """None where the page of this abstract shows no backslash, dollar or brace."""
    page = html.fromstring(f"<div>{paragraphs_html(reading)}</div>")
    raw = [sign for formula in page.iter("math") for sign in _in_formula(formula)]
    for element in [*page.iter("math"), *page.iterfind(".//code[@class='tex']")]:
        element.drop_tree()
    text = page.text_content()
    allowed = {found.start() for found in _MONEY.finditer(text)}
    allowed |= {at for found in _SET.finditer(text) for at in (found.start(), found.end() - 1)}
    meant = []
    for found in _RAW.finditer(text):
        shown = text[max(0, found.start() - _AROUND) : found.end() + _AROUND]
        (meant if found.start() in allowed else raw).append(shown)
    return Visible(identifier, tuple(raw), tuple(meant)) if raw or meant else None


def _in_formula(formula: html.HtmlElement) -> list[str]:
    for annotation in formula.iter("annotation"):
        annotation.text = ""
    return _IN_FORMULA.findall("".join(formula.itertext()))


def _sources_shown(reading: ReadingText) -> set[str]:
    page = html.fromstring(f"<div>{paragraphs_html(reading)}</div>")
    return {element.text_content() for element in page.iterfind(".//code[@class='tex']")}
