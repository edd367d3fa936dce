"""Which mentions a paper is shown with, when several versions of terms have been counted in it."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session

from market.db import read_session, transact
from market.reads.highlights import shown_mentions, without_overlaps
from nlp.records import Mention
from nlp.tables import StoredMention, TermVersion
from tests.market.factories import NOW, add_board, add_paper, add_term

SPANS = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 12)), max_size=12)


@given(SPANS)
def test_no_mention_overlaps_another(spans: list[tuple[int, int]]) -> None:
    mentions = [Mention(start, start + length, "x" * length, "t") for start, length in spans]
    kept = without_overlaps(mentions)
    assert all(one.end <= other.start for one, other in pairwise(kept))
    assert set(kept) <= set(mentions)
    for mention in mentions:
        assert mention in kept or any(one.start < mention.end and mention.start < one.end for one in kept)


def test_the_longest_of_those_that_begin_first_is_kept() -> None:
    mentions = [
        Mention(0, 5, "large", "a"),
        Mention(0, 14, "large language", "b"),
        Mention(6, 20, "language model", "c"),
    ]
    assert [mention.term for mention in without_overlaps(mentions)] == ["b"]


@pytest.fixture
def paper(engine: Engine) -> tuple[int, int, int]:
    """A paper with one term by its first and second version; the ids of board, paper and term."""

    def work(session: Session) -> tuple[int, int, int]:
        add_term(session, "unlisted")
        board = add_board(session)
        term, other = add_term(session, "diffusion", board), add_term(session, "model", board)
        paper = add_paper(session, board, date(2026, 5, 16), [term, other])
        add_paper(session, board, date(2026, 5, 16), [term])
        second = TermVersion(
            term_id=term.id, version=2, forms=["diffusion, mo"], highlighter_version=1, created_at=NOW
        )
        session.add(second)
        session.flush()
        session.add(
            StoredMention(
                paper_id=paper.id, term_version_id=second.id, start_offset=0, end_offset=13,
                quote="diffusion, mo",
            )
        )  # fmt: skip
        assert board.id is not None
        assert paper.id is not None
        assert term.id is not None
        return board.id, paper.id, term.id

    return transact(engine, work)


def test_the_newest_version_is_shown(engine: Engine, paper: tuple[int, int, int]) -> None:
    board_id, paper_id, term_id = paper
    with read_session(engine) as session:
        assert shown_mentions(session, board_id, [paper_id]) == {
            paper_id: (Mention(0, 13, "diffusion, mo", "diffusion"),)
        }
        assert set(shown_mentions(session, board_id, [paper_id], term_id)) == {paper_id}
        assert shown_mentions(session, board_id + 1, [paper_id]) == {}
        assert shown_mentions(session, board_id, []) == {}
