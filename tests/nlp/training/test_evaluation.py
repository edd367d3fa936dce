"""Precision, recall and F1 of cases counted by hand."""

from __future__ import annotations

from spacy.language import Language

from nlp.pipeline import load_language
from nlp.training.annotated import Annotated
from nlp.training.evaluation import ANY, Score, evaluate, score


def test_hand_counted() -> None:
    found = [(0, 5, "TERM"), (6, 9, "NAME"), (10, 12, "TERM")]
    marked = [(0, 5, "TERM"), (6, 9, "TERM"), (10, 13, "TERM"), (20, 25, "COINED")]
    assert score([(found, marked), ([], [(0, 1, "NAME")])]) == {
        ANY: Score(2, 3, 5),
        "TERM": Score(1, 2, 3),
        "NAME": Score(0, 1, 1),
        "COINED": Score(0, 0, 1),
    }


def test_shares() -> None:
    one = Score(2, 3, 5)
    assert (one.precision, one.recall, one.f1) == (2 / 3, 2 / 5, 0.5)
    nothing = Score(0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0.0, 0.0, 0.0)


def test_a_span_in_a_formula_counts_as_missed_and_offsets_are_of_the_reading_text() -> None:
    language: Language = load_language()
    source = r"With \emph{federated learning} in $O(n)$."
    at = source.index("federated")
    formula = source.index("O(n)")
    spans = ((at, at + len("federated learning"), "TERM"), (formula, formula + 4, "NAME"))
    scores = evaluate(language, [Annotated("1", "", source, spans)])
    assert scores["TERM"] == Score(1, 1, 1)
    assert scores[ANY].marked == 2
    assert scores["NAME"].right == 0
