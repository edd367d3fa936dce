"""Many records, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.lexicon import load_lexicon
from nlp.process import Answered, Answers, Chunk, Here, Highlighting, Recipe, Record, answer, answered
from nlp.records import Refusal

LEXICON = load_lexicon("[[term]]\nlabel = 'federated learning'")
RECIPE = Highlighting(LEXICON)


def highlighted(lines: Iterator[str | bytes] | Sequence[str | bytes], at_once: int = 3) -> list[Any]:
    found = answered(lines, RECIPE, Here(at_once), "papers.jsonl")
    return [each if isinstance(each, Refusal) else json.loads(each) for each in found]


def test_a_record_gives_its_reading_text_and_mentions() -> None:
    line = json.dumps({"id": "1", "title": "T", "abstract": r"We \textit{study $x$} Federated learning."})
    (found,) = highlighted([line])
    assert found == {
        "id": "1",
        "text": "We study \ufffc Federated learning.",
        "mentions": [{"start": 11, "end": 29, "quote": "Federated learning", "term": "federated learning"}],
    }


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not a JSON object"),
        (b'\xff{"id": "1"}', "not UTF-8 at byte 0"),
        ('{"abstract": "a"}', 'no "id"'),
        ('{"id": 1, "abstract": "a"}', 'no "id"'),
        ('{"id": "1"}', "no abstract in record '1'"),
        ('{"id": "1", "abstract": " "}', "no abstract in record '1'"),
        ('{"id": "1", "abstract": ["a"]}', "no abstract in record '1'"),
        ('{"id": "1", "title": 2, "abstract": "a"}', "the title of record '1' is no text"),
        ('{"id": "1", "abstract": "\\ud800"}', "half a surrogate pair"),
    ],
)
def test_a_bad_line_is_refused_with_its_place_and_the_next_is_taken(line: str | bytes, reason: str) -> None:
    lines = ["\n", line, b'\xef\xbb\xbf{"id": "2", "abstract": "none"}\r\n']
    refused, taken = highlighted(lines)
    assert isinstance(refused, Refusal)
    assert (refused.origin, refused.line) == ("papers.jsonl", 2)
    assert reason in refused.reason
    assert taken == {"id": "2", "text": "none", "mentions": []}


@dataclass(frozen=True, slots=True)
class Numbering:
    """Answers with the ids of the records, and how many were answered together."""

    lines_at_once: int = 4

    @property
    def key(self) -> str:
        return "numbering"

    def prepare(self) -> Answers:
        return lambda records: [{"id": record["id"], "of": len(records)} for record in records]


@given(st.lists(st.sampled_from(["record", "blank", "bad"]), max_size=30), st.integers(1, 9))
def test_every_line_is_answered_or_refused_once_and_in_order(kinds: list[str], at_once: int) -> None:
    lines = {"record": '{"id": "#", "abstract": "a"}', "blank": " \n", "bad": "{#"}
    given_lines = [lines[kind].replace("#", str(number)) for number, kind in enumerate(kinds, start=1)]
    found = answered(given_lines, Numbering(), Here(at_once), "x")
    numbers = [each.line if isinstance(each, Refusal) else int(json.loads(each)["id"]) for each in found]
    assert numbers == [number for number, kind in enumerate(kinds, start=1) if kind != "blank"]


def test_a_chunk_ends_before_it_is_too_large_to_hold() -> None:
    line = json.dumps({"id": "1", "abstract": "a" * 400_000})
    found = answered([line] * 7, Numbering(), Here(), "x")
    assert [json.loads(str(each))["of"] for each in found] == [3, 3, 3, 3, 3, 3, 1]


class Lagging:
    """A place that answers nothing before it is waited for, and knows how much was under way at most."""

    lines_at_once = None

    def __init__(self, ahead: int) -> None:
        self.ahead = ahead
        self.under_way = self.most = 0
        self._work: dict[Future[Answered], tuple[Recipe, Chunk]] = {}

    def submit(self, recipe: Recipe, chunk: Chunk) -> Future[Answered]:
        future: Future[Answered] = Future()
        self._work[future] = (recipe, chunk)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        return future

    def result(self, future: Future[Answered]) -> Answered:
        self.under_way -= 1
        return answer(*self._work.pop(future))


def test_input_without_end_is_read_a_bounded_way_ahead_and_given_up_cleanly() -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield json.dumps({"id": str(read), "abstract": "a"})

    place = Lagging(5)
    answers = answered(endless(), Numbering(), place, "x")
    ids = [json.loads(str(each))["id"] for each in islice(answers, 400)]
    assert ids == [str(number) for number in range(1, 401)]
    assert place.most == 5
    assert read <= 400 + 5 * 4
    answers.close()  # type: ignore[attr-defined]
    assert all(future.cancelled() for future in place._work)


def test_alone_and_line_by_line_an_answer_does_not_wait_for_the_next_line() -> None:
    def two() -> Iterator[str]:
        yield '{"id": "1", "abstract": "federated learning"}'
        raise AssertionError("read on before it answered")

    assert json.loads(str(next(answered(two(), RECIPE, Here(1), "x"))))["id"] == "1"


def test_a_recipe_is_prepared_once() -> None:
    prepared = 0

    @dataclass(frozen=True, slots=True)
    class Counting:
        lines_at_once: int = 1
        key: str = "counting"

        def prepare(self) -> Answers:
            nonlocal prepared
            prepared += 1
            return _same

    lines = ['{"id": "1", "abstract": "a"}'] * 5
    assert len(list(answered(lines, Counting(), Here(), "x"))) == 5
    assert prepared == 1


def _same(records: Sequence[Record]) -> Sequence[Record]:
    return records
