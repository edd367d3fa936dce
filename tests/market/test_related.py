"""Related terms: what stands together more often than chance, in numbers that can be counted again."""

from __future__ import annotations

import math
from datetime import date, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session, col

from market.activity import count_days
from market.db import write_session
from market.related import NEWEST_PAPERS, Related, npmi, related_terms
from market.tables import Board, Listing
from nlp.tables import Paper, Term
from tests.market.factories import DAY, NOW, add_board, add_paper, add_term
from tests.market.nine_weeks import add_day

Counts = tuple[int, int, int, int]


@st.composite
def counts(draw: st.DrawFn) -> Counts:
    """together, one, other, listed, as papers can be."""
    listed = draw(st.integers(1, 5000))
    one, other = (draw(st.integers(1, listed)) for _ in range(2))
    together = draw(st.integers(max(1, one + other - listed), min(one, other)))
    return together, one, other, listed


@given(counts())
def test_closeness_lies_between_never_and_always(found: Counts) -> None:
    together, one, other, listed = found
    closeness = npmi(together, one, other, listed)
    assert -1 - 1e-9 <= closeness <= 1 + 1e-9
    assert closeness == npmi(together, other, one, listed)
    if together == one == other < listed:
        assert closeness == pytest.approx(1)
    if together < listed and together * listed == one * other:
        assert closeness == pytest.approx(0, abs=1e-9)


def related(session: Session, board: Board, term: Term) -> Related:
    assert term.id is not None
    found = related_terms(session, board, term.id)
    assert found is not None
    return found


def papers(session: Session, board: Board, *carried: list[Term], day: date = DAY) -> None:
    for terms in carried:
        add_paper(session, board, day, terms)
    assert board.id is not None
    count_days(session, board.id, [day], NOW)


def test_terms_that_stand_together_are_related(engine: Engine) -> None:
    with write_session(engine) as session:
        board, other = add_board(session), add_board(session, "cs.CV", position=2)
        term, close, common, rare, elsewhere = (
            add_term(session, label, board) for label in ("term", "close", "common", "rare", "elsewhere")
        )
        together = [[term, close, common]] * 4 + [[term, common, rare]] * 2
        papers(session, board, *together, *[[common]] * 14, [close], *[[elsewhere]] * 4, [])
        papers(session, other, *[[term, elsewhere]] * 5)
        found = related(session, board, term)
    assert [(one.slug, one.together, one.papers) for one in found.terms] == [
        ("close", 4, 5), ("common", 6, 20),
    ]  # fmt: skip
    assert (found.papers, found.listed, found.since, found.is_whole) == (6, 26, DAY, True)
    assert found.terms[0].npmi == pytest.approx(math.log(4 * 26 / (6 * 5)) / math.log(26 / 4))


def test_what_never_meets_and_what_meets_by_chance_is_left_out(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        term, everywhere, apart = (add_term(session, label, board) for label in ("term", "all", "apart"))
        papers(session, board, *[[term, everywhere]] * 5, *[[everywhere, apart]] * 5)
        assert related(session, board, term).terms == ()


def test_withdrawn_papers_and_delisted_terms_do_not_count(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        term, close, gone = (add_term(session, label, board) for label in ("term", "close", "gone"))
        papers(session, board, *[[term, close, gone]] * 4, *[[]] * 6)
        session.execute(sa.update(Paper).where(col(Paper.id) == 1).values(withdrawn_at=NOW))
        session.execute(sa.update(Listing).where(col(Listing.term_id) == gone.id).values(status="delisted"))
        papers(session, board)
        found = related(session, board, term)
    assert [(one.slug, one.together, one.papers) for one in found.terms] == [("close", 3, 3)]
    assert (found.papers, found.listed) == (3, 10)


def test_without_papers_there_is_nothing_to_say(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        term = add_term(session, "term", board)
        assert term.id is not None
        assert related_terms(session, board, term.id) is None


def test_only_the_newest_papers_are_looked_at(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        term, before, now = (add_term(session, label, board) for label in ("term", "before", "now"))
        half = NEWEST_PAPERS // 2
        for back, other in ((0, now), (1, now), (2, before)):
            day = DAY - timedelta(days=back)
            add_day(session, board, day, [(term, half), (other, half)], papers=2 * half)
            count_days(session, board.id or 0, [day], NOW)
        found = related(session, board, term)
        since = DAY - timedelta(days=1)
        assert (found.papers, found.listed, found.since, found.is_whole) == (2 * half, 4 * half, since, False)
        assert [one.slug for one in found.terms] == ["now"]


def test_what_was_not_known_then_is_not_looked_at(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        term, first, later = (add_term(session, label, board) for label in ("term", "first", "later"))
        papers(session, board, *[[term, first]] * 3, [], day=DAY - timedelta(days=1))
        then = NOW
        for _ in range(5):
            add_paper(session, board, DAY, [term, later])
        count_days(session, board.id or 0, [DAY], NOW + timedelta(hours=1))
        assert term.id is not None
        found = related_terms(session, board, term.id, known_at=then)
    assert found is not None
    assert [one.slug for one in found.terms] == ["first"]
    assert (found.papers, found.listed) == (3, 4)
