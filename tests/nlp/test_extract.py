"""Extraction with the shipped model: from a title and an abstract to ranked terms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language

from nlp.extract import BATCH, ExtractedTerm, extract_many, extract_terms
from nlp.normalize import term_key
from nlp.pipeline import load_language
from nlp.ranker import Ranker, load_ranker
from nlp.records import FORMULA, RunKind
from nlp.training.annotated import held_apart, read_annotated
from nlp.training.ranking import strings_of
from nlp.training.reliability import calibration_error, reliability, reliability_table
from nlp.typeset import typeset
from tests.conftest import SHARED_DATA

ABSTRACT = (
    "We propose SHED, a method for federated learning with graph neural networks. Low-rank adaptation (LoRA) "
    "of large language models suffers from catastrophic forgetting, and graph neural networks do not; we "
    r"prove that $\|x\|_2 < \epsilon$ bounds the cross-entropy loss on CIFAR-10. See "
    "https://example.org/graph-networks for the code."
)


@pytest.fixture(scope="module")
def language() -> Language:
    return load_language()


@pytest.fixture(scope="module")
def ranker() -> Ranker:
    return load_ranker()


def extract(language: Language, ranker: Ranker, abstract: str, title: str = "") -> tuple[ExtractedTerm, ...]:
    return extract_terms(language, ranker, typeset(title, paragraphs=False), typeset(abstract))


def scores(terms: tuple[ExtractedTerm, ...]) -> dict[str, float]:
    return {term.key: term.score for term in terms}


def test_terms_score_high_and_generic_words_low(language: Language, ranker: Ranker) -> None:
    found = scores(extract(language, ranker, ABSTRACT))
    wanted = ("federated learning", "graph neural network", "large language model", "catastrophic forgetting")
    for key in wanted:
        assert found[key] > 0.6, key
    for key in ("method", "code", "network", "neural network"):
        assert found[key] < 0.3, key


def test_a_text_gives_the_same_terms_alone_and_among_others(language: Language, ranker: Ranker) -> None:
    title = typeset("Federated Learning", paragraphs=False)
    papers = [(title, typeset(ABSTRACT[: 60 + number])) for number in range(BATCH + 3)]
    together = list(extract_many(language, ranker, papers))
    assert together == list(extract_many(language, ranker, papers))
    alone = extract_terms(language, ranker, *papers[5])
    assert [term.key for term in alone] == [term.key for term in together[5]]
    assert [term.score for term in alone] == pytest.approx([term.score for term in together[5]], abs=1e-6)


def test_spans_quote_the_abstract_exactly(language: Language, ranker: Ranker) -> None:
    text = typeset(ABSTRACT).text
    for term in extract(language, ranker, ABSTRACT):
        assert term.text == text[slice(*term.spans[0])]
        assert all(term_key(text[start:end]) == term.key for start, end in term.spans)


def test_a_term_of_the_title_alone_has_no_spans(language: Language, ranker: Ranker) -> None:
    found = extract(language, ranker, "We study it.", "Diffusion models")
    (term,) = (term for term in found if term.key == "diffusion model")
    assert (term.text, term.spans) == ("Diffusion models", ())


def test_nothing_is_found_in_formulas_and_addresses(language: Language, ranker: Ranker) -> None:
    reading = typeset(ABSTRACT)
    closed = [run for run in reading.runs if run.kind not in (RunKind.TEXT, RunKind.EMPHASIS, RunKind.STRONG)]
    assert {run.kind for run in closed} == {RunKind.MATH, RunKind.LINK}
    for term in extract(language, ranker, ABSTRACT):
        assert all(end <= run.start or run.end <= start for start, end in term.spans for run in closed), term


@pytest.mark.parametrize("text", ["", " ", ".", "Why?", "( iv )", "$x$", "12", "的", "\u0301"])
def test_texts_without_terms(language: Language, ranker: Ranker, text: str) -> None:
    assert all(term.score < 0.5 for term in extract(language, ranker, text))


def test_texts_that_broke_others(language: Language, ranker: Ranker) -> None:
    found = extract(language, ranker, "İterative İmage models use diffusion.")
    assert {term.text for term in found} >= {"diffusion"}
    found = extract(language, ranker, "We propose StaR-MoE, which routes tokens.")
    assert "star" not in scores(found)
    assert "StaR-MoE" in {term.text for term in found}
    found = extract(language, ranker, "The cross‑entropy and the cross-entropy of a model.")
    (term,) = (term for term in found if term.key == "cross entropy")
    assert term.spans == ((4, 17), (26, 39))
    found = extract(language, ranker, "The bound is given in ( iv ) and (3-i).")
    assert not {"iv", "3 i"} & {key for key, score in scores(found).items() if score > 0.3}
    found = extract(language, ranker, "Diffusion models beat reinforcement learning")
    assert {((0, 16),), ((22, 44),)} <= {term.spans for term in found}


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            ["graph", "neural", "networks", "the", "of", "-", "(LoRA)", ". ", "$x$", "biases", "İmage", "’s"]
        ),
        max_size=30,
    ),
    st.text(max_size=30),
)
def test_of_any_text_spans_lie_apart_and_quote_exactly(words: list[str], text: str) -> None:
    language, ranker = load_once()
    reading = typeset(" ".join(words) + text)
    for term in extract_terms(language, ranker, typeset(""), reading):
        assert 0 <= term.score <= 1
        assert term.text == reading.text[slice(*term.spans[0])]
        for start, end in term.spans:
            assert term_key(reading.text[start:end]) == term.key
            assert FORMULA not in reading.text[start:end]
        for before, after in zip(term.spans, term.spans[1:], strict=False):
            assert before[1] <= after[0]


_loaded: list[tuple[Language, Ranker]] = []


def load_once() -> tuple[Language, Ranker]:
    """The model for a test that hypothesis calls many times."""
    if not _loaded:
        _loaded.append((load_language(), load_ranker()))
    return _loaded[0]


def test_reliability_counts_by_hand() -> None:
    terms = [
        ExtractedTerm("a", "a", 0.95, ((0, 1),), "TERM"),
        ExtractedTerm("b", "b", 0.92, ((1, 2),), "TERM"),
        ExtractedTerm("c", "c", 1.0, ((2, 3),), "TERM"),
        ExtractedTerm("d", "d", 0.0, ((3, 4),), "TERM"),
        ExtractedTerm("e", "e", 0.99, (), "TERM"),
    ]
    bins = reliability([(terms, ["a", "C"])])
    assert (bins[9].count, bins[9].share_marked) == (3, pytest.approx(2 / 3))
    assert bins[9].mean_score == pytest.approx(2.87 / 3)
    assert (bins[0].count, bins[0].share_marked, bins[5].count) == (1, 0.0, 0)
    assert calibration_error(bins) == pytest.approx((2.87 - 2) / 4)
    assert calibration_error(reliability([])) == 0
    assert "0.9 to 1.0      3" in reliability_table(bins)


def test_scores_can_be_taken_at_their_word(language: Language, ranker: Ranker) -> None:
    gold = SHARED_DATA / "terms" / "gold_arxiv.jsonl.gz"
    if not gold.exists():
        pytest.skip("the annotated abstracts are not here")
    _, held_out = held_apart(read_annotated(gold))
    papers = [(typeset(row.title, paragraphs=False), typeset(row.abstract)) for row in held_out]
    found = extract_many(language, ranker, papers)
    bins = reliability(zip(found, map(strings_of, held_out), strict=True))
    assert sum(each.count for each in bins) > 3_000
    assert calibration_error(bins) < 0.03
    sure = [each for each in bins if each.low >= 0.7]
    assert sum(each.count * each.share_marked for each in sure) / sum(each.count for each in sure) > 0.75
