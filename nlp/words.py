"""What is known of a word by itself: its spelling in pieces, its shape, and the groups it belongs to.

The groups come from the company that words keep in a corpus: words of one group are used alike. Each is given
at three widths, so that a rare word can still be told by what its neighbours in use are.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

GROUPS = 3
NO_GROUP = -1
# The columns of a word's row
WORD, SPELLED, START3, START4, END2, END3, END4, SHAPE, WIDE, MIDDLE, NARROW, CASING, STEM = range(13)
COLUMNS = 13
REMEMBERED = 60_000  # words whose rows are kept; then it is begun anew, so that no text can fill the memory

_LONGEST_SHAPE = 10


class WordTable:
    """Rows of hashed properties, one for each word, made when a word is first asked for."""

    def __init__(self, words: Sequence[str], groups: NDArray[np.int16]) -> None:
        """``words`` in small letters; ``groups`` has their numbers, (words, 3)."""
        if groups.shape != (len(words), GROUPS):
            raise ValueError(f"{len(words)} words need groups of {GROUPS} columns, not {groups.shape}")
        self.words = tuple(words)
        self.groups = groups
        self._groups = dict(zip(self.words, map(tuple, groups.tolist()), strict=True))
        self._forget()

    def rows(self, keys: Sequence[int], spelled: Callable[[int], str]) -> NDArray[np.uint64]:
        """A row for each word, (words, COLUMNS); `keys` are numbers, of which `spelled` knows the words."""
        if len(self._place) > REMEMBERED:
            self._forget()
        places = [self._place.get(key, -1) for key in keys]
        if -1 in places:
            places = [self._known(key, spelled) for key in keys]
        return self._rows[places]

    def _forget(self) -> None:
        self._place: dict[int, int] = {}
        self._rows = np.zeros((1024, COLUMNS), np.uint64)

    def _known(self, key: int, spelled: Callable[[int], str]) -> int:
        place = self._place.get(key)
        if place is None:
            place = self._place[key] = len(self._place)
            if place == len(self._rows):
                self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._rows[place] = self._row(spelled(key))
        return place

    def _row(self, word: str) -> list[int]:
        small = word.lower()
        wide, middle, narrow = self._groups.get(small, (NO_GROUP,) * GROUPS)
        casing = (word[:1].isupper(), word[1:] != word[1:].lower(), any(ch.isdigit() for ch in word))
        pieces = (
            small, word, small[:3], small[:4], small[-2:], small[-3:], small[-4:], shape(word),
            wide, middle, narrow, casing, stem(small),
        )  # fmt: skip
        return [hashed(f"{column}|{piece}") for column, piece in enumerate(pieces)]


def hashed(text: str) -> int:
    """A number below 2**32 that is the same on every machine."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def stem(small: str) -> str:
    """The word without the "s" of a plural, roughly: what counts is that both numbers give the same."""
    is_plural = len(small) > 3 and small.endswith("s") and not small.endswith(("ss", "us", "is"))
    return small[:-1] if is_plural else small


def shape(word: str) -> str:
    """Its letters and digits by kind, none more than twice in a row: "GPT-2" is "XX-d"."""
    kinds: list[str] = []
    for ch in word:
        kind = "X" if ch.isupper() else "x" if ch.islower() else "d" if ch.isdigit() else ch
        if kinds[-2:] != [kind, kind]:
            kinds.append(kind)
        if len(kinds) == _LONGEST_SHAPE:
            break
    return "".join(kinds)
