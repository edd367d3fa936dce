"""What becomes of terms in the random market: merged, split, renamed, delisted and listed again, with open
contracts, resting orders, watches and rolls on them, while papers go on coming in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import datetime, timedelta

import sqlalchemy as sa
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.activity import rebuild as rebuild_activity
from market.db import read_session, transact, write_session
from market.errors import UnknownTerm
from market.lexicon import install_lexicon
from market.limits import LEAST_FORECAST_MILLI, LimitRequest
from market.listing import TermChangeRefused, delist_term, list_term
from market.maker import Side
from market.merging import merge_terms
from market.orders import Action, OrderRequest
from market.renaming import rename_term
from market.rolling import set_roll
from market.splitting import split_term
from market.tables import Board
from market.term_events import Decided, rebuild
from market.term_moves import forms_of
from market.watching import set_watch
from nlp.lexicon import load_lexicon
from nlp.tables import Term
from tests.market.factories import limit_order, order
from tests.market.terms import read_in

LEXICON = """
[[term]]
label = "DDPM"
forms = ["denoising diffusion", "denoiser"]
[[term]]
label = "flow matching"
forms = ["flow map", "rectified flow"]
[[term]]
label = "score model"
forms = ["score matching"]
"""
WORDS = (
    "DDPM", "denoising diffusion", "denoiser", "flow matching", "flow map", "rectified flow", "score model",
    "score matching", "diffusion model",
)  # fmt: skip
PROJECTIONS = ("term", "term_version", "listing", "term_name")
ACTIVITY = sa.text("SELECT term_id, day, paper_count, mention_count FROM activity ORDER BY term_id, day")
COUNTS = sa.text("SELECT count(*) FROM day_count")
PARTS = sa.text(  # watched, though what they are part of has a page to be watched on
    "SELECT count(*) FROM watch JOIN term ON term.id = watch.term_id "
    "JOIN listing ON listing.term_id = term.merged_into_id"
)

numbers = st.integers(0, 30)


def state(session: Session) -> list[object]:
    """What follows from the events and the mentions, and whether anything was counted anew."""
    projections = [sa.text(f"SELECT * FROM {name} ORDER BY 1, 2") for name in PROJECTIONS]
    return [session.execute(each).all() for each in (*projections, ACTIVITY, COUNTS)]


class TermChanges:
    """Rules for `RandomMarket`. Its own term takes part, but is not itself delisted, renamed or merged away:
    the other rules trade it."""

    engine: Engine
    now: datetime
    traders: list[int]

    def place(self, who: int, request: OrderRequest | LimitRequest) -> None:
        raise NotImplementedError

    def check(self) -> None:
        raise NotImplementedError

    def period(self, week: int) -> str:
        raise NotImplementedError

    @initialize()
    def more_terms(self) -> None:
        def work(session: Session) -> None:
            install_lexicon(session, load_lexicon(LEXICON), self.now)
            board = session.exec(select(Board)).one()
            for each in session.exec(select(Term).where(Term.id != 1).order_by(col(Term.id))).all():
                list_term(session, board, each, self.decided())

        transact(self.engine, work)

    @rule(words=st.lists(st.sampled_from(WORDS), max_size=4), days=st.integers(20, 30))
    def read(self, words: list[str], days: int) -> None:
        """A paper of some weeks ago."""
        day, text = self.now.date() - timedelta(days=days), ", ".join(words) or "Nothing."
        transact(self.engine, lambda session: read_in(session, [text], day, self.now))

    @rule(who=st.integers(0, 2), which=numbers, side=st.sampled_from(Side), shares=st.integers(1, 80),
          away=st.none() | st.integers(-60, 60), week=st.integers(0, 1))  # fmt: skip
    def trade_any(
        self, who: int, which: int, side: Side, shares: int, away: int | None, week: int
    ) -> None:
        """A purchase of any term, by any of its addresses, at the market or with a limit that may rest."""
        slug, period = self.pick(which, everything=True)[1], self.period(week)
        if away is None:
            self.place(who, order(side, Action.BUY, shares, period=period, term=slug))
        else:
            milli = max(LEAST_FORECAST_MILLI, 500 + away)
            self.place(who, limit_order(side, shares=shares, milli=milli, period=period, term=slug))

    @rule(who=st.integers(0, 2), which=numbers, side=st.sampled_from(Side), is_watch=st.booleans())
    def follow(self, who: int, which: int, side: Side, is_watch: bool) -> None:
        """A term is watched or rolled on; only one that is listed can be."""
        number, trader = self.pick(which, everything=True)[0], self.traders[who]

        def work(session: Session) -> None:
            if is_watch:
                set_watch(session, trader, 1, number, True, self.now)
            else:
                board = session.exec(select(Board)).one()
                set_roll(session, trader, board, number, side, True, self.now)

        try:
            transact(self.engine, work)
        except UnknownTerm:
            with read_session(self.engine) as session:
                listed = sa.text("SELECT status FROM listing WHERE term_id = :term")
                assert session.execute(listed, {"term": number}).scalar() != "listed"

    @rule(old=numbers, into=numbers)
    def merge(self, old: int, into: int) -> None:
        one, other = self.pick(old), self.pick(into, everything=True)

        def work(session: Session) -> None:
            merge_terms(session, self.get(session, one), self.get(session, other), self.decided())

        self.change(work)

    @rule(which=numbers, form=numbers, how_many=st.integers(1, 2), into=numbers, is_new=st.booleans())
    def split(self, which: int, form: int, how_many: int, into: int, is_new: bool) -> None:
        """Forms go to a term of their own, or to one that is there, or was part of another."""
        one, other = self.pick(which, everything=True), self.pick(into, everything=True)

        def work(session: Session) -> None:
            term = self.get(session, one)
            forms = sorted(forms_of(session, term))
            chosen = [forms[(form + step) % len(forms)] for step in range(how_many)]
            label = chosen[0] if is_new else self.get(session, other).label
            split_term(session, term, chosen, label, self.decided())

        self.change(work)

    @rule(which=numbers, suffix=st.integers(0, 3))
    def rename(self, which: int, suffix: int) -> None:
        one = self.pick(which)

        def work(session: Session) -> None:
            term = self.get(session, one)
            rename_term(session, term, f"{sorted(forms_of(session, term))[0]} {suffix or ''}", self.decided())

        self.change(work)

    @rule(which=numbers)
    def delist(self, which: int) -> None:
        one = self.pick(which)

        def work(session: Session) -> None:
            board = session.exec(select(Board)).one()
            delist_term(session, board, self.get(session, one), self.decided())

        self.change(work)

    @rule(which=numbers)
    def relist(self, which: int) -> None:
        one = self.pick(which)

        def work(session: Session) -> None:
            board = session.exec(select(Board)).one()
            list_term(session, board, self.get(session, one), self.decided())

        self.change(work)

    def change(self, work: Callable[[Session], None]) -> None:
        """Whether it is made or refused: ledger and terms hold together, the projections follow from the
        events, the activity from the mentions, and nobody watches what is part of another term."""
        # The market's own papers come without being counted.
        transact(self.engine, lambda session: rebuild_activity(session, 1, self.now))
        with contextlib.suppress(TermChangeRefused):
            transact(self.engine, work)
        self.check()
        with write_session(self.engine) as session:
            before = state(session)
            assert session.execute(PARTS).scalar_one() == 0
            for _ in range(2):
                rebuild(session)
            rebuild_activity(session, 1, self.now)
            assert state(session) == before

    def pick(self, which: int, *, everything: bool = False) -> tuple[int, str]:
        """Id and address of one of the terms, which may be part of another; the market's own with
        ``everything`` alone."""
        with read_session(self.engine) as session:
            rows = session.execute(sa.select(col(Term.id), col(Term.slug)).order_by(col(Term.id))).all()
        some = [(number, slug) for number, slug in rows if everything or number != 1]
        return some[which % len(some)]

    def get(self, session: Session, picked: tuple[int, str]) -> Term:
        return session.get_one(Term, picked[0])

    def decided(self) -> Decided:
        return Decided("Ana Kettle", "by chance", self.now)
