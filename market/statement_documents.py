"""A settlement statement as a document: all that a count rests on, and its hashes. Pure.

With the texts of the papers it names, anybody can count again (see `recounting`). Hashes are SHA-256 in
hexadecimal: of canonical JSON (no blanks, ASCII) for the forms, the papers listed and the lexicon; of the
identifiers, each followed by a line feed, for the papers that count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import TypeVar

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class ListedPaper:
    """A paper that the board listed in the period, on ``day``; the hash is that of its reading text, which
    the typesetter of this version made."""

    identifier: str
    day: date
    text_hash: str
    typesetter_version: int


@dataclass(frozen=True, slots=True)
class TermForms:
    """A term of the lexicon and every surface form of it that is looked for."""

    key: str
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What contract ``contract_id`` was settled on; ``number`` is 1, or 2 where a correction made another.

    ``papers`` are the identifiers that count, ``listed`` all papers of the board in the period, ``lexicon``
    the terms that were looked for, in their order: where two claim a form, the first has it. These two, the
    rules of the board and the version of the highlighter are None in a statement from before they were kept.
    """

    contract_id: int
    number: int
    board: str
    day_rule: str | None
    time_zone: str | None
    grace_days: int | None
    period: str
    first_day: date
    last_day: date
    term_key: str
    term_label: str
    term_version: int
    forms: tuple[str, ...]
    forms_hash: str | None
    highlighter_version: int | None
    counted: int
    papers: tuple[str, ...]
    papers_hash: str
    listed: tuple[ListedPaper, ...] | None
    listed_hash: str | None
    lexicon: tuple[TermForms, ...] | None
    lexicon_hash: str | None
    entry_id: int | None
    entry_hash: str | None
    recorded_at: datetime
    reason: str = ""


def papers_hash(identifiers: Iterable[str]) -> str:
    """Of the sorted identifiers, each followed by a line feed."""
    return _sha256("".join(f"{each}\n" for each in sorted(identifiers)))


def forms_hash(forms: Iterable[str]) -> str:
    """Of the sorted surface forms."""
    return _sha256(canonical(sorted(forms)))


def part_hash(text: str) -> str:
    """Of the text of a part, as `listed_text` and `lexicon_text` give it."""
    return _sha256(text)


def listed_text(papers: Iterable[ListedPaper]) -> str:
    """Canonical JSON of the papers listed, sorted by identifier."""
    in_order = sorted(papers, key=lambda paper: paper.identifier)
    return canonical(
        [[each.identifier, str(each.day), each.text_hash, each.typesetter_version] for each in in_order]
    )


def listed_from(text: str) -> tuple[ListedPaper, ...]:
    """The papers of `listed_text`."""
    return tuple(
        ListedPaper(identifier, date.fromisoformat(day), text_hash, version)
        for identifier, day, text_hash, version in json.loads(text)
    )


def lexicon_text(terms: Iterable[TermForms]) -> str:
    """Canonical JSON of the terms, in their order."""
    return canonical([[term.key, list(term.forms)] for term in terms])


def lexicon_from(text: str) -> tuple[TermForms, ...]:
    """The terms of `lexicon_text`."""
    return tuple(TermForms(key, tuple(forms)) for key, forms in json.loads(text))


def canonical(value: object) -> str:
    """JSON without blanks and in ASCII, the same for equal values."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)


def faults_of(statement: Statement) -> tuple[str, ...]:
    """What in the statement contradicts itself, in words; empty for a sound one."""
    return tuple(_faults(statement))


def _faults(statement: Statement) -> Iterator[str]:
    papers = set(statement.papers)
    if statement.counted != len(statement.papers) or len(papers) != len(statement.papers):
        yield f"it counts {statement.counted} and lists {len(papers)} papers"
    for what, stated, made in (
        ("papers", statement.papers_hash, papers_hash(statement.papers)),
        ("forms", statement.forms_hash, forms_hash(statement.forms)),
        ("listed papers", statement.listed_hash, _hash_of(statement.listed, listed_text)),
        ("lexicon", statement.lexicon_hash, _hash_of(statement.lexicon, lexicon_text)),
    ):
        if stated is not None and stated != made:
            yield f"the hash of its {what} is not the one it states"
    if statement.listed is not None:
        listed = {paper.identifier for paper in statement.listed}
        for identifier in sorted(papers - listed):
            yield f"it counts {identifier}, which is not among the papers listed"
        if outside := [
            paper.identifier
            for paper in statement.listed
            if not statement.first_day <= paper.day <= statement.last_day
        ]:
            yield f"it lists {outside[0]} on a day outside the period"


def _hash_of(part: Part | None, text_of: Callable[[Part], str]) -> str | None:
    return None if part is None else part_hash(text_of(part))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
