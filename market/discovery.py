"""Terms that were not known before: found in the day's papers, counted, and put before the committee.

With nothing that extracts them, none of this happens: the terms of the lexicon are listed when a paper of the
board first carries them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime

from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.adding import make_term
from market.boards import board_by_code
from market.candidates import (
    Extract,
    candidates_of,
    candidates_on,
    drop_candidates,
    forget_candidates,
    keep_candidates,
)
from market.committee import THRESHOLDS, Candidate, Decision, Thresholds, Verdict, judge
from market.db import read_session, transact
from market.listing import TermChangeRefused, list_term
from market.naming import Names, stored_names
from market.rehighlight import FormsChanged, rehighlight
from market.remarks import LONGEST_REASON
from market.tables import Board, Listing, TermEvent
from market.term_events import COMMITTEE, Decided, Event, Kind, record, record_all
from market.term_moves import begin_change, check_unclaimed, id_of
from market.word_search import papers_with_words, texts_of
from nlp.highlight import find_mentions
from nlp.lexicon import Lexicon, LexiconTerm, compile_matcher
from nlp.normalize import slug
from nlp.records import ReadingText
from nlp.tables import Term

LOOKED_AT = 40  # of the newest papers with a candidate's words, before it is listed
NO_TITLE = ReadingText("", ())


@dataclass(frozen=True, slots=True)
class Considered:
    """What the committee decided about a candidate."""

    key: str
    label: str
    decision: Decision


def discover(
    engine: Engine, code: str, day: date, extract: Extract, now: datetime, thresholds: Thresholds = THRESHOLDS
) -> tuple[Considered, ...]:
    """Find, count and consider the candidates of a board's day; what was decided anew.

    Papers are read without a lock, before each of two transactions: one that counts, one that decides. A day
    that is done twice is counted once.
    """
    with read_session(engine) as session:
        found = candidates_on(session, board_by_code(session, code), day, extract)

    def count(session: Session) -> tuple[Candidate, ...]:
        begin_change(session)
        board = board_by_code(session, code)
        keep_candidates(session, board, day, found)
        forget_candidates(session, board, day, thresholds)
        return candidates_of(session, board, day)

    counted = transact(engine, count)
    with read_session(engine) as session:
        looked_at = [
            with_marked_share(session, each, extract)
            if judge(each, thresholds).verdict is Verdict.LIST
            else each
            for each in counted
        ]
    return transact(
        engine, lambda session: consider(session, board_by_code(session, code), looked_at, now, thresholds)
    )


def with_marked_share(session: Session, candidate: Candidate, extract: Extract) -> Candidate:
    """The candidate with the share of the newest papers that have its words in which it is found as a term.

    A word that is mostly part of longer terms, or no term at all, would be highlighted where nobody means it.
    """
    term = LexiconTerm(candidate.key, slug(candidate.key), candidate.label, candidate.forms)
    matcher = compile_matcher(Lexicon((term,), ""))
    texts = texts_of(session, papers_with_words(session, term.surfaces)[-LOOKED_AT:])
    carrying = [reading for reading in texts.values() if find_mentions(reading, matcher)]
    found = sum(
        any(key == candidate.key for key, *_ in extract(NO_TITLE, reading)) for reading in carrying
    )
    return replace(candidate, marked_share=found / len(carrying) if carrying else None)


def consider(
    session: Session,
    board: Board,
    candidates: Iterable[Candidate],
    now: datetime,
    thresholds: Thresholds = THRESHOLDS,
) -> tuple[Considered, ...]:
    """Decide about each candidate, list those that are in and record why; what was decided anew.

    Nothing is decided about a term that the board lists or has listed, and a refusal by the same rule is not
    repeated. New terms are counted in the stored papers. The caller commits.
    """
    begin_change(session)
    names, refused = stored_names(session), _refused(session, board)
    done: list[Considered] = []
    new: dict[int, tuple[str, ...]] = {}
    for candidate in candidates:
        known = names.ids.get(candidate.key)
        if known is not None and session.get(Listing, (board.id, known)) is not None:
            continue
        decision = judge(candidate, thresholds)
        if decision.verdict is Verdict.LIST:
            decision, term = _list(session, board, candidate, decision, names, now)
            if term is not None and known is None:
                new[id_of(term)] = (term.label, *candidate.forms)
        if decision.verdict is Verdict.REFUSE:
            if refused.get(candidate.key) == decision.rule:
                continue
            _refuse(session, board, candidate, decision, now)
        if decision.verdict is not Verdict.WAIT:
            done.append(Considered(candidate.key, candidate.label, decision))
    if new:
        rehighlight(session, [FormsChanged(term_id, (), forms) for term_id, forms in new.items()], now)
    listed = [each.key for each in done if each.decision.verdict is Verdict.LIST]
    drop_candidates(session, board, listed)
    return tuple(done)


def _list(
    session: Session, board: Board, candidate: Candidate, decision: Decision, names: Names, now: datetime
) -> tuple[Decision, Term | None]:
    """List the candidate; a refusal instead where its words belong to another term."""
    decided = Decided(COMMITTEE, decision.reason, now)
    known = names.ids.get(candidate.key)
    try:
        if known is not None:
            term = session.get_one(Term, known)
        else:
            check_unclaimed(session, [candidate.label, *candidate.forms], (), candidate.label)
            term, state = make_term(session, candidate.label, candidate.forms, decided)
            installed = Event(Kind.INSTALLED, term.key, term.label, term.id, states=(state,))
            record(session, installed, decided)
    except TermChangeRefused as refusal:
        return Decision(Verdict.REFUSE, "taken", str(refusal)[:LONGEST_REASON]), None
    list_term(session, board, term, decided, details=_details(candidate, decision))
    return decision, term


def _refuse(
    session: Session, board: Board, candidate: Candidate, decision: Decision, now: datetime
) -> None:
    details = _details(candidate, decision)
    event = Event(Kind.REFUSED, candidate.key, candidate.label, None, board.id, details=details)
    record_all(session, [event], Decided(COMMITTEE, decision.reason, now))


def _details(candidate: Candidate, decision: Decision) -> Mapping[str, object]:
    return {"rule": decision.rule, "figures": asdict(candidate)}


def _refused(session: Session, board: Board) -> dict[str, str]:
    """The rule by which each candidate was refused last."""
    events = select(TermEvent.key, TermEvent.details).where(
        TermEvent.board_id == board.id, TermEvent.kind == Kind.REFUSED
    )
    rows = session.exec(events.order_by(col(TermEvent.id))).all()
    return {key: details["rule"] for key, details in rows}
