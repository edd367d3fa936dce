from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from nlp.sources.tmlr_digest import ADDRESS

HEAD = "Daily TMLR digest for Feb 22, 2026\nTMLR\n"
ACCEPTED = "Accepted papers\n===============\n"
SUBMITTED = "New submissions\n===============\n"


def record(number: int, abstract: str = "Water boils.", title: str = "Kettles") -> str:
    return f"Title: {title}\nAbstract: {abstract}\nURL: https://openreview.net/forum?id=F{number}\n---\n"


def read(text: str, day: date | None = None, board: str | None = None) -> list[RawPaper | Refusal]:
    return list(read_source(text.encode(), "d.txt", source="tmlr-digest", board=board, day=day))


def test_an_abstract_may_hold_what_looks_like_structure() -> None:
    odd = ("--- not a rule", "Title: a word.", "---", "Title: again.", "Not one of", "Authors: too.")
    abstract = "\n".join(("One.", *odd, "Accepted papers", "URL: https://a.example", "=====", "End."))
    [paper] = read(HEAD + SUBMITTED + record(1, abstract))
    assert isinstance(paper, RawPaper)
    assert paper.abstract.split("\n\n") == abstract.split("\n")
    assert (paper.identifier, paper.title, paper.line) == ("openreview:F1", "Kettles", 5)


def test_the_form_of_the_mail_with_blank_lines_and_a_foot() -> None:
    fields = record(1, "One.\n\nTwo goes\non.").replace("\n", "\n\n")
    [paper] = read(HEAD + "\n\n" + ACCEPTED + "\n\n" + fields + "-- \nYou received this message because.\n")
    assert isinstance(paper, RawPaper)
    assert paper.abstract == "One.\n\nTwo goes\non."
    assert paper.section is Section.ACCEPTED


def test_each_broken_record_is_refused_with_its_line_and_the_others_are_taken() -> None:
    no_address = "Title: Lost\nAbstract: No address.\n---\n"
    no_abstract = "Title: Bare\nURL: https://openreview.net/forum?id=B\n---\n"
    no_title = "Abstract: Nameless.\nURL: https://openreview.net/forum?id=N\n---\n"
    nothing = "URL: https://openreview.net/forum?id=Z\n---\n"
    control = record(3, "Bell \x07 rings.")
    records = (no_address, record(1), no_abstract, no_title, nothing, control, record(2), no_address)
    found = read(HEAD + SUBMITTED + "".join(records))
    assert [f.line if isinstance(f, Refusal) else f.identifier for f in found] == [
        5, "openreview:F1", 12, 15, 18, 20, "openreview:F2", 28,
    ]  # fmt: skip
    assert [f.reason for f in found if isinstance(f, Refusal)] == [
        "no line “URL:” with an address at openreview.net/forum",
        "no abstract",
        "no line “Title:”",
        "no line “Title:”",
        "the control character U+0007 at line 21",
        "no line “URL:” with an address at openreview.net/forum",
    ]


def test_a_record_without_address_at_a_section_end_does_not_leak_into_the_next() -> None:
    found = read(HEAD + ACCEPTED + "Title: Lost\nAbstract: No address.\n" + SUBMITTED + record(1))
    assert [type(each) for each in found] == [Refusal, RawPaper]
    assert found[0].line == 5
    assert isinstance(found[1], RawPaper)
    assert found[1].section is Section.SUBMITTED


def test_a_section_that_is_not_of_papers_yields_nothing_unless_a_record_stands_there() -> None:
    other = "New certifications\n==================\nFeatured: Kettles\nhttps://openreview.net/forum?id=C\n---\n"
    assert len(read(HEAD + other + SUBMITTED + record(1))) == 1
    found = read(HEAD + SUBMITTED + record(1) + other + record(2))
    assert [type(each) for each in found] == [RawPaper, Refusal]


@pytest.mark.parametrize("lost", [SUBMITTED, "New submissions\n", "===============\n"])
def test_submissions_are_known_by_their_missing_authors_where_their_heading_was_lost(lost: str) -> None:
    by = record(1).replace("Abstract:", "Authors: Ana Kettle\nAbstract:")
    found = read(HEAD + ACCEPTED + by + record(2) + by + SUBMITTED.replace(lost, "") + record(3) + record(4))
    sections = [each.section for each in found if isinstance(each, RawPaper)]
    assert sections == [Section.ACCEPTED] * 3 + [Section.SUBMITTED] * 2
    # Without any authors nothing speaks against the heading.
    [paper] = read(HEAD + ACCEPTED + record(1))
    assert isinstance(paper, RawPaper)
    assert paper.section is Section.ACCEPTED


@pytest.mark.parametrize(
    ("text", "day", "board", "words"),
    [
        (SUBMITTED + record(1), None, None, "--day"),
        (HEAD + SUBMITTED, date(2026, 2, 23), None, "2026-02-22, but the day given is 2026-02-23"),
        (HEAD.replace("22", "30") + SUBMITTED, None, None, "line 1: there is no such day"),
        (HEAD.replace("Feb", "Fab") + SUBMITTED, None, None, "line 1: there is no such day"),
        (HEAD + SUBMITTED, None, "cs.LG", "belongs on the board"),
    ],
)
def test_a_page_that_cannot_be_placed(text: str, day: date | None, board: str | None, words: str) -> None:
    with pytest.raises(UnknownSource, match=words):
        read(text, day, board)


@pytest.mark.parametrize("before", ["", "Fwd: ", "[tmlr-announce-daily] ", "Re: Weekly TMLR news, "])
def test_a_subject_states_the_day_whatever_stands_before_it(before: str) -> None:
    [paper] = read(f"Subject: {before}{HEAD}" + SUBMITTED + record(1))
    assert isinstance(paper, RawPaper)
    assert paper.day == date(2026, 2, 22)


def test_the_day_given_stands_in_for_one_not_stated() -> None:
    [paper] = read(SUBMITTED + record(1), date(2026, 2, 22))
    assert isinstance(paper, RawPaper)
    assert paper.day == date(2026, 2, 22)


# A sentence on one line that reads as no label of the format.
visible = st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"])
sentences = st.text(visible, min_size=1).map(lambda text: f"We {text} boil.")
forums = st.text("abcXYZ019_-", min_size=1, max_size=12)
names = st.lists(st.sampled_from(["Ana Kettle", "Bob van Lid", "C. Pot", "Zoë O'Tea"]), max_size=5)
digests = st.lists(
    st.tuples(sentences, names, st.lists(sentences, min_size=1, max_size=4), forums), max_size=5
)


@settings(deadline=None)
@given(digests)
def test_what_is_written_is_read(papers: list[tuple[str, list[str], list[str], str]]) -> None:
    text = HEAD + ACCEPTED
    for title, authors, paragraphs, forum in papers:
        by = f"Authors: {', '.join(authors)}\n" if authors else ""
        abstract = "\n".join(paragraphs)
        text += f"Title: {title}\n{by}Abstract: {abstract}\nURL: {ADDRESS}{forum}\n---\n"
    found = read(text)
    assert found == read(text)
    got = [(p.title, list(p.authors), p.abstract, p.identifier) for p in found if isinstance(p, RawPaper)]
    assert got == [(t, list(a), "\n\n".join(b), f"openreview:{f}") for t, a, b, f in papers]
    lines = text.split("\n")
    assert all(lines[each.line - 1].startswith("Title: We ") for each in found)
