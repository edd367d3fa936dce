"""Mails as they were sent, and mailboxes of them."""

from __future__ import annotations

import gzip
import io
from datetime import date
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
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
    quoted = [each.replace(b"\nFrom ", b"\n>From ") for each in mails]
    found = [each.data for each in letters(io.BytesIO(box(*quoted)))]
    assert list(map(shown, found)) == list(map(shown, mails))


def shown(data: bytes) -> str:
    return mail_text(opened_mail(data), "x").rstrip("\n")
