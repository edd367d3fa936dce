"""What an input format is: a name, a test that recognises it, and a parser. One file each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from nlp.records import RawPaper, Refusal


@dataclass(frozen=True, slots=True)
class Page:
    """What the sender says of a file: where it came from and, where the text may not say, board and day.

    ``board`` is a board's code ("cs.LG"). What the text itself states has to agree with it.
    """

    origin: str
    board: str | None = None
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """One input format.

    ``name`` is what `RawPaper.source` and the command line say; ``description`` completes "this is ...".
    ``recognises`` gets the beginning of the text and the file's name. ``parse`` gets the whole text,
    raises `nlp.errors.UnknownSource` at once where the page cannot be read at all, and gives the
    records one by one, refusals among them, with line numbers that count from 1. A format of one record a
    line has ``parse_lines`` too, which gets the numbered lines as they are read, however many they are.
    """

    name: str
    description: str
    recognises: Callable[[str, str], bool]
    parse: Callable[[str, Page], Iterator[RawPaper | Refusal]]
    parse_lines: Callable[[Iterable[tuple[int, str]], Page], Iterator[RawPaper | Refusal]] | None = None
