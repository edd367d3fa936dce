"""Mentions of listed terms in a reading text, and the flat pieces in which it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from nlp.introductions import with_introductions
from nlp.matcher import Matcher
from nlp.records import FORMULA, Mention, ReadingText, Run, RunKind, Segment
from nlp.vetoes import Rule

HIGHLIGHTER_VERSION = 2  # counts up when the same lexicon may give other mentions

# A named tuple's own constructor takes three times as long.
_mention: Callable[[tuple[int, int, str, str]], Mention] = partial(tuple.__new__, Mention)
_NO_FORMULA = re.compile(f"[^{FORMULA}]")
_WHOLE = frozenset({RunKind.MATH, RunKind.DISPLAY, RunKind.LINK, RunKind.CITE})
_CLOSED = frozenset({RunKind.MATH, RunKind.DISPLAY, RunKind.LINK, RunKind.CODE, RunKind.CITE})


def find_mentions(reading: ReadingText, matcher: Matcher) -> tuple[Mention, ...]:
    """Every mention, in order, none overlapping another: leftmost-longest among what no rule vetoes.

    A mention never stands in a formula, link, code or citation and never touches a formula; its quote is
    `reading.text[start:end]`.
    """
    quoted = reading.text
    text = open_text(reading)
    matches = with_introductions(text, matcher.matches(text), matcher)
    found = []
    end = 0
    for start, stop, standing in matches:
        if start >= end and not (standing.rules and _is_refused(standing.rules, text, start, stop)):
            end = stop
            found.append((start, end, quoted[start:end], standing.term))
    return tuple(map(_mention, found))


def open_text(reading: ReadingText) -> str:
    """The text with every stretch in which no term may stand blotted out, at the same length.

    What stands for a formula stays, since a term that touches one is part of another word.
    """
    text = reading.text
    parts: list[str] = []
    end = 0
    for run in reading.runs:
        if run.kind in _CLOSED and (closed := text[run.start : run.end]) != FORMULA:
            parts += [text[end : run.start], _NO_FORMULA.sub("\0", closed)]
            end = run.end
    return "".join([*parts, text[end:]]) if parts else text


def segments(reading: ReadingText, mentions: Sequence[Mention]) -> tuple[Segment, ...]:
    """The reading text cut where it is shown in another way; joined, the pieces' texts give it back.

    Raises `ValueError` for mentions that are out of order, overlap, or do not fit the text.
    """
    _check(reading, mentions)
    firsts = _firsts(mentions)
    pieces: list[Segment] = []
    waiting = list(reversed(mentions))
    for run in _stretches(reading.runs):
        pieces.extend(_pieces_of(run, reading.text, waiting, firsts))
    return tuple(pieces)


def _stretches(runs: Sequence[Run]) -> Iterator[Run]:
    """The runs, those in a row that are shown alike made one; only start, end, kind and content hold for it.

    A text has a run for every mark that was replaced in it, and a page needs none of these borders.
    """
    at = 0
    while at < len(runs):
        run = runs[at]
        at += 1
        if run.kind not in _WHOLE:
            first = at
            while at < len(runs) and runs[at].kind is run.kind and runs[at].content == run.content:
                at += 1
            if at > first:
                end = runs[at - 1]
                run = Run(run.kind, run.start, end.end, run.source_start, end.source_end, False, run.content)
        yield run


def _is_refused(rules: tuple[Rule, ...], text: str, start: int, end: int) -> bool:
    for rule in rules:  # noqa: SIM110 - any() takes twice as long
        if rule(text, start, end):
            return True
    return False


def _pieces_of(run: Run, text: str, waiting: list[Mention], firsts: frozenset[int]) -> Iterator[Segment]:
    """The pieces of one run; takes from the end of `waiting` each mention that ends in it."""
    at = run.start
    while at < run.end:
        mention = waiting[-1] if waiting else None
        if mention is None or mention.start >= run.end:
            yield Segment(run.kind, text[at : run.end], run.content)
            return
        if mention.start > at:
            yield Segment(run.kind, text[at : mention.start], run.content)
            at = mention.start
        end = min(mention.end, run.end)
        yield Segment(
            run.kind,
            text[at:end],
            run.content,
            term=mention.term,
            is_first=mention.start in firsts,
            opens=at == mention.start,
            closes=end == mention.end,
        )
        at = end
        if end == mention.end:
            waiting.pop()


def _firsts(mentions: Iterable[Mention]) -> frozenset[int]:
    starts: dict[str, int] = {}
    for mention in mentions:
        starts.setdefault(mention.term, mention.start)
    return frozenset(starts.values())


def _check(reading: ReadingText, mentions: Sequence[Mention]) -> None:
    end = 0
    for mention in mentions:
        where = f"mention at {mention.start}-{mention.end}"
        if not end <= mention.start < mention.end <= len(reading.text):
            raise ValueError(f"{where} is out of order, overlaps or does not fit")
        if reading.text[mention.start : mention.end] != mention.quote:
            raise ValueError(f"{where} does not stand in this text")
        end = mention.end
