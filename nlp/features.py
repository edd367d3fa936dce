"""The features of each token: its own properties, its neighbours', and pairs and triples of them, hashed.

A template names the columns it reads and how far from the token; all values of all templates share one table
of weights, and where in it a value stands is decided by its hash.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlp.words import (
    CASING,
    COLUMNS,
    END2,
    END3,
    END4,
    MIDDLE,
    NARROW,
    SHAPE,
    SPELLED,
    START3,
    START4,
    WIDE,
    WORD,
)

Template = tuple[tuple[int, int], ...]  # (column, distance) of each property in it

POS = COLUMNS  # the column after a word's own ones: its part of speech, in the templates of spans

_PRIME = np.uint64(0x9E3779B97F4A7C15)
_SALT = 0x2545F4914F6CDD1D
_OUTSIDE = 7  # what stands before a text and after it, with the distance added
_HALF = np.uint64(29)


def _alone(*columns: int, distances: Sequence[int] = (0,)) -> tuple[Template, ...]:
    return tuple(((column, distance),) for column in columns for distance in distances)


def _together(*columns: int, distances: Sequence[Sequence[int]]) -> tuple[Template, ...]:
    """Each row of distances with each column at all of them."""
    return tuple(tuple((column, each) for each in row) for column in columns for row in distances)


def _pairs(one: int, others: Sequence[int], distances: Sequence[int] = (-1, 1)) -> tuple[Template, ...]:
    """The token's own `one` with each other column of a neighbour."""
    return tuple(((one, 0), (other, each)) for other in others for each in distances)


AROUND = (-2, -1, 0, 1, 2)
NEAR = (-1, 0, 1)

POS_TEMPLATES: tuple[Template, ...] = (
    *_alone(WORD, WIDE, distances=AROUND),
    *_alone(MIDDLE, NARROW, CASING, distances=NEAR),
    *_alone(SPELLED, START3, START4, END2, END3, END4, SHAPE),
    *_alone(END2, END3, distances=(-1, 1)),
    *_together(WIDE, distances=((-1, 0), (0, 1), (-1, 1), (-1, 0, 1), (-2, -1), (1, 2))),
    *_together(WORD, distances=((-1, 0), (0, 1))),
    *_pairs(WORD, (WIDE,)),
    *_pairs(END3, (WIDE,)),
)

SPAN_TEMPLATES: tuple[Template, ...] = (
    *_alone(WORD, WIDE, MIDDLE, NARROW, POS, distances=AROUND),
    *_alone(SHAPE, CASING, END3, distances=NEAR),
    *_alone(SPELLED, START3, START4, END2, END4),
    *_together(POS, distances=((-1, 0), (0, 1), (-1, 0, 1), (-2, -1, 0), (0, 1, 2))),
    *_together(POS, distances=((-2, -1, 0, 1), (-1, 0, 1, 2))),
    *_together(WIDE, MIDDLE, NARROW, WORD, distances=((-1, 0), (0, 1))),
    *_together(WIDE, distances=((-1, 0, 1),)),
    *_pairs(WORD, (POS,)),
    *_pairs(END3, (POS,)),
    *_pairs(MIDDLE, (POS,)),
    *_pairs(POS, (WORD, MIDDLE)),
)


def features_of(
    columns: NDArray[np.uint64], lengths: Sequence[int], templates: Sequence[Template], bits: int
) -> NDArray[np.int32]:
    """For each token the rows of its features in a table of 2**bits rows; (tokens, templates).

    ``columns`` has the properties of each token, (tokens, properties), of texts of these lengths one after
    the other: no text sees another.
    """
    text = np.repeat(np.arange(len(lengths)), lengths)
    shifted = {
        place: _shifted(columns[:, place[0]], text, place[1])
        for place in dict.fromkeys(place for template in templates for place in template)
    }
    rows = np.empty((len(columns), len(templates)), np.int32)
    for number, template in enumerate(templates):
        mixed = np.full(len(columns), (number + 1) * _SALT % 2**64, np.uint64)
        for place in template:
            mixed = (mixed ^ shifted[place]) * _PRIME
            mixed ^= mixed >> _HALF
        rows[:, number] = mixed >> np.uint64(64 - bits)
    return rows


def _shifted(column: NDArray[np.uint64], text: NDArray[np.int64], distance: int) -> NDArray[np.uint64]:
    """What stands `distance` tokens further on in the same text."""
    if not distance:
        return np.ascontiguousarray(column)
    moved = np.full(len(column), _OUTSIDE + distance, np.uint64)
    ahead, behind = slice(abs(distance), None), slice(None, -abs(distance))
    here, there = (behind, ahead) if distance > 0 else (ahead, behind)
    moved[here] = np.where(text[here] == text[there], column[there], moved[here])
    return moved
