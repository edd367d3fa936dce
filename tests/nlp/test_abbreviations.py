"""Short and long forms that a text introduces itself."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.abbreviations import abbreviation_pairs

MED1250 = Path(__file__).parents[3] / "shared" / "data" / "terms" / "abbr_med1250.jsonl.gz"


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("We use low-rank adaptation (LoRA) here.", "LoRA", "low-rank adaptation"),
        ("Mindful memoization (MM) is new.", "MM", "Mindful memoization"),
        (
            "Self-Supervised On-Policy Distillation (SSOPD)",
            "SSOPD",
            "Self-Supervised On-Policy Distillation",
        ),
        ("LLMs (large language models) are large.", "LLMs", "large language models"),
        ("large language models (LLMs)", "LLMs", "large language models"),
        ("a mixture-of-experts (MoE) layer", "MoE", "mixture-of-experts"),
        ("with k-nearest neighbors (kNN)", "kNN", "k-nearest neighbors"),
        ("the area under the curve [AUC]", "AUC", "area under the curve"),
        ("Proximal Policy Optimization (PPO; see below)", "PPO", "Proximal Policy Optimization"),
        ("İ and İ: generative AI (GenAI)", "GenAI", "generative AI"),
        ("proton pump inhibitors (PPIs)", "PPIs", "proton pump inhibitors"),
    ],
)
def test_a_pair_is_found(text: str, short: str, long: str) -> None:
    assert [(pair.short, pair.long) for pair in abbreviation_pairs(text)] == [(short, long)]


@pytest.mark.parametrize(
    "text",
    [
        "The bound is given in ( iv ) and (3-i)",
        "We improve it (see Fig. 2) and more (Liu et al., 2024b).",
        "We train a model. Large gains follow (MG).",
        "It holds for all (n = 3) and (p < 0.05).",
        "the loss \ufffc-divergence (LD)",
        "Why?",
        "()",
        "",
    ],
)
def test_what_is_no_pair_is_none(text: str) -> None:
    assert abbreviation_pairs(text) == ()


@given(st.text(alphabet="abcAB ()[].-İ\ufffc\n", max_size=60))
def test_forms_are_the_slices_of_their_spans(text: str) -> None:
    for pair in abbreviation_pairs(text):
        assert text[pair.short_start : pair.short_end] == pair.short
        assert text[pair.long_start : pair.long_end] == pair.long


@pytest.mark.skipif(not MED1250.exists(), reason="the annotated abstracts are not here")
def test_it_is_better_than_the_published_algorithm() -> None:
    right = found = wanted = 0
    for line in gzip.decompress(MED1250.read_bytes()).splitlines():
        paper = json.loads(line)
        gold = {(_plain(short), _plain(long)) for short, long in paper["pairs"]}
        text = f"{paper['title']}\n{paper['abstract']}"
        ours = {(_plain(pair.short), _plain(pair.long)) for pair in abbreviation_pairs(text)}
        right, found, wanted = right + len(gold & ours), found + len(ours), wanted + len(gold)
    assert 2 * right / (found + wanted) > 0.87  # Schwartz and Hearst: 0.836


def _plain(form: str) -> str:
    return " ".join(form.lower().split())
