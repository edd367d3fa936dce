"""A reader says of a stretch of an abstract "not a term", or "should be a term"; operators decide about it.

What was said is kept as events (`JudgementEvent`), taking back among them; `Judgement` is what stands. The
same word twice is one. Nothing on the pages changes by it: a term is listed or delisted by `listing` alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.errors import MarketError
from market.inserts import insert_one
from market.naming import term_at
from market.reads.highlights import shown_mentions
from market.remarks import Remark
from market.tables import Board, BoardPaper, Judgement, JudgementDecision, JudgementEvent
from nlp.annotations import Quote, Verdict, find_quote
from nlp.normalize import term_key
from nlp.records import FORMULA, Mention
from nlp.tables import Paper, Term

LONGEST_QUOTE = 120  # characters of a stretch that should be a term
MOST_STANDING = 30  # judgements of one reader about one paper


class JudgementRefused(MarketError):
    """Something that cannot be said of this text; the message says why."""


class UnknownJudgement(MarketError):
    """No such judgement is there to be taken back or decided about."""


@dataclass(frozen=True, slots=True)
class Said:
    """What became of a reader's word: the stretch that it is about, and whether it is new."""

    verdict: Verdict
    quote: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    key: str
    term_id: int | None = None


def not_a_term(
    session: Session, trader_id: int, board: Board, identifier: str, slug: str, now: datetime,
    quote: Quote | None = None,
) -> Said:  # fmt: skip
    """Say that the term is none in this paper: at its first mention, or at the one that ``quote`` stands in;
    with ``slug`` "" the quote says which term.

    Raises `JudgementRefused` where the term is not highlighted.
    """
    paper = _paper(session, board, identifier)
    found = list(_mentions(session, board, paper))
    if quote is not None:
        start = find_quote(paper.abstract_text, quote)
        end = start + len(quote.exact) if isinstance(start, int) else 0
        found = [each for each in found if isinstance(start, int) and each.start < end and start < each.end]
    term = term_at(session, slug) if slug else _term_of(session, found if quote else ())
    found = [mention for mention in found if term is not None and mention.term == term.key]
    if term is None or not found:
        raise JudgementRefused("This term is not highlighted there; the page may have changed.")
    place = _Place(found[0].start, found[0].end, term.key, term.id)
    return _say(session, trader_id, board, paper, Verdict.NOT_A_TERM, place, now)


def should_be_a_term(
    session: Session, trader_id: int, board: Board, identifier: str, quote: Quote, now: datetime
) -> Said:
    """Say that a stretch of this paper's abstract should be a term: the one with these surroundings, without
    them the first that reads so.

    Raises `JudgementRefused` for what does not stand there, is highlighted already, or can be no term.
    """
    paper = _paper(session, board, identifier)
    start, end = _stretch(paper.abstract_text, quote)
    words = paper.abstract_text[start:end]
    key = term_key(words)
    if not key or len(key) > LONGEST_QUOTE or FORMULA in words or "\n" in words:
        raise JudgementRefused(f"{words!r} can be no term: it needs a letter or digit, and no formula in it.")
    if any((each.start, each.end) == (start, end) for each in _mentions(session, board, paper)):
        raise JudgementRefused(f"{words!r} is highlighted there already.")
    return _say(session, trader_id, board, paper, Verdict.TERM, _Place(start, end, key), now)


def take_back(session: Session, trader_id: int, event_id: int, now: datetime) -> str:
    """Take back what the trader said; returns the quote. Raises `UnknownJudgement`, also the second time."""
    ended = sa.delete(Judgement).where(
        col(Judgement.event_id) == event_id, col(Judgement.trader_id) == trader_id
    )
    if session.execute(ended.returning(col(Judgement.event_id))).first() is None:
        raise UnknownJudgement("There is nothing of yours to take back there; it may be taken back already.")
    said = session.get_one(JudgementEvent, event_id)
    same: dict[str, Any] = said.model_dump(exclude={"id", "is_on", "recorded_at"})
    session.add(JudgementEvent(**same, is_on=False, recorded_at=now))
    session.flush()
    return said.quote


def decide(
    session: Session, event_id: int, is_accepted: bool, remark: Remark, now: datetime
) -> JudgementDecision:
    """Agree, or not, with the judgement and all that wait and say the same of the same key on its board.

    What is said afterwards waits anew. Raises `UnknownJudgement` when it does not wait.
    """
    asked = session.get(JudgementEvent, event_id)
    group: list[Judgement] = []
    if asked is not None:
        group = list(
            session.exec(
                select(Judgement)
                .join(JudgementEvent, col(JudgementEvent.id) == Judgement.event_id)
                .where(
                    Judgement.board_id == asked.board_id, Judgement.verdict == asked.verdict,
                    JudgementEvent.key == asked.key, col(Judgement.decision_id).is_(None),
                )
                .order_by(col(Judgement.event_id))
                .with_for_update(of=Judgement)
            )
        )  # fmt: skip
    if asked is None or not group:
        raise UnknownJudgement(f"No judgement {event_id} waits for a decision.")
    decision = JudgementDecision(
        board_id=asked.board_id, verdict=asked.verdict, key=asked.key, is_accepted=is_accepted,
        event_ids=[each.event_id for each in group], reason=remark.reason, operator=remark.operator,
        recorded_at=now,
    )  # fmt: skip
    session.add(decision)
    session.flush()
    for each in group:
        each.decision_id = decision.id
    session.flush()
    return decision


def next_command(verdict: str, board: str, slug: str, label: str) -> str:
    """The command that makes an accepted judgement true for the board's pages."""
    if verdict == Verdict.NOT_A_TERM:
        return f'peer-revenue terms delist {slug} --board {board} --reason "..."'
    quoted = label.replace('"', "")
    return f'peer-revenue terms list-term "{quoted}" --new --board {board} --reason "..."'


def _paper(session: Session, board: Board, identifier: str) -> Paper:
    found = None
    if "\0" not in identifier:  # which PostgreSQL cannot even look for
        found = session.exec(
            select(Paper)
            .join(BoardPaper, col(BoardPaper.paper_id) == Paper.id)
            .where(Paper.identifier == identifier, BoardPaper.board_id == board.id)
        ).first()
    if found is None:
        raise UnknownJudgement(f"There is no paper {identifier!r} on {board.code}.")
    return found


def _term_of(session: Session, mentions: Sequence[Mention]) -> Term | None:
    return session.exec(select(Term).where(Term.key == mentions[0].term)).first() if mentions else None


def _mentions(session: Session, board: Board, paper: Paper) -> tuple[Mention, ...]:
    assert board.id is not None
    assert paper.id is not None
    return shown_mentions(session, board.id, [paper.id]).get(paper.id, ())


def _stretch(text: str, quote: Quote) -> tuple[int, int]:
    exact = quote.exact.strip()
    if not exact or len(exact) > LONGEST_QUOTE:
        raise JudgementRefused(f"Give 1 to {LONGEST_QUOTE} characters that stand in the abstract.")
    start = find_quote(text, Quote(exact, quote.prefix, quote.suffix))
    if isinstance(start, int):
        return start, start + len(exact)
    # Typed by hand: the first place that reads so, whatever its blanks and capitals.
    words = r"\s+".join(map(re.escape, exact.split()))
    left, right = r"(?<!\w)" if exact[0].isalnum() else "", r"(?!\w)" if exact[-1].isalnum() else ""
    found = re.search(f"{left}{words}{right}", text, re.IGNORECASE)
    if found is None:
        raise JudgementRefused(f"{exact!r} does not stand in this abstract; copy it from there.")
    return found.start(), found.end()


def _say(
    session: Session, trader_id: int, board: Board, paper: Paper, verdict: Verdict, place: _Place,
    now: datetime,
) -> Said:  # fmt: skip
    quote = paper.abstract_text[place.start : place.end]
    same = select(Judgement.event_id).where(
        Judgement.trader_id == trader_id, Judgement.paper_id == paper.id, Judgement.board_id == board.id
    )
    stretch = same.where(
        Judgement.verdict == verdict, Judgement.text_hash == paper.text_hash,
        Judgement.start_offset == place.start, Judgement.end_offset == place.end,
    )  # fmt: skip
    if session.exec(stretch).first() is not None:
        return Said(verdict, quote, is_new=False)
    if len(session.exec(same).all()) >= MOST_STANDING:
        raise JudgementRefused(f"You have said {MOST_STANDING} things of this paper; take one back first.")
    where: dict[str, Any] = {
        "trader_id": trader_id, "board_id": board.id, "paper_id": paper.id, "verdict": verdict.value,
        "text_hash": paper.text_hash, "start_offset": place.start, "end_offset": place.end,
    }  # fmt: skip
    nested = session.begin_nested()
    event = JudgementEvent(
        **where, key=place.key, term_id=place.term_id, quote=quote, is_on=True, recorded_at=now
    )
    session.add(event)
    session.flush()
    is_new = insert_one(session, Judgement, {**where, "event_id": event.id})
    nested.commit() if is_new else nested.rollback()  # two browsers at once: one event
    return Said(verdict, quote, is_new)


def rebuild(session: Session) -> None:
    """Make the projection `Judgement` anew from both records; doing it twice gives the same rows."""
    decided: dict[int, int | None] = {}
    for decision in session.exec(select(JudgementDecision).order_by(col(JudgementDecision.id))):
        decided.update(dict.fromkeys(decision.event_ids, decision.id))
    standing: dict[tuple[object, ...], JudgementEvent] = {}
    fields = ("trader_id", "board_id", "paper_id", "verdict", "text_hash", "start_offset", "end_offset")
    for event in session.exec(select(JudgementEvent).order_by(col(JudgementEvent.id))):
        place = tuple(getattr(event, name) for name in fields)
        if event.is_on:
            standing[place] = event
        else:
            standing.pop(place, None)
    session.execute(sa.delete(Judgement))
    for place, event in standing.items():
        assert event.id is not None
        row: dict[str, Any] = dict(zip(fields, place, strict=True))
        session.add(Judgement(**row, event_id=event.id, decision_id=decided.get(event.id)))
    session.flush()
