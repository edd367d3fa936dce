"""Listed terms, their contradictions, and the matcher compiled from them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlp.errors import BadLexicon
from nlp.lexicon import Lexicon, LexiconTerm, compile_matcher, lexicon_from_entries, load_lexicon
from nlp.matcher import Matcher
from nlp.normalize import slug, term_key
from nlp.standings import Match
from nlp.surfaces import fold, variants

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "data" / "corpus" / "cs_lg_2026_jan_may.jsonl.gz"


def lexicon_of(*labels: str) -> Lexicon:
    return lexicon_from_entries(LexiconTerm(term_key(text), slug(term_key(text)), text) for text in labels)


def found(text: str, *labels: str) -> list[str]:
    matches = leftmost_longest(compile_matcher(lexicon_of(*labels)), text)
    return [text[match[0] : match[1]] for match in matches]


def leftmost_longest(matcher: Matcher, text: str) -> list[Match]:
    """The matches that overlap none before them."""
    taken: list[Match] = []
    for match in matcher.matches(text):
        if not taken or match[0] >= taken[-1][1]:
            taken.append(match)
    return taken


@pytest.fixture(scope="module")
def starter() -> Lexicon:
    return load_lexicon(ROOT / "seeds" / "lexicon.toml")


def test_the_starter_lexicon_is_sorted_and_large(starter: Lexicon) -> None:
    text = (ROOT / "seeds" / "lexicon.toml").read_text(encoding="utf-8")
    keys = [term_key(label) for label in re.findall(r'^label = "(.+)"$', text, re.MULTILINE)]
    assert keys == sorted(keys) == [term.key for term in starter.terms]
    assert len(keys) >= 400


def test_the_starter_lexicon_lists_no_generic_word(starter: Lexicon) -> None:
    generic = (
        "method framework model result performance experiment data training approach problem accuracy"
        " baseline task learning analysis evaluation architecture dataset benchmark algorithm network paper"
    )
    claimed = {term_key(form) for term in starter.terms for form in term.surfaces}
    assert claimed.isdisjoint(generic.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[term]]\nlabel = ''", "entry 1 has an empty label"),
        ("[[term]]\nforms = ['x']", "entry 1 has no label"),
        ("[[term]]\nlabel = 'graph'\n[[term]]\nlabel = 'Graphs'", "'graph' and 'Graphs' have the same key"),
        ("[[term]]\nlabel = 'a b'\nforms = ['cat']\n[[term]]\nlabel = 'd'\nforms = ['Cats']", "share a form"),
        ("[[term]]\nlabel = 'rag'\n[[term]]\nlabel = 'x'\nabbreviations = ['RAG']", "share a form"),
        ("[[term]]\nlabel = 'a'\nshort = ['b']", "entry 1 ('a') has unknown fields: short"),
        ("[[term]]\nlabel = 'a'\nforms = 'b'", "forms must be a list"),
        ("[[term]]\nlabel = 'a'\nbound = ['']", "bound must be a list"),
        ("[[terms]]\nlabel = 'a'", "not terms"),
        ("label =", "Invalid value"),
    ],
)
def test_a_bad_lexicon_names_file_and_entry(text: str, said: str) -> None:
    with pytest.raises(BadLexicon, match=re.escape(said)) as caught:
        load_lexicon(text, "mine.toml")
    assert str(caught.value).startswith("mine.toml: ")


def test_a_file_that_cannot_be_read_is_a_bad_lexicon(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"[[term]]\nlabel = '\xe9'")
    for name in ("latin.toml", "absent.toml"):
        with pytest.raises(BadLexicon, match=name):
            load_lexicon(tmp_path / name)


def test_two_spellings_that_differ_in_capitals_only_may_be_two_terms() -> None:
    one, other = "label = 'a priori'\nabbreviations = ['MAP']", "label = 'b'\nabbreviations = ['mAP']"
    text = f"[[term]]\n{one}\n[[term]]\n{other}"
    matcher = compile_matcher(load_lexicon(text))
    assert [match[2].term for match in matcher.matches("MAP, mAP, map")] == ["a priori", "b"]


def test_bound_short_forms_may_be_shared() -> None:
    text = "[[term]]\nlabel = 'x y'\nbound = ['DP']\n[[term]]\nlabel = 'z'\nbound = ['DP']"
    assert compile_matcher(load_lexicon(text)).matches("DP") == []


def test_stored_surfaces_match_the_same_texts(starter: Lexicon) -> None:
    stored = [LexiconTerm(term.key, term.slug, term.label, term.surfaces) for term in starter.terms]
    text = (ROOT / "seeds" / "cs.LG-2026-05-16.txt").read_text(encoding="utf-8")
    again = lexicon_from_entries(reversed(stored))
    assert compile_matcher(again).matches(text) == compile_matcher(starter).matches(text)


def test_the_version_is_that_of_the_content() -> None:
    assert lexicon_of("a", "b").version == lexicon_of("b", "a").version != lexicon_of("a", "c").version


def test_an_empty_lexicon_matches_nothing() -> None:
    assert compile_matcher(load_lexicon("")).matches("anything") == []


@pytest.mark.parametrize(
    ("form", "variant"),
    [
        ("mixture of experts", "mixtures of experts"),
        ("optimization", "optimisation"),
        ("optimisation", "optimization"),
        ("data modeling", "data modelling"),
        ("knowledge base", "knowledge bases"),
        ("knowledge bases", "knowledge base"),
        ("inductive biases", "inductive bias"),
        ("LoRA", "LoRAs"),
        ("LLMs", "LLM"),
    ],
)
def test_variants_of_a_form(form: str, variant: str) -> None:
    assert variant in variants(form)


def test_names_are_matched_in_their_spelling_and_words_in_any() -> None:
    text = "SAM sam SAMs IT it LoRA lora LORA Clip CLIP Mamba mamba GRAPH Graphs"
    names = found(text, "SAM", "IT", "LoRA", "CLIP", "Mamba", "graph")
    assert names == ["SAM", "SAMs", "IT", "LoRA", "CLIP", "Mamba", "GRAPH", "Graphs"]


def test_hyphens_blanks_and_line_ends_are_one() -> None:
    text = "cross‑entropy cross-entropy cross\u00a0entropy cross\nentropy cross- entropy cross–entropy"
    assert len(found(text, "cross-entropy")) == 6
    assert found("cross - entropy, cross  entropy, cross\n\nentropy", "cross entropy") == []


def test_words_are_whole() -> None:
    assert found("paragraphs graph_x graphé graph\u0301 xgraph graph", "graph") == ["graph"]
    assert found("graph nets are networks", "graph", "graph net work") == ["graph"]
    assert found("C++ and C++, not C", "C++") == ["C++", "C++"]


def test_terms_may_stand_side_by_side_and_at_both_ends() -> None:
    text = "prompt alignment benchmark datasets"
    assert found(text, "prompt", "alignment", "benchmark", "dataset") == text.split()


@given(st.text(max_size=60))
@example("İİİ\u00adẞΣ ﬁ")
def test_folding_keeps_the_length(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_every_character_folds_to_one() -> None:
    assert all(len(fold(chr(point))) == 1 for point in range(0x110000))


@given(st.text(alphabet="aİ😀\ud800 b-", max_size=30))
def test_offsets_are_code_points_of_the_text(text: str) -> None:
    for match in compile_matcher(lexicon_of("a", "b a")).matches(text):
        assert term_key(text[match[0] : match[1]]) == match[2].term


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
def test_the_matcher_finds_what_one_slow_expression_finds(starter: Lexicon) -> None:
    terms = [LexiconTerm(term.key, term.slug, term.label) for term in starter.terms if term.label.islower()]
    forms = sorted({form for term in terms for form in variants(term.label)}, key=len, reverse=True)
    joined = "|".join(re.escape(form).replace(r"\ ", "[- ]") for form in forms)
    slow = re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)
    matcher = compile_matcher(lexicon_from_entries(terms))
    for line in gzip.decompress(CORPUS.read_bytes()).splitlines()[:60]:
        text = " ".join(json.loads(line)["abstract"].split())
        ours = leftmost_longest(matcher, text)
        assert [match[:2] for match in ours] == [match.span() for match in slow.finditer(text)]
