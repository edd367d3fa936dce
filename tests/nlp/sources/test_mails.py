"""Mails as they were sent, and mailboxes of them."""

from __future__ import annotations

import gzip
import io
import re
from datetime import date
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import mails, read_source
from nlp.sources.mails import is_mail, is_mailbox, letters, mail_text, opened_mail
from tests.conftest import SHARED_DATA

FOOT = "-- "
DIGEST = f"""Accepted papers
===============


Title: Kettle Nets’ Spouts – A Survey

Authors: Ana Kettle, Bob Lid

Abstract: We boil water at 40\\% less cost; a line too long, which is broken with soft breaks = yes, $x=1$.

URL: https://openreview.net/forum?id=AbCdEfGh12

---


New submissions
===============


Title: Anonymous Pots

Abstract: Line one.
--- not a separator
Title: is the second sentence of this abstract.

URL: https://openreview.net/forum?id=ZyXwVuTs98

---
{FOOT}
You received this message because you are subscribed to the Google Groups "tmlr-announce-daily" group.
"""


def mail(text: str = DIGEST, subject: str = "Daily TMLR digest for Feb 22, 2026", cte: str = "") -> bytes:
    message = EmailMessage()
    message["From"] = "TMLR <no-reply@openreview.example>"
    message["Subject"] = subject
    message["Date"] = "Sun, 22 Feb 2026 12:00:05 +0000"
    message.set_content(text, cte=cte or "quoted-printable")
    return message.as_bytes()


def box(*mails: bytes) -> bytes:
    return b"".join(b"From x@y Sun Feb 22 12:00:05 2026\n" + each.rstrip(b"\n") + b"\n\n" for each in mails)


@pytest.mark.parametrize("cte", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_digest_as_it_was_sent(cte: str, end: bytes) -> None:
    accepted, submitted = read_source(mail(cte=cte).replace(b"\n", end), "digest.eml")
    assert isinstance(accepted, RawPaper)
    assert isinstance(submitted, RawPaper)
    assert (accepted.identifier, accepted.section) == ("openreview:AbCdEfGh12", Section.ACCEPTED)
    assert accepted.title == "Kettle Nets’ Spouts – A Survey"
    assert accepted.abstract.endswith("soft breaks = yes, $x=1$.")
    assert accepted.day == submitted.day == date(2026, 2, 22)  # of the subject
    assert "--- not a separator" in submitted.abstract
    assert "subscribed" not in submitted.abstract


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="shared/data is not here")
def test_the_sample_of_a_digest_as_mail() -> None:
    found = list(read_source((SHARED_DATA / "fixtures" / "digest.eml").read_bytes(), "digest.eml"))
    assert [(each.identifier, each.authors) for each in found if isinstance(each, RawPaper)] == [
        ("openreview:AbCdEfGh12", ("Ana Kettle", "Bob Lid")),
        ("openreview:ZyXwVuTs98", ()),
    ]


def test_a_mail_without_plain_text_is_refused() -> None:
    message = EmailMessage()
    message["Subject"] = "Daily TMLR digest for Feb 22, 2026"
    message.set_content("<p>x</p>", subtype="html")
    with pytest.raises(UnknownSource, match="a mail without plain text"):
        read_source(message.as_bytes(), "digest.eml")


def test_a_saved_text_is_no_mail() -> None:
    assert not is_mail(b"Subject: Daily TMLR digest for Feb 22, 2026\n\nAccepted papers\n")
    assert is_mail(mail())
    assert not is_mailbox(b"From here on: the papers\nTitle\n")
    assert is_mailbox(box(mail()))


def test_a_mailbox_gives_the_papers_of_each_mail_and_names_the_others() -> None:
    other = mail("Are you coming?", "Lunch").replace(b"Are you", b">From me: are you")
    data = box(mail(), other, mail(subject="Daily TMLR digest for Feb 23, 2026"))
    found = list(read_source(data, "list.mbox"))
    papers = [each for each in found if isinstance(each, RawPaper)]
    assert [each.day for each in papers] == [date(2026, 2, 22)] * 2 + [date(2026, 2, 23)] * 2
    (refusal,) = [each for each in found if isinstance(each, Refusal)]
    assert refusal.origin == "list.mbox"
    assert refusal.reason.startswith("mail 2, “Lunch”: text that begins with")
    assert "What can be read" not in refusal.reason
    assert data.split(b"\n")[refusal.line - 1].startswith(b"From x@y")
    assert list(read_source(io.BytesIO(gzip.compress(data)), "list.mbox")) == found


@given(st.lists(st.text(alphabet="ab\n>From ", max_size=30), min_size=1, max_size=5))
def test_mails_come_out_of_a_mailbox_as_they_went_in(texts: list[str]) -> None:
    mails = [mail(f"x{text}\n", "s", cte="8bit") for text in texts]
    quoted = [re.sub(rb"(?m)^(>*From )", rb">\1", each) for each in mails]
    found = [each.data for each in letters(io.BytesIO(box(*quoted)))]
    assert list(map(shown, found)) == list(map(shown, mails))


def shown(data: bytes) -> str:
    return mail_text(opened_mail(data), data, "x").rstrip("\n")


@pytest.mark.parametrize("cte", ["quoted-printable", "8bit"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_are_those_of_the_file_whatever_was_folded(cte: str, end: bytes) -> None:
    bell = DIGEST.replace("Line one.", "Line one\x07.")
    data = mail(bell, cte=cte).replace(b"\n", end)
    lines = data.splitlines()
    paper, refusal = read_source(data, "digest.eml")
    assert lines[paper.line - 1].startswith(b"Title: Kettle Nets")
    assert isinstance(refusal, Refusal)
    assert lines[refusal.line - 1].startswith(b"Title: Anonymous")
    at = int(refusal.reason.rpartition(" ")[2])
    assert lines[at - 1].startswith(b"Abstract: Line one")
    kept = box(mail(), data.replace(end, b"\n"))
    first, _, third, fourth = read_source(kept, "list.mbox")
    lines = kept.splitlines()
    assert [lines[each.line - 1][:18] for each in (first, third)] == [b"Title: Kettle Nets"] * 2
    assert isinstance(fourth, Refusal)
    assert str(fourth).startswith(f"list.mbox:{fourth.line}: the control character U+0007 at line ")
    assert lines[fourth.line - 1].startswith(b"Title: Anonymous")


def test_an_encoded_text_has_the_line_on_which_it_begins() -> None:
    data = mail(cte="base64")
    begin = data[: data.index(b"\n\n")].count(b"\n") + 3
    assert [each.line for each in read_source(data, "digest.eml")] == [begin, begin]


def test_a_text_of_several_parts_is_the_plain_one() -> None:
    message = EmailMessage()
    message["Subject"] = "Daily TMLR digest for Feb 22, 2026"
    message.set_content(DIGEST, cte="8bit")
    message.add_alternative("<p>x</p>", subtype="html")
    data = message.as_bytes()
    found = list(read_source(data, "digest.eml"))
    assert [type(each) for each in found] == [RawPaper, RawPaper]
    assert data.splitlines()[found[0].line - 1].startswith(b"Title: Kettle Nets")


def test_bytes_in_no_character_set_cost_one_record() -> None:
    data = mail(cte="8bit").replace("’".encode(), b"\xe9")
    refusal, paper = read_source(data, "digest.eml")
    assert isinstance(refusal, Refusal)
    assert "bytes that are not UTF-8" in refusal.reason
    assert isinstance(paper, RawPaper)


@pytest.mark.parametrize("stated", [b"us-ascii", b"x-unknown"])
def test_a_text_with_a_wrong_label_is_taken_for_utf_8(stated: bytes) -> None:
    accepted, _ = read_source(mail().replace(b"utf-8", stated), "digest.eml")
    assert isinstance(accepted, RawPaper)
    assert accepted.title == "Kettle Nets’ Spouts – A Survey"


def test_another_character_set_is_read() -> None:
    data = mail(cte="8bit").replace(b"utf-8", b"windows-1252")
    accepted, _ = read_source(data.decode().encode("windows-1252"), "digest.eml")
    assert isinstance(accepted, RawPaper)
    assert accepted.title == "Kettle Nets’ Spouts – A Survey"


def test_a_text_that_is_broken_base64_is_refused() -> None:
    data = mail(cte="base64")
    with pytest.raises(UnknownSource, match="a mail whose text cannot be decoded"):
        read_source(data.rstrip(b"=\n")[:-1], "digest.eml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Date: Sun, 22 Feb 2026 12:00:05 +0000", b"Date: Sun, 22 Feb " + b"9" * 300),
        (b"Date: Sun, 22 Feb 2026 12:00:05 +0000", b"Date: 99 Feb 2026 99:99:99 +9999"),
        (b"From: TMLR", b"From: =?x?z?=<<"),
        (b'charset="utf-8"', b"charset*0*=x''y"),
        (b'charset="utf-8"', b'charset="\x00"'),
        (b'charset="utf-8"', b"charset=hex"),
        (b'charset="utf-8"', b"charset=utf-16"),
        (b"Subject: Daily", b"Subject: =?utf-8?q?Daily?="),
    ],
)
def test_a_header_that_is_no_good_costs_nothing_where_it_is_not_needed(old: bytes, new: bytes) -> None:
    data = mail()
    assert old in data
    assert list(read_source(data.replace(old, new), "d")) == list(read_source(data, "d"))


def test_a_subject_plays_no_tricks_on_a_terminal() -> None:
    lunch = mail("Are you coming?", "Lunch").replace(b"Subject: Lunch", b"Subject: =?utf-8?q?Lunch=1B=5B2J?=")
    [refusal] = read_source(box(lunch), "list.mbox")
    assert isinstance(refusal, Refusal)
    assert "“Lunch?[2J”" in refusal.reason


def test_only_the_last_foot_is_cut_off() -> None:
    text = DIGEST.replace("Line one.", f"Line one.\n{FOOT}\nLine two.")
    _, submitted = read_source(mail(text, cte="8bit"), "digest.eml")
    assert isinstance(submitted, RawPaper)
    assert "Line two." in submitted.abstract


def test_a_sentence_that_begins_with_from_begins_no_mail() -> None:
    text = DIGEST.replace("Line one.", "Line one.\n\nFrom here on, it boils.")
    found = list(read_source(box(mail(text, cte="8bit")), "list.mbox"))
    assert [type(each) for each in found] == [RawPaper, RawPaper]


def test_a_mail_that_is_too_long_is_refused_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mails, "MOST_BYTES", 10_000)
    monkeypatch.setattr(mails, "LONGEST_LINE", 1000)
    long = mail(DIGEST + "x" * 3000 + "\n\n" + "From y\n" * 3000, cte="8bit")
    found = list(read_source(box(long, mail()), "list.mbox"))
    assert [type(each) for each in found] == [Refusal, RawPaper, RawPaper]
    assert "a mail longer than 0 MB" in str(found[0])


def test_a_mailbox_that_breaks_off_keeps_what_could_be_read() -> None:
    data = gzip.compress(box(*[mail()] * 300), compresslevel=0)
    found = list(read_source(data[:-50_000], "list.mbox"))
    assert sum(isinstance(each, RawPaper) for each in found) > 400
    assert isinstance(found[-1], Refusal)
    assert "after this line it cannot be read" in found[-1].reason
