"""Trees, calibration and the ranker's files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.frequencies import frequencies_of
from nlp.ranker import SHIPPED, Calibration, NoRanker, Ranker, load_ranker, pipeline_hash, write_ranker
from nlp.termhood import FEATURES
from nlp.training.ranker import calibrated, example_of, lesson_of, train_ranker, trees_of
from nlp.trees import MOST_LEAVES, Node, Trees, read_trees, write_trees
from tests.nlp.test_candidates import find_candidates, part

NOTHING = frequencies_of(0, {}, {})

# A tree as the trainer writes it: (node) or a leaf's value.
trees_dumped = st.recursive(
    st.floats(-1, 1).map(lambda value: {"leaf_value": value}),
    lambda children: st.tuples(st.integers(0, 2), st.integers(-2, 2), children, children).map(
        lambda each: {
            "split_feature": each[0],
            "threshold": float(each[1]),
            "left_child": each[2],
            "right_child": each[3],
        }
    ),
    max_leaves=MOST_LEAVES,
)


def walked(node: dict, row: list[float]) -> float:  # type: ignore[type-arg]
    """The leaf that a row comes to, found by walking."""
    while "leaf_value" not in node:
        left = row[node["split_feature"]] <= node["threshold"]
        node = node["left_child"] if left else node["right_child"]
    return float(node["leaf_value"])


@given(
    st.lists(trees_dumped, min_size=1, max_size=4),
    st.lists(st.lists(st.sampled_from([-3.0, -2, -1, -0.5, 0, 1, 2, 3]), min_size=3, max_size=3), max_size=8),
)
def test_trees_come_to_the_leaves_that_walking_comes_to(dumped: list[dict], rows: list[list[float]]) -> None:  # type: ignore[type-arg]
    trees = trees_of({"tree_info": [{"tree_structure": each} for each in dumped]}, 3)
    wanted = [sum(walked(each, row) for each in dumped) for row in rows]
    assert trees.sums(np.array(rows).reshape(-1, 3)) == pytest.approx(np.array(wanted))


def test_the_evaluator_says_what_the_trainer_says() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="the extra `train` is not installed")
    generator = np.random.default_rng(1)
    rows = np.round(generator.normal(size=(600, 5)), 1)  # values that lie on thresholds
    labels = (rows[:, 0] * rows[:, 1] + rows[:, 2] > 0).astype(float)
    settings = {"objective": "binary", "num_leaves": MOST_LEAVES, "verbose": -1, "num_threads": 1}
    model = lightgbm.train(settings, lightgbm.Dataset(rows, labels), 40)
    trees = trees_of(model.dump_model(), 5)
    assert trees.sums(rows) == pytest.approx(model.predict(rows, raw_score=True))


def test_trees_survive_their_file(tmp_path: Path) -> None:
    trees = Trees([Node(0, 1, 0.5, 0, 1)], np.array([[1.0, 2.0] + [0.0] * 14]), 2)
    write_trees(tmp_path / "trees.npz", trees)
    again = read_trees(tmp_path / "trees.npz")
    rows = np.array([[0.0, 0.5], [0.0, 0.6]])
    assert again.sums(rows).tolist() == trees.sums(rows).tolist() == [1.0, 2.0]


def test_trees_of_other_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="16 leaves"):
        Trees([], np.zeros((1, 4)), 2)


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=1, max_size=80))
def test_a_calibration_never_falls_and_stays_within_0_and_1(rows: list[tuple[float, bool]]) -> None:
    sums, labels = (np.array(column, float) for column in zip(*rows, strict=True))
    scores = calibrated(sums, labels)(np.linspace(-6, 6, 50))
    assert (np.diff(scores) >= -1e-12).all()
    assert scores.min() >= 0
    assert scores.max() <= 1


def test_of_what_is_given_a_score_so_many_are_right() -> None:
    generator = np.random.default_rng(2)
    sums = generator.normal(size=20_000)
    labels = (generator.random(20_000) < 1 / (1 + np.exp(-3 * sums))).astype(float)
    calibration = calibrated(sums[::2], labels[::2])
    scores, so = calibration(sums[1::2]), labels[1::2]
    for low in np.arange(0, 1, 0.2):
        inside = (scores >= low) & (scores < low + 0.2)
        assert so[inside].mean() == pytest.approx(scores[inside].mean(), abs=0.05)


def small_ranker(seed: int = 0) -> Ranker:
    pytest.importorskip("lightgbm", reason="the extra `train` is not installed")
    text = "We/PRON study/VERB graph/NOUN neural/ADJ networks/NOUN on/ADP new/ADJ data/NOUN ./PUNCT"
    examples = [example_of(find_candidates([part(text)]), ["graph neural networks"])] * 40
    return train_ranker(examples, examples, NOTHING, seed)


def test_a_ranker_learns_what_is_marked_and_survives_its_files(tmp_path: Path) -> None:
    ranker = small_ranker()
    write_ranker(tmp_path / "one", ranker)
    write_ranker(tmp_path / "two", small_ranker())
    for file in sorted((tmp_path / "one" / "ranker").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / "ranker" / file.name).read_bytes()
    candidates = find_candidates([part("graph/NOUN neural/ADJ networks/NOUN")])
    wanted = [(each.key, score) for each, score in ranker.rank(candidates)]
    assert [(each.key, score) for each, score in load_ranker(tmp_path / "one").rank(candidates)] == wanted
    assert wanted[0][0] == "graph neural network"


def test_what_stands_in_the_title_alone_teaches_nothing() -> None:
    title = part("deep/ADJ learning/NOUN", is_title=True)
    candidates = find_candidates([title, part("we/PRON love/VERB networks/NOUN")])
    rows, labels = lesson_of(example_of(candidates, ["networks"]), NOTHING)
    assert rows.shape == (1, len(FEATURES))
    assert labels.tolist() == [1.0]
    assert len(lesson_of(example_of(candidates, ["networks"], is_abstract=False), NOTHING)[1]) > 1


def test_a_folder_without_a_ranker_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoRanker, match="holds no ranker"):
        load_ranker(tmp_path)


def test_a_ranker_with_other_features_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ranker").mkdir()
    (tmp_path / "ranker" / "ranker.json").write_text('{"features": ["luck"]}', "utf-8")
    with pytest.raises(NoRanker, match="other features"):
        load_ranker(tmp_path)


def test_the_shipped_ranker_belongs_to_the_shipped_pipeline() -> None:
    described = json.loads((SHIPPED / "ranker" / "ranker.json").read_text("utf-8"))
    assert described["pipeline"] == pipeline_hash(SHIPPED), "run `peer-revenue model rank` on it"


def test_between_points_a_calibration_is_straight() -> None:
    calibration = Calibration(np.array([0.0, 1.0]), np.array([0.2, 0.6]))
    assert calibration(np.array([-1.0, 0.5, 2.0])).tolist() == pytest.approx([0.2, 0.4, 0.6])
