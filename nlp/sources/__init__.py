"""Reading files into raw papers. A new input format is a new module and one line in `FORMATS`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import PurePath
from typing import BinaryIO

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal
from nlp.sources import (
    arxiv_api,
    arxiv_feed,
    arxiv_mail,
    arxiv_oai,
    arxiv_snapshot,
    characters,
    json_lines,
    listing,
    mails,
    opening,
    openreview,
    tmlr_digest,
)
from nlp.sources.source import Page, Source

__all__ = ["FORMATS", "SOURCES", "read_source"]

FORMATS: tuple[Source, ...] = (
    tmlr_digest.SOURCE,
    arxiv_mail.SOURCE,
    arxiv_api.SOURCE,
    arxiv_oai.SOURCE,
    arxiv_feed.SOURCE,
    listing.SOURCE,
    openreview.SOURCE,
    arxiv_snapshot.SOURCE,
    json_lines.SOURCE,
)
SOURCES: tuple[str, ...] = tuple(each.name for each in FORMATS)

_HEAD = 20_000  # characters shown to the recognisers; the longest abstract allowed has 5,000
_SHOWN = 50
_READABLE = ". What can be read: "


def read_source(
    data: bytes | BinaryIO,
    origin: str,
    *,
    source: str | None = None,
    board: str | None = None,
    day: date | None = None,
) -> Iterator[RawPaper | Refusal]:
    """The papers of a file, and a `Refusal` with its line for each record that cannot be taken.

    ``data`` may be packed with gzip, a mail as it was sent, or a mailbox of them; formats of one record a
    line are read as they come, in constant memory. ``origin`` is the file's name, for messages. ``source``
    is one of `SOURCES`; without it the format is recognised. ``board`` (a code such as "cs.LG") and ``day``
    are needed where the file states none. Raises `UnknownSource` at once, before the first record, where
    nothing recognises the file, where it is not what ``source`` says, or where board or day are unknown or
    contradict the file.
    """
    if source is not None and source not in SOURCES:
        raise UnknownSource(origin, f"no format is called “{source}”; there are {', '.join(SOURCES)}")
    head, stream = opening.opened(data, origin)
    page = Page(origin, board, day)
    if mails.is_mailbox(head):
        return _unbroken(_read_mailbox(stream, page, source), page)
    if mails.is_mail(head):
        mail = opening.whole(stream, origin)
        return _read_text(mails.mail_text(mails.opened_mail(mail), mail, origin), page, source)
    chosen = _recognise(opening.text_head(head, origin), origin, source)
    if chosen.parse_lines is None:
        return chosen.parse(characters.decode(opening.whole(stream, origin), origin), page)
    lines = characters.numbered(opening.text_lines(stream))
    return _unbroken(chosen.parse_lines(lines, page), page)


def _read_text(text: str, page: Page, source: str | None) -> Iterator[RawPaper | Refusal]:
    return _recognise(text, page.origin, source).parse(text, page)


def _read_mailbox(stream: BinaryIO, page: Page, source: str | None) -> Iterator[RawPaper | Refusal]:
    """The papers of every mail in it; a mail that holds none is one refusal, with its line and subject."""
    for letter in mails.letters(stream):
        message = mails.opened_mail(letter.data)
        try:
            # The line that parts it from the one before is not of the mail.
            text = mails.mail_text(message, letter.data, page.origin, letter.line + 1)
            yield from _read_text(text, page, source)
        except UnknownSource as error:
            reason = error.reason.partition(_READABLE)[0]
            subject = mails.subject_of(message)
            yield Refusal(page.origin, letter.line, f"mail {letter.number}, “{subject}”: {reason}")


def _unbroken(items: Iterator[RawPaper | Refusal], page: Page) -> Iterator[RawPaper | Refusal]:
    """The items; where the stream breaks off, as of a packed file that was cut, a refusal is the last."""
    line = 1
    try:
        for item in items:
            line = item.line
            yield item
    except OSError as error:
        yield Refusal(page.origin, line, f"after this line it cannot be read: {error}")


def _recognise(text: str, origin: str, source: str | None) -> Source:
    head, name = text.lstrip()[:_HEAD], PurePath(origin).name.lower().removesuffix(".gz")
    fitting = [each for each in FORMATS if each.recognises(head, name)]
    chosen = next((each for each in fitting if source in (None, each.name)), None)
    if chosen is not None:
        return chosen
    seen = f"it looks like {fitting[0].description} ({fitting[0].name})" if fitting else _seen(head)
    if source is not None:
        raise UnknownSource(origin, f"not of the format {source}: {seen}")
    known = "; ".join(f"{each.description} ({each.name})" for each in FORMATS)
    raise UnknownSource(origin, f"{seen}{_READABLE}{known}")


def _seen(head: str) -> str:
    begin = head[:_SHOWN]
    if begin.lower().startswith(("<!doctype html", "<html")):
        return "an HTML page"
    if begin.startswith("<?xml"):
        return "an XML document of another kind"
    if begin.startswith(("[", "{")):
        return "JSON of another form"
    return f"text that begins with {begin!a}"
