"""Terms, papers and a market for what changes terms: everything taken in as it is every day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.audit import replay, verify
from market.db import read_session
from market.intake import take_in
from market.lexicon import install_lexicon
from market.tables import Activity, Board, Listing
from market.term_events import Decided
from nlp.lexicon import load_lexicon
from nlp.records import RawPaper, Section
from nlp.tables import Term
from tests.market.factories import DAY, NOW, add_board

LEXICON = """
[[term]]
label = "diffusion model"
forms = ["score model"]
[[term]]
label = "DDPM"
forms = ["denoising diffusion"]
[[term]]
label = "flow matching"
"""
TEXTS = (
    "A diffusion model and a score model.",
    "We train a DDPM by denoising diffusion.",
    "A DDPM is a diffusion model.",
    "Only a score model.",
    "Flow matching, and nothing else.",
)


def by(reason: str = "they are one", now: datetime = NOW) -> Decided:
    """A decision of Ana Kettle's."""
    return Decided("Ana Kettle", reason, now)


def begin(session: Session) -> Board:
    """Board "cs.LG" with the lexicon and a paper for each of `TEXTS` on the day."""
    board = add_board(session)
    install_lexicon(session, load_lexicon(LEXICON), NOW)
    read_in(session, TEXTS, DAY)
    return board


def read_in(
    session: Session,
    texts: Sequence[str],
    day: date,
    now: datetime = NOW,
    categories: tuple[str, ...] = ("cs.LG",),
) -> None:
    """A new paper with each text, announced on the day."""
    known = session.scalar(sa.text("SELECT count(*) FROM paper")) or 0
    papers = [
        RawPaper(
            identifier=f"arxiv:2605.{known + number:05d}", title="T", abstract=text, authors=("B. Lid",),
            categories=categories, day=day, section=Section.NEW, url=None, source="a test", line=1,
        )
        for number, text in enumerate(texts)
    ]  # fmt: skip
    report = take_in(session, papers, now=now)
    assert report.refusals == ()


def term(session: Session, slug: str) -> Term:
    return session.exec(select(Term).where(Term.slug == slug)).one()


def counts(session: Session) -> Mapping[str, int]:
    """Papers of the board so far with each term that any carries."""
    rows = session.execute(
        sa.select(col(Term.slug), sa.func.sum(Activity.paper_count))
        .join(Activity, col(Activity.term_id) == Term.id)
        .group_by(col(Term.slug))
    )
    return {slug: int(papers) for slug, papers in rows}


def statuses(session: Session) -> Mapping[str, tuple[str, str]]:
    rows = session.execute(
        sa.select(col(Term.slug), col(Listing.status), col(Listing.reason)).join(
            Listing, col(Listing.term_id) == Term.id
        )
    )
    return {slug: (status, reason) for slug, status, reason in rows}


def check(engine: Engine) -> None:
    """The ledger, and what was decided about terms, hold together."""
    for audit in (verify, replay):
        with read_session(engine) as session:
            assert audit(session).findings == ()


LATER = NOW + timedelta(hours=1)
