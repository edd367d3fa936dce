"""Opening a contract: once, funded, with its term version frozen."""

from __future__ import annotations

from decimal import Decimal

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.audit import verify
from market.contracts import advance, find_contract, open_contract, unopened
from market.db import read_session, transact, write_session
from market.entries import FEES, HOUSE_MINT, HOUSE_SUBSIDY, Kind, Line, pool_cash
from market.ledger import balances, post
from market.maker import Maker
from market.periods import parse_period
from market.tables import Contract, Entry
from nlp.tables import Term, TermVersion
from tests.market.factories import NOW, PERIOD, add_board, add_market, add_term

W21 = parse_period(PERIOD)


def open_one(session: Session, board_id: int, term_id: int, f0: str = "2") -> int:
    contract = open_contract(session, board_id, term_id, W21, Decimal(f0), NOW)
    assert contract.id is not None
    return contract.id


def test_a_contract_opens_with_its_maker_and_its_period(engine: Engine) -> None:
    number, _ = transact(engine, add_market)
    with read_session(engine) as session:
        row = session.get_one(Contract, number)
        found = find_contract(session, row.board_id, row.term_id, PERIOD)
        assert find_contract(session, row.board_id, row.term_id, "2026-W22") is None
    assert (row.first_day, row.last_day) == (W21.first_day, W21.last_day)
    assert (row.cap, row.prior_1024, row.depth_shares, row.forecast_milli) == (16, 128, 875, 2000)
    assert found is not None
    assert found.maker == Maker(16, 128, 875)
    assert (found.long, found.short, found.version, found.is_settled) == (0, 0, 0, False)


def test_the_subsidy_moves_from_the_house_and_only_the_shortfall_is_minted(engine: Engine) -> None:
    number, _ = transact(engine, add_market)
    subsidy = Maker(16, 128, 875).subsidy_units()
    with read_session(engine) as session:
        assert balances(session, [HOUSE_MINT, HOUSE_SUBSIDY, pool_cash(number)]) == {
            HOUSE_MINT: -subsidy,
            HOUSE_SUBSIDY: 0,
            pool_cash(number): subsidy,
        }
        kinds = session.exec(select(Entry.kind).order_by(col(Entry.id))).all()
        assert kinds == ["subsidy", "open"]
        assert verify(session).findings == ()


def test_what_the_house_holds_pays_first(engine: Engine) -> None:
    def work(session: Session) -> int:
        post(session, Kind.SUBSIDY, [Line(HOUSE_MINT, -1_000_000), Line(HOUSE_SUBSIDY, 1_000_000)], NOW)
        return add_market(session)[0]

    number = transact(engine, work)
    subsidy = Maker(16, 128, 875).subsidy_units()
    with read_session(engine) as session:
        found = balances(session, [HOUSE_MINT, HOUSE_SUBSIDY, pool_cash(number), FEES])
    assert list(found.values()) == [-subsidy, 0, subsidy, 0]


def test_opening_again_gives_the_same_contract(engine: Engine) -> None:
    def twice(session: Session) -> tuple[int, int]:
        board = add_board(session)
        term = add_term(session, "dropout", board)
        assert board.id is not None
        assert term.id is not None
        return open_one(session, board.id, term.id), open_one(session, board.id, term.id, "50")

    first, second = transact(engine, twice)
    assert first == second
    with read_session(engine) as session:
        assert len(session.exec(select(Contract)).all()) == 1
        assert verify(session).findings == ()


def test_the_term_version_of_the_opening_is_frozen(engine: Engine) -> None:
    def work(session: Session) -> int:
        board = add_board(session)
        term = add_term(session, "dropout", board)
        assert board.id is not None
        assert term.id is not None
        add_term(session, "noise", board)
        newer = TermVersion(
            term_id=term.id, version=2, forms=["dropout", "drop-out"], highlighter_version=1, created_at=NOW
        )
        session.add(newer)
        number = open_one(session, board.id, term.id)
        session.get_one(Term, term.id).current_version = 2
        session.flush()
        return number

    number = transact(engine, work)
    with read_session(engine) as session:
        version = session.get_one(TermVersion, session.get_one(Contract, number).term_version_id)
        assert version.version == 1
        assert version.forms == ["dropout"]


def test_an_unopened_contract_is_priced_as_it_would_open() -> None:
    state = unopened(Decimal(2))
    assert (state.id, state.maker, state.long, state.short) == (None, Maker(16, 128, 875), 0, 0)


def test_a_state_is_written_only_over_the_one_it_follows(engine: Engine) -> None:
    number, _ = transact(engine, add_market)
    with write_session(engine) as session:
        row = session.get_one(Contract, number)
        state = find_contract(session, row.board_id, row.term_id, PERIOD, lock=True)
        assert state is not None
        advance(session, state, state)
        session.execute(Contract.__table__.update().values(state_version=5))  # type: ignore[attr-defined]
        with pytest.raises(AssertionError, match="changed under its lock"):
            advance(session, state, state)
