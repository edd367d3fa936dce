"""A settlement statement in JSON, written and read. Pure.

What each field means is in this package's README.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from market.errors import MarketError
from market.statement_documents import ListedPaper, Statement, TermForms

FORMAT = "peer-revenue settlement statement"
FORMAT_VERSION = 1


class BadStatement(MarketError):
    """Something that is no settlement statement in JSON; the message names the field."""


def as_json(statement: Statement) -> dict[str, Any]:
    """The statement as an object of JSON."""
    lexicon = statement.lexicon
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "contract": statement.contract_id,
        "statement": statement.number,
        "reason": statement.reason,
        "board": {
            "code": statement.board, "day_rule": statement.day_rule, "time_zone": statement.time_zone,
            "grace_days": statement.grace_days,
        },
        "period": {
            "name": statement.period, "first_day": str(statement.first_day),
            "last_day": str(statement.last_day),
        },
        "term": {
            "key": statement.term_key, "label": statement.term_label, "version": statement.term_version,
            "forms": list(statement.forms), "forms_sha256": statement.forms_hash,
        },
        "highlighter_version": statement.highlighter_version,
        "counted": statement.counted,
        "papers": list(statement.papers),
        "papers_sha256": statement.papers_hash,
        "listed": None if statement.listed is None else [_listed_paper(each) for each in statement.listed],
        "listed_sha256": statement.listed_hash,
        "lexicon": None if lexicon is None else [[term.key, list(term.forms)] for term in lexicon],
        "lexicon_sha256": statement.lexicon_hash,
        "ledger_entry": {"number": statement.entry_id, "sha256": statement.entry_hash},
        "recorded_at": statement.recorded_at.isoformat(),
    }  # fmt: skip


def _listed_paper(paper: ListedPaper) -> dict[str, Any]:
    return {
        "paper": paper.identifier, "day": str(paper.day), "text_sha256": paper.text_hash,
        "typesetter_version": paper.typesetter_version,
    }  # fmt: skip


def statement_from_json(value: object) -> Statement:
    """The statement that `as_json` wrote; raises `BadStatement` for anything else."""
    whole = _Fields("", value)
    if whole.text("format") != FORMAT or whole.number("format_version") != FORMAT_VERSION:
        raise BadStatement(f"It is not a {FORMAT} of version {FORMAT_VERSION}.")
    board, period, term = (whole.fields(name) for name in ("board", "period", "term"))
    entry = whole.fields("ledger_entry")
    return Statement(
        contract_id=whole.number("contract"),
        number=whole.number("statement"),
        board=board.text("code"),
        day_rule=board.maybe("day_rule", str),
        time_zone=board.maybe("time_zone", str),
        grace_days=board.maybe("grace_days", int),
        period=period.text("name"),
        first_day=period.day("first_day"),
        last_day=period.day("last_day"),
        term_key=term.text("key"),
        term_label=term.text("label"),
        term_version=term.number("version"),
        forms=term.texts("forms"),
        forms_hash=term.maybe("forms_sha256", str),
        highlighter_version=whole.maybe("highlighter_version", int),
        counted=whole.number("counted"),
        papers=whole.texts("papers"),
        papers_hash=whole.text("papers_sha256"),
        listed=_listed(whole),
        listed_hash=whole.maybe("listed_sha256", str),
        lexicon=_lexicon(whole),
        lexicon_hash=whole.maybe("lexicon_sha256", str),
        entry_id=entry.maybe("number", int),
        entry_hash=entry.maybe("sha256", str),
        recorded_at=whole.moment("recorded_at"),
        reason=whole.text("reason"),
    )


def _listed(whole: _Fields) -> tuple[ListedPaper, ...] | None:
    rows = whole.maybe("listed", list)
    if rows is None:
        return None
    papers = (_Fields(f"listed[{number}].", row) for number, row in enumerate(rows))
    return tuple(
        ListedPaper(
            each.text("paper"), each.day("day"), each.text("text_sha256"), each.number("typesetter_version")
        )
        for each in papers
    )


def _lexicon(whole: _Fields) -> tuple[TermForms, ...] | None:
    rows = whole.maybe("lexicon", list)
    if rows is None:
        return None
    terms = []
    for number, row in enumerate(rows):
        match row:
            case [str(key), [*forms]] if forms and all(type(form) is str for form in forms):
                terms.append(TermForms(key, tuple(forms)))
            case _:
                raise BadStatement(f"lexicon[{number}] is not a term and its forms: {row!r:.80}")
    return tuple(terms)


class _Fields:
    """An object of JSON whose fields are asked for one by one; ``where`` stands before their names."""

    def __init__(self, where: str, value: object) -> None:
        if not isinstance(value, Mapping):
            raise BadStatement(f"{where.removesuffix('.') or 'It'} is not an object of JSON.")
        self._where, self._value = where, value

    def text(self, name: str) -> str:
        return str(self._of(name, str))

    def number(self, name: str) -> int:
        return int(self._of(name, int))

    def texts(self, name: str) -> tuple[str, ...]:
        found: Sequence[object] = self._of(name, list)
        if not all(type(each) is str for each in found):
            raise self._bad(name)
        return tuple(str(each) for each in found)

    def day(self, name: str) -> date:
        try:
            return date.fromisoformat(self.text(name))
        except ValueError:
            raise self._bad(name) from None

    def moment(self, name: str) -> datetime:
        try:
            return datetime.fromisoformat(self.text(name))
        except ValueError:
            raise self._bad(name) from None

    def fields(self, name: str) -> _Fields:
        return _Fields(f"{self._where}{name}.", self._value.get(name))

    def maybe(self, name: str, kind: type) -> Any:
        return None if self._value.get(name) is None else self._of(name, kind)

    def _of(self, name: str, kind: type) -> Any:
        value = self._value.get(name)
        if type(value) is not kind:
            raise self._bad(name)
        return value

    def _bad(self, name: str) -> BadStatement:
        return BadStatement(f"{self._where}{name} is missing or not what it should be.")
