"""OAI-PMH answers in all three forms of metadata, and what the protocol says beside records."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from nlp.sources.arxiv_oai import BadToken, OaiPage, read_page
from nlp.sources.source import Page
from tests.conftest import SHARED_DATA

HEADER = (
    "<header><identifier>oai:arXiv.org:2605.01234</identifier><datestamp>2026-05-16</datestamp>"
    "<setSpec>cs:cs:LG</setSpec><setSpec>physics:hep-ex</setSpec></header>"
)
RAW = f"""<record>{HEADER}
<metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>2605.01234</id>
<version version="v1"><date>Wed, 13 May 2026 18:00:01 GMT</date><size>443kb</size></version>
<version version="v10"><date>Sat, 16 May 2026 17:59:59 GMT</date><size>450kb</size></version>
<version version="v9"><date>Fri, 15 May 2026 17:59:59 GMT</date><size>450kb</size></version>
<title>Tea &amp; Cake for
  Kettle Networks</title><authors>Ana K\\'ettle (1), Bob Lid Jr (2) ((1) Pot Lab, (2) Dept. of Tea)</authors>
<categories>cs.LG hep-ex</categories><comments>12 pages</comments>
<abstract>  Kettles with $n&lt;m$ spouts.
  Second paragraph.
</abstract></arXivRaw></metadata></record>
"""
ARXIV = f"""<record>{HEADER}<metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>2605.01234</id>
<created>2026-05-13</created><updated>2026-05-16</updated>
<authors><author><keyname>Kettle</keyname><forenames>Ana</forenames></author>
<author><keyname>Lid</keyname><forenames>Bob</forenames><suffix>Jr</suffix></author></authors>
<title>Tea</title><categories>cs.LG hep-ex</categories><abstract>Kettles.</abstract></arXiv></metadata>
</record>
"""
DUBLIN = f"""<record>{HEADER}<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Tea</dc:title><dc:creator>Kettle, Ana</dc:creator>
<dc:creator>Lid Jr, Bob</dc:creator><dc:subject>Computer Science - Machine Learning</dc:subject>
<dc:description>Kettles.</dc:description><dc:description>Comment: Withdrawn</dc:description>
<dc:date>2026-05-13</dc:date><dc:identifier>http://arxiv.org/abs/2605.01234</dc:identifier></oai_dc:dc></metadata></record>
"""
DELETED = (
    '<record><header status="deleted"><identifier>oai:arXiv.org:2605.09999</identifier>'
    "<datestamp>2026-05-16</datestamp></header></record>\n"
)


def answer(*records: str, after: str = "") -> bytes:
    head = '<?xml version="1.0"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">\n<ListRecords>\n'
    return (head + "".join(records) + after + "</ListRecords></OAI-PMH>\n").encode()


def error(code: str) -> bytes:
    return (
        f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="{code}">why</error></OAI-PMH>'
    ).encode()


def paper(record: str) -> RawPaper:
    (found,) = read_page(answer(record), Page("oai.xml")).papers
    assert isinstance(found, RawPaper), found
    return found


def test_the_raw_form_has_all_versions() -> None:
    found = paper(RAW)
    assert (found.identifier, found.version) == ("arxiv:2605.01234", 10)
    assert found.submitted_at == datetime(2026, 5, 13, 18, 0, 1, tzinfo=UTC)  # not the datestamp
    assert found.day is None
    assert found.title == "Tea & Cake for Kettle Networks"
    assert found.authors == ("Ana Kéttle", "Bob Lid Jr")
    assert found.abstract == "Kettles with $n<m$ spouts.\n  Second paragraph."
    assert found.categories == ("cs.LG", "hep-ex")
    assert found.line == 4


def test_the_form_arxiv_dates_nothing() -> None:
    found = paper(ARXIV)
    assert (found.submitted_at, found.version) == (None, None)  # `created` can be that of the last version
    assert found.authors == ("Ana Kettle", "Bob Lid Jr")
    assert found.categories == ("cs.LG", "hep-ex")


def test_dublin_core_has_categories_in_its_sets_and_comments_after_the_abstract() -> None:
    found = paper(DUBLIN)
    assert (found.abstract, found.is_withdrawn) == ("Kettles.", True)
    assert found.authors == ("Ana Kettle", "Bob Lid Jr")
    assert found.categories == ("cs.LG", "hep-ex")


def test_a_deleted_record_is_withdrawn() -> None:
    found = paper(DELETED)
    assert (found.identifier, found.section) == ("arxiv:2605.09999", Section.REPLACED)
    assert found.is_withdrawn


def test_a_version_without_a_source_is_withdrawn() -> None:
    flag = "</size><source_type>I</source_type>"
    last, first = (RAW.replace(f"{size}kb</size>", f"{size}kb{flag}", 1) for size in (450, 443))
    assert paper(last).is_withdrawn  # v10, which stands before v9
    assert not paper(first).is_withdrawn
    assert not paper(last.replace(">I<", ">D<")).is_withdrawn


def test_classes_of_other_schemes_are_no_categories() -> None:
    other = "<msc-class>68T07</msc-class><acm-class>68T07</acm-class></arXivRaw>"  # arXiv writes MSC in both
    assert paper(RAW.replace("</arXivRaw>", other)).categories == ("cs.LG", "hep-ex")


def test_sets_of_both_ages() -> None:
    sets = "<setSpec>cs</setSpec><setSpec>physics:astro-ph:CO</setSpec><setSpec>q-bio:q-bio:NC</setSpec>"
    found = paper(DUBLIN.replace("<setSpec>cs:cs:LG</setSpec>", sets))
    assert found.categories == ("astro-ph.CO", "q-bio.NC", "hep-ex")


def test_a_character_that_xml_forbids_costs_one_record() -> None:
    refusal, found = read_page(answer(RAW.replace("12 pages", "12\x0bpages"), ARXIV), Page("oai.xml")).papers
    assert isinstance(refusal, Refusal)
    assert (refusal.line, "a control character" in refusal.reason) == (4, True)
    assert isinstance(found, RawPaper)


@pytest.mark.parametrize("attribute", ["expirationDate", "expires"])  # the standard's name, and arXiv's
def test_the_token_of_the_next_part(attribute: str) -> None:
    token = f'<resumptionToken {attribute}="2026-05-17T00:00:00Z">verb%3DList%26skip%3D9</resumptionToken>'
    assert read_page(answer(RAW, after=token), Page("x")).resumption_token == "verb%3DList%26skip%3D9"
    assert read_page(answer(RAW, after="<resumptionToken/>"), Page("x")).resumption_token is None
    assert read_page(answer(RAW), Page("x")).resumption_token is None


def test_errors_of_the_protocol() -> None:
    assert read_page(error("noRecordsMatch"), Page("x")) == OaiPage((), None)
    with pytest.raises(BadToken, match="badResumptionToken: why"):
        read_page(error("badResumptionToken"), Page("x"))
    with pytest.raises(UnknownSource, match="cannotDisseminateFormat: why"):
        read_page(error("cannotDisseminateFormat"), Page("x"))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (RAW.replace("arXivRaw", "arXivOld"), "none of the forms"),
        (f"<record>{HEADER}</record>", "it has no metadata, and is not said to be deleted"),
        (RAW.replace("Wed, 13 May 2026", "on Wednesday"), "its first version has no moment"),
        (RAW.replace("18:00:01 GMT", "18:00:01"), "its first version has no moment"),
        (RAW.replace("18:00:01 GMT", f"18:00:01 +{'9' * 30}"), "its first version has no moment"),
        (RAW.replace("<categories>cs.LG hep-ex</categories>", ""), "has no categories"),
        (RAW.replace("oai:arXiv.org:2605.01234", "oai:other.org:1"), "no arXiv identifier"),
    ],
)
def test_what_is_wrong_with_a_record(record: str, reason: str) -> None:
    (refusal,) = read_page(answer(record), Page("oai.xml")).papers
    assert isinstance(refusal, Refusal)
    assert (refusal.line, reason in refusal.reason) == (4, True)


@pytest.mark.parametrize("data", [b"", b"<html/>", b"<OAI-PMH/>", answer(RAW)[:600]])
def test_what_is_no_answer_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(UnknownSource):
        read_page(data, Page("oai.xml"))


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="shared/data is not here")
def test_the_sample() -> None:
    data = (SHARED_DATA / "fixtures" / "oai_raw.xml").read_bytes()
    found = list(read_source(data, "oai_raw.xml"))
    assert [each.is_withdrawn for each in found if isinstance(each, RawPaper)] == [False, True]
    assert read_page(data, Page("x")).resumption_token


@given(st.integers(0, len(answer(RAW, DELETED)) - 2))
def test_an_answer_cut_anywhere_is_no_answer(at: int) -> None:
    with pytest.raises(UnknownSource):
        read_page(answer(RAW, DELETED)[:at], Page("oai.xml"))
