"""Terms merged, split, renamed, delisted with open contracts: nothing converts, everything runs out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.activity import rebuild as rebuild_activity
from market.adding import add_term
from market.db import read_session, transact, write_session
from market.errors import UnknownTerm
from market.known import activity_known
from market.lexicon import install_lexicon
from market.listing import TermChangeRefused, delist_term, list_term, listed_term
from market.merging import merge_terms
from market.naming import NoSuchTerm, term_named
from market.orders import Action
from market.reads.portfolio import portfolio
from market.remarks import InvalidRemark
from market.renaming import rename_term
from market.rolling import roll_settled, set_roll
from market.settlement import settle_due
from market.splitting import split_term
from market.tables import Board, Contract, Order, SettlementStatement, Watch
from market.term_events import rebuild
from market.trading import place_order
from market.watching import set_watch, watcher_count_at
from nlp.errors import BadLexicon
from nlp.lexicon import load_lexicon
from nlp.tables import Term
from tests.market.factories import DAY, NOW, PERIOD, add_trader, close_board_day, order
from tests.market.terms import LATER, LEXICON, begin, by, check, counts, read_in, statuses, term

IN_PERIOD = date(2026, 5, 20)
OVER = NOW + timedelta(days=11)


@pytest.fixture
def board(engine: Engine) -> Engine:
    transact(engine, begin)
    return engine


def merge(session: Session, old: str = "ddpm", into: str = "diffusion-model", now: datetime = LATER) -> None:
    merge_terms(session, term(session, old), term(session, into), by(now=now))


def the_board(session: Session) -> Board:
    return session.exec(select(Board)).one()


def test_a_merged_term_s_papers_are_the_other_s(board: Engine) -> None:
    with write_session(board) as session:
        assert counts(session) == {"ddpm": 2, "diffusion-model": 3, "flow-matching": 1}
        merge(session)
        assert counts(session) == {"diffusion-model": 4, "flow-matching": 1}
        read_in(session, ["A DDPM again."], DAY, LATER)
        assert counts(session) == {"diffusion-model": 5, "flow-matching": 1}
        # What was known before the merge stays readable, and counting anew changes nothing.
        known = activity_known(1, NOW)
        then = dict(session.execute(sa.select(known.c.term_id, known.c.paper_count)).all())
        assert then[term(session, "ddpm").id] == 2
        assert then[term(session, "diffusion-model").id] == 3
        rebuild_activity(session, 1, LATER)
        assert counts(session) == {"diffusion-model": 5, "flow-matching": 1}
        assert statuses(session)["ddpm"] == ("delisted", "merged into diffusion model: they are one")
        session.commit()
    check(board)


def test_a_split_term_s_papers_are_divided(board: Engine) -> None:
    with write_session(board) as session:
        target, changed = split_term(
            session, term(session, "diffusion-model"), ["score models"], "score model", by("two", LATER)
        )
        assert changed.paper_count == 2
        assert target.slug == "score-model"
        assert counts(session) == {"ddpm": 2, "diffusion-model": 2, "score-model": 2, "flow-matching": 1}
        assert statuses(session)["score-model"] == ("listed", "split off diffusion model: two")
        read_in(session, ["A score model."], DAY, LATER)
        assert counts(session)["score-model"] == 3
        rebuild_activity(session, 1, LATER)
        assert counts(session) == {"ddpm": 2, "diffusion-model": 2, "score-model": 3, "flow-matching": 1}
        session.commit()
    check(board)


def test_a_merge_is_taken_back_by_a_split(board: Engine) -> None:
    with write_session(board) as session:
        before = counts(session)
        merge(session)
        whole = term(session, "diffusion-model")
        target, _ = split_term(session, whole, ["DDPM", "denoising diffusion"], "DDPM", by("not one", LATER))
        assert (target.slug, target.merged_into_id) == ("ddpm", None)
        assert counts(session) == before
        assert statuses(session)["ddpm"][0] == "listed"
        merge(session)
        assert counts(session) == {"diffusion-model": 4, "flow-matching": 1}
        session.commit()
    check(board)


def test_a_form_moves_to_a_term_that_is_there(board: Engine) -> None:
    with write_session(board) as session:
        source = term(session, "diffusion-model")
        split_term(session, source, ["score model"], "flow matching", by("its own", LATER))
        assert counts(session) == {"ddpm": 2, "diffusion-model": 2, "flow-matching": 3}
        session.commit()
    check(board)


def test_rename_a_term_with_open_positions(board: Engine) -> None:
    def trade(session: Session) -> int:
        trader = add_trader(session, "Ana Kettle").id
        assert trader is not None
        assert place_order(session, trader, order(shares=10), "before", NOW).is_filled
        return trader

    trader = transact(board, trade)
    with write_session(board) as session:
        rename_term(session, term(session, "diffusion-model"), "Diffusion", by("shorter", LATER))
        # Orders go on under both names; the same request again is the same order.
        assert place_order(session, trader, order(shares=10), "before", LATER).is_repeat
        assert place_order(session, trader, order(shares=5), "old-name", LATER).is_filled
        assert place_order(session, trader, order(shares=5, term="diffusion"), "new-name", LATER).is_filled
        (held,) = portfolio(session, trader, LATER).held
        assert (held.term_label, held.term_slug, held.share_count) == ("Diffusion", "diffusion", 20)
        assert listed_term(session, the_board(session), "diffusion-model")[1].slug == "diffusion"
        # The new label is a form of it; the open contract keeps the forms it was opened with.
        read_in(session, ["Diffusion is all.", "A diffusion model."], IN_PERIOD, LATER)
        close_board_day(session, the_board(session), IN_PERIOD)
        settle_due(session, OVER)
        assert session.exec(select(SettlementStatement.counted)).one() == 1
        session.commit()
    check(board)


def test_rebuild_projections_twice(board: Engine) -> None:
    def state(session: Session) -> list[object]:
        tables = ("term", "term_version", "listing", "term_name")
        return [session.execute(sa.text(f"SELECT * FROM {table} ORDER BY 1, 2")).all() for table in tables]

    with write_session(board) as session:
        merge(session)
        split_term(session, term(session, "diffusion-model"), ["score model"], "scores", by("two", LATER))
        rename_term(session, term(session, "flow-matching"), "flows", by("shorter", LATER))
        rename_term(session, term(session, "flow"), "flow matching", by("or not", LATER))
        delist_term(session, the_board(session), term(session, "score"), by("rare", LATER))
        session.flush()
        before = state(session)
        for _ in range(2):
            rebuild(session)
            assert state(session) == before
        session.commit()
    check(board)


def test_open_contracts_run_out_on_the_forms_they_were_opened_with(board: Engine) -> None:
    def trade(session: Session) -> int:
        trader = add_trader(session, "Ana Kettle").id
        assert trader is not None
        for slug in ("ddpm", "diffusion-model"):
            assert place_order(session, trader, order(shares=10, term=slug), slug, NOW).is_filled
        return trader

    trader = transact(board, trade)
    with write_session(board) as session:
        merge(session)
        # Shares of the merged term can be sold, but no further period of it is opened.
        sold = place_order(session, trader, order(shares=10, term="ddpm", action=Action.SELL), "sell", LATER)
        assert sold.is_filled
        refused = place_order(session, trader, order(term="ddpm", period="2026-W22"), "new", LATER)
        assert refused.reason == "UnknownPeriod"
        assert "became part of 'diffusion model' on 17 May 2026: they are one" in refused.message
        assert place_order(session, trader, order(period="2026-W22"), "next", LATER).is_filled
        read_in(session, ["A DDPM.", "Denoising diffusion.", "A diffusion model."], IN_PERIOD, LATER)
        read_in(session, ["A DDPM.", "A diffusion model."], IN_PERIOD + timedelta(days=7), LATER)
        for day in (IN_PERIOD, IN_PERIOD + timedelta(days=7)):
            close_board_day(session, the_board(session), day)
        settle_due(session, OVER + timedelta(days=7))
        settled = session.execute(
            sa.select(col(Term.slug), col(Contract.period), col(SettlementStatement.counted))
            .join(Contract, col(Contract.term_id) == Term.id)
            .join(SettlementStatement, col(SettlementStatement.contract_id) == Contract.id)
        ).all()
        assert sorted(map(tuple, settled)) == [
            ("ddpm", PERIOD, 2), ("diffusion-model", PERIOD, 1), ("diffusion-model", "2026-W22", 2),
        ]  # fmt: skip
        labels = {each.term_label for each in portfolio(session, trader, OVER).past}
        assert labels == {"DDPM", "diffusion model"}
        session.commit()
    check(board)


def test_who_watched_a_merged_term_watches_the_other(board: Engine) -> None:
    with write_session(board) as session:
        traders = [add_trader(session, name).id for name in ("Ana Kettle", "Bob Lid")]
        old, into = term(session, "ddpm"), term(session, "diffusion-model")
        set_watch(session, traders[0], 1, old.id, True, NOW)
        for trader in traders:
            set_watch(session, trader, 1, into.id, trader == traders[1], NOW)
        merge(session)
        watched = session.exec(select(Watch.trader_id, Watch.term_id).order_by(col(Watch.trader_id))).all()
        assert watched == [(trader, into.id) for trader in traders]
        assert watcher_count_at(session, 1, old.id, NOW) == 1
        assert watcher_count_at(session, 1, into.id, LATER) == 2
        session.commit()
    check(board)


def test_a_delisted_term_is_merged_with_its_watches(board: Engine) -> None:
    """Each board on which it has a page has one of what it became part of."""
    with write_session(board) as session:
        trader = add_trader(session, "Ana Kettle").id
        assert trader is not None
        new, _ = add_term(session, "kettle", ["tea"], by())
        for one, into in (("ddpm", "kettle"), ("flow-matching", "diffusion-model")):
            old = term(session, one)
            assert old.id is not None
            set_watch(session, trader, 1, old.id, True, NOW)
            delist_term(session, the_board(session), old, by("too rare"))
            merge(session, one, into)
            watched = set(session.exec(select(Watch.term_id)))
            assert (old.id in watched, term(session, into).id in watched) == (False, True)
        assert statuses(session)["kettle"] == (
            "delisted", "DDPM, which was delisted, became part of it: they are one",
        )  # fmt: skip
        assert statuses(session)["diffusion-model"][0] == "listed"
        assert listed_term(session, the_board(session), "kettle")[1].id == new.id
        session.commit()
    check(board)


def test_a_merged_term_rolls_on_to_the_other(board: Engine) -> None:
    def trade(session: Session) -> int:
        trader = add_trader(session, "Ana Kettle").id
        assert trader is not None
        place_order(session, trader, order(shares=10, term="ddpm"), "buy", NOW)
        set_roll(session, trader, the_board(session), term(session, "ddpm").id, order().side, True, NOW)
        merge(session)
        read_in(session, ["A DDPM."], IN_PERIOD, LATER)
        close_board_day(session, the_board(session), IN_PERIOD)
        settle_due(session, OVER)
        return trader

    trader = transact(board, trade)
    (receipt,) = roll_settled(board, OVER)
    assert receipt.is_filled
    with write_session(board) as session:
        rolled = session.get_one(Order, receipt.order_id)
        assert rolled.term_id == term(session, "diffusion-model").id
        # Stopping it stops it for what became part of the term too.
        assert set_roll(session, trader, the_board(session), rolled.term_id, order().side, False, OVER)
        assert session.execute(sa.text("SELECT count(*) FROM roll")).scalar_one() == 0
        session.commit()
    check(board)


def test_a_delisted_term_opens_nothing_and_can_be_listed_again(board: Engine) -> None:
    with write_session(board) as session:
        trader = add_trader(session, "Ana Kettle").id
        assert trader is not None
        set_watch(session, trader, 1, term(session, "ddpm").id, True, NOW)
        delist_term(session, the_board(session), term(session, "ddpm"), by("too rare", LATER))
        refused = place_order(session, trader, order(term="ddpm"), "one", LATER)
        assert "'DDPM' was delisted on 17 May 2026: too rare. No new contract" in refused.message
        assert session.exec(select(sa.func.count()).select_from(Watch)).one() == 1
        read_in(session, ["A DDPM."], DAY, LATER)  # carried again, it stays delisted
        assert statuses(session)["ddpm"] == ("delisted", "too rare")
        with pytest.raises(TermChangeRefused, match="not listed on"):
            delist_term(session, the_board(session), term(session, "ddpm"), by())
        list_term(session, the_board(session), term(session, "ddpm"), by("asked for", LATER))
        assert place_order(session, trader, order(term="ddpm"), "two", LATER).is_filled
        with pytest.raises(TermChangeRefused, match="already: asked for"):
            list_term(session, the_board(session), term(session, "ddpm"), by())
        session.commit()
    check(board)


def test_the_lexicon_does_not_undo_what_was_decided(board: Engine) -> None:
    newer = LEXICON + '[[term]]\nlabel = "kettle"\n'
    with write_session(board) as session:
        merge(session)
        model = term(session, "diffusion-model")
        split_term(session, model, ["score model"], "score model", by("two", LATER))
        rename_term(session, term(session, "flow-matching"), "flows", by("shorter", LATER))
        before = counts(session)
        names = {each.key: each.label for each in session.exec(select(Term))}
        for lexicon in (LEXICON, newer):
            install_lexicon(session, load_lexicon(lexicon), LATER)
            rebuild_activity(session, 1, LATER)
            assert counts(session) == before
        after = {each.key: each.label for each in session.exec(select(Term))}
        assert after == {**names, "kettle": "kettle"}
        session.commit()
    check(board)


@pytest.mark.parametrize(
    ("lexicon", "command"),
    [
        ('label = "denoiser"\nforms = ["denoising diffusion"]', 'split ddpm "denoising diffusion" --into'),
        ('label = "diffusion model"\nforms = ["DDPM"]', "merge ddpm diffusion-model"),
        ('label = "probabilistic diffusion"\nforms = ["DDPM"]', 'rename ddpm "probabilistic diffusion"'),
    ],
)
def test_a_lexicon_that_moves_forms_names_the_command(board: Engine, lexicon: str, command: str) -> None:
    with write_session(board) as session:
        with pytest.raises(BadLexicon) as refusal:
            install_lexicon(session, load_lexicon(f"[[term]]\n{lexicon}\n"), LATER)
        assert f"peer-revenue terms {command}" in str(refusal.value)


def test_what_cannot_be_changed_is_refused_in_words(board: Engine) -> None:
    with write_session(board) as session:
        ddpm, model, flow = (term(session, slug) for slug in ("ddpm", "diffusion-model", "flow-matching"))
        refusals = {
            "itself": lambda: merge_terms(session, ddpm, ddpm, by()),
            "form of 'diffusion model' already": lambda: rename_term(session, flow, "score models", by()),
            "'DDPM' has the address 'ddpm' already": lambda: rename_term(session, flow, "ddpm", by()),
            "needs letters or digits": lambda: rename_term(session, flow, "...", by()),
            "is called 'flow matching' already": lambda: rename_term(session, flow, "flow matching", by()),
            "no form of 'flow matching', which has": lambda: split_term(session, flow, ["DDPM"], "x", by()),
            "name of the term itself": lambda: split_term(session, flow, ["flow matching"], "x", by()),
            "Name the forms": lambda: split_term(session, model, [], "x", by()),
            "has these forms already": lambda: split_term(session, model, ["score model"], model.label, by()),
        }
        _all_refused(refusals)
        merge_terms(session, ddpm, model, by())
        _all_refused(
            {
                "'DDPM' was merged into": lambda: merge_terms(session, ddpm, flow, by()),
                "was merged into 'diffusion model' already": lambda: merge_terms(session, flow, ddpm, by()),
                "is part of 'diffusion model'": lambda: rename_term(session, ddpm, "x", by()),
                "split it off that": lambda: split_term(session, flow, ["flow matching"], "DDPM", by()),
                "split diffusion-model": lambda: list_term(session, the_board(session), ddpm, by()),
            }
        )
        with pytest.raises(InvalidRemark):
            by(" ")
        with pytest.raises(NoSuchTerm, match="mean 'diffusion-model'"):
            term_named(session, "difusion model")
        with pytest.raises(UnknownTerm):
            listed_term(session, the_board(session), "no-such-term")


def _all_refused(works: Mapping[str, Callable[[], object]]) -> None:
    for words, work in works.items():
        with pytest.raises(TermChangeRefused, match=re.escape(words)):
            work()


def test_nothing_of_a_refused_change_is_stored(board: Engine) -> None:
    def dump(session: Session) -> list[object]:
        return [session.execute(sa.text(f"SELECT * FROM {table} ORDER BY 1, 2")).all() for table in (
            "term", "term_version", "term_event", "lexicon_state", "mention", "activity"
        )]

    with read_session(board) as session:
        before = dump(session)
    with pytest.raises(TermChangeRefused):
        transact(board, lambda session: rename_term(session, term(session, "ddpm"), "score model", by()))
    with read_session(board) as session:
        assert dump(session) == before
