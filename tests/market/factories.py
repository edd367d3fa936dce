"""Small builders for the rows that market tests stand on: boards, terms, papers, traders.

Each flushes and returns the row; the caller's session commits. Only what a test cares about is passed in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlmodel import Session, col, select

from market.contracts import open_contract
from market.lexicon import state_of
from market.limits import LimitRequest, Stands
from market.listing import list_term
from market.maker import Side
from market.orders import Action, OrderRequest
from market.periods import parse_period
from market.tables import Board, BoardDay, BoardPaper, Trader
from market.term_events import FROM_LEXICON, Decided, Event, Kind, record
from market.traders import open_trader
from nlp.tables import Paper, StoredMention, Term, TermVersion

NOW = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)  # the Sunday of 2026-W20
DAY = date(2026, 5, 17)
PERIOD = "2026-W21"  # 18 to 24 May: the first open period at NOW


def add_board(session: Session, code: str = "cs.LG", **values: object) -> Board:
    """A weekly board in UTC with three grace days, unless ``values`` say otherwise."""
    board = Board(
        **{
            "code": code, "name": f"Papers of {code}", "field": "Computer Science", "period": "week",
            "day_rule": "announced", "time_zone": "UTC", "grace_days": 3, "position": 1, **values,
        }
    )  # fmt: skip
    session.add(board)
    session.flush()
    return board


def add_term(session: Session, label: str = "diffusion model", *boards: Board) -> Term:
    """A term with its first version, listed on each of ``boards``, as a lexicon and an operator bring it."""
    slug = label.lower().replace(" ", "-")
    term = Term(key=label, slug=slug, label=label, current_version=1)
    session.add(term)
    session.flush()
    session.add(
        TermVersion(term_id=term.id, version=1, forms=[label], highlighter_version=1, created_at=NOW)
    )
    session.flush()
    installed = Event(Kind.INSTALLED, label, label, term.id, states=(state_of(term, [label]),))
    record(session, installed, Decided(FROM_LEXICON, "a test", NOW))
    for board in boards:
        list_term(session, board, term, Decided("Ana Kettle", "a test", NOW))
    return term


def add_paper(
    session: Session, board: Board, day: date, terms: Iterable[Term] = (), identifier: str = ""
) -> Paper:
    """A paper that the board lists on ``day`` and whose abstract carries each of ``terms`` once."""
    number = session.scalar(sa.select(sa.func.count()).select_from(Paper)) or 0
    paper = _paper(identifier or f"arxiv:2605.{number:05d}", [term.label for term in terms], day)
    session.add(paper)
    session.flush()
    session.add(BoardPaper(board_id=board.id, paper_id=paper.id, day=day, section="new", position=number))
    start = 0
    for term in terms:
        version = session.exec(select(TermVersion.id).where(TermVersion.term_id == term.id)).first()
        session.add(
            StoredMention(
                paper_id=paper.id, term_version_id=version, start_offset=start,
                end_offset=start + len(term.label), quote=term.label,
            )
        )  # fmt: skip
        start += len(term.label) + 2
    _count_on_day(session, board, day)
    session.flush()
    return paper


def close_board_day(session: Session, board: Board, day: date, now: datetime = NOW) -> None:
    """The board's day with its counts declared complete, whether or not it lists papers."""
    row = session.get(BoardDay, (board.id, day)) or BoardDay(board_id=board.id, day=day, paper_count=0)
    row.closed_at = now
    session.add(row)
    session.flush()


def add_trader(session: Session, name: str = "Ada") -> Trader:
    """A trader who signed up at NOW, with the grant."""
    return open_trader(session, name, "not a hash", NOW)


def add_market(session: Session, *names: str, period: str = PERIOD, f0: str = "2") -> tuple[int, list[int]]:
    """A board "cs.LG" that lists "diffusion model", its opened contract, and traders; their ids."""
    board = add_board(session)
    term = add_term(session, "diffusion model", board)
    assert board.id is not None
    assert term.id is not None
    contract = open_contract(session, board.id, term.id, parse_period(period), Decimal(f0), NOW)
    traders = [add_trader(session, name) for name in names]
    assert contract.id is not None
    return contract.id, [trader.id for trader in traders if trader.id is not None]


def order(
    side: Side = Side.LONG,
    action: Action = Action.BUY,
    shares: int | None = 1,
    *,
    spend: int | None = None,
    limit: int | None = None,
    period: str = PERIOD,
    term: str = "diffusion-model",
) -> OrderRequest:
    """An order on board "cs.LG"; with ``spend`` it is by credits."""
    return OrderRequest("cs.LG", term, period, side, action, None if spend else shares, spend, limit)


def limit_order(
    side: Side = Side.LONG,
    action: Action = Action.BUY,
    shares: int = 1,
    milli: int = 2500,
    *,
    stands: Stands = Stands.UNTIL_CANCELLED,
    until: date | None = None,
    period: str = PERIOD,
    term: str = "diffusion-model",
) -> LimitRequest:
    """A limit order on board "cs.LG"; ``milli`` is the limit in thousandths of a paper."""
    return LimitRequest("cs.LG", term, period, side, action, shares, milli, stands, until)


def _paper(identifier: str, labels: list[str], day: date) -> Paper:
    text = ", ".join(labels)
    return Paper(
        identifier=identifier, source="arxiv", url=None, title_source="A title", title_runs=[["t", 7, 0]],
        title_text="A title",
        abstract_source=text, abstract_runs=[["t", len(text), 0]] if text else [], abstract_text=text,
        text_hash=hashlib.sha256(text.encode()).hexdigest(), typesetter_version=1, authors=["A. Author"],
        categories=["cs.LG"], announced_on=day, announced_as="new", taken_in_at=NOW,
    )  # fmt: skip


def _count_on_day(session: Session, board: Board, day: date) -> None:
    row = session.get(BoardDay, (board.id, day)) or BoardDay(board_id=board.id, day=day, paper_count=0)
    row.paper_count = session.exec(
        select(sa.func.count()).where(col(BoardPaper.board_id) == board.id, col(BoardPaper.day) == day)
    ).one()
    session.add(row)
