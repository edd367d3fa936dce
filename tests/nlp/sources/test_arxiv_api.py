"""Answers of arXiv's query interface, with everything in them that misled others."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from nlp.sources.arxiv_api import is_category, read_page
from nlp.sources.source import Page
from tests.conftest import SHARED_DATA

ENTRY = """  <entry>
    <id>http://arxiv.org/abs/2605.01234v2</id>
    <title>Tea &amp; Cake: Rate $O(n^2)$ Bounds
  for Kettle Networks</title>
    <updated>2026-05-15T17:59:59Z</updated>
    <summary>  We study kettles with $n&lt;m$ and &lt;b&gt;bold&lt;/b&gt;.
  A second paragraph, with R\\'enyi and &amp;amp; entity.</summary>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
    <category term="68T07" scheme="http://arxiv.org/schemas/atom"/>
    <category term="I.2.6" scheme="http://arxiv.org/schemas/atom"/>
    <category term="stat.ML" scheme="http://arxiv.org/schemas/atom"/>
    <published>2026-05-13T18:00:01Z</published>
    <arxiv:comment>12 pages</arxiv:comment>
    <arxiv:primary_category term="stat.ML"/>
    <author><name>Ana Kettle</name><arxiv:affiliation>Pot Lab</arxiv:affiliation></author>
    <author><name>Bob Lid Jr</name><arxiv:affiliation>Tea</arxiv:affiliation></author>
  </entry>
"""
ERROR = """  <entry>
    <id>https://arxiv.org/api/errors#incorrect_id_format_for_x</id>
    <title>Error</title>
    <summary>incorrect id format for x</summary>
  </entry>
"""


def feed(*entries: str, total: str = "7", start: str = "5") -> bytes:
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">\n'
        f"  <opensearch:totalResults>{total}</opensearch:totalResults>\n"
        f"  <opensearch:startIndex>{start}</opensearch:startIndex>\n"
    )
    return (head + "".join(entries) + "</feed>\n").encode()


def paper(entry: str = ENTRY, board: str | None = None) -> RawPaper:
    (found,) = read_page(feed(entry), Page("answer.xml", board)).papers
    assert isinstance(found, RawPaper), found
    return found


def test_an_entry() -> None:
    found = paper()
    assert (found.identifier, found.version) == ("arxiv:2605.01234", 2)
    assert found.title == "Tea & Cake: Rate $O(n^2)$ Bounds for Kettle Networks"
    assert found.authors == ("Ana Kettle", "Bob Lid Jr")  # two authors, two affiliations
    assert found.day is None  # neither date is the day of an announcement
    assert found.submitted_at == datetime(2026, 5, 13, 18, 0, 1, tzinfo=UTC)
    assert found.line == 5


def test_entities_are_decoded_once_and_paragraphs_kept() -> None:
    assert paper().abstract == (
        "We study kettles with $n<m$ and <b>bold</b>.\n  A second paragraph, with R\\'enyi and &amp; entity."
    )


def test_the_primary_category_is_first_and_other_schemes_are_none() -> None:
    found = paper()
    assert found.categories == ("stat.ML", "cs.LG")
    assert found.section is Section.NEW
    assert paper(board="cs.LG").section is Section.CROSS


@pytest.mark.parametrize("term", ["q-bio.NC", "hep-ex", "cond-mat.mes-hall", "physics.acc-ph", "math-ph"])
def test_a_category(term: str) -> None:
    assert is_category(term)
    assert paper(ENTRY.replace('term="stat.ML"', f'term="{term}"')).categories == (term, "cs.LG")


@pytest.mark.parametrize("term", ["", "68T07", "I.2.6", "68T07 (Primary)", "62M10, 62P20", "x"])
def test_no_category(term: str) -> None:
    assert not is_category(term)


def test_an_old_identifier_has_its_archive() -> None:
    found = paper(ENTRY.replace("abs/2605.01234v2", "abs/hep-ex/0307015v1"))
    assert (found.identifier, found.version) == ("arxiv:hep-ex/0307015", 1)


def test_text_in_nested_elements_and_beside_comments_is_whole() -> None:
    entry = ENTRY.replace("We study", "We <i>study <!-- not --> hot</i>").replace("Tea ", "Tea <!-- or -->")
    assert paper(entry).abstract.startswith("We study  hot kettles with")
    assert paper(entry).title.startswith("Tea & Cake")


def test_affiliations_are_no_authors_and_collaborations_are() -> None:
    others = "<author><name>The Spout Team</name></author><author><name>:</name></author></entry>"
    assert paper(ENTRY.replace("</entry>", others)).authors == ("Ana Kettle", "Bob Lid Jr", "The Spout Team")


@pytest.mark.parametrize("text", ["\x0c", "\x7f", "&#1;", "&#x0B;", "&#xFFFE;", "\ufffe"])
def test_a_character_that_xml_forbids_costs_one_record(text: str) -> None:
    broken = ENTRY.replace("12 pages", f"12{text}pages").replace("01234", "01233")
    refusal, found = read_page(feed(broken, ENTRY), Page("answer.xml")).papers
    assert refusal == Refusal("answer.xml", 5, "2605.01233: a control character, or bytes that are not UTF-8")
    assert isinstance(found, RawPaper)


def test_bytes_that_are_not_utf_8_cost_one_record() -> None:
    data = feed(ENTRY, ENTRY.replace("01234", "01235")).replace(b"Tea &amp; Cake", b"Th\xe9", 1)
    for papers in (read_page(data, Page("answer.xml")).papers, tuple(read_source(data, "answer.xml"))):
        refusal, found = papers
        assert isinstance(refusal, Refusal)
        assert isinstance(found, RawPaper)


def test_another_encoding_that_the_document_declares_is_read() -> None:
    data = feed(ENTRY.replace("Tea &amp; Cake", "Th\xe9")).replace(b"\xc3\xa9", b"\xe9")
    (found,) = read_source(data.replace(b'"UTF-8"', b'"ISO-8859-1"'), "answer.xml")
    assert isinstance(found, RawPaper)
    assert found.title.startswith("Th\xe9: Rate")


def test_a_page_says_how_many_results_there_are() -> None:
    page = read_page(feed(ENTRY), Page("answer.xml"))
    assert (page.total_count, page.start) == (7, 5)
    assert read_page(feed(total="0", start="0"), Page("answer.xml")).papers == ()


def test_an_error_is_no_empty_answer() -> None:
    with pytest.raises(UnknownSource, match="arXiv answers with an error: incorrect id format for x"):
        read_page(feed(ERROR, total="1"), Page("answer.xml"))
    first, second = read_page(feed(ENTRY, ERROR), Page("answer.xml")).papers
    assert isinstance(first, RawPaper)
    assert isinstance(second, Refusal)
    assert second.line > first.line


@pytest.mark.parametrize(
    "data",
    [b"", b" \n", b"<html/>", feed(ENTRY)[:900], feed(ENTRY, total=""), feed(total="9" * 5000), b"{}"],
)
def test_what_is_no_answer_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(UnknownSource):
        read_page(data, Page("answer.xml"))


def test_a_document_with_a_dtd_is_not_read() -> None:
    data = feed(ENTRY).replace(b"?>\n", b'?>\n<!DOCTYPE feed [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n')
    with pytest.raises(UnknownSource, match="DTD"):
        read_page(data.replace(b"Ana", b"&a;"), Page("answer.xml"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("abs/2605.01234v2", "abs/tea", "no arXiv identifier"),
        ("2026-05-13T18:00:01Z", "last week", "published: no moment: 'last week'"),
        ("2026-05-13T18:00:01Z", "2026-05-13T18:00:01", "published: no moment"),
        ("2026-05-13T18:00:01Z", "0001-05-13T18:00:01Z", "published: no moment"),
        ('term="', 'term="I.2.6 ', "2605.01234 has no categories"),
    ],
)
def test_what_is_wrong_with_an_entry(old: str, new: str, reason: str) -> None:
    (refusal,) = read_page(feed(ENTRY.replace(old, new)), Page("answer.xml")).papers
    assert isinstance(refusal, Refusal)
    assert refusal.line == 5
    assert reason in refusal.reason


def test_a_withdrawal_is_said_in_the_comment() -> None:
    assert paper(ENTRY.replace("12 pages", "This paper has been withdrawn by the author")).is_withdrawn


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="shared/data is not here")
def test_the_sample() -> None:
    found = list(read_source((SHARED_DATA / "fixtures" / "atom_api.xml").read_bytes(), "atom_api.xml"))
    assert [type(each) for each in found] == [RawPaper, Refusal]


@given(st.integers(0, len(feed(ENTRY, ENTRY)) - 2))
def test_an_answer_cut_anywhere_is_no_answer(at: int) -> None:
    with pytest.raises(UnknownSource):
        read_page(feed(ENTRY, ENTRY)[:at], Page("answer.xml"))
