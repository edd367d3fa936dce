"""Counting a corpus: what the ranker knows of words and phrases beside the paper itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from nlp.candidates import Candidates
from nlp.frequencies import Count, Frequencies, frequencies_of
from nlp.termhood import stands_alone

LEAST_TEXTS = 4  # a phrase or word in fewer texts is not kept
SURE = 0.5  # probability of a span that is counted as one
_TEXTS, _OCCURRENCES = 0, 1


def count_corpus(papers: Iterable[Candidates]) -> Frequencies:
    """The frequencies in these papers; nothing of a paper that is judged or trained on belongs here."""
    phrases: defaultdict[str, list[int]] = defaultdict(lambda: [0] * 5)
    words: defaultdict[str, list[int]] = defaultdict(lambda: [0] * 5)
    text_count = 0
    for text_count, paper in enumerate(papers, start=1):  # noqa: B007  # the last one is the count
        _count_phrases(paper, phrases)
        _count_words(paper, words)
    return frequencies_of(text_count, _kept(phrases), _kept(words))


def _count_phrases(paper: Candidates, rows: defaultdict[str, list[int]]) -> None:
    """[texts, occurrences, those that are spans, those that stand alone, texts with it in the title]."""
    alone = stands_alone(paper).tolist()
    titles = set()
    for number, occurrence, is_alone in zip(paper.numbers.tolist(), paper.occurrences, alone, strict=True):
        row = rows[paper.values[number].key]
        row[1] += 1
        row[2] += occurrence.score >= SURE
        row[3] += is_alone
        if occurrence.is_title:
            titles.add(number)
    for number, candidate in enumerate(paper.values):
        row = rows[candidate.key]
        row[0] += 1
        row[4] += number in titles


def _count_words(paper: Candidates, rows: defaultdict[str, list[int]]) -> None:
    """[texts, occurrences, those within spans, those that begin one, those that end one]."""
    within: set[int] = set()
    begins: set[int] = set()
    ends: set[int] = set()
    for each in paper.occurrences:
        if each.score >= SURE:
            within.update(range(each.first, each.last + 1))
            begins.add(each.first)
            ends.add(each.last)
    for number, word in enumerate(paper.words):
        if word:
            row = rows[word]
            row[1] += 1
            row[2] += number in within
            row[3] += number in begins
            row[4] += number in ends
    for word in set(paper.words):
        rows[word][0] += 1


def _kept(rows: dict[str, list[int]]) -> dict[str, Count]:
    kept = {}
    for key, (texts, occurrences, first, second, third) in rows.items():
        if key and texts >= LEAST_TEXTS:
            shares = (first / occurrences, second / occurrences, min(1.0, third / occurrences))
            kept[key] = Count(texts, shares)
    return kept
