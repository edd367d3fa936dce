"""New terms: extracted, counted by day, considered, listed or refused, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.candidates import DAYS_KEPT, candidates_of, forget_candidates
from market.committee import Candidate
from market.db import read_session, transact, write_session
from market.discovery import consider, discover
from market.listing import TermChangeRefused, delist_term
from market.proposals import open_proposals, propose_term
from market.tables import Board, CandidateCount, TermEvent
from nlp.normalize import term_key
from nlp.records import ReadingText
from tests.market.factories import DAY, NOW, add_board, add_trader
from tests.market.terms import begin, by, check, counts, read_in, statuses, term

WORDS = ("flow map", "StarMoE", "method", "rare thing", "score models")


def extract(_title: ReadingText, abstract: ReadingText) -> Iterable[tuple[str, str, float, bool]]:
    """Each of the words that the abstract has; who writes "Our" coins names."""
    for word in WORDS:
        if word in abstract.text:
            yield term_key(word), word, 0.1 if word == "method" else 0.9, "Our" in abstract.text


@pytest.fixture
def board(engine: Engine) -> Engine:
    transact(engine, begin)
    return engine


def days_of_papers(engine: Engine, texts: list[str], days: int = 3) -> None:
    """The texts among ten papers a day, on the days before the first."""

    def work(session: Session) -> None:
        for number in range(days):
            read_in(session, [*texts, *["Nothing."] * (10 - len(texts))], DAY - timedelta(days=number + 1))

    transact(engine, work)


def decided(engine: Engine, days: int = 3) -> dict[str, tuple[str, str]]:
    """What is decided as the days go by."""
    found = {}
    for number in reversed(range(days)):
        for each in discover(engine, "cs.LG", DAY - timedelta(days=number + 1), extract, NOW):
            found[each.label] = (each.decision.verdict.value, each.decision.reason)
    return found


def the_board(session: Session) -> Board:
    return session.exec(select(Board)).one()


def test_new_terms_are_counted_and_considered(board: Engine) -> None:
    days_of_papers(board, ["A flow map.", "Flow maps: a flow map of a method.", "A method."])
    assert decided(board) == {
        "flow map": ("list", "4 papers on 2 days; asked for 3 on 2"),
        "method": ("refuse", "a word that every field uses names nothing to follow"),
    }
    assert decided(board) == {}  # the days again: nothing is counted or decided twice
    with read_session(board) as session:
        assert statuses(session)["flow-map"] == ("listed", "4 papers on 2 days; asked for 3 on 2")
        assert counts(session)["flow-map"] == 6  # in the papers of the days before too
        events = session.exec(select(TermEvent).where(TermEvent.decided_by == "committee")).all()
        assert [event.kind for event in events] == ["refused", "installed", "listed"]
        refused = events[0]
        assert (refused.label, refused.term_id, refused.details["rule"]) == ("method", None, "generic")
        assert refused.details["figures"]["paper_count"] == 2
        kept = session.exec(select(CandidateCount.key, sa.func.sum(CandidateCount.paper_count)).group_by(
            col(CandidateCount.key))).all()
        assert kept == [("method", 6)]
    transact(board, lambda session: read_in(session, ["A flow map."], DAY))
    with read_session(board) as session:
        assert counts(session)["flow-map"] == 7
    check(board)


def test_a_word_that_is_seldom_meant_as_a_term_is_refused(board: Engine) -> None:
    days_of_papers(board, ["A flow map.", "That flow map there.", "Those flow map words.", "flow map pieces"])

    def rarely(title: ReadingText, abstract: ReadingText) -> Iterator[tuple[str, str, float, bool]]:
        if abstract.text.startswith("A "):
            yield from extract(title, abstract)

    found = [
        each
        for number in (3, 2, 1)
        for each in discover(board, "cs.LG", DAY - timedelta(days=number), rarely, NOW)
    ]
    assert [(each.label, each.decision.rule, each.decision.reason) for each in found] == [
        ("flow map", "share of mentions found", "share of mentions found 0.25; asked for 0.35")
    ]
    check(board)


def test_a_coined_name_is_let_in_once_others_carry_it(board: Engine) -> None:
    days_of_papers(board, ["Our StarMoE.", "Our StarMoE again."])
    assert decided(board) == {}
    with read_session(board) as session:
        (candidate,) = candidates_of(session, the_board(session), DAY - timedelta(days=1))
    assert (candidate.paper_count, candidate.coined_count, candidate.day_count) == (6, 6, 3)
    assert (candidate.listed_count, candidate.days_looked) == (30, 3)
    transact(board, lambda session: read_in(session, ["StarMoE."] * 3 + ["Nothing."] * 20, DAY))
    (listed,) = discover(board, "cs.LG", DAY, extract, NOW)
    assert (listed.label, listed.decision.reason) == ("StarMoE", "9 papers on 4 days; asked for 3 on 2")
    check(board)


def test_what_belongs_to_another_term_is_refused_with_its_name(board: Engine) -> None:
    with write_session(board) as session:
        candidate = Candidate("a new key", "score model", 9, 9, 100, 9, score=1.0)
        (refused,) = consider(session, the_board(session), [candidate], NOW)
        assert refused.decision.rule == "taken"
        assert "'score model' is a form of 'diffusion model' already" in refused.decision.reason
        assert consider(session, the_board(session), [candidate], NOW) == ()


def test_what_an_operator_delisted_is_not_listed_by_the_committee(board: Engine) -> None:
    with write_session(board) as session:
        delist_term(session, the_board(session), term(session, "ddpm"), by())
        candidate = Candidate("ddpm", "DDPM", 90, 9, 1000, 9, score=1.0)
        assert consider(session, the_board(session), [candidate], NOW) == ()
        assert statuses(session)["ddpm"][0] == "delisted"


def test_a_board_lists_by_its_own_papers(board: Engine) -> None:
    """A term that the committee listed on one board is not listed on another because a paper carries it."""
    days_of_papers(board, ["A flow map.", "A flow map of maps."])
    transact(board, lambda session: add_board(session, "stat.ML", position=2))
    decided(board)
    with write_session(board) as session:
        read_in(session, ["A flow map, and DDPM."], DAY, categories=("stat.ML",))
        other = session.exec(select(Board).where(Board.code == "stat.ML")).one()
        listed = session.execute(
            sa.text("SELECT slug FROM listing JOIN term ON id = term_id WHERE board_id = :board"),
            {"board": other.id},
        ).scalars().all()  # fmt: skip
        assert listed == ["ddpm"]
        (again,) = consider(session, other, [Candidate("flow map", "flow map", 9, 9, 99, 9, score=1.0)], NOW)
        assert again.decision.verdict == "list"
        session.commit()
    check(board)


def test_what_stays_rare_is_forgotten(board: Engine) -> None:
    days_of_papers(board, ["A rare thing."], days=2)
    assert decided(board, days=2) == {}
    with write_session(board) as session:
        for days, left in ((DAYS_KEPT, 2), (DAYS_KEPT + 1, 0)):
            forget_candidates(session, the_board(session), DAY + timedelta(days=days - 1))
            assert session.exec(select(sa.func.count()).select_from(CandidateCount)).one() == left


def test_a_proposal_waits_until_somebody_decides(board: Engine) -> None:
    with write_session(board) as session:
        traders = [add_trader(session, name).id for name in ("Ana Kettle", "Bob Lid")]
        lg = the_board(session)
        for trader, note in zip(traders, ("It is everywhere.", ""), strict=True):
            assert trader is not None
            assert propose_term(session, trader, lg, "  flow   maps ", note, NOW)
            assert not propose_term(session, trader, lg, "flow map", note, NOW)
        (waiting,) = open_proposals(session, [lg])
        assert (waiting.label, waiting.key, waiting.proposed_count) == ("flow maps", "flow map", 2)
        assert waiting.note == "It is everywhere."
        for label, words in (("DDPM", "listed on"), ("...", "needs letters"), ("x" * 201, "at most")):
            with pytest.raises(TermChangeRefused, match=words):
                propose_term(session, traders[0] or 0, lg, label, "", NOW)
        consider(session, lg, [Candidate("flow map", "flow map", 9, 9, 99, 9, score=1.0)], NOW)
        assert open_proposals(session, [lg]) == ()
