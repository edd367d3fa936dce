"""The counters against a rebuild from the activity: bit by bit the same, whatever came in which order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import pytest
import sqlalchemy as sa
from alembic import command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market import activity
from market.activity import count_days
from market.counters import add, rebuild
from market.db import alembic_config, write_session
from market.tables import Activity, Board, BoardPaper, TermCounter
from nlp.tables import StoredMention
from tests.market.factories import NOW, add_board, add_paper, add_term

FIRST_DAY = date(2025, 12, 20)
TERMS = 3
# A change sets how many papers carry a term on a day, in any order of days; 0 takes it away again.
CHANGES = st.lists(
    st.dictionaries(
        st.tuples(st.integers(0, 200), st.integers(0, TERMS - 1)), st.integers(0, 40), min_size=1, max_size=6
    ),
    max_size=12,
)


def counters(session: Session, board_id: int) -> dict[int, tuple[int, int]]:
    rows = session.execute(
        sa.select(col(TermCounter.term_id), col(TermCounter.long_sum), col(TermCounter.middle_sum)).where(
            col(TermCounter.board_id) == board_id
        )
    )
    return {row.term_id: (row.long_sum, row.middle_sum) for row in rows}


def change(
    session: Session, board_id: int, papers: dict[tuple[date, int], int], new: Mapping[tuple[date, int], int]
) -> None:
    """Write the activity of some days and terms, and tell the counters the difference."""
    differences = {key: count - papers.get(key, 0) for key, count in new.items()}
    for (day, term), count in new.items():
        place = {"board_id": board_id, "term_id": term, "day": day}
        session.execute(sa.delete(Activity).filter_by(**place))
        if count:
            counted = {"paper_count": count, "mention_count": count}
            session.execute(sa.insert(Activity).values(**place, **counted))
    papers.update(new)
    add(session, board_id, differences)


@pytest.mark.parametrize("period", ["week", "month"])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_any_sequence_of_changes_gives_what_a_rebuild_gives(
    engine: Engine, period: str, changes: list[dict[tuple[int, int], int]]
) -> None:
    with write_session(engine) as session:
        board, other = add_board(session, period=period), add_board(session, "stat.ML")
        terms = [add_term(session, f"term {number}").id or 0 for number in range(TERMS)]
        assert board.id is not None
        assert other.id is not None
        change(session, other.id, {}, {(FIRST_DAY, terms[0]): 5})
        apart = counters(session, other.id)
        papers: dict[tuple[date, int], int] = {}
        for step in changes:
            new = {(FIRST_DAY + timedelta(days=ago), terms[at]): count for (ago, at), count in step.items()}
            change(session, board.id, papers, new)
        kept = counters(session, board.id)
        rebuild(session, board.id)
        assert counters(session, board.id) == kept
        assert set(kept) == {term for (_, term), count in papers.items() if count}
        assert counters(session, other.id) == apart
        session.rollback()


def test_counting_days_keeps_the_counters(engine: Engine) -> None:
    with write_session(engine) as session:
        board = add_board(session)
        terms = [add_term(session, f"term {number}", board) for number in range(4)]
        assert board.id is not None
        for number in range(30):
            day = FIRST_DAY + timedelta(days=number * 7 % 40)  # earlier and later days by turns
            add_paper(session, board, day, [term for at, term in enumerate(terms) if number % (at + 2)])
            count_days(session, board.id, [day], NOW)
        # A paper loses its terms, another its place.
        paper = session.exec(select(StoredMention.paper_id)).first()
        session.execute(sa.delete(StoredMention).where(col(StoredMention.paper_id) == paper))
        place = session.exec(select(BoardPaper).order_by(col(BoardPaper.paper_id).desc())).first()
        assert place is not None
        session.delete(place)
        session.flush()
        count_days(session, board.id, [FIRST_DAY + timedelta(days=at) for at in range(40)], NOW)
        kept = counters(session, board.id)
        rebuild(session, board.id)
        assert counters(session, board.id) == kept != {}
        # Whatever went wrong before, counting everything anew puts it right.
        session.execute(sa.update(TermCounter).values(long_sum=1))
        session.execute(sa.delete(Activity).where(col(Activity.day) == FIRST_DAY))
        activity.rebuild(session, board.id, NOW)
        assert counters(session, board.id) == kept


def test_a_database_from_before_gets_its_counters(engine: Engine) -> None:
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0004")
        connection.exec_driver_sql(
            "INSERT INTO board (id, code, name, field, period, day_rule, time_zone, grace_days, position) "
            "VALUES (1, 'x', 'X', 'F', 'week', 'announced', 'UTC', 3, 1), "
            "(2, 'y', 'Y', 'F', 'month', 'announced', 'UTC', 3, 2)"
        )
        connection.exec_driver_sql(
            "INSERT INTO term (id, key, slug, label, current_version) "
            "VALUES (1, 'a', 'a', 'a', 0), (2, 'b', 'b', 'b', 0)"
        )
        connection.exec_driver_sql(
            "INSERT INTO activity (board_id, term_id, day, paper_count, mention_count) VALUES "
            "(1, 1, '2026-05-14', 3, 4), (1, 1, '2026-05-16', 1, 1), (1, 1, '2025-01-02', 9, 9), "
            "(1, 2, '1987-06-01', 2, 2), (2, 2, '2026-02-22', 5, 5), (2, 2, '2026-03-01', 1, 1)"
        )
        command.upgrade(alembic_config(connection), "head")
    with write_session(engine) as session:
        for board in session.exec(select(Board)).all():
            assert board.id is not None
            migrated = counters(session, board.id)
            rebuild(session, board.id)
            assert counters(session, board.id) == migrated
            assert len(migrated) == 3 - board.id
