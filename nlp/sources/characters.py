"""Bytes to characters: strict UTF-8, and what may not come out of a parser."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator

from nlp.errors import UnknownSource

# What files begin with that are sent by mistake. The longer mark first where one begins with the other.
_MARKS = (
    (b"%PDF-", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive in a gzip archive; unpack it first"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\xff\xfe\x00\x00", "text in UTF-32; save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "text in UTF-32; save it as UTF-8"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
)
_SAMPLE = 4096  # bytes looked at to tell text from binary data
_BLANKS = re.compile(r"[ \t\r\n]+")
_FLAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def decode(data: bytes, origin: str) -> str:
    """The text of a file in UTF-8, with or without a byte order mark.

    A byte that is not UTF-8 becomes one surrogate (U+DC80 to U+DCFF), so that only the record that
    holds it need be refused; `flaw` finds it. Raises `UnknownSource` for an empty file, another
    encoding and binary data.
    """
    for mark, kind in _MARKS:
        if data.startswith(mark):
            raise UnknownSource(origin, kind)
    sample = data[:_SAMPLE]
    if sample.count(0) * 10 > len(sample):
        raise UnknownSource(origin, "binary data, or text in UTF-16; only UTF-8 text can be read")
    text = data.decode("utf-8-sig", errors="surrogateescape")
    if not text.strip():
        raise UnknownSource(origin, "an empty file")
    return text


class NumberedText(str):
    """A text that was unfolded from a file, and whose lines have the numbers that they had there."""

    numbers: tuple[int, ...]

    @classmethod
    def of(cls, lines: Iterable[tuple[int, str]]) -> NumberedText:
        """The text of lines that have numbers already and no ends."""
        numbers, texts = zip(*lines, strict=True)
        text = cls("\n".join(texts))
        text.numbers = numbers
        return text


def lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, from 1 unless the text has others, without LF or CR LF; no other
    character ends a line."""
    found = numbered(io.StringIO(text, newline="\n"))
    if isinstance(text, NumberedText):
        return ((number, line) for number, (_, line) in zip(text.numbers, found, strict=False))
    return found


def numbered(stream: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines of a stream of text that ends lines at LF only, likewise."""
    for number, line in enumerate(stream, 1):
        yield number, line.removesuffix("\n").removesuffix("\r")


def flaw(text: str) -> str | None:
    """What is wrong with the characters of a text, or None: broken bytes, surrogates, control characters.

    Tabs and line feeds are no flaw.
    """
    found = _FLAW.search(text)
    if found is None:
        return None
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        return "bytes that are not UTF-8"
    if 0xD800 <= code <= 0xDFFF:
        return f"half of a surrogate pair (U+{code:04X})"
    return f"the control character U+{code:04X}"


def flaw_in_lines(numbered: Iterable[tuple[int, str]]) -> str | None:
    """The first flaw in some lines, with the number of its line."""
    flaws = ((flaw(line), number) for number, line in numbered)
    return next((f"{reason} at line {number}" for reason, number in flaws if reason), None)


def squeeze(text: str) -> str:
    """The text on one line: every run of blanks, tabs and line ends is one blank, none at the ends."""
    return _BLANKS.sub(" ", text).strip(" ")
