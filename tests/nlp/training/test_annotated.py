"""Reading annotated abstracts, and finding their spans again in the reading text."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.training.annotated import (
    Annotated,
    BadAnnotation,
    held_apart,
    in_reading,
    is_held_out,
    read_annotated,
)
from nlp.training.production import own_annotated, read_corpus
from nlp.training.reading import cut, untrained
from tests.conftest import SHARED_DATA

GOLD = SHARED_DATA / "terms" / "gold_arxiv.jsonl.gz"
ROW = {"id": "1", "title": "", "abstract": "We study federated learning.", "spans": [[9, 27, "TERM"]]}


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return path


def test_an_abstract_and_its_spans(tmp_path: Path) -> None:
    expected = [Annotated("1", "", "We study federated learning.", ((9, 27, "TERM"),))]
    path = written(tmp_path / "gold.jsonl", "", ROW)
    assert read_annotated(path) == expected
    packed = tmp_path / "gold.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_annotated(packed) == expected


def test_spans_of_one_type_need_not_say_so(tmp_path: Path) -> None:
    (abstract,) = read_annotated(written(tmp_path / "x", ROW | {"spans": [[3, 8], [0, 2]]}))
    assert abstract.spans == ((0, 2, "TERM"), (3, 8, "TERM"))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        (ROW | {"id": 1}, 'no "id"'),
        ({"id": "1", "title": ""}, 'no "abstract"'),
        ({key: ROW[key] for key in ("id", "title", "abstract")}, 'no "spans"'),
        (ROW | {"spans": [[9, 29, "TERM"]]}, "no span"),
        (ROW | {"spans": [[9, 9, "TERM"]]}, "no span"),
        (ROW | {"spans": [[9, 27, "THING"]]}, "no span"),
        (ROW | {"spans": [[0, 9, "TERM"], [8, 20, "NAME"]]}, "overlap"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: object, reason: str) -> None:
    path = written(tmp_path / "gold.jsonl", ROW, row)
    with pytest.raises(BadAnnotation, match=rf"gold\.jsonl:2: .*{reason}"):
        read_annotated(path)


def test_a_file_that_is_not_there_or_breaks_off_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadAnnotation, match="nowhere: No such file"):
        read_annotated(tmp_path / "nowhere")
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(json.dumps(ROW).encode() * 20)[:-9])
    with pytest.raises(BadAnnotation, match=r"broken\.gz"):
        read_annotated(broken)


def test_a_corpus_without_any_other_abstract_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "corpus", ROW, ROW | {"id": "2"})
    assert read_corpus(path, {"1"}) == [("2", ROW["abstract"])]
    with pytest.raises(BadAnnotation, match="no abstract in it"):
        read_corpus(path, {"1", "2"})


def test_spans_stand_where_they_did_once_the_text_is_typeset() -> None:
    source = r"The \emph{graph neural network} of R\'enyi with $O(n)$ cost. Low-rank adaptation"
    terms = ["graph neural network", "cost", "Low-rank adaptation", "O(n)"]
    spans = tuple((source.index(term), source.index(term) + len(term), "TERM") for term in terms)
    placed = in_reading(Annotated("1", "", source, tuple(sorted(spans))))
    text = placed.reading.text
    assert [text[start:end] for start, end, _ in placed.spans] == terms[:3]
    assert placed.lost == ("TERM",)


@given(st.text(st.sampled_from("ab c-$\\{}é\n"), min_size=1, max_size=40), st.data())
def test_a_span_that_has_a_place_reads_as_it_was_written(source: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source) - 1))
    end = data.draw(st.integers(start + 1, len(source)))
    placed = in_reading(Annotated("1", "", source, ((start, end, "TERM"),)))
    assert len(placed.spans) + len(placed.lost) == 1
    for first, last, _ in placed.spans:
        text = placed.reading.text
        assert (text[first], text[last - 1]) == (source[start], source[end - 1])


def test_what_is_held_out_follows_from_the_identifier() -> None:
    names = [f"2601.{number:05d}" for number in range(3000)]
    kept = [name for name in names if is_held_out(name)]
    assert 900 < len(kept) < 1100
    abstracts = [Annotated(name, "", "x", ()) for name in names]
    seen, held = held_apart(abstracts)
    assert [each.identifier for each in held] == kept
    assert len(seen) + len(held) == len(abstracts)


def test_the_projects_own_abstracts_are_whole() -> None:
    own = own_annotated()
    assert len(own) == len({each.identifier for each in own}) >= 300
    texts = cut(untrained(), own)
    assert sum(each.lost for each in texts) < 0.01 * sum(len(each.spans) for each in own)


@pytest.mark.skipif(not GOLD.exists(), reason="needs ../shared/data")
def test_nearly_every_marked_span_is_tokens_and_no_held_out_abstract_is_our_own() -> None:
    gold = read_annotated(GOLD)
    texts = cut(untrained(), gold)
    assert sum(each.lost for each in texts) < 0.006 * sum(len(each.spans) for each in gold)
    own = {each.identifier for each in own_annotated()}
    assert not own & {each.identifier for each in gold}
