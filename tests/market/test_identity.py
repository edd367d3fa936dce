"""Sightings of one paper by several sources: one row, one day, one count, whatever order they come in."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.activity import close_day
from market.db import write_session
from market.intake import IntakeReport, install_lexicon, take_in
from market.orders import Action, OrderRequest, Side
from market.settlement import settle_due
from market.tables import Activity, Board, BoardDay, BoardPaper, PlacementEvent, SettlementStatement
from market.trading import place_order
from nlp.lexicon import load_lexicon
from nlp.records import RawPaper, Section
from nlp.tables import Paper, StoredMention, Term, TermVersion
from tests.market.factories import NOW, add_board, add_trader

THURSDAY, FRIDAY, SATURDAY = date(2026, 5, 14), date(2026, 5, 15), date(2026, 5, 16)
WEDNESDAY_NOON = datetime(2026, 5, 13, 16, 0, tzinfo=UTC)  # in New York; listed on Thursday
LEXICON = """
[[term]]
label = "diffusion model"
[[term]]
label = "flow matching"
"""
LONG = " In kettles of a hundred shapes we measure how it pours, how it cools, and who drinks it. " * 2


def raw(number: int = 1, abstract: str = "A diffusion model pours tea.", **values: Any) -> RawPaper:
    paper = RawPaper(
        identifier=f"arxiv:2605.{number:05d}", title="Kettles", abstract=abstract,
        authors=("Ana Kettle", "Bob Lid"), categories=("cs.LG",), day=FRIDAY, section=Section.NEW, url=None,
        source="a test", line=number,
    )  # fmt: skip
    return replace(paper, **values)


def begin(session: Session) -> Board:
    board = add_board(session)
    add_board(session, "cs.CV", position=2)
    add_board(session, "stat.ML", position=3, day_rule="submitted", time_zone="Asia/Tokyo")
    install_lexicon(session, load_lexicon(LEXICON), NOW)
    return board


def take(session: Session, *papers: RawPaper, now: datetime = NOW) -> IntakeReport:
    return take_in(session, papers, now=now)


def paper(session: Session, number: int = 1) -> Paper:
    session.expire_all()
    return session.exec(select(Paper).where(Paper.identifier == raw(number).identifier)).one()


def places(session: Session) -> set[tuple[str, str, date, str]]:
    found = session.execute(
        sa.select(col(Board.code), col(Paper.identifier), col(BoardPaper.day), col(BoardPaper.section))
        .join(BoardPaper, col(BoardPaper.board_id) == Board.id)
        .join(Paper, col(Paper.id) == BoardPaper.paper_id)
    )
    return {(code, identifier[-1], day, section) for code, identifier, day, section in found}


def counts(session: Session) -> set[tuple[str, str, date, int, int]]:
    found = session.execute(
        sa.select(
            col(Board.code), col(Term.slug), col(Activity.day), col(Activity.paper_count),
            col(Activity.mention_count),
        )
        .join(Activity, col(Activity.board_id) == Board.id)
        .join(Term, col(Term.id) == Activity.term_id)
    )  # fmt: skip
    return {tuple(row) for row in found}


def listed(session: Session) -> set[tuple[str, date, int]]:
    found = session.execute(
        sa.select(col(Board.code), col(BoardDay.day), col(BoardDay.paper_count))
        .join(Board, col(Board.id) == BoardDay.board_id)
        .where(col(BoardDay.paper_count) > 0)
    )
    return {tuple(row) for row in found}


def mentions(session: Session) -> set[tuple[Any, ...]]:
    found = session.execute(
        sa.select(
            col(Paper.identifier), col(Term.slug), col(StoredMention.start_offset),
            col(StoredMention.end_offset), col(StoredMention.quote),
        )
        .join(StoredMention, col(StoredMention.paper_id) == Paper.id)
        .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
        .join(Term, col(Term.id) == TermVersion.term_id)
    )  # fmt: skip
    return {tuple(row) for row in found}


def all_of(session: Session) -> list[Any]:
    """Whatever must not depend on the order, ids and the order on a page left out."""
    session.flush()
    columns = [column for column in Paper.__table__.columns if column.name not in ("id", "taken_in_at")]  # type: ignore[attr-defined]
    papers = {repr(tuple(row)) for row in session.execute(sa.select(*columns))}
    return [papers, places(session), mentions(session), counts(session), listed(session)]


TEXTS = [
    "A diffusion model pours tea.", "A diffusion model – it pours – with flow matching.",
    "Flow matching by R\\'enyi, and flow matching." + LONG, "This paper has been withdrawn.",
]  # fmt: skip


@st.composite
def sightings(draw: st.DrawFn) -> RawPaper:
    section = draw(st.sampled_from([Section.NEW, Section.CROSS, Section.REPLACED]))
    categories = [("cs.LG",), ("cs.LG", "cs.CV"), ("stat.ML", "cs.LG", "math.ST")]
    if section is Section.REPLACED:
        categories.append(())
    day = draw(st.sampled_from([THURSDAY, FRIDAY, None]))
    submitted = st.sampled_from([WEDNESDAY_NOON, WEDNESDAY_NOON + timedelta(hours=9)])
    return raw(
        draw(st.integers(1, 3)),
        draw(st.sampled_from([*TEXTS, ""] if section is Section.REPLACED else TEXTS)),
        title=draw(st.sampled_from(["Kettles", "Lids"])),
        categories=draw(st.sampled_from(categories)),
        day=day,
        section=section,
        version=draw(st.sampled_from([None, 1, 2])),
        submitted_at=draw(submitted if day is None else st.none() | submitted),
        is_withdrawn=draw(st.integers(0, 4)) == 0,
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(sightings(), min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_order_repetition_and_files_make_no_difference(
    engine: Engine, raws: list[RawPaper], random: Any
) -> None:
    shuffled = raws + random.sample(raws, random.randint(0, len(raws)))
    random.shuffle(shuffled)
    cut = random.randint(0, len(shuffled))
    results = []
    for files in ([raws], [shuffled[:cut], shuffled[cut:]], [[each] for each in reversed(raws)]):
        with write_session(engine) as session:  # and rolled back
            begin(session)
            reports = [take(session, *file) for file in files]
            results.append(all_of(session))
            assert sum(report.new_count for report in reports) == len(
                {raw.identifier for raw in raws if raw.section is not Section.REPLACED}
            )
            for report in reports:
                parts = (report.new_count, report.known_count, report.replaced_only_count)
                assert sum(parts) == report.read_count
            assert last_events(session) == all_places(session)
    assert results[0] == results[1] == results[2]


def last_events(session: Session) -> set[tuple[Any, ...]]:
    events = session.exec(select(PlacementEvent).order_by(col(PlacementEvent.id)))
    last = {(event.board_id, event.paper_id): (event.day, event.section, event.position) for event in events}
    return {(*key, *value) for key, value in last.items()}


def all_places(session: Session) -> set[tuple[Any, ...]]:
    return {
        (row.board_id, row.paper_id, row.day, row.section, row.position)
        for row in session.exec(select(BoardPaper))
    }


def test_a_later_version_is_read_anew_and_stays_on_its_day(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        take(session, raw(version=1), raw(2, version=1))
        text = "Flow matching; flow matching."
        later = raw(abstract=text, version=2, section=Section.REPLACED, day=SATURDAY)
        report = take(session, later)
        assert (report.new_count, report.known_count, report.updated_count) == (0, 1, 1)
        assert (report.mention_count, report.days) == (2, (("cs.LG", FRIDAY),))
        stored = paper(session)
        assert (stored.version, stored.abstract_text) == (2, text)
        assert counts(session) == {
            ("cs.LG", "diffusion-model", FRIDAY, 1, 1), ("cs.LG", "flow-matching", FRIDAY, 1, 2),
        }  # fmt: skip
        assert take(session, later, raw(version=1)).updated_count == 0
        assert paper(session).version == 2


def test_an_earlier_announcement_moves_a_paper_and_both_days_are_counted_anew(engine: Engine) -> None:
    later = NOW + timedelta(hours=1)
    with write_session(engine) as session:
        board = begin(session)
        take(session, raw(day=SATURDAY), raw(2, day=SATURDAY))
        close_day(session, board, SATURDAY, NOW)
        report = take(session, raw(day=FRIDAY), now=later)
        assert report.days == (("cs.LG", FRIDAY), ("cs.LG", SATURDAY))
        assert places(session) == {("cs.LG", "1", FRIDAY, "new"), ("cs.LG", "2", SATURDAY, "new")}
        assert counts(session) == {
            ("cs.LG", "diffusion-model", FRIDAY, 1, 1), ("cs.LG", "diffusion-model", SATURDAY, 1, 1),
        }  # fmt: skip
        assert session.get_one(BoardDay, (board.id, SATURDAY)).closed_at == NOW
        assert session.get_one(BoardDay, (board.id, FRIDAY)).closed_at is None
        events = session.exec(select(PlacementEvent).order_by(col(PlacementEvent.id))).all()
        assert [(event.day, event.position, event.recorded_at) for event in events] == [
            (SATURDAY, 1, NOW), (SATURDAY, 2, NOW), (FRIDAY, 1, later),
        ]  # fmt: skip


def test_a_day_that_no_source_states_is_estimated_until_one_does(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        take(session, raw(day=None, submitted_at=WEDNESDAY_NOON))
        assert places(session) == {("cs.LG", "1", THURSDAY, "new")}
        assert paper(session).announced_on is None
        # Held back for a day: what the announcement says holds, though it is later.
        take(session, raw(day=FRIDAY))
        assert places(session) == {("cs.LG", "1", FRIDAY, "new")}
        assert paper(session).announced_on == FRIDAY
        take(session, raw(day=None, submitted_at=WEDNESDAY_NOON))
        assert places(session) == {("cs.LG", "1", FRIDAY, "new")}


def test_a_board_may_count_by_submission_in_its_own_time_zone(engine: Engine) -> None:
    evening = datetime(2026, 5, 13, 20, 0, tzinfo=UTC)  # already Thursday in Tokyo
    with write_session(engine) as session:
        begin(session)
        take(session, raw(categories=("stat.ML", "cs.LG")))
        assert places(session) == {("stat.ML", "1", FRIDAY, "new"), ("cs.LG", "1", FRIDAY, "cross")}
        take(session, raw(categories=("stat.ML",), day=None, submitted_at=evening))
        assert places(session) == {("stat.ML", "1", THURSDAY, "new"), ("cs.LG", "1", FRIDAY, "cross")}


def test_a_paper_of_another_archive_is_estimated_by_the_boards_date(engine: Engine) -> None:
    evening = datetime(2026, 5, 13, 23, 0, tzinfo=UTC)
    with write_session(engine) as session:
        begin(session)
        take(session, raw(identifier="openreview:abc1", day=None, submitted_at=evening))
        assert places(session) == {("cs.LG", "1", date(2026, 5, 13), "new")}


def test_replacements_announce_nothing(engine: Engine) -> None:
    replaced = raw(
        2, version=3, section=Section.REPLACED, day=None, submitted_at=datetime(2024, 1, 1, tzinfo=UTC)
    )  # fmt: skip
    bare = raw(3, "", section=Section.REPLACED, categories=("cs.LG", "cs.CV"))
    with write_session(engine) as session:
        begin(session)
        report = take(session, replaced, bare, replaced)
        assert (report.new_count, report.known_count, report.replaced_only_count) == (0, 0, 3)
        assert (report.days, places(session), counts(session)) == ((), set(), set())
        # What it brought is there when the announcement comes.
        report = take(session, raw(2, "Old text.", version=1), raw(3))
        assert (report.new_count, report.known_count, report.updated_count) == (2, 0, 0)
        assert paper(session, 2).abstract_source == replaced.abstract
        assert places(session) == {
            ("cs.LG", "2", FRIDAY, "new"), ("cs.LG", "3", FRIDAY, "new"), ("cs.CV", "3", FRIDAY, "cross"),
        }  # fmt: skip


def test_a_cross_listing_of_a_known_paper_keeps_its_day_and_section(engine: Engine) -> None:
    cross = raw(categories=("cs.LG", "cs.CV"), day=SATURDAY, section=Section.CROSS)
    with write_session(engine) as session:
        begin(session)
        take(session, raw())
        report = take(session, cross)
        assert places(session) == {("cs.LG", "1", FRIDAY, "new"), ("cs.CV", "1", FRIDAY, "cross")}
        assert report.days == (("cs.CV", FRIDAY),)


def test_a_withdrawn_paper_is_marked_and_leaves_the_activity(engine: Engine) -> None:
    later = NOW + timedelta(days=1)
    notice = raw(abstract="Withdrawn.", version=2, section=Section.REPLACED, is_withdrawn=True)
    with write_session(engine) as session:
        begin(session)
        take(session, raw(version=1), raw(2))
        report = take(session, notice, now=later)
        assert (report.withdrawn_count, report.updated_count, report.days) == (1, 0, (("cs.LG", FRIDAY),))
        assert (paper(session).withdrawn_at, paper(session).abstract_text) == (later, raw().abstract)
        assert paper(session, 2).withdrawn_at is None
        assert counts(session) == {("cs.LG", "diffusion-model", FRIDAY, 1, 1)}
        assert listed(session) == {("cs.LG", FRIDAY, 2)}
        again = take(session, notice, now=later + timedelta(days=1))
        assert (again.withdrawn_count, paper(session).withdrawn_at) == (0, later)


def test_a_record_that_only_deletes_marks_the_paper_it_names(engine: Engine) -> None:
    gone = raw(abstract="", title="", authors=(), categories=(), section=Section.REPLACED, is_withdrawn=True)
    with write_session(engine) as session:
        begin(session)
        take(session, raw())
        report = take(session, gone)
        assert (report.refusals, report.withdrawn_count, counts(session)) == ((), 1, set())
        stored = paper(session)
        assert (stored.title_text, stored.categories) == ("Kettles", ["cs.LG"])


def test_a_withdrawn_paper_still_counts_once_in_its_settlement(engine: Engine) -> None:
    friday_before = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)
    settled_at = datetime(2026, 5, 25, 12, 0, tzinfo=UTC)
    with write_session(engine) as session:
        board = begin(session)
        trader = add_trader(session)
        take(session, raw(9, day=date(2026, 5, 7)), now=friday_before)
        buy = OrderRequest("cs.LG", "diffusion-model", "2026-W20", Side.LONG, Action.BUY, 1, None, None)
        assert trader.id is not None
        place_order(session, trader.id, buy, "key-of-ada", friday_before)
        take(session, raw(1), raw(2))
        take(session, raw(1, section=Section.REPLACED, is_withdrawn=True))
        close_day(session, board, FRIDAY, settled_at)
        outcomes = settle_due(session, settled_at)
        assert [outcome.counted for outcome in outcomes] == [2]
        # Nor does what comes later change it, though the activity follows.
        take(session, raw(2, day=date(2026, 5, 7)), raw(3))
        statement = session.exec(select(SettlementStatement)).one()
        assert statement.papers == [raw(1).identifier, raw(2).identifier]
        assert ("cs.LG", "diffusion-model", date(2026, 5, 7), 2, 2) in counts(session)


def test_the_same_text_under_two_identifiers_is_counted_as_such_and_both_stay(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        first = take(session, raw(1, "R\\'enyi." + LONG), raw(2, "Another." + LONG), raw(3), raw(4))
        assert first.duplicate_count == 0
        report = take(session, raw(5, "Rényi." + LONG, title="Lids"), raw(1, "R\\'enyi." + LONG))
        assert (report.new_count, report.duplicate_count) == (1, 1)
        assert paper(session, 5).content_hash == paper(session, 1).content_hash
        assert paper(session, 2).content_hash != paper(session, 1).content_hash
        assert len(places(session)) == 5
        # One that was only replaced is nobody's, until it is announced.
        replaced = raw(6, "Another." + LONG, section=Section.REPLACED)
        assert take(session, replaced).duplicate_count == 0
        assert take(session, replaced, raw(2, "Another." + LONG)).duplicate_count == 0
        assert take(session, replace(replaced, section=Section.NEW)).duplicate_count == 1


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"day": None}, "the day it was announced on is not known; give it with --day"),
        ({"categories": ("math.ST",)}, "none of its categories is a board here: math.ST; "),
        ({"categories": ("math.ST",), "section": Section.REPLACED}, "none of its categories is a board here"),
        ({"abstract": ""}, "no abstract"),
        ({"identifier": "local:" + "x" * 195}, "its identifier is longer than 200 characters"),
        ({"url": "https://example.org/" + "x" * 481}, "its address is longer than 500 characters"),
        ({"version": 0}, "its version is 0"),
        ({"version": 2**31}, "its version is 2147483648"),
    ],
)
def test_what_cannot_be_taken_is_refused_whether_it_is_known_or_not(
    engine: Engine, values: dict[str, Any], reason: str
) -> None:
    with write_session(engine) as session:
        begin(session)
        for known in ([], [raw()]):
            take(session, *known)
            (refusal,) = take(session, raw(**values)).refusals
            assert refusal.reason.startswith(reason)
            assert refusal.line == 1
