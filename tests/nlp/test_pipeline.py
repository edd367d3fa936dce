"""The Languages: the highlighter's, and the trained one that comes with the package."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from nlp.components import reading_of
from nlp.highlight import find_mentions
from nlp.lexicon import compile_matcher, load_lexicon
from nlp.pipeline import SHIPPED, NoModel, build_language, load_language
from nlp.term_finder import CANDIDATES, POSSIBLE, TermFinder
from nlp.training.reading import untrained
from nlp.typeset import typeset

LEXICON = "[[term]]\nlabel = 'large language model'\nabbreviations = ['LLM']"
ABSTRACT = (
    "In this work, we propose GraphMixer, a framework for federated learning with graph neural networks. "
    "Large language models (LLMs) such as GPT-2 suffer from catastrophic forgetting; \ufffc bounds the "
    "cross-entropy loss on CIFAR-10."
)


@pytest.fixture(scope="module")
def language() -> Language:
    return load_language()


def found(doc: Doc) -> list[tuple[str, str, float]]:
    group = doc.spans[CANDIDATES]
    return [(span.text, span.label_, score) for span, score in zip(group, group.attrs["scores"], strict=True)]


def test_it_finds_what_the_highlighter_finds_in_many_texts() -> None:
    lexicon = load_lexicon(LEXICON)
    texts = ["İ \ufffc LLMs", "", "A large language model (LLM).", "none"]
    matcher = compile_matcher(lexicon)
    found = [doc._.mentions for doc in build_language(lexicon).pipe(texts)]
    assert found == [find_mentions(reading_of(text), matcher) for text in texts]


def test_two_languages_keep_their_own_terms() -> None:
    one = build_language(load_lexicon(LEXICON))
    other = build_language(load_lexicon("[[term]]\nlabel = 'graph'"))
    assert [len(language("LLM")._.mentions) for language in (one, other)] == [1, 0]


def test_the_shipped_pipeline_finds_terms_names_and_what_is_coined(language: Language) -> None:
    kinds = {text: kind for text, kind, _ in found(language(ABSTRACT))}
    assert kinds["federated learning"] == "TERM"
    assert kinds["graph neural networks"] == "TERM"
    assert kinds["catastrophic forgetting"] == "TERM"
    assert kinds["LLMs"] == "TERM"
    assert kinds["CIFAR-10"] == "NAME"
    assert kinds["GraphMixer"] == "COINED"


def test_it_knows_parts_of_speech(language: Language) -> None:
    doc = language("We train large models, and they learn.")
    tags = "PRON VERB ADJ NOUN PUNCT CCONJ PRON VERB PUNCT"
    assert " ".join(token.pos_ for token in doc) == tags


def test_a_text_is_read_alike_alone_and_in_any_batch(language: Language) -> None:
    texts = [ABSTRACT, "", "Why?", ABSTRACT[:80], "\ufffc", ABSTRACT * 3, " "] * 20
    together = [(found(doc), [token.pos_ for token in doc]) for doc in language.pipe(texts, batch_size=7)]
    for text, (its, pos) in zip(texts[:7], together[:7], strict=True):
        doc = language(text)
        assert [span[:2] for span in found(doc)] == [span[:2] for span in its]
        assert [span[2] for span in found(doc)] == pytest.approx([span[2] for span in its])
        assert [token.pos_ for token in doc] == pos
    assert together[:7] * 20 == together


def test_two_loads_say_the_same(language: Language) -> None:
    assert found(load_language()(ABSTRACT)) == found(language(ABSTRACT))


@given(st.text(st.sampled_from("aZ-–( )[]\ufffc\n.İ2&/'’ "), max_size=60))
@settings(max_examples=60)
def test_any_text_keeps_its_characters_and_spans_stay_apart(language: Language, text: str) -> None:
    doc = language(text)
    assert doc.text == text
    group = doc.spans[CANDIDATES]
    assert all(one.end <= other.start for one, other in pairwise(group))
    assert all(0 <= score <= 1 for score in group.attrs["scores"])
    assert len(group) == len(group.attrs["scores"])
    assert all(0 <= span.start < span.end <= len(doc) for span in doc.user_data[POSSIBLE])


def test_no_term_holds_a_formula(language: Language) -> None:
    source = "The $k$-means clustering and $\\ell_2$ regularization of ($\\epsilon$, $\\delta$) privacy."
    doc = language(typeset(source).text)
    assert "\ufffc" in doc.text
    assert "\ufffc" not in [span.text for span in doc.spans[CANDIDATES]]


@pytest.mark.parametrize(
    "term",
    ["GPT", "GPT-2", "cross-entropy", "LLM", "IoU", "GSM8K", "Interaction Mixer", "TRISO", "KL", "U-Net"],
)
def test_a_term_can_begin_and_end_where_it_does(language: Language, term: str) -> None:
    shapes = ("{}", "({})-based", "Mixer({})", "x {}.", "“{}”", "{}/Adam", "{}-2", "{}, and", "{}’s")
    for text in (each.format(term) for each in shapes):
        doc = language.make_doc(text)
        start = text.index(term)
        assert doc.char_span(start, start + len(term)) is not None, text


def test_it_loads_at_once_and_without_a_network() -> None:
    """In a process in which every socket is refused."""
    code = (
        "import socket, sys\n"
        "def no(*_, **__): raise OSError('no network')\n"
        "socket.socket.connect = no; socket.getaddrinfo = no\n"
        "from nlp.pipeline import load_language\n"
        "print(len(load_language()('We study federated learning.').spans['candidate_terms']))\n"
        "assert not {'torch', 'sklearn', 'lightgbm'} & sys.modules.keys()\n"
    )
    here = Path(__file__).parents[2]
    command, path = [sys.executable, "-c", code], {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=here, env=path, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("1", "")


def test_it_is_small_and_part_of_the_package() -> None:
    files = [path for path in SHIPPED.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 12e6
    assert SHIPPED.parent.name == "nlp"


def test_a_folder_without_a_pipeline_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match=r"holds no pipeline \(there is no config.cfg in it\)"):
        load_language(tmp_path)


def test_a_damaged_pipeline_is_named(tmp_path: Path, language: Language) -> None:
    language.to_disk(tmp_path)
    (tmp_path / "peer_revenue_term_finder" / "chain.npz").unlink()
    with pytest.raises(NoModel, match=f"{tmp_path}: the pipeline there cannot be loaded"):
        load_language(tmp_path)


def test_what_is_written_is_read_again(tmp_path: Path, language: Language) -> None:
    language.to_disk(tmp_path)
    assert found(load_language(tmp_path)(ABSTRACT)) == found(language(ABSTRACT))


def test_an_untrained_component_says_so() -> None:
    blank = untrained()
    with pytest.raises(ValueError, match="no words yet"):
        blank("text")
    finder = TermFinder(blank)
    with pytest.raises(ValueError, match="no weights yet"):
        _ = finder.parts
