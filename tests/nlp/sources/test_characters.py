from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlp.sources import characters


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tea\tand\ncups – é 李 \U0001d53c \u200b\u2028", None),
        ("caf\udce9", "bytes that are not UTF-8"),
        ("\ud800", "half of a surrogate pair (U+D800)"),
        ("\udfff", "half of a surrogate pair (U+DFFF)"),
        ("a\x00", "the control character U+0000"),
        ("a\rb", "the control character U+000D"),
        ("a\x85b", "the control character U+0085"),
    ],
)
def test_what_may_not_come_out_of_a_parser(text: str, reason: str | None) -> None:
    assert characters.flaw(text) == reason
    assert characters.flaw_in_lines([(3, "fine"), (4, text)]) == (reason and f"{reason} at line 4")


def test_only_line_feeds_end_lines() -> None:
    text = "a\r\nb\x0bc\u2028d\x85e\n\nf\rg"
    assert list(characters.lines(text)) == [(1, "a"), (2, "b\x0bc\u2028d\x85e"), (3, ""), (4, "f\rg")]
    assert list(characters.lines("")) == []


@settings(deadline=None)
@given(st.binary())
def test_decoding_loses_no_byte(data: bytes) -> None:
    text = characters.decode(b"tea" + data, "file") if data.count(0) * 10 <= len(data) + 3 else ""
    assert not text or text.encode(errors="surrogateescape") == b"tea" + data
