"""Terms that traders propose: kept until the committee or an operator decides about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from market.adding import check_label
from market.inserts import insert_one
from market.listing import LISTED, TermChangeRefused
from market.naming import root_term, term_at
from market.tables import Board, Listing, TermEvent, TermProposal
from market.term_events import Kind
from nlp.normalize import slug, term_key

LONGEST_NOTE = 1000


class NoteRefused(TermChangeRefused):
    """A note that cannot be kept."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A term that is proposed for a board: its first label, by how many, with which notes, since when."""

    board: str
    key: str
    label: str
    proposed_count: int
    note: str
    since: datetime


def propose_term(
    session: Session, trader_id: int, board: Board, label: str, note: str, now: datetime
) -> bool:
    """Keep a trader's proposal; whether it is new, since the same one again changes nothing.

    Raises `TermChangeRefused` for a label that no term can have, a note that is too long, and a term that the
    board lists already.
    """
    label, note = check_label(label), " ".join(note.split())
    if len(note) > LONGEST_NOTE or "\0" in label + note:
        raise NoteRefused(f"A note is text of at most {LONGEST_NOTE:,} characters; this has {len(note):,}.")
    key = term_key(label)
    if (term := term_at(session, slug(key))) is not None:
        listing = session.get(Listing, (board.id, root_term(session, term).id))
        if listing is not None and listing.status == LISTED:
            raise TermChangeRefused(f"{label!r} is listed on {board.code} already.")
    row = {
        "board_id": board.id, "trader_id": trader_id, "key": key, "label": label, "note": note,
        "recorded_at": now,
    }  # fmt: skip
    return insert_one(session, TermProposal, row)


def open_proposals(session: Session, boards: Sequence[Board]) -> tuple[Proposal, ...]:
    """What waits for a decision on these boards, the most proposed first. One query."""
    decided = sa.exists().where(
        col(TermEvent.key) == TermProposal.key,
        col(TermEvent.board_id) == TermProposal.board_id,
        col(TermEvent.kind).in_((Kind.LISTED, Kind.REFUSED, Kind.DELISTED)),
        col(TermEvent.recorded_at) >= TermProposal.recorded_at,
    )
    rows = session.execute(
        sa.select(
            col(Board.code), col(TermProposal.key), col(TermProposal.label), col(TermProposal.note),
            col(TermProposal.recorded_at),
        )
        .join(Board, col(Board.id) == TermProposal.board_id)
        .where(col(TermProposal.board_id).in_([board.id for board in boards]), ~decided)
        .order_by(col(TermProposal.id))
    )  # fmt: skip
    found: dict[tuple[str, str], Proposal] = {}
    for code, key, label, note, since in rows:
        first = found.get((code, key))
        if first is None:
            found[code, key] = Proposal(code, key, label, 1, note, since)
        else:
            notes = "; ".join(filter(None, (first.note, note)))
            found[code, key] = Proposal(code, key, first.label, first.proposed_count + 1, notes, first.since)
    return tuple(sorted(found.values(), key=lambda each: (-each.proposed_count, each.since, each.key)))
