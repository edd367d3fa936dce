"""From a stream of bytes to one of text: packed files unpacked, the beginning looked at, no more read."""

from __future__ import annotations

import gzip
import io
from typing import BinaryIO

from nlp.errors import UnknownSource
from nlp.sources import characters

GZIP = b"\x1f\x8b"
HEAD_BYTES = 65_536  # shown to whoever recognises the format
MOST_BYTES = 64 * 2**20  # of a format that is read whole


class _Rest(io.RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        found = self._head[: len(buffer)] or self._stream.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(found)] = found
        return len(found)


def opened(data: bytes | BinaryIO, origin: str) -> tuple[bytes, BinaryIO]:
    """The first bytes, unpacked, and a stream of all of them. Raises `UnknownSource` for a broken archive."""
    stream: BinaryIO = io.BytesIO(data) if isinstance(data, bytes) else data
    head = _first(stream, len(GZIP))
    if head.startswith(GZIP):
        stream = gzip.GzipFile(fileobj=io.BufferedReader(_Rest(head, stream)))  # type: ignore[assignment]
        head = b""
    try:
        head += _first(stream, HEAD_BYTES - len(head))
    except (OSError, EOFError) as error:
        raise UnknownSource(origin, f"a gzip archive that is damaged: {error}") from None
    return head, io.BufferedReader(_Rest(head, stream))


def whole(stream: BinaryIO, origin: str) -> bytes:
    """All bytes of a format that is read whole; raises `UnknownSource` past `MOST_BYTES` and where they break
    off."""
    try:
        data = stream.read(MOST_BYTES + 1)
    except (OSError, EOFError) as error:
        raise UnknownSource(origin, f"it cannot be read to its end: {error}") from None
    if len(data) > MOST_BYTES:
        raise UnknownSource(origin, f"longer than {MOST_BYTES // 2**20} MB; only JSON lines can be that long")
    return data


def text_head(head: bytes, origin: str) -> str:
    """The beginning as text; a character cut in two at its end is left out. Raises `UnknownSource`."""
    return characters.decode(head, origin).rstrip("".join(map(chr, range(0xDC80, 0xDD00))))


def _first(stream: BinaryIO, count: int) -> bytes:
    """So many bytes, or all there are; a pipe may give them in pieces."""
    pieces = []
    while count > 0 and (piece := stream.read(count)):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
