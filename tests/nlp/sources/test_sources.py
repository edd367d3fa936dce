"""Recognising a file, and what no input may do: raise anything else, or take long."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from datetime import date
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import FORMATS, SOURCES, read_source
from nlp.sources.characters import flaw

DAY = date(2026, 5, 16)
LISTING = (
    "cs.LG Watch Machine Learning\n"
    "Machine Learning\nOn tea\nAna Kettle\nWater boils.\nRead the full abstract ▾\n"
)
DIGEST = (
    "Daily TMLR digest for May 16, 2026\nNew submissions\n===============\n"
    "Title: On tea\nAbstract: Water boils.\nURL: https://openreview.net/forum?id=F\n---\n"
)
RECORD = {
    "id": "1",
    "date": "2026-05-16",
    "title": "On tea",
    "abstract": "Water boils.",
    "categories": "cs.LG",
}
JSON = json.dumps(RECORD) + "\n"
MAIL = (
    "Date: Sat, 16 May 26 00:44:20 GMT\nSubject: cs daily\n\n\\\\\narXiv:2605.00001\n"
    "Date: Wed, 13 May 2026 18:00:01 GMT   (4kb)\n\nTitle: On tea\nAuthors: Ana Kettle\nCategories: cs.LG\n"
    "\\\\\n  Water boils.\n\\\\ ( https://arxiv.org/abs/2605.00001 ,  4kb)\n"
)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">\n'
    "<opensearch:totalResults>1</opensearch:totalResults><entry><id>http://arxiv.org/abs/2605.00001v1</id>\n"
    '<title>On tea</title><summary>Water boils.</summary><category term="cs.LG"/></entry></feed>\n'
)
OAI = (
    '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header>\n'
    "<identifier>oai:arXiv.org:2605.00001</identifier></header><metadata>\n"
    '<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><title>On tea</title><categories>cs.LG</categories>\n'
    "<abstract>Water boils.</abstract></arXivRaw></metadata></record></ListRecords></OAI-PMH>\n"
)
FEED = (
    '<rss version="2.0"><channel><link>http://rss.arxiv.org/rss/cs.LG</link>\n'
    "<pubDate>Sat, 16 May 2026 00:00:00 -0400</pubDate><item><title>On tea</title>\n"
    "<description>arXiv:2605.00001v1 Announce Type: new \nAbstract: Water boils.</description>\n"
    "<category>cs.LG</category></item></channel></rss>\n"
)
NOTE = {
    "id": "F", "forum": "F", "invitations": ["TMLR/-/Submission"], "cdate": 1778932800000,
    "content": {
        "title": {"value": "On tea"}, "abstract": {"value": "Water boils."},
        "venueid": {"value": "TMLR/Under_Review"},
    },
}  # fmt: skip
NOTES = json.dumps({"notes": [NOTE]}, indent=1)
SNAPSHOT_RECORD = {
    "id": "2605.00001", "title": "On tea", "abstract": "Water boils.", "categories": "cs.LG",
    "versions": [{"version": "v1", "created": "Wed, 13 May 2026 18:00:01 GMT"}], "update_date": "2026-05-16",
}  # fmt: skip
SNAPSHOT = json.dumps(SNAPSHOT_RECORD) + "\n"
EXAMPLES = {
    "tmlr-digest": DIGEST, "arxiv-mail": MAIL, "arxiv-api": ATOM, "arxiv-oai": OAI, "arxiv-feed": FEED,
    "listing": LISTING, "openreview": NOTES, "arxiv-snapshot": SNAPSHOT, "json-lines": JSON,
}  # fmt: skip


def test_each_format_has_a_name_of_its_own_and_an_example_here() -> None:
    names = [each.name for each in FORMATS]
    assert names == list(SOURCES)
    assert names == list(EXAMPLES)


@pytest.mark.parametrize("name", SOURCES)
def test_a_format_is_recognised_by_its_text_alone(name: str) -> None:
    for source in (None, name):
        [paper] = read_source(EXAMPLES[name].encode(), "papers", source=source, day=DAY)
        assert isinstance(paper, RawPaper)
        assert (paper.source, paper.title, paper.day) == (name, "On tea", DAY)


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b"", "an empty file"),
        (b" \r\n\t\n", "an empty file"),
        (b"\xef\xbb\xbf", "an empty file"),
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"\x1f\x8b\x08\x00", "a gzip archive that is damaged"),
        (gzip.compress(gzip.compress(b"{}")), "a gzip archive in a gzip archive; unpack it first"),
        (b"PK\x03\x04", "a zip archive; unpack it first"),
        (JSON.encode("utf-16"), "text in UTF-16; save it as UTF-8"),
        (JSON.encode("utf-16-le"), "binary data"),
        (JSON.encode("utf-32"), "text in UTF-32; save it as UTF-8"),
        (bytes(range(256)) + bytes(100), "binary data"),
        (b" <!DOCTYPE html>\n<title>x", "an HTML page"),
        (b"<?xml version='1.0'?>", "an XML document"),
        (json.dumps([RECORD], indent=0).encode(), "JSON of another form"),
        (json.dumps(RECORD, indent=2).encode(), "JSON of another form"),
        (b"Dear \xe9 all", r"text that begins with 'Dear \\udce9 all'"),
    ],
)
@pytest.mark.parametrize("source", [None, *SOURCES])
def test_a_file_that_is_none_of_them_says_what_was_seen(data: bytes, seen: str, source: str | None) -> None:
    with pytest.raises(UnknownSource, match=seen) as caught:
        read_source(data, "in/file.txt", source=source)
    assert str(caught.value).startswith("in/file.txt: ")
    assert flaw(str(caught.value)) is None


def test_what_can_be_read_is_named_where_nothing_fits() -> None:
    with pytest.raises(UnknownSource) as caught:
        read_source(b"Dear all", "file.txt")
    assert all(name in caught.value.reason for name in SOURCES)


def test_a_file_that_is_not_what_it_was_said_to_be() -> None:
    with pytest.raises(UnknownSource, match="not of the format json-lines: it looks like a TMLR"):
        read_source(DIGEST.encode(), "file.txt", source="json-lines")
    with pytest.raises(UnknownSource, match="no format is called “jsonl”; there are tmlr-digest, arxiv-mail"):
        read_source(JSON.encode(), "file.txt", source="jsonl")


def test_a_file_named_json_lines_may_begin_with_broken_ones() -> None:
    found = list(read_source(("rubbish\n" * 5 + JSON).encode(), "Papers.JSONL"))
    assert [type(each) for each in found] == [Refusal] * 5 + [RawPaper]


# Pieces of the formats among anything else, so that the parsers are reached.
lines = [piece for text in EXAMPLES.values() for piece in text.splitlines(keepends=True)]
lines += ["replaced with revised version Thu, 14 May 2026 08:03:26 GMT   (25kb,D)\n", "\\\\\n"]
lines += ['<header status="deleted">', "<entry>", "</entry>", "<item>", "]]>", "<!DOCTYPE x>"]
lines += ["From x 0:00\n", "MIME-Version: 1.0\n", "Content-Transfer-Encoding: base64\n"]
lines += ['{"notes": [', '{"versions": 1}\n']
lines += ["---\n", "All authors A B, C D\n", "Machine Learning · Cross-listed from cs.CV\n"]
pieces = st.sampled_from([*lines, "\n", "\r\n", "\x00", "{", "\ud800"])
texts = st.lists(pieces | st.text(max_size=20), max_size=15).map("".join)
inputs = texts.map(lambda text: text.encode(errors="surrogatepass")) | st.binary(max_size=200)
boards, days = st.sampled_from([None, "cs.LG"]), st.sampled_from([None, DAY])


@settings(deadline=None)
@given(inputs, st.sampled_from([None, *SOURCES]), boards, days)
@example(LISTING.encode() + b"\xff", None, None, DAY)
def test_no_input_raises_anything_else(
    data: bytes, source: str | None, board: str | None, day: date | None
) -> None:
    try:
        found = list(read_source(data, "file", source=source, board=board, day=day))
    except UnknownSource:
        return
    assert found == list(read_source(data, "file", source=source, board=board, day=day))
    line_count = data.count(b"\n") + 1
    for each in found:
        assert 1 <= each.line <= line_count
        if isinstance(each, Refusal):
            assert flaw(each.reason) is None
        else:
            parts = (each.identifier, each.title, each.abstract, *each.authors, *each.categories)
            assert flaw("".join(parts)) is None
            assert each.abstract.strip() or each.section is Section.REPLACED
            assert each.categories or each.section is Section.REPLACED


SIZE = 50_000
HOSTILE = {
    "ends": LISTING + "Read the full abstract\n" * (SIZE // 23),
    "headings": LISTING + "Machine Learning\n" * (SIZE // 17),
    "names": LISTING + "All authors " + "A B and " * (SIZE // 8),
    "brackets": LISTING + "All authors " + "(" * SIZE,
    "blanks": LISTING + "Machine Learning\nT\nx" + " \t" * (SIZE // 2) + "y\n" + "Read the full abstract",
    "one word": LISTING + "Machine Learning\n" + "A" * SIZE + "!\nRead the full abstract",
    "watch": "cs.LG Watch " + "(sign in to use) " * (SIZE // 17) + "\nRead the full abstract",
    "rules": DIGEST + "Accepted papers\n====\n" * (SIZE // 21),
    "underline": DIGEST + "=" * SIZE,
    "separators": DIGEST + "---\nTitle: x\n" * (SIZE // 13),
    "records": DIGEST + "---\nTitle: x\nAbstract: y\n" * (SIZE // 25),
    "addresses": DIGEST + "URL:" + " " * SIZE,
    "nested": JSON + '{"a":' * (SIZE // 5),
    "lists": JSON + '{"a":' + "[" * SIZE,
    "digits": JSON + '{"a":' + "9" * SIZE + "}",
    "keys": JSON + "{" + ",".join(f'"{n}":1' for n in range(SIZE // 8)) + ',"0":1}',
    "marks": MAIL + "\\\\\n" * (SIZE // 3),
    "items": MAIL + "\\\\\narXiv:2605.00001\n" * (SIZE // 20),
    "percents": MAIL + "%-" * (SIZE // 2),
    "entries": ATOM.replace("</feed>", "<entry/>" * (SIZE // 8) + "</feed>"),
    "depth": ATOM.replace("</feed>", "<a>" * (SIZE // 3)),
    "categories": ATOM.replace("</entry>", '<category term="a"/>' * (SIZE // 20) + "</entry>"),
    "names of authors": FEED.replace(
        "</item>",
        "<dc:creator xmlns:dc='http://purl.org/dc/elements/1.1/'>" + "(" * SIZE + "</dc:creator></item>",
    ),
    "laughs": '<!DOCTYPE l [<!ENTITY a "' + "ha" * 20_000 + '"><!ENTITY b "&a;&a;&a;&a;">]>' + ATOM,
    "notes": json.dumps({"notes": [NOTE] * (SIZE // 250)}),
    "versions": json.dumps(SNAPSHOT_RECORD | {"versions": SNAPSHOT_RECORD["versions"] * (SIZE // 70)}),
    "letters": "From x 0:00\nSubject: y\n\nAre you coming to lunch?\n\n" * (SIZE // 50),
    "letters that are none": "From x 0:00\nSubject: y\n\n" + "\nFrom 0 0 0 0" * (SIZE // 13),
    "digits of a time": "From " + "0:0" * (SIZE // 3) + "\nSubject: y\n\n",
    "feet": "MIME-Version: 1.0\n\n" + "-- \n" * (SIZE // 4),
    "notes a line": (json.dumps(NOTE) + "\n") * (SIZE // 250),
    "notes not found": json.dumps({"notes": [NOTE | {"id": "é", "forum": "é"}] * (SIZE // 250)}),
    "subjects": MAIL.replace("cs daily", "1 new + " * (SIZE // 8)),
    "headers": "MIME-Version: 1.0\n" + "A: b\n" * (SIZE // 5),
    "soft breaks": "MIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\n\n" + "=\n" * (SIZE // 2),
    "escapes": JSON + json.dumps(RECORD | {"abstract": "\r\n" * (SIZE // 4), "id": "a-" * (SIZE // 2)}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_takes_no_longer_than_its_size(name: str) -> None:
    data = HOSTILE[name].encode()
    best = float("inf")
    for _ in range(3):
        start = process_time()
        with suppress(UnknownSource):
            list(read_source(data, "file", day=DAY))
        best = min(best, process_time() - start)
    assert best < 0.2
