"""arXiv's identifiers in every way that sources write them, and papers that say they are withdrawn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.sources.arxiv_ids import ArxivId, arxiv_id
from nlp.sources.withdrawal import says_withdrawn


@pytest.mark.parametrize(
    ("text", "number", "version"),
    [
        ("2605.01234", "2605.01234", None),
        ("2605.01234v2", "2605.01234", 2),
        ("arXiv:2605.01234v12", "2605.01234", 12),
        ("http://arxiv.org/abs/2605.01234v2", "2605.01234", 2),
        ("https://export.arxiv.org/abs/hep-ex/0307015v1", "hep-ex/0307015", 1),
        ("oai:arXiv.org:0704.0010", "0704.0010", None),
        ("math.GT/0309136", "math/0309136", None),  # the subject class was optional
        (" 2605.01234 ", "2605.01234", None),
    ],
)
def test_an_identifier(text: str, number: str, version: int | None) -> None:
    found = arxiv_id(text)
    assert found == ArxivId(number, version)
    assert found.identifier == f"arxiv:{number}"
    assert found.url == f"https://arxiv.org/abs/{number}"


@pytest.mark.parametrize(
    "text", ["", "tea", "2605.012", "2605.01234v", "arxiv.org/abs/", "x2605.01234", "２605.01234"]
)
def test_no_identifier(text: str) -> None:
    assert arxiv_id(text) is None


@given(st.text(max_size=30))
def test_whatever_is_one_is_one_again(text: str) -> None:
    if found := arxiv_id(text):
        assert arxiv_id(found.identifier) == ArxivId(found.number, None)


@pytest.mark.parametrize(
    ("comment", "abstract", "expected"),
    [
        ("This paper has been withdrawn by the author", "Kettles.", True),
        ("Withdrawn", "Kettles.", True),
        ("This submission has been withdrawn by arXiv administrators", "Kettles.", True),
        ("", "This paper has been withdrawn due to an error in lemma 3.", True),
        ("", "The article was withdrawn by its authors.", True),
        ("", "[This submission (v2) has been\nwithdrawn by arXiv administrators]", True),
        ("", "The authors have withdrawn this paper.", True),
        ("", "Paper withdrawn due to an error.", True),
        ("", "Withdrawn.", True),
        ("", "This paper has been withdrawn from the proceedings.", False),
        ("", "This paper studies unlearning of data whose consent was withdrawn by users.", False),
        ("", "Withdrawn kettles are hard to find.", False),
        ("Withdraw by ICML and prepare for NeurIPS", "Kettles.", False),
        ("Withdrawn from ICLR, submitted to TMLR", "Kettles.", False),
        ("Withdrawn\n  from ICLR", "Kettles.", False),
        ("12 pages", "We study papers that have been withdrawn.", False),
    ],
)
def test_what_says_that_a_paper_is_withdrawn(comment: str, abstract: str, expected: bool) -> None:
    assert says_withdrawn(comment, abstract) is expected
