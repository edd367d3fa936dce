"""Streams: packed, in pieces, cut, and far longer than memory should hold."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal
from nlp.sources import opening, read_source

LINE = json.dumps(
    {"id": "1", "date": "2026-05-16", "title": "On tea", "abstract": "Water boils.", "categories": "cs.LG"}
)


PACKED = gzip.compress(
    "".join(LINE.replace("1", str(n**5), 1) + "\n" for n in range(300)).encode(), mtime=0
)


class Drip(io.RawIOBase):
    """A pipe that gives a few bytes at a time, and knows how many it gave."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces
        self.given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        piece = next(self.pieces, b"")
        self.given += len(piece)
        return piece


def test_a_pipe_that_drips_is_read_like_a_file() -> None:
    data = f"{LINE}\n".encode() * 40
    pieces = (data[at : at + 7] for at in range(0, len(data), 7))
    assert list(read_source(Drip(pieces), "-")) == list(read_source(data, "-"))


def test_lines_are_read_as_they_are_asked_for() -> None:
    endless = (f"{LINE}\n".encode() * 500 for _ in iter(int, 1))
    pipe = Drip(endless)
    papers = read_source(pipe, "-")
    first = [next(papers) for _ in range(1000)]
    assert [paper.line for paper in first] == list(range(1, 1001))
    assert pipe.given < 3_000_000


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_packed_lines_are_unpacked_and_numbered(end: str) -> None:
    data = gzip.compress(f"{LINE}{end}{end}rubbish{end}{LINE}".encode())
    found = list(read_source(data, "papers.jsonl.gz"))
    assert [(type(each), each.line) for each in found] == [(RawPaper, 1), (Refusal, 3), (RawPaper, 4)]


def test_a_packed_file_that_was_cut_keeps_what_could_be_read() -> None:
    lines = "".join(f"{LINE[:-1]}, \"n\": {number}}}\n" for number in range(50_000))
    data = gzip.compress(lines.encode(), mtime=0)
    found = list(read_source(data[: len(data) // 2], "papers.jsonl.gz"))
    assert len(found) > 1000
    last = found[-1]
    assert isinstance(last, Refusal)
    assert "after this line it cannot be read" in last.reason
    assert all(isinstance(each, RawPaper) for each in found[:-1])


@given(st.integers(0, len(PACKED) - 1), st.integers(1, 255))
def test_a_packed_file_with_a_wrong_byte_is_never_taken_for_a_whole_one(at: int, flip: int) -> None:
    data = bytearray(PACKED)
    data[at] ^= flip
    try:
        found = list(read_source(bytes(data), "papers.jsonl.gz"))
    except UnknownSource:
        return
    # Where nothing depends on the byte, as on the time in the header, everything is there.
    whole = list(read_source(PACKED, "papers.jsonl.gz"))
    assert found == whole or any(isinstance(each, Refusal) for each in found)


def test_a_short_packed_file_that_was_cut_keeps_its_beginning_too() -> None:
    data = gzip.compress("".join(f"{LINE}\n" for _ in range(50)).encode())
    found = list(read_source(data[:-9], "papers.jsonl.gz"))
    assert isinstance(found[0], RawPaper)
    assert isinstance(found[-1], Refusal)
    assert "after this line it cannot be read" in found[-1].reason


def test_a_line_longer_than_memory_should_hold_ends_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "LONGEST_LINE", 1000)
    data = f"{LINE}\n{LINE}\n{LINE}{' ' * 2000}\n{LINE}\n".encode()
    first, second, refusal = read_source(data, "papers.jsonl")
    assert isinstance(first, RawPaper)
    assert isinstance(second, RawPaper)
    assert str(refusal) == (
        "papers.jsonl:2: after this line it cannot be read: line 3 is longer than 1,000 characters"
    )


def test_a_format_that_is_read_whole_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_BYTES", 2**20)
    digest = b"New submissions\n===============\n" + b"x" * 2**21
    with pytest.raises(UnknownSource, match="longer than 1 MB; only JSON lines can be that long"):
        read_source(digest, "digest.txt")
