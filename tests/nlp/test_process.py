"""Many records, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from nlp.lexicon import load_lexicon
from nlp.process import highlight_records
from nlp.records import Refusal

LEXICON = load_lexicon("[[term]]\nlabel = 'federated learning'")


def test_a_record_gives_its_reading_text_and_mentions() -> None:
    line = json.dumps({"id": "1", "title": "T", "abstract": r"We \textit{study $x$} Federated learning."})
    (answer,) = highlight_records([line], LEXICON, "papers.jsonl")
    assert answer == {
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
        ('{"id": "1", "abstract": "\\ud800"}', "half a surrogate pair"),
    ],
)
def test_a_bad_line_is_refused_with_its_place_and_the_next_is_taken(line: str | bytes, reason: str) -> None:
    lines = ["\n", line, b'\xef\xbb\xbf{"id": "2", "abstract": "none"}\r\n']
    refused, taken = highlight_records(lines, LEXICON, "papers.jsonl")
    assert isinstance(refused, Refusal)
    assert (refused.origin, refused.line) == ("papers.jsonl", 2)
    assert reason in refused.reason
    assert taken == {"id": "2", "text": "none", "mentions": []}


def test_it_streams() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield '{"id": "1", "abstract": "federated learning"}'

    answers = highlight_records(endless(), LEXICON, "papers.jsonl")
    assert next(answers) == next(answers)
