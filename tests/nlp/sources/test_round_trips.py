"""Papers of any kind, written in the form of a source, are read back as they were; and cut anywhere, what is
read is refused or the same."""

from __future__ import annotations

import gzip
import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from nlp.sources.bylines import tidy_names
from nlp.sources.characters import squeeze
from tests.conftest import SHARED_DATA

SENT = date(2026, 5, 15)
RULE = "-" * 78


@dataclass(frozen=True, slots=True)
class Written:
    """A paper as it is written; what it says is what must come back."""

    number: int
    title: str
    abstract: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    submitted_at: datetime
    section: Section


# No blanks but " ": sources fold those. Nothing that an author's line reads as a mark.
words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
sentences = st.lists(words, min_size=1, max_size=6).map(" ".join)
paragraphs = st.lists(sentences, min_size=1, max_size=3).map("\n".join)
names = st.sampled_from(["Ana Kettle", "Bob Lid Jr", "C. -P. Pot", "Zoë O'Tea", "the Spout Collaboration"])
moments = st.integers(0, 10**9).map(lambda seconds: datetime(1995, 1, 1, tzinfo=UTC) + timedelta(0, seconds))
papers = st.builds(
    Written,
    st.integers(0, 99_999),
    sentences,
    paragraphs,
    st.lists(names, min_size=1, max_size=4).map(tuple),
    st.lists(st.sampled_from(["cs.LG", "stat.ML", "hep-th"]), min_size=1, unique=True).map(tuple),
    moments,
    st.sampled_from([Section.NEW, Section.CROSS]),
)
documents = st.lists(papers, min_size=1, max_size=6)


def rfc(moment: datetime) -> str:
    return f"{moment:%a, %d %b %Y %H:%M:%S} GMT"


def listing_mail(found: list[Written]) -> str:
    """Abstracts are indented as arXiv does; a line of them that would end an item is none of arXiv's."""
    items = []
    for each in found:
        cross = " (*cross-listing*)" if each.section is Section.CROSS else ""
        title, authors = each.title.replace(" ", "\n  "), ", ".join(each.authors)
        items.append(
            f"\\\\\narXiv:2605.{each.number:05d}{cross}\nDate: {rfc(each.submitted_at)}   (4kb,D)\n\n"
            f"Title: {title}\nAuthors: {authors}\nCategories: {' '.join(each.categories)}\n"
            f"\\\\\n  {each.abstract}\n"
            f"\\\\ ( https://arxiv.org/abs/2605.{each.number:05d} ,  4kb)\n"
        )
    return f"Date: Fri, 15 May 26 00:44:20 GMT\nSubject: cs daily\n\n{RULE}\n" + f"{RULE}\n".join(items)


def snapshot(found: list[Written]) -> str:
    lines = []
    for each in found:
        first_version = {"version": "v1", "created": rfc(each.submitted_at)}
        record = {
            "id": f"2605.{each.number:05d}", "title": each.title.replace(" ", "\n  "), "comments": None,
            "abstract": f"  {each.abstract}\n", "authors": ", ".join(each.authors), "authors_parsed": [],
            "categories": " ".join(each.categories), "versions": [first_version], "update_date": "2026-05-16",
        }  # fmt: skip
        lines.append(json.dumps(record) + "\n")
    return "".join(lines)


def notes(found: list[Written], *, is_first_version: bool, indent: int | None) -> str:
    written = []
    for each in found:
        content = {
            "title": each.title, "abstract": each.abstract, "authors": list(each.authors), "venueid": "TMLR",
        }  # fmt: skip
        forum = f"Forum{each.number}"
        note = {
            "id": forum, "forum": forum, "invitation": "TMLR/-/Submission", "pdate": 1778846400000,
            "cdate": int(each.submitted_at.timestamp() * 1000),
            "content": content if is_first_version else {k: {"value": v} for k, v in content.items()},
        }  # fmt: skip
        written.append(note)
    return json.dumps({"notes": written, "count": len(written)}, indent=indent)


def as_mail(text: str) -> bytes:
    message = EmailMessage()
    message["Subject"] = "cs daily"
    message["Date"] = "Fri, 15 May 2026 00:44:20 +0000"
    message.set_content(text, cte="quoted-printable")
    return message.as_bytes()


def mailbox(found: list[Written]) -> bytes:
    """A mail for each paper, in mbox."""
    mails = [as_mail(listing_mail([each])) for each in found]
    return b"".join(b"From x@y Fri May 15 00:44:20 2026\n" + mail.rstrip(b"\n") + b"\n\n" for mail in mails)


def read(data: bytes, source: str | None = None) -> list[RawPaper | Refusal]:
    return list(read_source(data, "papers", source=source))


def said(paper: RawPaper | Refusal) -> Written:
    assert isinstance(paper, RawPaper), paper
    number = int(paper.identifier.removeprefix("arxiv:2605.").removeprefix("openreview:Forum"))
    assert paper.submitted_at is not None
    text = (paper.title, paper.abstract, paper.authors, paper.categories)
    return Written(number, *text, paper.submitted_at, paper.section)


def is_of_a_mail(found: list[Written]) -> bool:
    """Whether nothing in the texts is what mails are known by."""
    lines = [line for each in found for line in each.abstract.split("\n")]
    return not any(line.startswith("\\\\") or "--" in line for line in lines)


@given(documents.filter(is_of_a_mail))
def test_listing_mails(found: list[Written]) -> None:
    read_back = read(listing_mail(found).encode())
    assert list(map(said, read_back)) == found
    assert {each.day for each in read_back if isinstance(each, RawPaper)} == {SENT}


@given(documents.filter(is_of_a_mail))
def test_mailboxes_of_listing_mails(found: list[Written]) -> None:
    data = mailbox(found)
    read_back = read(data)
    assert list(map(said, read_back)) == found
    lines = data.split(b"\n")
    numbers = [f"arXiv:2605.{each.number:05d}".encode() for each in found]
    assert [lines[each.line - 1].startswith(n) for each, n in zip(read_back, numbers, strict=True)] == [
        True
    ] * len(found)


@given(documents)
def test_snapshots(found: list[Written]) -> None:
    read_back = read(snapshot(found).encode())
    wanted = [(each.number, each.title, each.abstract, each.authors, each.categories) for each in found]
    back = [(s.number, s.title, s.abstract, s.authors, s.categories) for s in map(said, read_back)]
    assert back == wanted
    assert [each.line for each in read_back] == list(range(1, len(found) + 1))


@given(documents, st.booleans(), st.sampled_from([None, 1]))
def test_notes(found: list[Written], is_first_version: bool, indent: int | None) -> None:
    text = notes(found, is_first_version=is_first_version, indent=indent)
    back = list(map(said, read(text.encode())))
    assert [(s.number, s.title, s.abstract, s.authors, s.submitted_at) for s in back] == [
        (each.number, each.title, each.abstract, each.authors, each.submitted_at) for each in found
    ]


FORMS: dict[str, Callable[[list[Written]], bytes]] = {
    "arxiv-mail": lambda found: listing_mail(found).encode(),
    "mailbox": mailbox,
    "arxiv-snapshot": lambda found: snapshot(found).encode(),
    "openreview": lambda found: notes(found, is_first_version=False, indent=1).encode(),
}


@pytest.mark.parametrize("form", FORMS)
@given(found=documents.filter(is_of_a_mail), share=st.floats(0, 1, exclude_max=True))
def test_a_document_cut_anywhere_gives_whole_papers_or_refusals(
    form: str, found: list[Written], share: float
) -> None:
    data = FORMS[form](found)
    whole = read(data)
    try:
        cut = read(data[: int(len(data) * share)], None if form == "mailbox" else form)
    except UnknownSource:
        return
    kept = [each for each in cut if isinstance(each, RawPaper)]
    assert kept == whole[: len(kept)]


@pytest.fixture(scope="module")
def real() -> list[Written]:
    """Every tenth paper of the corpus, its abstract wrapped as arXiv wraps it."""
    with gzip.open(SHARED_DATA / "corpus" / "cs_lg_2026_jan_may.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in islice(lines, 0, None, 10)]
    return [
        Written(
            number, squeeze(paper["title"]), textwrap.fill(paper["abstract"], 79, break_long_words=False),
            tidy_names(paper["authors"]), tuple(paper["categories"]), datetime(2026, 5, 13, tzinfo=UTC),
            Section.NEW,
        )
        for number, paper in enumerate(found)
    ]  # fmt: skip


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="shared/data is not here")
@pytest.mark.parametrize("form", FORMS)
def test_real_papers_come_back_from_every_form(form: str, real: list[Written]) -> None:
    back = list(map(said, read(FORMS[form](real))))
    assert len(back) == len(real) > 900
    for written, paper in zip(real, back, strict=True):
        assert (paper.title, paper.abstract, paper.authors) == (
            written.title, written.abstract, written.authors,
        )  # fmt: skip
