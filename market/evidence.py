"""What a settlement's statement rests on, frozen: the papers listed, the lexicon, the rules and versions.

Papers and lexicon are the same for every contract of a board and period. They are kept once, under the hash
of their text, however many statements name them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property, partial
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market.highlighter import Layer, StoredState, layers_of, stored_state
from market.inserts import insert_new
from market.statement_documents import (
    ListedPaper,
    TermForms,
    forms_hash,
    lexicon_text,
    listed_text,
    part_hash,
)
from market.tables import Board, BoardPaper, Contract, StatementPart
from nlp.highlight import HIGHLIGHTER_VERSION
from nlp.tables import Paper, TermVersion

_MOST_KEPT = 4  # of lexicons, by their hashes: to make one of 100,000 terms takes seconds


@dataclass(frozen=True, slots=True)
class _Frozen:
    """A layer of the stored lexicon by the hash of its text, and the keys of the versions it counts for."""

    hash: str
    keys: dict[int, str]


_kept: dict[StoredState, tuple[_Frozen, ...]] = {}  # the oldest first
_kept_lock = Lock()


class Evidence:
    """Freezes what statements rest on, for as long as one transaction settles; boards are held."""

    def __init__(self, session: Session, now: datetime) -> None:
        self._session, self._now = session, now
        self._listed: dict[tuple[int, date, date], str] = {}

    def of(self, contract: Contract, board: Board) -> dict[str, Any]:
        """The columns of a statement on an open contract that say what it rests on; their parts are kept."""
        frozen = next(each for each in self._lexicons if contract.term_version_id in each.keys)
        forms = self._session.execute(
            sa.select(col(TermVersion.forms)).where(col(TermVersion.id) == contract.term_version_id)
        ).scalar_one()
        return {
            "term_key": frozen.keys[contract.term_version_id],
            "forms_hash": forms_hash(forms),
            "lexicon_hash": frozen.hash,
            **self.of_today(contract, board),
        }

    def of_today(self, contract: Contract, board: Board) -> dict[str, Any]:
        """Those of them that are not frozen with the contract: the papers listed, the rules, the program."""
        return {
            "highlighter_version": HIGHLIGHTER_VERSION,
            "day_rule": board.day_rule,
            "time_zone": board.time_zone,
            "grace_days": board.grace_days,
            "listed_hash": self._listed_hash(contract),
        }

    def _listed_hash(self, contract: Contract) -> str:
        key = (contract.board_id, contract.first_day, contract.last_day)
        if key not in self._listed:
            text = listed_text(listed_papers(self._session, *key))
            self._listed[key] = self._keep("listed", part_hash(text), lambda: text)
        return self._listed[key]

    @cached_property
    def _lexicons(self) -> tuple[_Frozen, ...]:
        state = stored_state(self._session)
        with _kept_lock:
            found = _kept.get(state)
        if found is None:
            layers = layers_of(self._session, state[-1])
            found = tuple(_Frozen(part_hash(_text(layer)), _keys(layer)) for layer in layers)
            with _kept_lock:
                _kept[state] = found
                while len(_kept) > _MOST_KEPT:
                    del _kept[next(iter(_kept))]
        for at, frozen in enumerate(found):
            self._keep("lexicon", frozen.hash, partial(self._layer_text, state, at))
        return found

    def _layer_text(self, state: StoredState, at: int) -> str:
        return _text(layers_of(self._session, state[-1])[at])

    def _keep(self, kind: str, found: str, text: Callable[[], str]) -> str:
        """Store the part with this hash unless it is there; ``text`` is asked for only then."""
        is_there = sa.select(col(StatementPart.hash)).where(col(StatementPart.hash) == found)
        if self._session.execute(is_there).first() is None:
            row = {"hash": found, "kind": kind, "content": text(), "recorded_at": self._now}
            insert_new(self._session, StatementPart, [row])
        return found


def listed_papers(
    session: Session, board_id: int, first_day: date, last_day: date
) -> list[ListedPaper]:
    """Every paper that stands on the board on one of these days, withdrawn ones too."""
    rows = session.execute(
        sa.select(
            col(Paper.identifier), col(BoardPaper.day), col(Paper.text_hash), col(Paper.typesetter_version)
        )
        .join(BoardPaper, col(BoardPaper.paper_id) == Paper.id)
        .where(col(BoardPaper.board_id) == board_id, col(BoardPaper.day).between(first_day, last_day))
    )
    return [ListedPaper(*row) for row in rows]


def forms_of(layer: Layer) -> tuple[TermForms, ...]:
    """The terms of a layer with what is looked for of each."""
    return tuple(TermForms(entry.key, entry.surfaces) for entry in layer.entries)


def _text(layer: Layer) -> str:
    return lexicon_text(forms_of(layer))


def _keys(layer: Layer) -> dict[int, str]:
    return {version: key for key, version in layer.versions.items()}
