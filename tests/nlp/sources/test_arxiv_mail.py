r"""arXiv's listing mails: what begins and ends an item, and what only looks like it."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from tests.conftest import SHARED_DATA

RULE = "-" * 78
HEAD = f"""Date: Fri, 15 May 26 00:44:20 GMT
Subject: cs daily Subj-class mailing 12f 1

{RULE}
{RULE}
 Submissions to:
Machine Learning
 received from  Wed 13 May 26 18:00:00 GMT  to  Thu 14 May 26 18:00:00 GMT
{RULE}
"""
NEW = r"""\\
arXiv:2605.01234
Date: Wed, 13 May 2026 18:00:01 GMT   (443kb,D)

Title: Tea & Cake: a long title that is wrapped by the mailer before it reaches
  the eighty-column limit
Authors: Ana K\'ettle (Pot Lab, Dept. of Tea), Bob Lid Jr and the Spout Collaboration
Categories: cs.LG stat.ML
Comments: 12 pages
\\
  Kettles with $n<m$ spouts.
\\ ( https://arxiv.org/abs/2605.01234 ,  443kb)
"""
CROSS = NEW.replace("arXiv:2605.01234", "arXiv:2605.04321 (*cross-listing*)").replace("01234", "04321")
REPLACED = r"""\\
arXiv:2501.00001
replaced with revised version Thu, 14 May 2026 08:03:26 GMT   (25kb,D)

Title: Older Kettles
Authors: D. Cup
Categories: cs.AR cs.LG
Comments: This paper has been withdrawn by the author
\\ ( https://arxiv.org/abs/2501.00001 ,  25kb)
"""


def read(text: str) -> list[RawPaper | Refusal]:
    return list(read_source(text.encode(), "listing.txt"))


def paper(text: str) -> RawPaper:
    (found,) = read(text)
    assert isinstance(found, RawPaper), found
    return found


def test_a_new_paper() -> None:
    found = paper(HEAD + NEW)
    assert (found.identifier, found.section, found.version) == ("arxiv:2605.01234", Section.NEW, 1)
    assert found.title.endswith("before it reaches the eighty-column limit")
    assert found.authors == ("Ana Kéttle", "Bob Lid Jr", "the Spout Collaboration")
    assert found.categories == ("cs.LG", "stat.ML")
    assert found.abstract == "Kettles with $n<m$ spouts."
    assert found.day == date(2026, 5, 15)  # of the mail: a two-digit year, and a padded day as below
    assert found.submitted_at == datetime(2026, 5, 13, 18, 0, 1, tzinfo=UTC)
    assert found.line == 11


def test_a_padded_day_of_the_head() -> None:
    assert paper(HEAD.replace("Fri, 15 May 26", "Fri,  9 Jun 23") + NEW).day == date(2023, 6, 9)


@pytest.mark.parametrize("sent", ["Thu, 14 May 2026 20:44:20 -0400 (EDT)", "Fri, 15 May 2026 00:44:20 +0000"])
def test_the_day_is_that_of_universal_time(sent: str) -> None:
    assert paper(HEAD.replace("Fri, 15 May 26 00:44:20 GMT", sent) + NEW).day == date(2026, 5, 15)


@pytest.mark.parametrize(
    ("counts", "is_complete"),
    [("1 new + 1 crosses", True), ("2 new +  crosses", True), ("53 new + 4 crosses", False)],
)
def test_papers_that_the_subject_speaks_of_are_missed(counts: str, is_complete: bool) -> None:
    head = HEAD.replace("cs daily Subj-class mailing 12f 1", f"cs daily {counts} received")
    found = read(head + NEW + RULE + "\n" + CROSS + RULE + "\n" + REPLACED)
    assert [type(each) for each in found[:3]] == [RawPaper] * 3
    missed = [str(each) for each in found[3:]]
    words = "the subject speaks of 57 new and cross-listed papers, and 2 are here"
    assert missed == ([] if is_complete else [f"listing.txt:2: {words}"])


def test_a_cross_listing_and_a_replacement() -> None:
    cross, replaced = read(HEAD + CROSS + RULE + "\n" + REPLACED)
    assert isinstance(cross, RawPaper)
    assert isinstance(replaced, RawPaper)
    assert (cross.identifier, cross.section) == ("arxiv:2605.04321", Section.CROSS)
    assert (replaced.section, replaced.abstract, replaced.submitted_at) == (Section.REPLACED, "", None)
    assert replaced.is_withdrawn


def test_the_mark_alone_on_a_line_may_be_part_of_an_abstract() -> None:
    text = NEW.replace("spouts.\n", "spouts.\n\\\\\nand the abstract goes on.\n")
    assert paper(HEAD + text).abstract == "Kettles with $n<m$ spouts.\n\\\\\nand the abstract goes on."


def test_an_item_that_breaks_off_is_refused_and_the_next_is_read() -> None:
    cut = NEW[: NEW.index("\\\\ ( https")]
    first, second = read(HEAD + cut + RULE + "\n" + CROSS)
    assert isinstance(first, Refusal)
    assert (first.line, "breaks off" in first.reason) == (11, True)
    assert isinstance(second, RawPaper)
    assert [type(each) for each in read(HEAD + cut)] == [Refusal]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Categories: cs.LG stat.ML\n", "", "no line “Categories:”"),
        ("  Kettles with $n<m$ spouts.\n", "", "no abstract"),
        ("spouts", "sp\x07outs", "the control character U+0007 at line 20"),
        ("arXiv:2605.01234\n", "arXiv:tea\n", "no arXiv identifier"),
    ],
)
def test_what_is_wrong_with_an_item(old: str, new: str, reason: str) -> None:
    (refusal,) = read(HEAD + NEW.replace(old, new))
    assert isinstance(refusal, Refusal)
    assert reason in refusal.reason


def test_a_mail_without_a_date_needs_one() -> None:
    text = HEAD.replace("Date: Fri, 15 May 26 00:44:20 GMT\n", "") + NEW
    with pytest.raises(UnknownSource, match="--day YYYY-MM-DD"):
        read(text)
    for stated in ("yesterday", f"Fri, 15 May 26 00:44:20 +{'9' * 30}"):
        with pytest.raises(UnknownSource, match="line 1: no date"):
            read(HEAD.replace("Fri, 15 May 26 00:44:20 GMT", stated) + NEW)
    day = date(2026, 5, 14)
    (found,) = read_source(text.encode(), "x", day=day)
    assert isinstance(found, RawPaper)
    assert found.day == day
    with pytest.raises(UnknownSource, match="the mail is of 2026-05-15, but the day given is 2026-05-14"):
        read_source((HEAD + NEW).encode(), "x", day=day)


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="shared/data is not here")
def test_the_sample() -> None:
    found = read((SHARED_DATA / "fixtures" / "listing_mail.txt").read_text())
    assert [(each.identifier, each.section) for each in found if isinstance(each, RawPaper)] == [
        ("arxiv:2605.01234", Section.NEW),
        ("arxiv:2605.04321", Section.CROSS),
        ("arxiv:2501.00001", Section.REPLACED),
    ]
    assert len(found) == 3  # splitting at the marks alone makes seven parts


words = st.text(alphabet="ab$\\ .", min_size=1, max_size=20).filter(lambda text: text.strip())
lines = st.lists(words | st.just("\\\\"), min_size=1, max_size=5)
abstracts = lines.filter(lambda found: found[0].strip("\\ "))


@given(st.lists(abstracts, min_size=1, max_size=6))
def test_whatever_stands_in_abstracts_every_item_is_read(texts: list[list[str]]) -> None:
    items = [
        NEW.replace("01234", f"{number:05d}").replace("  Kettles with $n<m$ spouts.", "  " + "\n".join(lines))
        for number, lines in enumerate(texts)
    ]
    found = read(HEAD + f"{RULE}\n".join(items))
    assert [each.abstract for each in found if isinstance(each, RawPaper)] == [
        "\n".join(lines).strip() for lines in texts
    ]


@given(st.integers(0, len(HEAD + NEW + RULE + REPLACED)))
def test_a_mail_cut_anywhere_gives_whole_items_or_none(at: int) -> None:
    text = HEAD + NEW + RULE + "\n" + REPLACED
    try:
        found = [each for each in read(text[:at]) if isinstance(each, RawPaper)]
    except UnknownSource:
        return
    assert found == read(text)[: len(found)]
