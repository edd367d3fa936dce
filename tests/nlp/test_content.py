"""When two texts are the same: whatever their marks, their blanks and the spelling of their formulas."""

from __future__ import annotations

from nlp.content import LEAST_LETTERS, content_hash
from nlp.typeset import typeset

LONG = "We pour R\\'enyi's tea into $\\alpha$ kettles -- 12\\% of it is spilt, " * 3


def test_two_spellings_of_one_abstract_are_the_same_text() -> None:
    converted = LONG.replace("R\\'enyi", "Rényi").replace("\\alpha", "α").replace("--", "–")
    wrapped = LONG.replace(" of it", "\nof it")
    hashes = {content_hash(typeset(text).text) for text in (LONG, converted, wrapped)}
    assert len(hashes) == 1
    assert None not in hashes


def test_another_word_is_another_text() -> None:
    assert content_hash(LONG) != content_hash(LONG.replace("12", "13"))


def test_a_short_text_is_like_no_other() -> None:
    assert content_hash("This paper has been withdrawn by the author.") is None
    assert content_hash("a" * (LEAST_LETTERS - 1) + " , - !") is None
    assert content_hash("a" * LEAST_LETTERS) is not None
