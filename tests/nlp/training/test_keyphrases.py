"""Texts with chosen phrases: where these stand, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlp.training.annotated import BadAnnotation
from nlp.training.keyphrases import found_in, longest_apart, read_keyphrases, read_tokenised

PHRASES = ["deep learning", "nets", "absent"]
ROW = {"id": "1", "title": "", "abstract": "Deep learning, deep nets.", "gold": PHRASES}


def written(folder: Path, *rows: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_phrases_are_found_as_whole_words_in_any_case(tmp_path: Path) -> None:
    (text,) = read_keyphrases(written(tmp_path, ROW))
    assert text.phrases == ("deep learning", "nets", "absent")
    assert text.spans == ((0, 13), (20, 24))
    assert text.annotated().spans == ((0, 13, "TERM"), (20, 24, "TERM"))


def test_spans_that_are_given_are_taken_and_of_overlapping_ones_the_longest(tmp_path: Path) -> None:
    row = {**ROW, "spans": [[5, 13, "Task"], [0, 13, "Method"], [20, 24]]}
    (text,) = read_keyphrases(written(tmp_path, row))
    assert text.spans == ((0, 13), (20, 24))


def test_blanks_around_hyphens_are_taken_out_of_tokenised_texts(tmp_path: Path) -> None:
    phrase = "state - of - the - art"
    row = {"id": "1", "title": "", "abstract": f"A {phrase} net", "gold": [phrase], "spans": [[2, 24]]}
    (text,) = read_tokenised(written(tmp_path, row))
    assert text.abstract == "A state-of-the-art net"
    assert [text.abstract[start:end] for start, end in text.spans] == ["state-of-the-art"]


def test_a_phrase_is_not_found_within_a_word() -> None:
    assert found_in("nets and netsuke, nets", ["nets", " "]) == [(0, 4), (18, 22)]
    assert longest_apart([(0, 2), (1, 5), (5, 6)]) == ((1, 5), (5, 6))


@pytest.mark.parametrize(
    ("change", "words"),
    [({"gold": "net"}, 'no "gold"'), ({"gold": [1]}, 'no "gold"'), ({"spans": [[3, 99]]}, "is no span"),
     ({"spans": 4}, "not a list"), ({"abstract": None}, 'no "abstract"')],
)  # fmt: skip
def test_a_bad_line_is_named(tmp_path: Path, change: dict[str, object], words: str) -> None:
    path = written(tmp_path, ROW, {**ROW, **change})
    with pytest.raises(BadAnnotation, match=f"rows.jsonl:2: .*{words}"):
        read_keyphrases(path)
