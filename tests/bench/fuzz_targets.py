"""What is fuzzed: each target draws inputs and takes each through timed steps; what comes out is checked."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st
from lxml import html

from nlp import mathml
from nlp.errors import NlpError
from nlp.records import RawPaper, ReadingText, Refusal, RunKind
from nlp.sources import FORMATS, read_source
from nlp.sources.source import Page, Source
from nlp.typeset import typeset
from tests.bench.fuzz_cases import Case, flooded, hurt, tangled
from tests.bench.fuzz_samples import Samples, sample, samples
from web.rendering import paragraphs_html, reading_html

FORMULAS = (RunKind.MATH, RunKind.DISPLAY)
CHECKED = 5_000  # characters up to which what came out is looked through

T = TypeVar("T")
Timed = list[tuple[str, float]]  # (step, seconds of processor time)


@dataclass(frozen=True, slots=True)
class Target:
    """Something that takes any input: ``run`` raises where it does not."""

    name: str
    inputs: st.SearchStrategy[Case]
    run: Callable[[str], Timed]


def targets(abstracts: list[tuple[str, str]]) -> list[Target]:
    """Typesetting and page, formulas alone, and every parser; ``abstracts`` are (expression, text)."""
    texts = st.one_of(flooded(), hurt(abstracts), tangled())
    mailbox = ("sample('mails.mbox')", sample("mails.mbox"))
    files = hurt([mailbox, *(text for each in samples().values() for text in each.texts)])
    return [
        Target("typeset and page", texts, typeset_and_page),
        Target("formula", st.one_of(flooded(), tangled()), formula),
        Target("any file", st.one_of(files, flooded(), tangled()), any_file),
        *(Target(f"read {each.name}", _files(each.name), _reader(each)) for each in FORMATS),
    ]


def typeset_and_page(text: str) -> Timed:
    """A text to its page, and as a title; where it is short, text and page are compared."""
    mathml._convert.cache_clear()  # a formula once more, as if it were new
    reading, seconds = timed(lambda: typeset(text))
    page, page_seconds = timed(lambda: paragraphs_html(reading))
    if len(text) <= CHECKED:
        check(text, reading, page)
    _, title_seconds = timed(lambda: reading_html(typeset(text, paragraphs=False)))
    return [("typeset", seconds), ("page", page_seconds), ("title", title_seconds)]


def formula(text: str) -> Timed:
    """The longest formula that begins like the text."""
    mathml._convert.cache_clear()
    markup, seconds = timed(lambda: mathml.formula_to_mathml(text[: mathml.LONGEST], display=True))
    if markup is not None:
        html.fromstring(markup)
    return [("formula", seconds)]


def any_file(text: str) -> Timed:
    """A file that nobody said the format of."""
    data = text.encode("utf-8", "surrogatepass")
    return [("recognise and read", timed(lambda: _read(lambda: list(read_source(data, "file"))))[1])]


def check(text: str, reading: ReadingText, page: str) -> None:
    """Raises AssertionError where runs, text and page do not fit together."""
    at = source_at = 0
    for run in reading.runs:
        assert run.start == at < run.end, run
        assert source_at <= run.source_start <= run.source_end <= len(text), run
        at, source_at = run.end, run.source_end
    assert at == len(reading.text)
    assert unicodedata.is_normalized("NFC", reading.text)
    shown = html.fromstring(f"<div>{page}</div>")
    for element in [*shown.iter("math"), *shown.iterfind(".//code[@class='tex']")]:
        element.drop_tree()
    kept = "".join(
        reading.text[run.start : run.end] for run in reading.runs if run.kind not in FORMULAS
    )
    assert shown.text_content() == kept.replace("\n\n", ""), shown.text_content()
    assert {each.tag for each in shown.iter()} <= {"div", "p", "em", "strong", "code", "a"}


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What the work gives, and the seconds of processor time that it took."""
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def _files(name: str) -> st.SearchStrategy[Case]:
    texts = samples()[name].texts
    return st.one_of(hurt(texts), flooded(), tangled()) if texts else st.one_of(flooded(), tangled())


def _reader(source: Source) -> Callable[[str], Timed]:
    told = samples()[source.name]

    def run(text: str) -> Timed:
        return [("recognise and read", _through(source, told, text)), ("read", _straight(source, told, text))]

    return run


def _through(source: Source, told: Samples, text: str) -> float:
    data = text.encode("utf-8", "surrogatepass")
    say = {"source": source.name, "board": told.board, "day": told.day}
    return timed(lambda: _read(lambda: list(read_source(data, "file", **say))))[1]


def _straight(source: Source, told: Samples, text: str) -> float:
    """Without the recogniser, which lets few damaged files through."""
    page = Page("file", told.board, told.day)
    text = text.encode("utf-8", "replace").decode()
    return timed(lambda: _read(lambda: list(source.parse(text, page))))[1]


def _read(read: Callable[[], list[RawPaper | Refusal]]) -> None:
    try:
        papers = read()
    except NlpError as error:
        if not error.args[0]:
            raise
        return
    for each in papers:
        if isinstance(each, RawPaper):
            assert ":" in each.identifier, each
            assert each.line >= 1, each
        else:
            assert each.reason, each
