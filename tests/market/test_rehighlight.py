"""After any changes of forms the stored mentions are those of a full reading of every paper."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from market.activity import rebuild as rebuild_activity
from market.adding import add_term
from market.db import transact, write_session
from market.errors import MarketError
from market.highlighter import stored_highlighter
from market.intake import take_in
from market.known import activity_known
from market.lexicon import install_lexicon
from market.listing import TermChangeRefused
from market.merging import merge_terms
from market.renaming import rename_term
from market.settlement import settle_due
from market.splitting import split_term
from market.tables import Board, SettlementStatement
from market.trading import place_order
from market.word_search import papers_with_words, texts_of
from nlp.errors import BadLexicon
from nlp.lexicon import load_lexicon
from nlp.records import RawPaper, Section
from nlp.tables import Paper, PaperWords, StoredMention, Term, TermVersion
from tests.market.factories import DAY, NOW, add_board, add_trader, close_board_day, order
from tests.market.terms import LATER, by, check, counts, read_in, term

TEXTS = (
    "Flow matching is a flow matching policy.",
    "A policy, and low-rank adaptation (LoRA) of it: LoRA works.",
    "LoRA radios use long range (LoRA).",
    "Large-scale language models (LLMs) are large language models.",
    "LLMs diffuse; cross- entropy and cross\u2011entropy do not.",
    "\u0130terative \u0130mage models, StaR-MoE, and $|V|<10$ matching.",
    "Biases, axes and knowledge bases of matching policies; the agent\u2019s bias.",
    "Graph foo networks (GFNs) are networks. GFNs match.",
    "Modelling of behaviour, modeling of behavior, na\u00efve co\u00adders.",
    "Nothing of all this.",
)
FORMS = (
    "flow matching", "flow matching policy", "policy", "matching policy", "matching", "LoRA",
    "low-rank adaptation", "language model", "large language model", "LLM", "cross-entropy", "entropy",
    "image", "\u0130mage", "star", "MoE", "bias", "axis", "knowledge base", "agent", "graph foo network",
    "network", "foo network", "GFN", "modelling of behaviour", "behavior", "na\u00efve", "flow",
)  # fmt: skip
LEXICON = """
[[term]]
label = "flow matching"
forms = ["flow"]
[[term]]
label = "policy"
[[term]]
label = "low-rank adaptation"
abbreviations = ["LoRA"]
[[term]]
label = "language model"
abbreviations = ["LLM"]
"""

form = st.sampled_from(FORMS)
forms = st.lists(form, max_size=2)
change = st.one_of(
    st.tuples(st.just("add"), form, forms),
    st.tuples(st.just("merge"), form, form),
    st.tuples(st.just("split"), form, forms, form),
    st.tuples(st.just("rename"), form, form),
    st.tuples(st.just("install"), st.dictionaries(form, forms, min_size=1, max_size=3)),
    st.tuples(st.just("trade"), form),
    st.tuples(st.just("read in"), st.integers(0, len(TEXTS) - 1)),
)


def begin(session: Session) -> None:
    add_board(session)
    install_lexicon(session, load_lexicon(LEXICON), NOW)
    read_in(session, TEXTS[:5], DAY)
    read_in(session, TEXTS[5:], DAY - timedelta(days=1))
    add_trader(session, "Ana Kettle")


@pytest.fixture
def board(engine: Engine) -> Engine:
    transact(engine, begin)
    return engine


def named(session: Session, label: str) -> Term:
    found = session.exec(select(Term).where(Term.label == label)).one_or_none()
    if found is None:
        raise TermChangeRefused(f"there is no {label}")
    return found


def make(session: Session, what: tuple[object, ...], now: datetime) -> None:
    kind, *rest = what
    changes: dict[object, Callable[..., object]] = {
        "add": lambda label, more: add_term(session, label, more, by(now=now)),
        "merge": lambda *two: merge_terms(session, *(named(session, each) for each in two), by(now=now)),
        "split": lambda one, some, into: split_term(session, named(session, one), some, into, by(now=now)),
        "rename": lambda label, other: rename_term(session, named(session, label), other, by(now=now)),
        "install": lambda terms: install_lexicon(session, load_lexicon(toml_of(terms)), now),
        "trade": lambda label: trade(session, named(session, label), now),
        "read in": lambda number: read_in(session, [TEXTS[number]], DAY, now),
    }
    changes[kind](*rest)


def trade(session: Session, traded: Term, now: datetime) -> None:
    """Open a contract, which keeps counting with the version that the term has now."""
    place_order(session, 1, order(term=traded.slug, shares=1), f"{traded.slug}-{now:%H%M}", now)


def toml_of(terms: dict[str, list[str]]) -> str:
    return "\n".join(f'[[term]]\nlabel = "{label}"\nforms = {more!r}' for label, more in terms.items())


def check_mentions(session: Session) -> None:
    highlighter = stored_highlighter(session)
    readings = texts_of(session, session.scalars(sa.select(col(Paper.id))).all())
    wanted = {
        (paper_id, version_id, mention.start, mention.end, mention.quote)
        for paper_id, reading in readings.items()
        for version_id, mention in highlighter.mentions(reading)
    }
    in_force = {each for _, versions in highlighter.layers for each in versions.values()}
    rows = session.execute(
        sa.select(StoredMention.__table__, col(TermVersion.is_counted))  # type: ignore[attr-defined]
        .join(TermVersion, col(TermVersion.id) == StoredMention.term_version_id)
    )
    stored = {
        (row.paper_id, row.term_version_id, row.start_offset, row.end_offset, row.quote)
        for row in rows
        if row.is_counted or row.term_version_id in in_force
    }
    assert stored == wanted


def check_counts(session: Session) -> None:
    """Counting every day anew finds what the changes have counted."""
    before = counts(session)
    rebuild_activity(session, 1, LATER + timedelta(days=1))
    assert counts(session) == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(change, min_size=1, max_size=6))
def test_after_any_changes_mentions_and_counts_are_those_of_a_full_reading(
    board: Engine, changes: list[tuple[object, ...]]
) -> None:
    with write_session(board) as session:
        for number, what in enumerate(changes):
            try:
                with session.begin_nested():
                    make(session, what, LATER + timedelta(minutes=number))
            except (MarketError, BadLexicon):
                continue
            check_mentions(session)
        check_counts(session)
        session.rollback()


def test_a_new_term_is_found_in_what_was_read_in_before(board: Engine) -> None:
    with write_session(board) as session:
        before = counts(session)
        assert (before["flow-matching"], before["policy"]) == (1, 3)
        _, changed = add_term(session, "flow matching policy", (), by(now=LATER))
        # Of the papers with its words, and no other, each mention is the longest there.
        assert changed.paper_count == 1
        assert counts(session)["flow-matching-policy"] == 1
        assert counts(session)["policy"] == 2
        assert counts(session)["flow-matching"] == 1
        # What was known before stays readable.
        known = activity_known(1, NOW)
        policy = term(session, "policy").id
        then = sa.select(sa.func.sum(known.c.paper_count)).where(known.c.term_id == policy)
        assert session.scalar(then) == 3
        session.commit()
    check(board)


def test_a_lexicon_whose_forms_are_others_reaches_what_is_stored(board: Engine) -> None:
    lexicon = LEXICON.replace('["flow"]', '["cross-entropy"]') + '[[term]]\nlabel = "bias"\n'
    with write_session(board) as session:
        install_lexicon(session, load_lexicon(lexicon), LATER)
        assert counts(session)["flow-matching"] == 2
        assert counts(session)["bias"] == 1
        check_mentions(session)
        check_counts(session)
        session.commit()
    check(board)


def test_open_contracts_count_with_the_version_they_are_bound_to(board: Engine) -> None:
    over = NOW + timedelta(days=11)
    day = DAY + timedelta(days=3)
    with write_session(board) as session:
        trade(session, term(session, "flow-matching"), NOW)
        read_in(session, ["Flow.", "Flow matching.", "Optimal transport."], day)
        install_lexicon(session, load_lexicon(LEXICON.replace('["flow"]', '["optimal transport"]')), LATER)
        check_mentions(session)
        found = session.execute(
            sa.select(col(TermVersion.version), sa.func.count(sa.distinct(StoredMention.paper_id)))
            .join(StoredMention, col(StoredMention.term_version_id) == TermVersion.id)
            .where(col(TermVersion.term_id) == term(session, "flow-matching").id)
            .group_by(col(TermVersion.version))
        )
        assert dict(found.all()) == {1: 3, 2: 3}
        close_board_day(session, session.exec(select(Board)).one(), day)
        settle_due(session, over)
        counted = session.exec(select(SettlementStatement.papers)).one()
        assert counted == ["arxiv:2605.00010", "arxiv:2605.00011"]
        session.commit()
    check(board)


def test_only_papers_that_may_have_the_words_are_read_and_only_what_differs_is_written(
    board: Engine,
) -> None:
    written: list[str] = []

    def note(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        if sql.startswith(("INSERT INTO mention", "DELETE FROM mention")):
            written.append(sql)

    with write_session(board) as session:
        sa.event.listen(board, "before_cursor_execute", note)
        _, changed = add_term(session, "kettle of tea", (), by(now=LATER))
        assert (changed.paper_count, written) == (0, [])
        _, changed = add_term(session, "star", (), by(now=LATER))  # vetoed where it stands
        assert (changed.paper_count, written) == (1, [])
        sa.event.remove(board, "before_cursor_execute", note)
        session.rollback()


def test_papers_from_before_there_were_signatures_are_found_too(board: Engine) -> None:
    with write_session(board) as session:
        before = set(session.execute(sa.select(PaperWords.__table__)).all())  # type: ignore[attr-defined]
        assert len(before) == len(TEXTS)
        session.execute(sa.delete(PaperWords).where(col(PaperWords.paper_id) > 3))
        session.execute(sa.update(PaperWords).values(signature_version=0, signature=b"\0" * 256))
        assert len(papers_with_words(session, ["knowledge base", "nothing"])) == 2
        after = set(session.execute(sa.select(PaperWords.__table__)).all())  # type: ignore[attr-defined]
        assert after == before
        session.rollback()


def test_a_paper_with_another_text_is_found_by_that_one(board: Engine) -> None:
    with write_session(board) as session:
        paper = session.exec(select(Paper).order_by(col(Paper.id).desc())).first()
        assert paper is not None
        newer = RawPaper(
            identifier=paper.identifier, title="T", abstract="A kettle of tea.", authors=("B. Lid",),
            categories=("cs.LG",), day=None, section=Section.REPLACED, url=None, source="a test", line=1,
            version=2,
        )  # fmt: skip
        take_in(session, [newer], now=LATER)
        assert papers_with_words(session, ["kettle of tea"]) == (paper.id,)
        assert papers_with_words(session, ["nothing of all this"]) == ()
        session.rollback()
