"""Mails as they are sent and kept: the text of one, and the ones of a mailbox (mbox, RFC 4155).

The standard library's `email` package takes a mail apart. The lines of its text keep the numbers that they
have in the file, whatever was folded or encoded there.
"""

from __future__ import annotations

import base64
import binascii
import email
import email.errors
import email.header
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import BinaryIO

from nlp.errors import UnknownSource
from nlp.sources.characters import NumberedText
from nlp.sources.opening import LONGEST_LINE, MOST_BYTES

_HEADER = re.compile(rb"(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_SENT = re.compile(rb"(?im)^(?:MIME-Version|Content-Type|Content-Transfer-Encoding|Message-ID|Received):")
_BEGINS = re.compile(rb"From [^\n]*[0-9]:[0-9]{2}")  # a sentence may begin with the word, but names no time
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_SOFT_END = re.compile(rb"=[ \t]*\r?\Z")
_FOOT = "-- "  # what follows is the list's own footer (RFC 3676, 4.3)

Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail of a mailbox: its bytes, its number from 1, and the line of the mailbox that it begins on."""

    data: bytes
    number: int
    line: int


def is_mail(head: bytes) -> bool:
    """Whether a file begins with the header of a mail as it was sent; a saved text is none."""
    found = _HEADER.match(head.replace(b"\r\n", b"\n"))
    return found is not None and _SENT.search(found[0]) is not None


def is_mailbox(head: bytes) -> bool:
    """Whether a file is a mailbox in the form of mbox."""
    line, _, rest = head.replace(b"\r\n", b"\n").partition(b"\n")
    return _BEGINS.match(line) is not None and _HEADER.match(rest) is not None


def letters(stream: BinaryIO) -> Iterator[Letter]:
    """The mails of a mailbox, one in memory at a time; of one that is too long, the beginning."""
    kept: list[bytes] = []
    number = begin = at = size = 0
    is_blank = is_new = True  # the line before; whether a line begins here, or the last one goes on
    while piece := stream.readline(LONGEST_LINE):
        at += is_new
        if is_new and is_blank and _BEGINS.match(piece):
            if number:
                yield Letter(_ESCAPED.sub(rb"\1", b"".join(kept)), number, begin)
            kept, number, begin, size = [], number + 1, at, 0
        elif size <= MOST_BYTES:
            kept.append(piece)
            size += len(piece)
        is_blank = is_new and not piece.strip(b"\r\n")
        is_new = piece.endswith(b"\n")
    if number:
        yield Letter(_ESCAPED.sub(rb"\1", b"".join(kept)), number, begin)


def opened_mail(data: bytes) -> Message:
    """A mail of its bytes; the package makes something of any bytes.

    Its newer interface does not: it raises whatever it stumbles on in a header that nobody asks for.
    """
    return email.message_from_string(data.decode("latin-1"))  # every byte a character, and to be had back


def mail_text(message: Message, data: bytes, origin: str, first: int = 1) -> NumberedText:
    """The date and subject of a mail, each on its line, and then its plain text without the list's footer.

    ``data`` is what the message was opened from, ``first`` the line of the file that it begins on. Raises
    `UnknownSource` for a mail that has no plain text, or is too long.
    """
    if len(data) > MOST_BYTES:
        raise UnknownSource(origin, f"a mail longer than {MOST_BYTES // 2**20} MB")
    body = next(filter(_is_plain_text, message.walk()), None)
    if body is None:
        raise UnknownSource(origin, "a mail without plain text; save the list's plain-text mails")
    try:
        lines = list(_body_lines(body, data, first))
    except binascii.Error as error:
        raise UnknownSource(origin, f"a mail whose text cannot be decoded: {error}") from None
    feet = [index for index, (_, line) in enumerate(lines) if line == _FOOT]
    head = [(first, f"{name}: {_header(message, name)}") for name in ("Date", "Subject") if message[name]]
    return NumberedText.of([*head, (first, ""), *(lines[: feet[-1]] if feet else lines)])


def subject_of(message: Message) -> str:
    """The subject of a mail, for messages: what could play tricks on a terminal is "?"."""
    subject = _header(message, "Subject") or "without a subject"
    return "".join(character if character.isprintable() else "?" for character in subject)


def _header(message: Message, name: str) -> str:
    """A line of the header on one line; encoded words decoded, where they can be."""
    written = str(message[name] or "")
    try:
        decoded = str(email.header.make_header(email.header.decode_header(written)))
    except (ValueError, LookupError, email.errors.MessageError):
        decoded = written
    return " ".join(decoded.split())


def _is_plain_text(part: Message) -> bool:
    return part.get_content_type() == "text/plain" and part.get_content_disposition() != "attachment"


def _body_lines(body: Message, data: bytes, first: int) -> Iterator[Line]:
    """The decoded lines of a mail's text, each with the number of the line of the file that it begins on."""
    raw = str(body.get_payload()).encode("latin-1")
    start = first + data.count(b"\n", 0, max(data.find(raw), 0))
    how = str(body["Content-Transfer-Encoding"] or "").lower().strip()
    if how == "base64":
        pieces = [(start, base64.b64decode(raw))]
    else:
        pieces = list(enumerate(raw.split(b"\n"), start))
        if how == "quoted-printable":
            pieces = [(number, binascii.a2b_qp(piece)) for number, piece in _unfolded(pieces)]
    charset = _charset(body, [piece for _, piece in pieces])
    for number, piece in pieces:
        for line in piece.decode(charset, "surrogateescape").split("\n"):
            yield number, line.removesuffix("\r")


def _unfolded(lines: list[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Lines that end in "=" go on with the next one, and have the number of the first."""
    begun: list[bytes] = []
    start = 0
    for number, line in lines:
        start = start if begun else number
        begun.append(line)
        if not _SOFT_END.search(line):
            yield start, b"\n".join(begun)
            begun = []
    if begun:
        yield start, b"\n".join(begun)


def _charset(body: Message, pieces: Sequence[bytes]) -> str:
    """The character set that a text states, if it is in it; most that is sent wrongly labelled is UTF-8."""
    try:
        stated = body.get_content_charset("utf-8")
        for piece in pieces:
            piece.decode(stated)
    except (LookupError, ValueError):
        return "utf-8"
    return stated
