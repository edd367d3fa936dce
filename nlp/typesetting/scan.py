"""The state of one walk over a source string, and the only way to write the reading text."""

from __future__ import annotations

import re
from typing import Any

from nlp.records import PARAGRAPH, ReadingText, Run, RunKind
from nlp.typesetting.normal import compose

_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)

# What a stretch is shown as when styles are nested: the highest of them.
_RANK = {RunKind.TEXT: 0, RunKind.EMPHASIS: 1, RunKind.STRONG: 2, RunKind.CODE: 3, RunKind.LINK: 4}

_WHOLE = frozenset({RunKind.MATH, RunKind.DISPLAY, RunKind.CITE})  # never two in one run



class Scan:
    """One walk: what is written so far, the open styles, and what is known of the rest.

    Source that no handler touches is *pending*: `plain` is where it starts, and whatever is
    written next takes it along first. Positions are code points of the source.
    """

    __slots__ = (
        "_drafts", "_frames", "_length", "_partners", "_pieces", "closers", "content", "gaps", "last",
        "marks", "paragraphs", "plain", "quote_open", "source", "style",
    )  # fmt: skip

    def __init__(self, source: str, *, paragraphs: bool) -> None:
        self.source = source
        self.paragraphs = paragraphs
        self.plain = 0
        self.last = "\n"  # the last character written; a break before the first
        self.marks = 0  # how many combining marks end what is written, where one does
        self.style = RunKind.TEXT
        self.content = ""  # the address, while inside a link
        self.closers: dict[int, tuple[int, str]] = {}  # where an opened style ends: (end, text to write)
        self.gaps: set[int] = set()  # braces that must not glue their content to what stands before
        self.quote_open = False
        self._frames: list[tuple[int, RunKind, str]] = []  # (end, style outside, content outside)
        self._partners: dict[int, int] | None = None
        self._pieces: list[str] = []
        self._drafts: list[list[Any]] = []  # the fields of each run: they grow, and a Run does not
        self._length = 0

    def previous(self, at: int) -> str:
        """The character before ``at`` as a reader sees it; a line break at the very start."""
        return self.source[at - 1] if at > self.plain else self.last

    def put(self, text: str, start: int, end: int) -> None:
        """Write ``text`` for the source [start, end)."""
        self._flush(start)
        if text:
            self._add(self.style, text, start, end, text == self.source[start:end], self.content)
        self.plain = end

    def skip(self, start: int, end: int) -> None:
        """Leave out the source [start, end): it is markup."""
        self._flush(start)
        self.plain = end

    def put_run(self, kind: RunKind, text: str, start: int, end: int, content: str) -> None:
        """Write one run of a kind of its own: a formula, a citation, a link."""
        self._flush(start)
        self._add(kind, text, start, end, text == self.source[start:end], content)
        self.plain = end

    def put_paragraph(self, start: int, end: int) -> None:
        """Write a break between paragraphs, unless one stands there or nothing does."""
        self._flush(start)
        self.plain = end
        self.quote_open = False
        if self.last != "\n":
            self._trim()
            self._add(RunKind.TEXT, PARAGRAPH, start, end, False, "")

    def partner(self, brace: int) -> int | None:
        """Where the brace opened at ``brace`` is closed, if it is."""
        if self._partners is None:
            self._partners = _match_braces(self.source)
        return self._partners.get(brace)

    def open(self, kind: RunKind, end: int, content: str = "") -> None:
        """Begin a style that ends at ``end``; a style that crosses the one around it is cut there."""
        self._flush(self.plain)
        if self._frames:
            end = min(end, self._frames[-1][0])
        self._frames.append((end, self.style, self.content))
        if _RANK[kind] > _RANK[self.style]:
            self.style, self.content = kind, content

    def close(self, at: int) -> int:
        """Pass the closer at ``at`` and end the styles that end there; where to go on."""
        end, text = self.closers.pop(at)
        self.put(text, at, end)
        self.leave(at)
        return end

    def leave(self, at: int) -> None:
        """End the styles that end at or before ``at``."""
        while self._frames and self._frames[-1][0] <= at:
            _, self.style, self.content = self._frames.pop()

    @property
    def frame_end(self) -> int | None:
        """Where the innermost open style ends, if one is open."""
        return self._frames[-1][0] if self._frames else None

    def finish(self) -> ReadingText:
        """The whole reading text."""
        self._flush(len(self.source))
        self._trim()
        return compose(ReadingText("".join(self._pieces), tuple(map(Run._make, self._drafts))))

    def _flush(self, end: int) -> None:
        """Write the pending source up to ``end`` as it stands."""
        start = self.plain
        if end > start:
            self.plain = end
            self._add(self.style, self.source[start:end], start, end, True, self.content)

    def _add(self, kind: RunKind, text: str, start: int, end: int, identity: bool, content: str) -> None:
        """Append to the last run where it goes on in the same way, else as a run of its own."""
        if text[0] == " " and self.last in " \n":
            text = text[1:]
            start += identity
            if not text:
                return
        length = self._length
        self._length = stop = length + len(text)
        self._pieces.append(text)
        self.last = text[-1]
        if self._drafts and kind not in _WHOLE:
            draft = self._drafts[-1]
            if draft[4] == start and draft[5] is identity and draft[0] is kind and draft[6] == content:
                draft[2], draft[4] = stop, end
                return
        self._drafts.append([kind, length, stop, start, end, identity, content])

    def _trim(self) -> None:
        """Take back the blank, or the break, that the text ends with."""
        pieces, drafts = self._pieces, self._drafts
        while pieces and (kept := pieces[-1].rstrip(" \n")) != pieces[-1]:
            self._length -= len(pieces.pop()) - len(kept)
            if kept:
                pieces.append(kept)
        self.last = pieces[-1][-1] if pieces else "\n"
        while drafts and drafts[-1][2] > self._length:
            draft = drafts.pop()
            if draft[1] < self._length:
                draft[4] -= (draft[2] - self._length) * draft[5]
                draft[2] = self._length
                drafts.append(draft)


def _match_braces(source: str) -> dict[int, int]:
    """Each opening brace that is closed, with where; an escaped brace is none."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(source):
        if brace.group() == "{":
            opened.append(brace.start())
        elif brace.group() == "}" and opened:
            partners[opened.pop()] = brace.start()
    return partners
