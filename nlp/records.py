"""The values that flow through the text side: frozen, with no database behind them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

FORMULA = "\ufffc"  # stands for one formula in a reading text
PARAGRAPH = "\n\n"  # parts two paragraphs of it


class Section(StrEnum):
    """How a source announces a paper on a board's day."""

    NEW = "new"
    CROSS = "cross"  # cross-listed from another primary category
    ACCEPTED = "accepted"  # TMLR digest
    SUBMITTED = "submitted"  # TMLR digest, "New submissions"
    REPLACED = "replaced"  # a later version, or a change of its data: announces no new paper


@dataclass(frozen=True, slots=True)
class RawPaper:
    """One paper as its source gives it: nothing typeset, nothing looked up.

    ``identifier`` carries its scheme and no version ("arxiv:2605.01234", "openreview:Eukf4TBHS7";
    "listing:" + 16 hex digits of the content's hash where the source names none). ``title`` is ""
    where the source has none, and ``abstract`` "" only where a replacement comes without one.
    ``categories`` has the primary one first; a TMLR paper's is "tmlr". ``line`` counts from 1.

    ``day`` is the day on which the source announces this sighting, or None; ``submitted_at`` the moment
    (aware) its first version was submitted, or None. ``version`` is the number, from 1, of the version this
    text is of, or None where the source does not say.
    """

    identifier: str
    title: str
    abstract: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    day: date | None
    section: Section
    url: str | None
    source: str
    line: int
    version: int | None = None
    submitted_at: datetime | None = None
    is_withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that was not taken: where it stands and why, in words for the person who sent it."""

    origin: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.origin}:{self.line}: {self.reason}"


class RunKind(StrEnum):
    """What a stretch of the reading text is, and so how it is shown and whether terms may stand in it."""

    TEXT = "text"
    EMPHASIS = "emphasis"
    STRONG = "strong"
    CODE = "code"
    MATH = "math"  # one U+FFFC in the text; `content` is the TeX without its delimiters
    DISPLAY = "display"  # the same for a displayed formula
    LINK = "link"  # `content` is the address
    CITE = "cite"


class Run(NamedTuple):  # a tuple, as `Mention` is: hostile text has one for every other character
    """A stretch [start, end) of the reading text, in code points, and where it came from.

    ``source_start``/``source_end`` are code points of the source string. When both lengths are
    equal and ``identity`` is true, offset ``start + i`` stands at ``source_start + i``.
    """

    kind: RunKind
    start: int
    end: int
    source_start: int
    source_end: int
    identity: bool
    content: str = ""


@dataclass(frozen=True, slots=True)
class ReadingText:
    """The one canonical string of an abstract (NFC, one U+FFFC per formula) and its runs.

    The runs are in order, do not overlap and cover ``text`` wholly.
    """

    text: str
    runs: tuple[Run, ...]


class Mention(NamedTuple):  # made by the million: a tuple takes a third of a frozen dataclass's time
    """One occurrence of a term: [start, end) in code points of the reading text."""

    start: int
    end: int
    quote: str
    term: str  # the term key


class Segment(NamedTuple):
    """A piece of the reading text that is shown in one way; joined, the pieces give the text back.

    ``term`` is the key of the term whose mention it lies in, ``is_first`` whether that mention is
    the term's first in this text, ``opens``/``closes`` whether the mention begins or ends with
    this piece (a mention may span several runs).
    """

    kind: RunKind
    text: str
    content: str = ""
    term: str | None = None
    is_first: bool = False
    opens: bool = False
    closes: bool = False
