"""From a stream of bytes to one of text: packed files unpacked, the beginning looked at, no more read."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from itertools import count
from typing import BinaryIO

from nlp.errors import UnknownSource
from nlp.sources import characters

GZIP = b"\x1f\x8b"
HEAD_BYTES = 65_536  # shown to whoever recognises the format
MOST_BYTES = 64 * 2**20  # of a format that is read whole
LONGEST_LINE = 16 * 2**20  # characters


class _Rest(io.RawIOBase):
    """A stream whose first bytes were read already; whatever is wrong with the others is an `OSError`."""

    def __init__(self, head: bytes, read: Callable[[int], bytes]) -> None:
        self._head = head
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            found = self._head[: len(buffer)] or self._read(len(buffer))
        except (EOFError, zlib.error) as error:
            raise OSError(str(error)) from error
        self._head = self._head[len(buffer) :]
        buffer[: len(found)] = found
        return len(found)


def opened(data: bytes | BinaryIO, origin: str) -> tuple[bytes, BinaryIO]:
    """The first bytes, unpacked, and a stream of all of them. Raises `UnknownSource` for an archive that
    nothing can be read of."""
    stream: BinaryIO = io.BytesIO(data) if isinstance(data, bytes) else data
    head, read = _first(stream.read, len(GZIP)), stream.read
    if head.startswith(GZIP):
        packed: BinaryIO = io.BufferedReader(_Rest(head, read))
        # Piece by piece, so that nothing of what precedes a fault is lost with it.
        head, read = b"", gzip.GzipFile(fileobj=packed).read1
    try:
        head += _first(read, HEAD_BYTES - len(head))
    except OSError as error:
        raise UnknownSource(origin, f"a gzip archive that is damaged: {error}") from None
    return head, io.BufferedReader(_Rest(head, read))


def whole(stream: BinaryIO, origin: str) -> bytes:
    """All bytes of a format that is read whole; raises `UnknownSource` past `MOST_BYTES` and where they break
    off."""
    try:
        data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnknownSource(origin, f"it cannot be read to its end: {error}") from None
    if len(data) > MOST_BYTES:
        raise UnknownSource(origin, f"longer than {MOST_BYTES // 2**20} MB; only JSON lines can be that long")
    return data


def text_lines(stream: BinaryIO) -> Iterator[str]:
    """The lines of UTF-8 text as they are read, with their ends; broken bytes as in `characters.decode`.

    Raises `OSError` where the stream breaks off and before a line longer than `LONGEST_LINE`, which would
    take as much memory.
    """
    text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="\n")
    for number in count(1):
        line = text.readline(LONGEST_LINE)
        if not line:
            return
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            raise OSError(f"line {number} is longer than {LONGEST_LINE:,} characters")
        yield line


def text_head(head: bytes, origin: str) -> str:
    """The beginning as text; a character cut in two at its end is left out. Raises `UnknownSource`."""
    return characters.decode(head, origin).rstrip("".join(map(chr, range(0xDC80, 0xDD00))))


def _first(read: Callable[[int], bytes], byte_count: int) -> bytes:
    """So many bytes, or all that can be had; a pipe may give them in pieces. Raises `OSError` where there are
    none because the stream is damaged: after some, the fault is met again when one reads on."""
    pieces: list[bytes] = []
    try:
        while byte_count > 0 and (piece := read(byte_count)):
            pieces.append(piece)
            byte_count -= len(piece)
    except (OSError, EOFError, zlib.error) as error:
        if not pieces:
            raise OSError(str(error)) from error
    return b"".join(pieces)
