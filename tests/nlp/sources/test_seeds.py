"""The three seed documents, read as they came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from nlp.manifest import load_manifest
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from nlp.sources.bylines import split_names
from nlp.sources.characters import flaw

SEEDS = Path(__file__).parents[3] / "seeds"
DIGEST, SATURDAY, SUNDAY = "tmlr-digest-2026-02-22.txt", "cs.LG-2026-05-16.txt", "cs.LG-2026-05-17.txt"


def read_seed(file: str) -> list[RawPaper]:
    document = next(each for each in load_manifest(SEEDS / "manifest.toml").documents if each.file == file)
    records = read_source(
        (SEEDS / file).read_bytes(), file, source=document.kind, board=document.board, day=document.day
    )
    papers = []
    for record in records:
        assert isinstance(record, RawPaper), str(record)
        papers.append(record)
    return papers


@pytest.fixture(scope="module")
def seeds() -> dict[str, list[RawPaper]]:
    return {file: read_seed(file) for file in (DIGEST, SATURDAY, SUNDAY)}


def test_every_paper_is_taken_once(seeds: dict[str, list[RawPaper]]) -> None:
    assert [len(papers) for papers in seeds.values()] == [32, 30, 30]
    everything = [paper for papers in seeds.values() for paper in papers]
    assert len({paper.identifier for paper in everything}) == 92
    assert [paper.authors for paper in everything if not paper.title] == [("Zhiquan Tan", "Yinrong Hong")]
    assert all(flaw(paper.title + paper.abstract + "".join(paper.authors)) is None for paper in everything)


def test_sections_and_authors(seeds: dict[str, list[RawPaper]]) -> None:
    digest = [(paper.section, bool(paper.authors)) for paper in seeds[DIGEST]]
    assert digest == [(Section.ACCEPTED, True)] * 6 + [(Section.SUBMITTED, False)] * 26
    for file, crossed, named, names in ((SATURDAY, 11, 17, 109), (SUNDAY, 9, 30, 103)):
        papers = seeds[file]
        assert sum(paper.section is Section.CROSS for paper in papers) == crossed
        assert sum(bool(paper.authors) for paper in papers) == named
        assert sum(len(paper.authors) for paper in papers) == names
        assert {paper.section for paper in papers} == {Section.CROSS, Section.NEW}


def test_lists_of_authors_that_are_shortened_add_up() -> None:
    """ "A, B, C et al. (+5 more)" above the abstract, and everyone after it."""
    lines = (SEEDS / SUNDAY).read_text(encoding="utf-8").split("\n")
    shortened = [line for line in lines if re.search(r" et al\. \(\+[0-9]+ more\)\Z", line)]
    everyone = [line.removeprefix("All authors ") for line in lines if line.startswith("All authors ")]
    assert len(shortened) == len(everyone) == 14
    for short, full in zip(shortened, everyone, strict=True):
        more = int(short.rpartition("(+")[2].removesuffix(" more)"))
        assert len(split_names(short)) + more == len(split_names(full))
        assert split_names(full)[: len(split_names(short))] == split_names(short)


def test_what_the_pages_are_like(seeds: dict[str, list[RawPaper]]) -> None:
    saturday, sunday = ((SEEDS / file).read_text(encoding="utf-8") for file in (SATURDAY, SUNDAY))
    assert (saturday.count("Read the full abstract\n"), sunday.count("Read the full abstract ▾")) == (30, 30)
    assert ("\n\n" in saturday, "\n\n" in sunday.strip()) == (True, False)
    assert (saturday.count("\nAll authors "), sunday.count("\nAll authors ")) == (17, 14)
    others = {paper.categories[0] for paper in seeds[SUNDAY]}
    assert {"astro-ph.IM", "physics.ao-ph", "cond-mat.soft"} <= others


def test_lines_days_and_categories(seeds: dict[str, list[RawPaper]]) -> None:
    for file, papers in seeds.items():
        lines = (SEEDS / file).read_text(encoding="utf-8").split("\n")
        for paper in papers:
            start = lines[paper.line - 1]
            assert start.startswith("Title: " + paper.title if file == DIGEST else "Machine Learning")
            assert ("Cross-listed from " + paper.categories[0] in start) == (paper.section is Section.CROSS)
            assert paper.categories[-1] == ("tmlr" if file == DIGEST else "cs.LG")
    days = {file: {paper.day for paper in papers} for file, papers in seeds.items()}
    assert days == {DIGEST: {date(2026, 2, 22)}, SATURDAY: {date(2026, 5, 16)}, SUNDAY: {date(2026, 5, 17)}}


def test_the_format_of_each_is_recognised(seeds: dict[str, list[RawPaper]]) -> None:
    for file, papers in seeds.items():
        data, first = (SEEDS / file).read_bytes(), papers[0]
        assert list(read_source(data, file, board=first.categories[-1], day=first.day)) == papers


def test_a_broken_abstract_is_joined_as_it_was(seeds: dict[str, list[RawPaper]]) -> None:
    """Of 148 breaks eight fell inside a word or after a bracket; all others stood for a blank."""
    lines = (SEEDS / SUNDAY).read_text(encoding="utf-8").split("\n")
    breaks = [each for paper in seeds[SUNDAY] for each in _breaks(paper, lines)]
    assert len(breaks) == 148
    assert [f"{before[-9:]}|{after[:9]}" for before, after, kept in breaks if not kept] == [
        "or cross-|entropy l", "Vision-|Language ", "al state-|alignment", " models (|transform",
        "for MoE (|StaR-MoE)", " models (|EEG-FMs) ", "ne model-|benchmark", "Vision-|Language-",
    ]  # fmt: skip
    assert {kept for _, _, kept in breaks} == {"", " "}


def _breaks(paper: RawPaper, lines: list[str]) -> Iterator[tuple[str, str, str]]:
    """Each break of the abstract: the lines before and after it, and what stands there when joined."""
    start = paper.line + 1 + bool(paper.title)
    at = 0
    for before, after in pairwise(lines[start : lines.index("Read the full abstract ▾", start)]):
        at += len(before)
        kept = "" if paper.abstract.startswith(after, at) else paper.abstract[at]
        at += len(kept)
        assert paper.abstract.startswith(after, at)
        yield before, after, kept


def test_paragraphs_of_the_digest_stay(seeds: dict[str, list[RawPaper]]) -> None:
    papers = {paper.identifier: paper for paper in seeds[DIGEST]}
    assert sum("\n" in paper.abstract for paper in papers.values()) == 9
    assert papers["openreview:zZa3u6LKwO"].abstract.count("\n\n") == 4
    assert "RLVR\nperformance, and supervised" in papers["openreview:NxU1KWnpOG"].abstract
    assert papers["openreview:WJjlXHo4yS"].title.startswith("CAPTAIN: : Conformal")
    assert papers["openreview:WJjlXHo4yS"].url == "https://openreview.net/forum?id=WJjlXHo4yS"


@pytest.mark.parametrize("file", [DIGEST, SATURDAY, SUNDAY])
def test_line_ends_and_byte_order_mark_change_nothing(file: str, seeds: dict[str, list[RawPaper]]) -> None:
    data = (SEEDS / file).read_bytes()
    paper = seeds[file][0]
    for form in (data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, data + b"\n\n"):
        assert list(read_source(form, file, board=paper.categories[-1], day=paper.day)) == seeds[file]


@pytest.mark.parametrize(("file", "number"), [(DIGEST, 40), (SATURDAY, 26), (SUNDAY, 45)])
def test_a_broken_byte_costs_one_record(file: str, number: int, seeds: dict[str, list[RawPaper]]) -> None:
    lines = (SEEDS / file).read_bytes().split(b"\n")
    lines[number - 1] = b"caf\xe9 " + lines[number - 1]
    first = max((paper for paper in seeds[file] if paper.line <= number), key=lambda paper: paper.line)
    found = list(read_source(b"\n".join(lines), file, board=first.categories[-1], day=first.day))
    refused = Refusal(file, first.line, f"bytes that are not UTF-8 at line {number}")
    assert found == [refused if paper == first else paper for paper in seeds[file]]


def test_a_page_has_the_same_identifiers_in_either_layout(seeds: dict[str, list[RawPaper]]) -> None:
    spaced = "".join(
        f"Machine Learning\n\n{paper.title or 'Untitled'}\n\n{paper.abstract}\nRead the full abstract\n\n"
        for paper in seeds[SUNDAY]
    )
    found = read_source(spaced.encode(), "again", board="cs.LG", day=date(2026, 5, 18))
    again = [paper.identifier for paper in found if isinstance(paper, RawPaper)]
    assert again == [paper.identifier for paper in seeds[SUNDAY]]
