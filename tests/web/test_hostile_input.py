"""Hostile input, a little of it: what `python -m tests.bench.fuzz` does for minutes, without its clock."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlp.typeset import typeset
from tests.bench.fuzz_cases import Case, damaged, repeated, tangled
from tests.bench.fuzz_samples import samples
from tests.bench.fuzz_targets import Target, check, targets
from tests.bench.sample import sample
from web.rendering import paragraphs_html

TARGETS = targets([(f"hard({number})", source) for number, (_, source) in enumerate(sample())])


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_nothing_but_the_named_errors(target: Target, data: st.DataObject) -> None:
    assert target.run(data.draw(target.inputs).text)


@given(tangled())
def test_page_and_text_agree(case: Case) -> None:
    reading = typeset(case.text)
    check(case.text, reading, paragraphs_html(reading))


def test_formats_have_something_to_damage() -> None:
    assert all(samples()[name].texts for name in ("listing", "tmlr-digest", "json-lines", "arxiv-snapshot"))


def test_inputs_are_made_again_from_what_is_printed() -> None:
    assert repeated(["a", "{"], "}", "x", size=10) == "xa{a{a{}}}"
    edits = [("insert", 0.5, "--"), ("cut", 0.9, ""), ("replace", 0.0, "x")]
    assert damaged("0123456789", edits) == "x1234--567"
