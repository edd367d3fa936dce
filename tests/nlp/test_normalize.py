"""The one definition of "same term"."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlp.normalize import slug, term_key


@pytest.mark.parametrize(
    ("surface", "key"),
    [
        ("biases", "bias"),
        ("bias", "bias"),
        ("losses", "loss"),
        ("lenses", "lens"),
        ("lens", "lens"),
        ("axes", "axis"),
        ("bases", "basis"),
        ("analyses", "analysis"),
        ("taxes", "tax"),
        ("taxis", "taxi"),
        ("matrices", "matrix"),
        ("indices", "index"),
        ("corpora", "corpus"),
        ("data", "data"),
        ("dynamics", "dynamics"),
        ("heuristics", "heuristic"),
        ("policies", "policy"),
        ("time series", "time series"),
        ("caches", "cache"),
        ("naive Bayes", "naive bayes"),
        ("LLMs", "llm"),
        ("GPs", "gp"),
        ("GPS", "gps"),
        ("GPUs", "gpu"),
        ("knowledge bases", "knowledge base"),
    ],
)
def test_number_is_taken_away(surface: str, key: str) -> None:
    assert term_key(surface) == key


@pytest.mark.parametrize("hyphen", "-\u2010\u2011\u2012\u2013\u2014\u2015")
def test_every_hyphen_is_a_blank(hyphen: str) -> None:
    assert term_key(f"cross{hyphen}entropy") == "cross entropy"
    assert term_key(f"cross{hyphen} entropy") == "cross entropy"


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("optimisation", "optimization"),
        ("behavioural modelling", "behavioral modeling"),
        ("labelled centres", "labeled centers"),
        ("neighbourhood", "neighborhood"),
        ("summarisers", "summarizers"),
        ("programmes", "programs"),
        ("dialogue", "dialog"),
        ("anaemia", "anemia"),
        ("quantised analogues", "quantized analogs"),
    ],
)
def test_british_and_american_are_one(british: str, american: str) -> None:
    assert term_key(british) == term_key(american)


@pytest.mark.parametrize(
    "word",
    ["noise", "denoising", "supervised", "precise", "raising", "ising model", "exercise", "promise", "wise"],
)
def test_words_in_ise_that_are_no_spelling_stay(word: str) -> None:
    assert term_key(word) == word


@pytest.mark.parametrize("apostrophe", "'’")
def test_possessives_are_taken_away(apostrophe: str) -> None:
    assert term_key(f"The agent{apostrophe}s reward") == "the agent reward"
    assert term_key(f"agents{apostrophe} policies") == "agent policy"
    assert term_key(f"Bayes{apostrophe} rule") == "bayes rule"


def test_compatibility_forms_are_one() -> None:
    assert term_key("ﬁne\u00adtuning") == term_key("finetuning")
    assert term_key("  Graph\u00a0Neural\n Network, ") == "graph neural network"


def test_what_is_no_word_has_no_key() -> None:
    assert [term_key(text) for text in ("", " ", "—", "…?", "\ufffc")] == [""] * 5


@given(st.text(max_size=40))
@example("programmes")
@example("İmage’s")
@example("a.s's-")
def test_a_key_is_its_own_key(surface: str) -> None:
    key = term_key(surface)
    assert term_key(key) == key
    assert key == key.strip()


@given(st.text(min_size=1, max_size=40).map(term_key).filter(bool))
@example("c++")
@example("机器学习")
@example("a*")
def test_an_address_is_plain_and_never_empty(key: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", slug(key))


def test_signs_tell_addresses_apart() -> None:
    assert len({slug(term_key(name)) for name in ("C", "C++", "C#", "C*", "机", "器")}) == 6
