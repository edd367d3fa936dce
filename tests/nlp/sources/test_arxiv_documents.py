"""Documents of records that nobody chose: each comes back whole; of a cut document, none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal
from nlp.sources import arxiv_api, arxiv_feed, arxiv_metadata, read_source
from nlp.sources.characters import squeeze
from nlp.sources.moments import moment

SUBMITTED = "2026-05-13T18:00:01+00:00"


@dataclass(frozen=True, slots=True)
class Record:
    number: str
    version: int
    title: str
    abstract: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]


def api(records: list[Record]) -> bytes:
    atom, arxiv, search = (f"{{{arxiv_api.NAMES[key]}}}" for key in ("atom", "arxiv", "search"))
    feed = etree.Element(f"{atom}feed", nsmap={None: arxiv_api.NAMES["atom"]})
    _add(feed, f"{search}totalResults", str(len(records)))
    for record in records:
        entry = _add(feed, f"{atom}entry")
        _add(entry, f"{atom}id", f"http://arxiv.org/abs/{record.number}v{record.version}")
        _add(entry, f"{atom}title", record.title)
        _add(entry, f"{atom}summary", f"  {record.abstract}\n")
        _add(entry, f"{atom}published", SUBMITTED)
        for category in record.categories:
            _add(entry, f"{atom}category").set("term", category)
        _add(entry, f"{arxiv}primary_category").set("term", record.categories[0])
        for name in record.authors:
            _add(_add(entry, f"{atom}author"), f"{atom}name", name)
    return etree.tostring(feed)


def rss(records: list[Record]) -> bytes:
    arxiv, dc = (f"{{{arxiv_feed.NAMES[key]}}}" for key in ("arxiv", "dc"))
    root = etree.Element("rss")
    channel = _add(root, "channel")
    _add(channel, "link", "http://rss.arxiv.org/rss/cs.LG")
    for record in records:
        item = _add(channel, "item")
        name = f"arXiv:{record.number}v{record.version}"
        _add(item, "title", record.title)
        _add(item, "description", f"{name} Announce Type: new \nAbstract: {record.abstract}")
        for category in record.categories:
            _add(item, "category", category)
        _add(item, f"{arxiv}announce_type", "new")
        _add(item, f"{dc}creator", ", ".join(f"{author} (Pot Lab, Tea)" for author in record.authors))
    return etree.tostring(root)


def oai(records: list[Record]) -> bytes:
    protocol, raw = f"{{{arxiv_metadata.NAMES['oai']}}}", f"{{{arxiv_metadata.NAMES['raw']}}}"
    root = etree.Element(f"{protocol}OAI-PMH", nsmap={None: arxiv_metadata.NAMES["oai"]})
    listed = _add(root, f"{protocol}ListRecords")
    for record in records:
        each = _add(listed, f"{protocol}record")
        _add(_add(each, f"{protocol}header"), f"{protocol}identifier", f"oai:arXiv.org:{record.number}")
        metadata = _add(_add(each, f"{protocol}metadata"), f"{raw}arXivRaw")
        for version in range(1, record.version + 1):
            element = _add(metadata, f"{raw}version")
            element.set("version", f"v{version}")
            submitted = moment(SUBMITTED)
            assert submitted is not None
            _add(element, f"{raw}date", format_datetime(submitted))
        _add(metadata, f"{raw}title", record.title)
        _add(metadata, f"{raw}authors", " and ".join(record.authors))
        _add(metadata, f"{raw}categories", " ".join(record.categories))
        _add(metadata, f"{raw}abstract", f"  {record.abstract}\n")
    return etree.tostring(root)


def _add(parent: etree._Element, tag: str, text: str | None = None) -> etree._Element:
    element = etree.SubElement(parent, tag)
    element.text = text
    return element


WRITERS = {"arxiv-api": api, "arxiv-feed": rss, "arxiv-oai": oai}
_CHARACTER = st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")
_TEXT = st.text(_CHARACTER | st.sampled_from("<>&\"'\n $\\%]"), max_size=60)
_NUMBER = st.from_regex(r"2[0-9](?:0[1-9]|1[0-2])\.[0-9]{5}|hep-ex/0[0-9]{6}", fullmatch=True)
_NAMES = st.sampled_from(["Ana Kettle", "Bob Lid Jr", "Zoë van der Pot", "Spout Team", "O. Lid-Kettle"])
_CODES = st.sampled_from(["cs.LG", "stat.ML", "q-bio.NC", "cond-mat.mes-hall", "hep-ex", "math-ph"])
_RECORDS = st.lists(
    st.builds(
        Record,
        _NUMBER,
        st.integers(1, 12),
        _TEXT,
        _TEXT.filter(str.strip),
        st.lists(_NAMES, max_size=4).map(tuple),
        st.lists(_CODES, min_size=1, max_size=4, unique=True).map(tuple),
    ),
    max_size=4,
)


def read_back(data: bytes, name: str) -> list[Record | Refusal]:
    return [
        Record(
            each.identifier.removeprefix("arxiv:"),
            each.version or 0,
            each.title,
            each.abstract,
            each.authors,
            each.categories,
        )
        if isinstance(each, RawPaper)
        else each
        for each in read_source(data, "file", source=name)
    ]


def tidy(record: Record) -> Record:
    """As it comes out: the title on one line, no blanks round the abstract."""
    return replace(record, title=squeeze(record.title.strip()), abstract=record.abstract.strip())


@pytest.mark.parametrize("name", WRITERS)
@given(records=_RECORDS)
def test_every_record_comes_back_whole(name: str, records: list[Record]) -> None:
    assert read_back(WRITERS[name](records), name) == [tidy(record) for record in records]


@pytest.mark.parametrize("name", WRITERS)
@given(records=_RECORDS, cut=st.integers(1, 10_000))
def test_a_document_cut_anywhere_gives_no_record(name: str, records: list[Record], cut: int) -> None:
    data = WRITERS[name](records)
    with pytest.raises(UnknownSource):
        read_back(data[: -(cut % len(data)) or -1], name)


@pytest.mark.parametrize("name", WRITERS)
@given(records=_RECORDS.filter(bool), at=st.integers(0, 3), bad=st.sampled_from([b"\x01", b"\xff", b"&#12;"]))
def test_a_broken_record_is_refused_alone(name: str, records: list[Record], at: int, bad: bytes) -> None:
    at %= len(records)
    records[at] = replace(records[at], title="HERE")
    found = read_back(WRITERS[name](records).replace(b"HERE", bad), name)
    assert isinstance(found.pop(at), Refusal)
    assert found == [tidy(record) for place, record in enumerate(records) if place != at]
