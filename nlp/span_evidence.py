"""What speaks for and against a span beyond the tokens around it: its other occurrences, what overlaps it,
and what the corpus says of it and of its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlp.label_schemes import TokenSpan
from nlp.phrases import LONGEST, Floats, Hashes, PhraseTable, phrases_at

_LEAST = 1e-4
_UNSEEN = 0.02  # added to a share before its logarithm is taken


@dataclass(frozen=True, slots=True)
class TextSides:
    """What is needed of a text's tokens."""

    words: Hashes  # of each word, its plural taken for its singular
    is_capital: NDArray[np.bool_]  # begins with a capital
    is_mixed: NDArray[np.bool_]  # has a capital after its first letter
    is_hyphen: NDArray[np.bool_]
    pos: NDArray[np.int64]  # number in UPOS

    def part(self, start: int, end: int) -> TextSides:
        """That of the tokens [start, end)."""
        stretch = slice(start, end)
        return TextSides(
            self.words[stretch], self.is_capital[stretch], self.is_mixed[stretch], self.is_hyphen[stretch],
            self.pos[stretch],
        )  # fmt: skip


def evidence(spans: Sequence[TokenSpan], text: TextSides, table: PhraseTable, pos: int) -> Floats:
    """A row for each span of one text, which has at least one; `pos` is the number of parts of speech."""
    start = np.array([span.start for span in spans])
    end = np.array([span.end for span in spans])
    likely = np.clip(np.array([span.probability for span in spans]), _LEAST, 1 - _LEAST)
    phrases = phrases_at(text.words)
    key = _at(phrases, start, end)
    sides = ((start - 1, end), (start, end + 1), (end - 1, end), (start + 1, end), (start, end - 1))
    shares, counts = table.look_up(np.concatenate([key, *(_at(phrases, *each) for each in sides)]))
    share, left, right, head, tail, front = shares.reshape(len(sides) + 1, -1)
    count, _, _, head_count, tail_count, front_count = counts.reshape(len(sides) + 1, -1)
    return np.column_stack([
        np.log(likely / (1 - likely)), likely,
        share, np.log(share + _UNSEEN), count, share * count, count == 0,
        left, right, head, head_count, tail, tail_count, front, front_count,
        *_repeated(key, likely, phrases),
        *_overlapping(start, end, likely, share),
        *_form(start, end, text, pos),
    ])  # fmt: skip


def _at(phrases: Hashes, start: NDArray[np.int64], end: NDArray[np.int64]) -> Hashes:
    """The phrases [start, end); 0 where there is none so long, or it would be outside."""
    length = end - start
    is_one = (length >= 1) & (length <= LONGEST) & (start >= 0)
    found: Hashes = phrases[np.clip(length, 1, LONGEST) - 1, np.clip(start, 0, phrases.shape[1] - 1)]
    return np.where(is_one, found, np.uint64(0))


def _repeated(key: Hashes, likely: Floats, phrases: Hashes) -> tuple[Floats, ...]:
    """Of all occurrences of the same phrase: the likeliest, the mean, and how many there are (logarithm)."""
    same = (key[:, None] == key) & (key != 0) | np.eye(len(key), dtype=bool)
    every = np.sort(phrases, axis=None)
    often = np.searchsorted(every, key, "right") - np.searchsorted(every, key, "left")
    often = np.where(key == 0, 1, np.maximum(often, 1))
    best = np.where(same, likely, 0.0).max(1)
    return best, np.where(same, likely, 0.0).sum(1) / often, np.log(often)


def _overlapping(
    start: NDArray[np.int64], end: NDArray[np.int64], likely: Floats, share: Floats
) -> tuple[Floats, ...]:
    """Of the other spans that overlap this one, that hold it, and that it holds."""
    others = (start[:, None] < end) & (start < end[:, None]) & ~np.eye(len(start), dtype=bool)
    longer = others & (start <= start[:, None]) & (end >= end[:, None])
    inner = others & (start >= start[:, None]) & (end <= end[:, None])
    rival = np.where(others, likely, 0.0)
    return (
        rival.max(1), np.minimum(rival.sum(1), 2.0),
        np.where(longer, likely, 0.0).max(1), np.where(longer, share, 0.0).max(1),
        np.where(inner, likely, 0.0).max(1), np.where(inner, share, 0.0).max(1),
    )  # fmt: skip


def _form(start: NDArray[np.int64], end: NDArray[np.int64], text: TextSides, pos: int) -> list[Floats]:
    """Its length, place and spelling, and the parts of speech of its first and last token."""
    length = end - start
    hyphens = np.concatenate([[0], np.cumsum(text.is_hyphen)])
    flags = [
        length == 1, length == 2, length == 3, length >= 4,
        text.is_capital[start] & (start > 0), text.is_mixed[start], hyphens[end] > hyphens[start],
        *np.eye(pos, dtype=bool)[text.pos[start]].T, *np.eye(pos, dtype=bool)[text.pos[end - 1]].T,
    ]  # fmt: skip
    return [start / len(text.words), *(flag.astype(np.float64) for flag in flags)]
