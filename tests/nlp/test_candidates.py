"""Candidates: runs of units, spans that a model found, abbreviations; by texts with their parts of speech."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nlp.candidates import Candidates, FoundSpan, Part, find_candidates
from nlp.normalize import term_key
from nlp.records import FORMULA
from nlp.units import units_of

_PARTS = ["NOUN", "PROPN", "ADJ", "VERB", "ADP", "PUNCT", "NUM", "DET", "ADV", "X"]


def part(tagged: str, found: tuple[FoundSpan, ...] = (), blocked: str = "", is_title: bool = False) -> Part:
    """A part from "deep/ADJ learning/NOUN"; a hyphen joins the words beside it."""
    pairs = [each.rsplit("/", 1) for each in tagged.split(" ")]
    text, offsets = "", []
    for number, (token, _) in enumerate(pairs):
        joins = token == "-" or (number > 0 and pairs[number - 1][0] == "-")
        text += "" if not number or joins or token in ".,)" or text.endswith("(") else " "
        offsets.append(len(text))
        text += token
    zones = [(text.index(blocked), text.index(blocked) + len(blocked))] if blocked else []
    tokens, parts = zip(*pairs, strict=True)
    return Part(units_of(text, tokens, offsets, parts, zones, is_title), found)


def keys(candidates: Candidates) -> set[str]:
    return {candidate.key for candidate in candidates.values}


def test_runs_of_nouns_and_adjectives_and_all_that_nests_in_them() -> None:
    found = find_candidates([part("We/PRON study/VERB graph/NOUN neural/ADJ networks/NOUN ./PUNCT")])
    assert keys(found) == {"graph", "graph neural network", "neural network", "network"}


def test_hyphens_join_words_to_one_unit() -> None:
    text = "The/DET cross/NOUN -/PUNCT entropy/NOUN loss/NOUN"
    assert keys(find_candidates([part(text)])) == {"cross entropy", "cross entropy loss", "loss"}


def test_a_hyphen_that_joins_nothing_is_left_out() -> None:
    (norm,) = find_candidates([part("the/DET -norms/NOUN")]).values
    assert (norm.key, norm.text, norm.spans) == ("norm", "norms", ((5, 10),))


def test_a_term_of_nouns_may_have_of_within() -> None:
    assert "quality of service" in keys(find_candidates([part("quality/NOUN of/ADP service/NOUN")]))
    assert "quality of" not in keys(find_candidates([part("quality/NOUN of/ADP service/NOUN")]))


def test_nothing_crosses_a_mark() -> None:
    text = "We/PRON use/VERB attention/NOUN ,/PUNCT memory/NOUN ./PUNCT"
    assert keys(find_candidates([part(text)])) == {"attention", "memory"}


def test_occurrences_of_one_key_are_one_candidate() -> None:
    text = "A/DET policy/NOUN ./PUNCT Policies/NOUN and/CCONJ policy/NOUN"
    (policy,) = find_candidates([part(text)]).values
    assert (policy.key, policy.text) == ("policy", "policy")
    assert policy.spans == ((2, 8), (10, 18), (23, 29))


def test_a_title_has_spans_of_its_own() -> None:
    title = part("Deep/ADJ learning/NOUN", is_title=True)
    abstract = part("We/PRON love/VERB deep/ADJ learning/NOUN")
    of_key = {each.key: each for each in find_candidates([title, abstract]).values}
    assert of_key["deep learning"].text == "deep learning"
    assert of_key["deep learning"].title_spans == ((0, 13),)
    assert of_key["deep learning"].spans == ((8, 21),)


def test_a_span_of_a_model_is_one_though_it_is_no_run() -> None:
    text = "trained/VERB in/ADP context/NOUN today/NOUN"
    plain = find_candidates([part(text)])
    found = find_candidates([part(text, (FoundSpan(8, 18, 0.9, "NAME"),))])
    assert "in context" not in keys(plain)
    (in_context,) = (each for each in found.values if each.key == "in context")
    assert in_context.label == "NAME"


def test_both_forms_of_an_abbreviation_are_there() -> None:
    text = "low/ADJ -/PUNCT rank/NOUN adaptation/NOUN (/PUNCT LoRA/VERB )/PUNCT"
    assert {"low rank adaptation", "lora"} <= keys(find_candidates([part(text)]))


def test_a_formula_is_in_no_candidate() -> None:
    text = f"the/DET {FORMULA}/NOUN norm/NOUN"
    spans = (FoundSpan(4, 10, 0.9, "TERM"),)
    assert keys(find_candidates([part(text, spans)])) == {"norm"}


def test_what_is_blocked_is_in_no_candidate() -> None:
    text = "see/VERB example/NOUN code/NOUN here/ADV"
    spans = (FoundSpan(4, 16, 0.9, "TERM"),)
    assert keys(find_candidates([part(text, spans, blocked="code")])) == {"example"}


def test_no_text_has_no_candidates() -> None:
    nothing = units_of("", [], [], [])
    assert find_candidates([Part(nothing, ())]).values == ()
    assert find_candidates([]).values == ()


words = st.sampled_from(
    ["data", "bases", "Graph", "LLMs", "-", "cross", "entropy", ".", "İ", "biases", FORMULA, "3D"]
)


@given(st.lists(st.tuples(words, st.sampled_from(_PARTS), st.booleans()), max_size=24))
def test_spans_quote_exactly_lie_apart_and_avoid_formulas(rows: list[tuple[str, str, bool]]) -> None:
    text, offsets = "", []
    for token, _, blank in rows:
        offsets.append(len(text))
        text += token + " " * blank
    units = units_of(text, [row[0] for row in rows], offsets, [row[1] for row in rows])
    for candidate in find_candidates([Part(units, ())]).values:
        assert candidate.key
        assert candidate.spans
        for start, end in candidate.spans:
            assert term_key(text[start:end]) == candidate.key
            assert FORMULA not in text[start:end]
        for before, after in zip(candidate.spans, candidate.spans[1:], strict=False):
            assert before[1] <= after[0]
        assert candidate.text == text[slice(*candidate.spans[0])]
