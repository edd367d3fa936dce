"""Which terms a board lists, and the reason that is kept."""

from __future__ import annotations

from datetime import date

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.db import write_session
from market.errors import UnknownTerm
from market.listing import check_listed, list_carried_terms, listed_term
from market.tables import Activity, Board, Listing
from nlp.tables import Term
from tests.market.factories import NOW, add_board, add_term


def carry(session: Session, board: Board, term: Term, day: date, papers: int) -> None:
    session.add(
        Activity(board_id=board.id, term_id=term.id, day=day, paper_count=papers, mention_count=papers + 1)
    )
    session.flush()


def test_an_address_with_nul_in_it_is_no_term(engine: Engine) -> None:
    with write_session(engine) as session, pytest.raises(UnknownTerm):
        listed_term(session, add_board(session), "flow\0matching")


def test_a_listed_term_is_found_by_its_address(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "stat.ML")
        term = add_term(session, "flow matching", board)
        listing, found = listed_term(session, board, "flow-matching")
        assert (found.id, listing.term_id, listing.board_id) == (term.id, term.id, board.id)
        for where, slug in ((other, "flow-matching"), (board, "flow matching"), (board, "no-such-term")):
            with pytest.raises(UnknownTerm, match=f"'{slug}'.*{where.code}"):
                listed_term(session, where, slug)


def test_a_delisted_term_is_found_and_no_longer_listed(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        term = add_term(session, "flow matching", board)
        assert term.id is not None
        check_listed(session, board, term.id)
        session.execute(sa.update(Listing).values(status="delisted"))
        session.expire_all()
        assert listed_term(session, board, "flow-matching")[0].status == "delisted"
        with pytest.raises(UnknownTerm, match="'flow matching'"):
            check_listed(session, board, term.id)


def test_terms_are_listed_from_the_first_day_that_carries_them(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "stat.ML")
        often, once, before = (add_term(session, label) for label in ("often", "once", "before"))
        gone = {"status": "delisted", "reason": "kept", "listed_on": date(2026, 1, 1)}
        session.add(Listing(board_id=board.id, term_id=before.id, **gone))
        carry(session, board, often, date(2026, 5, 17), 7)
        carry(session, board, often, date(2026, 5, 16), 1200)
        carry(session, board, once, date(2026, 5, 17), 1)
        carry(session, board, before, date(2026, 5, 17), 1)
        carry(session, other, once, date(2026, 5, 1), 2)
        assert board.id is not None
        assert list_carried_terms(session, board.id, [date(2026, 5, 1)], NOW) == 0
        days = [date(2026, 5, 16), date(2026, 5, 17)]
        assert list_carried_terms(session, board.id, days, NOW) == 2
        assert list_carried_terms(session, board.id, days, NOW) == 0
        rows = session.exec(select(Listing).where(Listing.board_id == board.id)).all()
        listed = {row.term_id: (row.status, row.listed_on.isoformat(), row.reason) for row in rows}
    reason = "in the lexicon; first carried on"
    assert listed == {
        often.id: ("listed", "2026-05-16", f"{reason} 2026-05-16 by 1,200 papers"),
        once.id: ("listed", "2026-05-17", f"{reason} 2026-05-17 by 1 paper"),
        before.id: ("delisted", "2026-01-01", "kept"),
    }
