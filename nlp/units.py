"""A text as a row of units: a word with what hyphens join to it ("cross-entropy"), and what it may be.

Knows no spaCy: whoever has tokens hands over their texts, offsets and parts of speech.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nlp.normalize import HYPHENS, term_key
from nlp.records import FORMULA

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

# What a unit is to a term
BREAK, NOUN, NAME, ADJECTIVE, PARTICIPLE, GERUND, NUMBER, ADVERB, OF, OTHER = range(10)
_KINDS = {
    "NOUN": NOUN, "PROPN": NAME, "ADJ": ADJECTIVE, "NUM": NUMBER, "ADV": ADVERB, "PUNCT": BREAK, "SYM": BREAK,
    "SPACE": BREAK, "X": NOUN,
}  # fmt: skip
_LONGEST_WORD = 60  # code points; what is longer is no word


@dataclass(frozen=True, slots=True)
class Units:
    """Units in order; ``starts`` and ``ends`` are code points of the text, [start, end)."""

    text: str
    starts: list[int]
    ends: list[int]
    kinds: Ints
    words: list[str]  # the term key of each unit, "" for one that is no word
    is_open: list[bool]  # False where nothing may stand over: formulas and what else is blocked
    touching: frozenset[int]  # those that no blank parts from the next one
    is_title: bool


def units_of(
    text: str,
    tokens: Sequence[str],
    offsets: Sequence[int],
    parts_of_speech: Sequence[str],
    blocked: Sequence[tuple[int, int]] = (),
    is_title: bool = False,
) -> Units:
    """The units of a text; in the stretches [start, end) that are blocked every unit is a break."""
    starts: list[int] = []
    ends: list[int] = []
    kinds: list[int] = []
    end = -1
    joins = is_word = False
    for token, start, part in zip(tokens, offsets, parts_of_speech, strict=True):
        is_hyphen = token in HYPHENS
        if start == end and is_word and (is_hyphen or joins):
            ends[-1] = end = start + len(token)
            if not is_hyphen:
                kinds[-1] = _joined(part)
        else:
            end = start + len(token)
            # "-norms" after a formula is "norms"
            starts.append(start if is_hyphen else end - len(token.lstrip(HYPHENS)))
            ends.append(end)
            kinds.append(_kind(token, part))
            is_word = not is_hyphen and token[-1:].isalnum()
        joins = is_hyphen
    words = [_word(text[start:end]) for start, end in zip(starts, ends, strict=True)]
    is_open = [FORMULA not in text[start:end] for start, end in zip(starts, ends, strict=True)]
    for first, last in blocked:
        for number in range(bisect_right(ends, first), bisect_left(starts, last)):
            is_open[number] = False
    made = np.array(kinds, np.int64)
    made[[not (word and free) for word, free in zip(words, is_open, strict=True)]] = BREAK
    touching = frozenset(number for number, end in enumerate(ends[:-1]) if starts[number + 1] == end)
    return Units(text, starts, ends, made, words, is_open, touching, is_title)


@lru_cache(maxsize=65_536)
def _kind(token: str, part: str) -> int:
    kind = _KINDS.get(part)
    if kind is not None:
        return NAME if kind == NUMBER and not token[:1].isdigit() and token[:1].isupper() else kind
    if part == "VERB":
        return GERUND if token.endswith("ing") else PARTICIPLE if token.endswith(("ed", "en")) else OTHER
    return OF if token == "of" else OTHER


def _joined(part: str) -> int:
    """What a unit is whose last word, after a hyphen, is this: "graph-based", "GPT-2", "few-shot"."""
    if part == "NUM":
        return NAME
    if part in ("VERB", "ADV", "ADP", "ADJ"):
        return ADJECTIVE
    return _KINDS.get(part, NOUN) or NOUN


@lru_cache(maxsize=65_536)
def _word(text: str) -> str:
    return "" if len(text) > _LONGEST_WORD or FORMULA in text else term_key(text)
