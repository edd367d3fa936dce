"""What speaks for a candidate's being a term: one row of numbers each, from counts alone.

Frequency, place, the corpus, how it nests in others (C-value: K. Frantzi, S. Ananiadou, H. Mima, IJDL 2000),
how much its words belong together, its spelling, its neighbours, and what a span model holds of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlp.candidates import FROM_LONG, FROM_SHORT, LONGEST, Candidate, Candidates
from nlp.frequencies import Frequencies
from nlp.units import ADJECTIVE, GERUND, NAME, NOUN, NUMBER, OF, OTHER, PARTICIPLE, Bools, Ints

Floats = NDArray[np.float64]

FEATURES = (
    "count", "in title", "first place", "last place", "units", "letters",
    "texts", "share of spans", "share alone", "share in titles",
    "rarest word", "commonest word", "words' texts", "unithood",
    "first word within", "first word begins", "last word within", "last word ends",
    "least within", "mean within",
    "alone here", "open to the left", "open to the right", "C-value", "widened", "narrowed",
    "first kind", "last kind", "left kind", "right kind", "of", "participle", "number",
    "capital", "capitals", "inner capital", "digit", "hyphen",
    "score", "sum of scores", "cover", "cover on the left", "cover on the right", "label",
    "short form", "long form", "paper's units", "count against most",
)  # fmt: skip

_LEFT_OPEN = np.zeros(OTHER + 1, bool)
_LEFT_OPEN[[NOUN, NAME, ADJECTIVE, PARTICIPLE, GERUND, NUMBER]] = True
_RIGHT_OPEN = np.zeros(OTHER + 1, bool)
_RIGHT_OPEN[[NOUN, NAME, GERUND, NUMBER]] = True
_LABELS = {"TERM": 0.0, "NAME": 1.0, "COINED": 2.0}
_INNER_CAPITAL = re.compile(r"\w[A-Z]")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Table:
    """The occurrences as columns, in the order of their candidates."""

    first: Ints
    last: Ints
    score: Floats
    role: Ints
    is_title: Bools
    begins: Ints  # where each candidate's rows begin
    counts: Ints


def features(candidates: Candidates, frequencies: Frequencies) -> Floats:
    """A row for each candidate, a column for each of FEATURES."""
    if not candidates.values:
        return np.zeros((0, len(FEATURES)))
    table = _table(candidates)
    of_text, corpus = _of_corpus(candidates, table, frequencies)
    columns = [*_places(candidates, table), *of_text]
    columns += [*corpus, *_nesting(candidates, table, of_text[0])]
    columns += [*_kinds(candidates, table), *_spelling(candidates), *_model(candidates, table)]
    size = float(len(candidates.words))
    columns += [np.full(len(candidates.values), size), table.counts / table.counts.max()]
    return np.column_stack(columns)


def stands_alone(candidates: Candidates) -> Bools:
    """For each occurrence whether no unit beside it could belong to it."""
    first = np.array([row.first for row in candidates.occurrences], np.int64)
    last = np.array([row.last for row in candidates.occurrences], np.int64)
    alone: Bools = ~_LEFT_OPEN[candidates.kinds[first - 1]] & ~_RIGHT_OPEN[candidates.kinds[last + 1]]
    return alone


def _table(candidates: Candidates) -> _Table:
    order = np.argsort(candidates.numbers, kind="stable")
    rows = candidates.occurrences
    columns = np.array([(row.first, row.last, row.role, row.is_title) for row in rows], np.int64)[order].T
    score = np.array([row.score for row in rows])[order]
    counts = np.bincount(candidates.numbers)
    begins = np.cumsum(counts) - counts
    return _Table(columns[0], columns[1], score, columns[2], columns[3].astype(bool), begins, counts)


def _places(candidates: Candidates, table: _Table) -> list[Floats]:
    total = float(len(candidates.words))
    lengths = table.last - table.first + 1
    return [
        table.counts.astype(float),
        np.logical_or.reduceat(table.is_title, table.begins).astype(float),
        table.first[table.begins] / total,
        np.maximum.reduceat(table.first, table.begins) / total,
        lengths[table.begins].astype(float),
        np.array([float(len(candidate.key)) for candidate in candidates.values]),
    ]


def _of_corpus(
    candidates: Candidates, table: _Table, frequencies: Frequencies
) -> tuple[list[Floats], list[Floats]]:
    """(the phrase's own columns, those of its words)."""
    texts, shares = frequencies.of_phrases([candidate.key for candidate in candidates.values])
    own = [np.log1p(texts), shares[:, 0], shares[:, 1], shares[:, 2]]
    word_texts, word_shares = frequencies.of_words(candidates.words)
    logs = np.log1p(word_texts)
    first, last = table.first[table.begins], table.last[table.begins]
    length = last - first + 1
    rarest, commonest, least = logs[first].copy(), logs[first].copy(), word_shares[first, 0].copy()
    for step in range(1, LONGEST):
        at = np.minimum(first + step, last)
        rarest = np.minimum(rarest, logs[at])
        commonest = np.maximum(commonest, logs[at])
        least = np.minimum(least, word_shares[at, 0])
    sums = np.concatenate([[0.0], np.cumsum(logs)])
    within = np.concatenate([[0.0], np.cumsum(word_shares[:, 0])])
    total = sums[last + 1] - sums[first]
    unithood = own[0] - total + (length - 1) * np.log1p(frequencies.text_count)
    return own, [
        rarest, commonest, total / length, unithood,
        word_shares[first, 0], word_shares[first, 1], word_shares[last, 0], word_shares[last, 2],
        least, (within[last + 1] - within[first]) / length,
    ]  # fmt: skip


def _nesting(candidates: Candidates, table: _Table, log_texts: Floats) -> list[Floats]:
    """How it stands in longer candidates, here and in the corpus."""
    left = _LEFT_OPEN[candidates.kinds[table.first - 1]]
    right = _RIGHT_OPEN[candidates.kinds[table.last + 1]]
    number = np.repeat(np.arange(len(table.counts)), table.counts)
    code = table.first * 1024 + np.minimum(table.last - table.first, 500)
    order = np.argsort(code, kind="stable")

    def neighbour(first: Ints, last: Ints) -> Ints:
        """The candidate at this place, or -1."""
        wanted = first * 1024 + np.minimum(last - first, 500)
        place = np.minimum(np.searchsorted(code[order], wanted), len(code) - 1)
        return np.where(code[order][place] == wanted, number[order][place], -1)

    wider = [neighbour(table.first - 1, table.last), neighbour(table.first, table.last + 1)]
    narrower = [neighbour(table.first + 1, table.last), neighbour(table.first, table.last - 1)]
    logs, counts = np.append(log_texts, 0.0), np.append(table.counts, 0)
    most = np.maximum(counts[wider[0]], counts[wider[1]])
    length = (table.last - table.first + 1)[table.begins]
    return [
        _mean(table, ~left & ~right), _mean(table, left), _mean(table, right),
        np.log2(length + 1) * (table.counts - np.minimum(_highest(table, most), table.counts)),
        _highest(table, np.maximum(logs[wider[0]], logs[wider[1]])) - log_texts,
        _highest(table, np.maximum(logs[narrower[0]], logs[narrower[1]])) - log_texts,
    ]  # fmt: skip


def _kinds(candidates: Candidates, table: _Table) -> list[Floats]:
    kinds = candidates.kinds
    first, last = table.first[table.begins], table.last[table.begins]
    columns = [kinds[first], kinds[last], kinds[first - 1], kinds[last + 1]]
    for kind in (OF, PARTICIPLE, NUMBER):
        sums = np.concatenate([[0], np.cumsum(kinds == kind)])
        columns.append(sums[last + 1] - sums[first])
    return [column.astype(float) for column in columns]


def _spelling(candidates: Candidates) -> list[Floats]:
    rows = [_flags(candidate) for candidate in candidates.values]
    return list(np.array(rows, float).T)


def _flags(candidate: Candidate) -> tuple[bool, bool, bool, bool, bool]:
    text = candidate.text
    if text.islower():
        return False, False, False, _DIGIT.search(text) is not None, "-" in text
    return (
        text[:1].isupper(), text.isupper(), _INNER_CAPITAL.search(text) is not None,
        _DIGIT.search(text) is not None, "-" in text,
    )  # fmt: skip


def _model(candidates: Candidates, table: _Table) -> list[Floats]:
    """What a span model holds of it, of the units in it and of those beside it."""
    cover = np.zeros(len(candidates.words))
    for row in candidates.occurrences:
        if row.score:
            cover[row.first : row.last + 1] = np.maximum(cover[row.first : row.last + 1], row.score)
    sums = np.concatenate([[0.0], np.cumsum(cover)])
    mean = (sums[table.last + 1] - sums[table.first]) / (table.last - table.first + 1)
    return [
        np.maximum.reduceat(table.score, table.begins),
        np.add.reduceat(table.score, table.begins),
        np.maximum.reduceat(mean, table.begins),
        np.maximum.reduceat(cover[table.first - 1], table.begins),
        np.maximum.reduceat(cover[table.last + 1], table.begins),
        np.array([_LABELS[candidate.label] for candidate in candidates.values]),
        np.logical_or.reduceat(table.role == FROM_SHORT, table.begins).astype(float),
        np.logical_or.reduceat(table.role == FROM_LONG, table.begins).astype(float),
    ]


def _highest(table: _Table, values: NDArray[Any]) -> NDArray[Any]:
    """For each candidate the most of its occurrences' values."""
    highest: NDArray[Any] = np.maximum.reduceat(values, table.begins)
    return highest


def _mean(table: _Table, values: Bools) -> Floats:
    return np.add.reduceat(values.astype(float), table.begins) / table.counts
