"""Mails as they are sent and kept: the text of one, and the ones of a mailbox (mbox, RFC 4155).

Only the standard library's `email` package is used; it undoes quoted-printable, base64 and soft breaks.
"""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from typing import BinaryIO

from nlp.errors import UnknownSource

_HEADER = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_SENT = re.compile(rb"(?im)^(?:MIME-Version|Content-Type|Content-Transfer-Encoding|Message-ID|Received):")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_FOOT = "-- "  # what follows is the list's own footer (RFC 3676, 4.3)


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
    return line.startswith(b"From ") and _HEADER.match(rest) is not None


def letters(stream: BinaryIO) -> Iterator[Letter]:
    """The mails of a mailbox, one in memory at a time."""
    lines: list[bytes] = []
    number = start = 0
    is_blank = True
    for at, line in enumerate(stream, start=1):
        if is_blank and line.startswith(b"From "):
            if number:
                yield Letter(_ESCAPED.sub(rb"\1", b"".join(lines)), number, start)
            lines, number, start = [], number + 1, at
        else:
            lines.append(line)
        is_blank = not line.strip(b"\r\n")
    if number:
        yield Letter(_ESCAPED.sub(rb"\1", b"".join(lines)), number, start)


def opened_mail(data: bytes) -> EmailMessage:
    """A mail of its bytes; the package makes something of any bytes."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


def mail_text(message: EmailMessage, origin: str) -> str:
    """The date and subject of a mail, each on its line, and then its plain text without the list's footer.

    Raises `UnknownSource` for a mail that has no plain text.
    """
    body = message.get_body(("plain",))
    if body is None:
        raise UnknownSource(origin, "a mail without plain text; save the list's plain-text mails")
    try:
        text = str(body.get_content())
    except (LookupError, ValueError, KeyError) as error:
        raise UnknownSource(origin, f"a mail whose text cannot be decoded: {error}") from None
    lines = text.replace("\r\n", "\n").split("\n")
    if _FOOT in lines:
        lines = lines[: lines.index(_FOOT)]
    named = ((name, message[name]) for name in ("Date", "Subject"))
    head = [f"{name}: {' '.join(str(value).split())}" for name, value in named if value]
    return "\n".join([*head, "", *lines])


def subject_of(message: EmailMessage) -> str:
    """The subject of a mail, for messages."""
    return " ".join(str(message["Subject"] or "without a subject").split())
