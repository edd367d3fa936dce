"""Opening XML: what is refused, and what a document cannot make the reader do."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlp.errors import UnknownSource
from nlp.sources import xml

LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    "data",
    [
        f'<!DOCTYPE a [<!ENTITY a0 "ha">{LAUGHS}]><a>&a11;</a>',
        f'<!DOCTYPE a [<!ENTITY a0 "ha">{LAUGHS}]><a b="&a11;"/>',
        f'<!DOCTYPE a [<!ENTITY b "{"b" * 20_000}">]><a>{"&b;" * 9_000}</a>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>',
        "<!DOCTYPE a><a/>",
        "<a>" * 15_000,
        "<a>&b;</a>",
        "<a>&nbsp;</a>",
        "<a>&#0;</b>",
        "<a/><b/>",
        "<a></a> Rate exceeded.",
    ],
)
def test_what_is_not_read(data: str) -> None:
    with pytest.raises(UnknownSource, match="file: "):
        xml.document(data.encode(), "file")


def test_no_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("tea")
    data = f'<!DOCTYPE a [<!ENTITY b SYSTEM "{(tmp_path / "secret").as_uri()}">]><a>&b;</a>'
    with pytest.raises(UnknownSource) as raised:
        xml.document(data.encode(), "file")
    assert "tea" not in str(raised.value)


def test_an_error_names_its_line() -> None:
    with pytest.raises(UnknownSource, match="file: line 3: not XML that can be read"):
        xml.document(b"<a>\n<b>\n</a>", "file")


def test_lines_are_counted_far_down() -> None:
    root = xml.document(b"<a>" + b"\n" * 70_000 + b"<b/></a>", "file")
    assert [xml.line_of(each) for each in root] == [70_001]


def test_text_is_whole_and_without_comments() -> None:
    root = xml.document(b"<a><b> one <!-- no --><?no no?><c>two</c><![CDATA[ <three> ]]></b><b/></a>", "file")
    assert xml.text_of(root, "b", {}) == "one two <three>"
    assert xml.texts_of(root, "b", {}) == ["one two <three>"]
    assert xml.text_of(root, "d", {}) == ""


@pytest.mark.parametrize(
    ("inside", "is_flawed"),
    [(b"tea", False), (b"&#233;&#x1F375;&#9;", False), (b"\x01", True), (b"\xe9", True), (b"&#1;", True),
     (b"&#xD800;", True), (b"&#1114112;", True), (b"<b>&#127;</b>", True), (b"\xef\xbf\xbf", True)],
)  # fmt: skip
def test_what_xml_forbids_is_a_flaw_of_its_record_alone(inside: bytes, is_flawed: bool) -> None:
    first, second = xml.document(b"<a><c>" + inside + b"</c><c>tea</c></a>", "file")
    assert (xml.flaw_of(first) is not None) is is_flawed
    assert xml.flaw_of(second) is None
