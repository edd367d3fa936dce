"""What the page of decisions about terms shows."""

from __future__ import annotations

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
