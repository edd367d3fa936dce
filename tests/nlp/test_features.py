"""Features and words: stable, and blind to other texts of the batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.features import POS_TEMPLATES, features_of
from nlp.words import COLUMNS, WordTable, hashed, shape, stem


def table() -> WordTable:
    return WordTable(["graph", "neural"], np.array([[1, 2, 3], [1, 2, 4]], np.int16))


def rows_of(words: list[str], known: WordTable) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    spelled = {hashed(word): word for word in words}
    return known.rows([hashed(word) for word in words], spelled.__getitem__)


WORDS = st.sampled_from(["graph", "Graph", "neural", "GPT-2", "\ufffc", "(", "networks", "İ", "x" * 50])
TEXT = st.lists(WORDS, min_size=1, max_size=8)


@given(st.lists(TEXT, min_size=1, max_size=5))
def test_a_text_has_the_same_features_in_any_batch(texts: list[list[str]]) -> None:
    known = table()
    lengths = [len(text) for text in texts]
    columns = rows_of([word for text in texts for word in text], known)
    together = features_of(columns, lengths, POS_TEMPLATES, 12)
    alone = [features_of(rows_of(text, known), [len(text)], POS_TEMPLATES, 12) for text in texts]
    assert np.array_equal(together, np.concatenate(alone))
    assert together.min() >= 0
    assert together.max() < 1 << 12


def test_features_are_those_that_the_shipped_weights_were_made_for() -> None:
    features = features_of(rows_of(["graph", "neural"], table()), [2], POS_TEMPLATES, 12)
    assert features[:, :4].tolist() == [[3646, 807, 2162, 3869], [3646, 2747, 1921, 3548]]


def test_words_of_one_group_share_it_and_casing_tells_them_apart() -> None:
    graph, capital, neural = rows_of(["graph", "Graph", "neural"], table())
    assert (graph == capital).sum() == COLUMNS - 3  # spelling, shape and casing differ
    assert (graph == neural).sum() == 4  # two groups, shape and casing


def test_the_table_forgets_and_gives_the_same_rows_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlp.words.REMEMBERED", 3)
    known = table()
    words = [f"word{number}" for number in range(3000)]
    first = rows_of(words, known).copy()
    assert np.array_equal(rows_of(words, known), first)


def test_groups_must_fit_the_words() -> None:
    with pytest.raises(ValueError, match="2 words need groups of 3 columns"):
        WordTable(["a", "b"], np.zeros((1, 3), np.int16))


@pytest.mark.parametrize(
    ("word", "expected"), [("GPT-2", "XX-d"), ("ImageNet", "XxxXxx"), ("", ""), ("3.5", "d.d"), ("é(", "x(")]
)
def test_shape(word: str, expected: str) -> None:
    assert shape(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("models", "model"), ("loss", "loss"), ("axis", "axis"), ("llms", "llm"), ("gas", "gas")],
)
def test_stem(word: str, expected: str) -> None:
    assert stem(word) == expected
