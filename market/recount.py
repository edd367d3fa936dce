"""A count of some days of a board, held against what is stored of them: only what differs is written.

Nothing that was known is lost. Each count that found something else has a number on its day and a moment; an
activity says since which number it holds, and what it was before goes to the past activity.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from market import counters
from market.counting import Carried, papers_carrying, papers_listed
from market.inserts import insert_new
from market.tables import Activity, Board, BoardDay, DayCount, PastActivity

Key = tuple[date, int]  # a day and the id of a term

_TABLE: sa.Table = Activity.__table__  # type: ignore[attr-defined]


def hold(session: Session, board_id: int | None) -> None:
    """Wait until nobody else counts the board, and let nobody until the transaction ends.

    Orders and watches, which only refer to the board, are not stopped.
    """
    board = sa.select(col(Board.id)).where(col(Board.id) == board_id)
    session.execute(board.with_for_update(key_share=True))


def hold_all(session: Session) -> None:
    """The same for every board, in the order in which every intake takes them."""
    session.execute(sa.select(col(Board.id)).order_by(col(Board.id)).with_for_update(key_share=True))


class Recount:
    """A count of some days of a board beside what is stored of them; with ``term_ids`` of those terms alone.
    """

    def __init__(
        self, session: Session, board_id: int, days: list[date], term_ids: Collection[int] | None = None
    ) -> None:
        self._session, self._board_id = session, board_id
        self._listed = papers_listed(session, board_id, days)
        self._carried = papers_carrying(session, board_id, days, term_ids)
        of_days = [col(Activity.board_id) == board_id, col(Activity.day).in_(days)]
        if term_ids is not None:
            of_days.append(col(Activity.term_id).in_(term_ids))
        self._stored = {
            (row.day, row.term_id): row
            for row in session.execute(
                sa.select(
                    col(Activity.day), col(Activity.term_id), col(Activity.paper_count),
                    col(Activity.mention_count), col(Activity.since),
                ).where(*of_days)
            )
        }  # fmt: skip
        self._listed_before = _listed_before(session, board_id, days)
        self._last = _last_counts(session, board_id, days)

    def record(self, now: datetime) -> None:
        """Write what has changed since the count before; what it was goes to the past activity."""
        gone = [key for key in self._stored if key not in self._carried]
        new = [key for key in self._carried if key not in self._stored]
        changed = [
            key for key, row in self._stored.items()
            if key in self._carried and self._carried[key] != (row.paper_count, row.mention_count)
        ]  # fmt: skip
        numbers = self._number_days({day for day, _ in (*gone, *new, *changed)}, now)
        self._keep([*gone, *changed], numbers)
        self._delete(gone)
        self._update(changed, numbers)
        rows = [self._values(key, self._carried[key]) | {"since": numbers[key[0]]} for key in new]
        insert_new(self._session, Activity, rows)
        before = {key: row.paper_count for key, row in self._stored.items()}
        after = {key: counted.paper_count for key, counted in self._carried.items()}
        differences = {key: after.get(key, 0) - before.get(key, 0) for key in (*gone, *new, *changed)}
        counters.add(self._session, self._board_id, differences)

    def _number_days(self, touched: set[date], now: datetime) -> dict[date, int]:
        """The number of this count on each of the touched days; papers listed, and the counts, are stored."""
        listed = {day: self._listed.get(day, 0) for day in self._listed_before.keys() | self._listed.keys()}
        touched |= {
            day for day, count in listed.items()
            if day not in self._last or count != self._last[day].paper_count
        }  # fmt: skip
        numbers = {day: self._last[day].number + 1 if day in self._last else 1 for day in sorted(touched)}
        if numbers:
            moment = max(now, _last_moment(self._session, self._board_id) or now)
            counts = [
                {
                    "board_id": self._board_id, "day": day, "number": number,
                    "paper_count": listed.get(day, 0), "recorded_at": moment,
                }
                for day, number in numbers.items()
            ]  # fmt: skip
            self._session.execute(sa.insert(DayCount), counts)
        self._list(listed)
        return numbers

    def _list(self, listed: Mapping[date, int]) -> None:
        days = [{"board_id": self._board_id, "day": day, "paper_count": listed[day]} for day in listed]
        insert_new(self._session, BoardDay, [row for row in days if row["day"] not in self._listed_before])
        for day, count in listed.items():
            if count != self._listed_before.get(day, count):
                self._session.execute(
                    sa.update(BoardDay)
                    .where(col(BoardDay.board_id) == self._board_id, col(BoardDay.day) == day)
                    .values(paper_count=count)
                )

    def _keep(self, keys: list[Key], numbers: Mapping[date, int]) -> None:
        past = [
            self._values(key, Carried(row.paper_count, row.mention_count))
            | {"since": row.since, "until": numbers[key[0]]}
            for key, row in ((key, self._stored[key]) for key in keys)
            if row.since < numbers[key[0]]  # else no count is known that it was of
        ]
        insert_new(self._session, PastActivity, past)

    def _delete(self, keys: list[Key]) -> None:
        if keys:
            place = [{"of_day": day, "of_term": term_id} for day, term_id in keys]
            self._session.connection().execute(sa.delete(_TABLE).where(*self._place()), place)

    def _update(self, keys: list[Key], numbers: Mapping[date, int]) -> None:
        if keys:
            values = [
                {
                    "of_day": key[0], "of_term": key[1], "papers": self._carried[key].paper_count,
                    "mentions": self._carried[key].mention_count, "number": numbers[key[0]],
                }
                for key in keys
            ]  # fmt: skip
            changes: dict[str, sa.BindParameter[int]] = {
                "paper_count": sa.bindparam("papers"), "mention_count": sa.bindparam("mentions"),
                "since": sa.bindparam("number"),
            }  # fmt: skip
            statement = sa.update(_TABLE).where(*self._place()).values(changes)
            self._session.connection().execute(statement, values)

    def _place(self) -> tuple[sa.ColumnElement[bool], ...]:
        return (
            _TABLE.c.board_id == self._board_id,
            _TABLE.c.day == sa.bindparam("of_day"),
            _TABLE.c.term_id == sa.bindparam("of_term"),
        )

    def _values(self, key: Key, counted: Carried) -> dict[str, object]:
        return {"board_id": self._board_id, "day": key[0], "term_id": key[1], **counted._asdict()}


def _listed_before(session: Session, board_id: int, days: list[date]) -> dict[date, int]:
    rows = session.execute(
        sa.select(col(BoardDay.day), col(BoardDay.paper_count)).where(
            col(BoardDay.board_id) == board_id, col(BoardDay.day).in_(days)
        )
    )
    return {row.day: row.paper_count for row in rows}


def _last_counts(session: Session, board_id: int, days: list[date]) -> dict[date, Any]:
    """The number of the last count of each day, and the papers listed that it found."""
    rows = session.execute(
        sa.select(col(DayCount.day), col(DayCount.number), col(DayCount.paper_count))
        .where(col(DayCount.board_id) == board_id, col(DayCount.day).in_(days))
        .order_by(col(DayCount.number))
    )
    return {row.day: row for row in rows}


def _last_moment(session: Session, board_id: int) -> datetime | None:
    """When something was last counted on the board: what is known of it never gets older."""
    return session.execute(
        sa.select(col(DayCount.recorded_at))
        .where(col(DayCount.board_id) == board_id)
        .order_by(col(DayCount.id).desc())
        .limit(1)
    ).scalar_one_or_none()
