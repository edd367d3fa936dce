"""Mentions in reading texts, the vetoes, and the pieces shown."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.highlight import find_mentions, segments
from nlp.lexicon import LexiconTerm, compile_matcher, lexicon_from_entries, load_lexicon
from nlp.matcher import Matcher
from nlp.normalize import slug, term_key
from nlp.records import Mention, ReadingText, Run, RunKind

ROOT = Path(__file__).parents[2]
SEED_HIGHLIGHTS = ROOT.parent / "shared" / "data" / "terms" / "seed003_highlights.jsonl.gz"
CLOSED = {RunKind.MATH, RunKind.DISPLAY, RunKind.LINK, RunKind.CODE, RunKind.CITE}


def matcher_of(*labels: str) -> Matcher:
    return compile_matcher(
        lexicon_from_entries(LexiconTerm(term_key(label), slug(term_key(label)), label) for label in labels)
    )


def reading_of(*parts: str | tuple[RunKind, str]) -> ReadingText:
    """A reading text of its pieces; a bare string is TEXT."""
    runs: list[Run] = []
    text = ""
    for part in parts:
        kind, piece = (RunKind.TEXT, part) if isinstance(part, str) else part
        runs.append(Run(kind, len(text), len(text) + len(piece), len(text), len(text) + len(piece), True))
        text += piece
    return ReadingText(text, tuple(runs))


def quotes(text: str, *labels: str) -> list[str]:
    return [mention.quote for mention in find_mentions(reading_of(text), matcher_of(*labels))]


@pytest.fixture(scope="module")
def starter() -> Matcher:
    return compile_matcher(load_lexicon(ROOT / "seeds" / "lexicon.toml"))


# Texts that broke others


def test_a_character_that_grows_in_lower_case_moves_nothing() -> None:
    text = "İterative İmage models use diffusion."
    (mention,) = find_mentions(reading_of(text), matcher_of("diffusion"))
    assert (mention.start, mention.end, mention.quote) == (27, 36, "diffusion")


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("We propose StaR-MoE, …", ["star", "MoE"], []),
        (
            "A large language model is a model.",
            ["model", "language model", "large language model"],
            ["large language model", "model"],
        ),
        ("food safety standards", ["food safety", "safety standard"], ["food safety"]),
        ("cross‑entropy and cross- entropy", ["cross-entropy"], ["cross‑entropy", "cross- entropy"]),
        ("cross‑entropy and cross- entropy", ["entropy"], []),
        (
            "biases, axes, losses, lenses, taxes, matrices, corpora, data",
            ["bias", "axis", "loss", "lens", "tax", "matrix", "corpus", "data"],
            ["biases", "axes", "losses", "lenses", "taxes", "matrices", "corpora", "data"],
        ),
        ("taxis", ["tax"], []),
        ("|V|<10 & cost <b>O(n)</b>", ["cost", "V", "b"], ["V", "cost", "b", "b"]),
        ("The bound is given in ( iv ) and (3-i)", ["bound"], ["bound"]),
        ("A document-word matrix and the document-word prior.", ["document", "word", "matrix"], ["matrix"]),
        ("A document-word matrix and its prior.", ["document-word matrix"], ["document-word matrix"]),
        ("The agent’s reward … agents’ policies", ["agent", "policy"], ["agent", "agents", "policies"]),
        ("Why?", ["why not"], []),
        (
            "prompt alignment of benchmark datasets",
            ["prompt", "alignment", "benchmark", "dataset"],
            ["prompt", "alignment", "benchmark", "datasets"],
        ),
        ("entropy, then entropy", ["entropy"], ["entropy", "entropy"]),
        ("", ["entropy"], []),
    ],
)
def test_texts_that_broke_others(text: str, labels: list[str], expected: list[str]) -> None:
    assert quotes(text, *labels) == expected


# Vetoes


@pytest.mark.parametrize(
    ("text", "label", "count"),
    [
        ("redshift-conditioned diffusion", "redshift", 1),
        ("redshift-conditioned diffusion", "diffusion", 1),
        ("GRPO-style training, CLIP-based and Mu-GRPO", "GRPO", 1),
        ("high-entropy tokens", "entropy", 1),
        ("a diffusion-weighted image", "diffusion", 0),
        ("a non-convex loss", "convex", 0),
        ("semi-supervised learning", "supervised learning", 0),
        ("ImageNet-1K and ImageNet-C", "ImageNet", 1),
        ("LLM- and VLM-based", "LLM", 1),
        ("attention—the key—matters", "attention", 1),
        ("Stable Diffusion is used, with Stable Diffusion models", "diffusion", 0),
        ("with Stable Diffusion models", "diffusion model", 0),
        ("The Transformer is old. Transformers are new.", "transformer", 2),
        ("a Swin Transformer", "transformer", 0),
        ("Graph Neural Networks (GNNs)", "graph neural network", 2),
        ("by pruning the network after pruning", "pruning", 1),
        ("prompts, each embedding cognitive traps, of the embedding", "embedding", 1),
        ("an embedding space and 9 embedding families", "embedding", 2),
        ("received increasing attention; attention layers", "attention", 1),
        ("has attracted attention", "attention", 0),
        ("Gemini 3.1 is newer than Gemini 3.", "Gemini 3", 1),
        ("k\ufffc-means \ufffcentropy entropy\ufffc", "entropy", 0),
        ("a \ufffc-entropy and \ufffc entropy", "entropy", 1),
    ],
)
def test_a_veto_holds_where_it_should_and_only_there(text: str, label: str, count: int) -> None:
    assert len(quotes(text, label)) == count


@pytest.mark.parametrize("kind", sorted(CLOSED))
def test_no_mention_stands_in_a_closed_run(kind: RunKind) -> None:
    closed = (kind, "entropy")
    reading = reading_of("entropy ", closed, " cross-", closed, (RunKind.EMPHASIS, " entropy"))
    mentions = find_mentions(reading, matcher_of("entropy", "cross entropy"))
    spans = [(mention.start, mention.end) for mention in mentions]
    assert spans == [(0, 7), (30, 37)]


# Short forms

PRIVACY = "[[term]]\nlabel = 'differential privacy'\nbound = ['DP']"
REINFORCEMENT = "[[term]]\nlabel = 'reinforcement learning'\nabbreviations = ['RL']"
LANGUAGE = "[[term]]\nlabel = 'large language model'\nabbreviations = ['LLM']"


def test_a_bound_short_form_needs_its_long_form() -> None:
    matcher = compile_matcher(load_lexicon(PRIVACY))
    assert find_mentions(reading_of("DP is solved by DP."), matcher) == ()
    text = "DP: differential privacy (DP) and DPs, not dynamic DP-x."
    found = [mention.quote for mention in find_mentions(reading_of(text), matcher)]
    assert found == ["DP", "differential privacy", "DP", "DPs"]


def test_a_short_form_that_the_text_introduces_otherwise_is_another() -> None:
    matcher = compile_matcher(load_lexicon(REINFORCEMENT))
    assert find_mentions(reading_of("Representation learning (RL) is not RL."), matcher) == ()
    assert len(find_mentions(reading_of("Deep reinforcement learning (RL) is RL."), matcher)) == 3


def test_a_longer_long_form_is_no_contradiction() -> None:
    matcher = compile_matcher(load_lexicon(LANGUAGE))
    assert len(find_mentions(reading_of("Large-scale language models (LLMs) and LLMs"), matcher)) == 2


# Segments


def test_a_mention_over_several_runs_opens_once_and_closes_once() -> None:
    marked_up = [(RunKind.EMPHASIS, "large"), " language", (RunKind.STRONG, " model")]
    reading = reading_of("A ", *marked_up, " is a large language model")
    pieces = segments(reading, find_mentions(reading, matcher_of("large language model")))
    marked = [(p.kind, p.text, p.is_first, p.opens, p.closes) for p in pieces if p.term is not None]
    assert marked == [
        (RunKind.EMPHASIS, "large", True, True, False),
        (RunKind.TEXT, " language", True, False, False),
        (RunKind.STRONG, " model", True, False, True),
        (RunKind.TEXT, "large language model", False, True, True),
    ]


def test_content_of_a_run_goes_with_its_pieces() -> None:
    link = Run(RunKind.LINK, 4, 5, 4, 9, False, "http://x")
    reading = ReadingText("see x", (Run(RunKind.TEXT, 0, 4, 0, 4, True), link))
    assert [(p.text, p.content) for p in segments(reading, ())] == [("see ", ""), ("x", "http://x")]


@pytest.mark.parametrize(
    "mentions",
    [
        [Mention(0, 3, "abc", "x"), Mention(2, 4, "cd", "x")],
        [Mention(2, 9, "cd", "x")],
        [Mention(0, 2, "xy", "x")],
        [Mention(2, 2, "", "x")],
    ],
)
def test_mentions_that_do_not_fit_are_refused(mentions: list[Mention]) -> None:
    with pytest.raises(ValueError, match="mention at"):
        segments(reading_of("abcd"), mentions)


# Invariants

WORDS = ["entropy", "cross", "large", "language", "model", "models", "GRPO", "(GRPO)", "Stable"]
SIGNS = ["İ", "-", " ", "- ", "’s", "\ufffc", "."]
PIECE = st.lists(st.sampled_from(WORDS + SIGNS), min_size=1, max_size=6).map("".join)
PIECES = st.lists(st.tuples(st.sampled_from(RunKind), PIECE), max_size=8)
INVARIANT = matcher_of("entropy", "cross-entropy", "large language model", "language model", "model", "GRPO")


@given(PIECES)
def test_invariants_of_mentions_and_segments(parts: list[tuple[RunKind, str]]) -> None:
    formulas = (RunKind.MATH, RunKind.DISPLAY)
    reading = reading_of(*((kind, "\ufffc" if kind in formulas else piece) for kind, piece in parts))
    mentions = find_mentions(reading, INVARIANT)
    assert find_mentions(reading, INVARIANT) == mentions
    assert all(before.end <= after.start for before, after in pairwise(mentions))
    closed = {at for run in reading.runs if run.kind in CLOSED for at in range(run.start, run.end)}
    for mention in mentions:
        assert reading.text[mention.start : mention.end] == mention.quote
        assert closed.isdisjoint(range(mention.start, mention.end))
        assert "\ufffc" not in reading.text[max(0, mention.start - 1) : mention.end + 1]
    pieces = segments(reading, mentions)
    assert "".join(piece.text for piece in pieces) == reading.text
    assert all(piece.text for piece in pieces)
    assert sum(piece.opens for piece in pieces) == sum(piece.closes for piece in pieces) == len(mentions)
    firsts = [piece.term for piece in pieces if piece.opens and piece.is_first]
    assert sorted(firsts) == sorted({mention.term for mention in mentions})


# The lexicon of a new site


@pytest.mark.skipif(not SEED_HIGHLIGHTS.exists(), reason="the reference site's highlights are not here")
def test_none_of_the_reference_sites_wrong_senses_is_ours(starter: Matcher) -> None:
    wrong = 0
    for line in gzip.decompress(SEED_HIGHLIGHTS.read_bytes()).splitlines():
        paper = json.loads(line)
        mentions = find_mentions(reading_of(paper["abstract"]), starter)
        for mark in paper["highlights"]:
            if mark.get("hand_check") == "wrong sense":
                wrong += 1
                span = (mark["start"], mark["start"] + len(mark["first_word"]))
                assert not any((mention.start, mention.end) == span for mention in mentions), mark["context"]
    assert wrong == 9


def test_highlighting_does_not_load_spacy() -> None:
    code = "import nlp.highlight, nlp.lexicon, sys; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
