"""What a command is to read: files, all files of a folder, standard input; and how far that has been read."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

STANDARD_INPUT = Path("-")
PIECE = 2**16  # bytes


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something that was named, or stands in a folder that was, and holds nothing to read."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class Input(io.RawIOBase):
    """A stream that is read once. ``origin`` is what messages call it, ``byte_count`` its size where one is
    known, ``reached`` how many of its bytes have been read."""

    def __init__(self, stream: BinaryIO, origin: str, byte_count: int | None) -> None:
        self._stream = stream
        self.origin = origin
        self.byte_count = byte_count
        self.reached = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        # What a pipe has now, without waiting until the buffer is full.
        found: bytes = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
        buffer[: len(found)] = found
        self.reached += len(found)
        return len(found)

    def buffered(self) -> BinaryIO:
        """The stream for whoever reads it; `reached` counts what went into its buffer."""
        return io.BufferedReader(self, PIECE)


def files_of(paths: Iterable[Path]) -> Iterator[Path | Unreadable]:
    """The paths, and in place of each folder the files below it, by name; what is hidden is passed over.

    Links to folders are named and not followed, since they may lead back to where they are.
    """
    for path in paths:
        yield from _below(path) if path.is_dir() else (path,)


def _below(folder: Path) -> Iterator[Path | Unreadable]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield Unreadable(folder, error.strerror or "cannot be read")
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_file():
            yield entry
        elif not entry.is_dir():
            yield Unreadable(entry, "neither a file nor a folder")
        elif entry.is_symlink():
            yield Unreadable(entry, "a link to a folder; name that folder itself to have it read")
        else:
            yield from _below(entry)


@contextmanager
def opened_input(path: Path) -> Iterator[Input]:
    """The file, or standard input for "-". Raises `OSError`."""
    if path == STANDARD_INPUT:
        yield Input(sys.stdin.buffer, "standard input", None)
        return
    with path.open("rb") as stream:
        yield Input(stream, str(path), path.stat().st_size if path.is_file() else None)
