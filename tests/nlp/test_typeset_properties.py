"""What holds for every string."""

from __future__ import annotations

import json
import re
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.records import ReadingText, Run, RunKind
from nlp.typeset import runs_from_json, runs_to_json, source_range, text_hash, typeset

PIECES = [
    "\\", "{", "}", "$", "$$", "\\(", "\\)", "\\[", "\\]", "~", "--", "---", "``", "''", "'", '"', "`", "*",
    "**", "_", "&amp;", "&", "<b>", "</b>", "<sub>", "<", "\n", "\n  ", "\n\n", " ", "  ", "\t",
    "\\textbf{", "\\emph{", "{\\em ", "\\cite{a}", "\\footnote{", "\\url{", "\\href{", "https://a.org/x",
    "[a](https://a.org)", "\\'e", "\\c{c}", "\\frac{a}{b}", "\\begin{equation}", "\\end{equation}", "\\foo",
    "\\foo{", "word", "x", "5", "%", "^{2}", "\u0301", "e\u0301", "\u1100", "\u1161", "\u11a8", "\u212b",
    "\ufb01", "\u200b", "\u00a0", "\ufffc", "\ud800", "é", "漢", "\U0001f600",
    "\\verb|", "|", "\\unicode{xfffc}", "\\unicode{x0a}", "&#65532;", "&nbsp;", "\\c ", "\\item", "\\par",
]  # fmt: skip
tangled = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
anything = st.one_of(tangled, st.text(max_size=80), st.text(st.characters(), max_size=40))
letters = st.text(string.ascii_letters, min_size=1, max_size=8)


@given(anything, st.booleans())
def test_runs_cover_the_text_and_point_into_the_source(source: str, paragraphs: bool) -> None:
    reading = typeset(source, paragraphs=paragraphs)
    at = source_at = 0
    for run in reading.runs:
        assert run.start == at < run.end
        assert source_at <= run.source_start <= run.source_end <= len(source)
        if run.identity:
            assert reading.text[run.start : run.end] == source[run.source_start : run.source_end]
        if run.kind in (RunKind.MATH, RunKind.DISPLAY):
            assert reading.text[run.start : run.end] == "\ufffc"
            assert run.content
        at, source_at = run.end, run.source_end
    assert at == len(reading.text)


@given(anything)
def test_text_is_in_one_form(source: str) -> None:
    reading = typeset(source)
    text = reading.text
    formulas = [run for run in reading.runs if run.kind in (RunKind.MATH, RunKind.DISPLAY)]
    assert text.count("\ufffc") == len(formulas)
    assert unicodedata.is_normalized("NFC", text)
    assert text == text.strip()
    assert not re.search(r"  | \n|\n |\n{3}|(?<!\n)\n(?!\n)", text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff\u200b]", text)


@given(anything)
def test_links_are_plain_web_addresses(source: str) -> None:
    for run in typeset(source).runs:
        if run.kind is RunKind.LINK:
            assert re.fullmatch(r"https?://[A-Za-z0-9][!-~]*", run.content)
            assert not set(run.content) & set("<>\"\\`{}|^")


@given(st.lists(st.text(f"{string.ascii_letters}{string.digits},.;()+=/%", min_size=1), min_size=1))
def test_plain_ascii_is_itself(words: list[str]) -> None:
    source = " ".join(words)
    reading = typeset(source)
    assert reading.text == source
    assert all(run.identity for run in reading.runs)


@given(anything)
def test_runs_survive_json(source: str) -> None:
    reading = typeset(source)
    assert runs_from_json(reading.text, json.loads(json.dumps(runs_to_json(reading)))) == reading


@given(tangled, letters, tangled)
def test_a_word_is_found_again_in_the_source(before: str, word: str, after: str) -> None:
    source = f"{before} {word}q {after}"
    reading = typeset(source)
    for found in re.finditer(rf"(?<!\S){word}q(?!\S)", reading.text):
        start, end = source_range(reading, *found.span())
        assert source[start:end] == word + "q"


@given(st.lists(st.tuples(st.sampled_from(["", "\\emph{", "{\\bf ", "\\foo{", "**"]), letters), min_size=1))
def test_no_word_is_lost(parts: list[tuple[str, str]]) -> None:
    closers = {"": "", "**": "**"}
    source = " ".join(opening + word + closers.get(opening, "}") for opening, word in parts)
    assert typeset(source).text.split() == [word for _, word in parts]


@pytest.mark.parametrize(
    "rows",
    [
        [["t", 2, 0]],
        [["t", 4, 0]],
        [["z", 3, 0]],
        [["t", 3]],
        [["t", 3, 0, 1, 2]],
        ["t"],
        [None],
        [["t", 0, 0]],
    ],
)
def test_rows_that_are_no_runs_are_refused(rows: list[object]) -> None:
    with pytest.raises(ValueError, match="run"):
        runs_from_json("abc", rows)


def test_rows_are_small() -> None:
    reading = typeset("plain \\emph{x} $y$")
    assert runs_to_json(reading) == [["t", 6, 0], ["e", 1, 6], ["t", 1, 1], ["m", 1, 0, 3, "y"]]


def test_hash_is_sha256_of_utf_8() -> None:
    assert text_hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert len(text_hash("\ud800")) == 64


def test_an_old_run_reads_as_written() -> None:
    run = Run(RunKind.LINK, 0, 1, 5, 6, True, "https://a.org")
    assert runs_from_json("x", [["l", 1, 5, "https://a.org"]]) == ReadingText("x", (run,))
