"""What an answer must be to be believed: of the kind that was asked for, and whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nlp.fetching.errors import LATER, NotWhole, Passing, WrongContent


@dataclass(frozen=True, slots=True)
class Validators:
    """What a later request names the answer by, to be told when it is still the same; None for neither."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an answer must be: one of ``kinds`` in its content type, and ``ends`` closes its document."""

    kinds: tuple[str, ...]
    ends: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: its bytes, the address that was asked, and what it can be asked for by again."""

    address: str
    data: bytes
    validators: Validators


def check_kind(address: str, headers: Mapping[str, str], wanted: Wanted) -> None:
    """Raises `WrongContent` for headers that say that something else comes."""
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not any(each in kind for each in wanted.kinds):
        reason = f"content type {kind or 'missing'!r} where {' or '.join(wanted.kinds)} is wanted"
        raise WrongContent(address, reason, f"Something else answers there, or an outage. {LATER}")


def check_whole(address: str, data: bytes, wanted: Wanted) -> None:
    """Raises `Passing` for an empty answer, and for one that does not end as its document does: servers that
    break off and had announced no length are found by that."""
    body = data.rstrip()
    if not body:
        raise Passing(NotWhole(address, "an empty answer"))
    if not body.endswith(wanted.ends):
        start = body[:60].decode("utf-8", "replace")
        raise Passing(NotWhole(address, f"an answer that breaks off or is another document: {start!a}..."))
