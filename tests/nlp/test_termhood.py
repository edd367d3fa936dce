"""Features of candidates, and the table of frequencies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nlp.candidates import FoundSpan, find_candidates
from nlp.frequencies import Count, frequencies_of, read_frequencies, write_frequencies
from nlp.termhood import FEATURES, features, stands_alone
from tests.nlp.test_candidates import part

NOTHING = frequencies_of(0, {}, {})
TABLE = frequencies_of(
    1000,
    {"neural network": Count(300, (0.9, 0.5, 0.1)), "network": Count(400, (0.1, 0.2, 0.0))},
    {"network": Count(420, (0.8, 0.1, 0.7)), "neural": Count(350, (0.9, 0.6, 0.0))},
)


def row(tagged: str, key: str, table: object = TABLE, found: tuple[FoundSpan, ...] = ()) -> dict[str, float]:
    candidates = find_candidates([part(tagged, found)])
    matrix = features(candidates, table)  # type: ignore[arg-type]
    (number,) = (n for n, each in enumerate(candidates.values) if each.key == key)
    return dict(zip(FEATURES, matrix[number].tolist(), strict=True))


def test_counts_and_places() -> None:
    found = row("a/DET network/NOUN is/AUX a/DET network/NOUN", "network")
    assert (found["count"], found["units"], found["in title"]) == (2, 1, 0)
    assert found["first place"] < found["last place"] < 1


def test_the_corpus_speaks() -> None:
    found = row("neural/ADJ networks/NOUN", "neural network")
    assert found["texts"] == pytest.approx(np.log1p(300))
    assert found["share of spans"] == pytest.approx(0.9, abs=0.005)
    assert found["rarest word"] == pytest.approx(np.log1p(350))
    assert found["last word ends"] == pytest.approx(0.7, abs=0.005)


def test_what_nests_everywhere_has_no_c_value() -> None:
    text = "neural/ADJ networks/NOUN and/CCONJ neural/ADJ networks/NOUN"
    assert row(text, "network")["C-value"] == 0
    assert row(text, "neural network")["C-value"] > 0
    alone = row(text + " but/CCONJ networks/NOUN", "network")
    assert alone["C-value"] > 0
    assert alone["alone here"] == pytest.approx(1 / 3)


def test_what_a_model_holds_of_it_and_of_its_neighbours() -> None:
    found = (FoundSpan(0, 15, 0.8, "NAME"),)
    assert row("neural/ADJ networks/NOUN learn/VERB", "neural network", TABLE, found)["score"] == 0.8
    inner = row("neural/ADJ networks/NOUN learn/VERB", "network", TABLE, found)
    assert (inner["score"], inner["cover"], inner["cover on the left"]) == (0, 0.8, 0.8)


def test_no_candidates_no_rows_and_an_empty_table_is_all_zeros() -> None:
    assert features(find_candidates([]), TABLE).shape == (0, len(FEATURES))
    assert row("neural/ADJ networks/NOUN", "network", NOTHING)["texts"] == 0


def test_standing_alone_is_having_no_neighbour_that_could_belong() -> None:
    candidates = find_candidates([part("neural/ADJ networks/NOUN learn/VERB")])
    keys = [candidates.values[number].key for number in candidates.numbers]
    alone = dict(zip(keys, stands_alone(candidates).tolist(), strict=True))
    assert alone == {"neural network": True, "network": False}


def test_a_table_survives_its_file_and_the_file_is_the_same_each_time(tmp_path: Path) -> None:
    write_frequencies(tmp_path / "one.npz", TABLE)
    write_frequencies(tmp_path / "two.npz", TABLE)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    again = read_frequencies(tmp_path / "one.npz")
    for asked in (["neural network", "unheard of"], ["network"]):
        for mine, theirs in zip(TABLE.of_phrases(asked), again.of_phrases(asked), strict=True):
            assert mine.tolist() == theirs.tolist()
    assert again.text_count == 1000
    assert TABLE.of_phrases(["unheard of"])[0].tolist() == [0]


def test_a_word_is_no_phrase() -> None:
    assert TABLE.of_words(["neural network"])[0].tolist() == [0]
    assert TABLE.of_words(["network"])[0].tolist() == [420]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", something=np.zeros(2))
    with pytest.raises(ValueError, match="holds no frequencies"):
        read_frequencies(tmp_path / "other.npz")
