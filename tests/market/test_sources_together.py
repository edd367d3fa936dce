"""The same papers from every kind of source: which is read first makes no difference to what is stored."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, select

from market.db import write_session
from market.intake import install_lexicon, take_in
from nlp.lexicon import load_lexicon
from nlp.sources import read_source
from nlp.tables import Paper
from tests.conftest import SHARED_DATA
from tests.market.factories import NOW, add_board
from tests.market.test_identity import all_of, places

FIXTURES = SHARED_DATA / "fixtures"
FILES = ("atom_api.xml", "rss.xml", "oai_raw.xml", "listing_mail.txt", "openreview_v2.json", "digest.eml")
FRIDAY = date(2026, 5, 15)


def take(session: Session, *names: str) -> None:
    for name in names:
        records = list(read_source((FIXTURES / name).read_bytes(), name))
        take_in(session, records, now=NOW, origin=name)


def begin(session: Session) -> None:
    add_board(session)
    add_board(session, "stat.ML", position=2, day_rule="submitted")
    add_board(session, "tmlr", position=3, period="month")
    install_lexicon(session, load_lexicon('[[term]]\nlabel = "kettle"\n[[term]]\nlabel = "tea"\n'), NOW)


@pytest.mark.skipif(not FIXTURES.exists(), reason="the fixtures are not beside the repository")
def test_files_of_all_formats_in_any_order_give_the_same_papers(engine: Engine) -> None:
    outcomes = []
    order = random.Random(3)
    for _ in range(8):
        with write_session(engine) as session:  # and rolled back
            begin(session)
            take(session, *order.sample(FILES, len(FILES)))
            outcomes.append(all_of(session))
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.skipif(not FIXTURES.exists(), reason="the fixtures are not beside the repository")
def test_each_source_brings_what_it_knows(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        take(session, "atom_api.xml")
        paper = session.exec(select(Paper)).one()
        assert (paper.version, paper.announced_on) == (2, None)
        assert paper.submitted_at == datetime(2026, 5, 13, 18, 0, 1, tzinfo=UTC)
        # Submitted a second after the deadline, so a day later: as the feed then says.
        assert ("cs.LG", "4", FRIDAY, "new") in places(session)
        take(session, "rss.xml", "listing_mail.txt")
        session.expire_all()
        paper = session.exec(select(Paper).where(Paper.identifier == "arxiv:2605.01234")).one()
        assert (paper.version, paper.announced_on) == (2, FRIDAY)
        assert ("cs.LG", "1", FRIDAY, "cross") in places(session)  # cross-listed in the mail
        # Replaced in feed and mail, and never announced: stored, and on no board.
        replaced = session.exec(select(Paper).where(Paper.identifier == "arxiv:2501.00001")).one()
        assert (replaced.announced_as, replaced.version) == (None, 3)
        assert len({place[1] for place in places(session)}) == 2
