"""What the page of decisions about terms shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from market.reads.boards import BoardLink
from market.reads.term_changes import TermChange
from web.pages import Choice


@dataclass(frozen=True)
class TermChangesPage:
    """The log of a board's terms, newest first, a page of ``changes`` at a time of the ``change_count`` that
    there are. ``kind`` is the one that is shown, "" for the decisions that somebody made."""

    template: ClassVar[str] = "term_changes.html"
    board: BoardLink
    changes: tuple[TermChange, ...]
    change_count: int
    kinds: tuple[Choice, ...]
    kind: str
    number: int
    page_count: int

    @property
    def title(self) -> str:
        return f"Changes of the terms of {self.board.name}"


@dataclass(frozen=True)
class ProposalPage:
    """The form by which a term is proposed for a board; ``label`` and ``note`` are what was typed, ``faults``
    what is wrong with each."""

    template: ClassVar[str] = "proposal.html"
    board: BoardLink
    label: str
    note: str
    faults: Mapping[str, str]
    is_signed_in: bool

    @property
    def title(self) -> str:
        return f"Propose a term for {self.board.name}"
