"""Until a changed lexicon is served: python -m tests.bench.rehighlight [--papers N] [--database KIND]

Papers are those of `tests.bench.ingest`; the lexicon has 3,000 terms. A term is added for a form of the
corpus that no term has, rare to very common, or one is merged into another, and committed: the papers that
the change may touch are found, read again and counted, and what was rising is ranked anew. The time is until
the new term's mentions are read for a page. Medians of three terms of about the same frequency.

Beside it, in the same run: every stored paper read again with the same highlighter and compared with what is
stored, without writing anything. The ratio is how many times the processor's time that takes.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import Engine
from sqlmodel import Session, col

from market.adding import add_term
from market.boards import board_by_code, ensure_board
from market.db import engine_for, read_session, transact
from market.highlighter import stored_highlighter
from market.intake import install_lexicon, take_in
from market.listing import list_term
from market.merging import merge_terms
from market.naming import term_named
from market.reads.highlights import shown_mentions
from market.term_events import Decided
from market.word_search import texts_of
from nlp.lexicon import Lexicon
from nlp.normalize import term_key
from nlp.tables import Paper, StoredMention, TermVersion
from tests.bench.abstracts import abstracts
from tests.bench.ingest import BEGAN, files, papers_of
from tests.bench.lexicons import lexicon_of
from tests.bench.load import database

TERMS = 3_000
NOW = datetime(2040, 1, 1, tzinfo=UTC)
FREQUENCIES = (10, 100, 300, 1_000, 3_000, 10_000, 20_000)  # papers of 100,000 that have the form
TURNS = 3
AT_ONCE = 500
PAGE = 30  # papers whose mentions are read
DECIDED = Decided("Ana Kettle", "a benchmark", NOW)


class Cost(NamedTuple):
    """Papers read again, and the seconds until the change is served: by the clock, and of the processor."""

    papers: int
    clock: float
    processor: float


def fill(engine: Engine, paper_count: int, lexicon: Lexicon) -> None:
    """Take in so many papers, as they come every day."""

    def begin(session: Session) -> None:
        ensure_board(session, "cs.LG", "Machine Learning", "Computer Science", "week", "announced", "UTC", 3)
        install_lexicon(session, lexicon, BEGAN)

    transact(engine, begin)
    for data, now in files(paper_count):
        transact(engine, lambda session, data=data, now=now: take_in(session, papers_of(data), now=now))


def free_forms(texts: Sequence[str], lexicon: Lexicon) -> Iterator[list[str]]:
    """For each frequency forms that about so many of the papers have and that belong to no term."""
    counts = Counter[str]()
    for text in texts:
        words = [word for word in text.split() if word.isalpha() and word.islower() and len(word) > 2]
        counts.update({*words, *(f"{one} {two}" for one, two in pairwise(words))})
    taken = {term_key(form) for term in lexicon.terms for form in term.surfaces}
    for frequency in FREQUENCIES:
        wanted = frequency / 100_000 * len(texts)
        nearest = sorted(counts, key=lambda form: (abs(counts[form] - wanted), form))
        found: list[str] = []
        for form in nearest:
            if term_key(form) not in taken:
                taken.add(term_key(form))
                found.append(form)
            if len(found) == TURNS:
                break
        yield found


def added(engine: Engine, form: str) -> Cost:
    """What it costs until a new term with this form is served."""

    def work(session: Session) -> int:
        term, changed = add_term(session, form, (), DECIDED)
        list_term(session, board_by_code(session, "cs.LG"), term, DECIDED)
        return changed.paper_count

    return cost_of(engine, work)


def merged(engine: Engine, slug: str, into: str) -> Cost:
    """What it costs until a term's mentions are served as the other's."""

    def work(session: Session) -> int:
        terms = term_named(session, slug), term_named(session, into)
        return merge_terms(session, *terms, DECIDED).paper_count

    return cost_of(engine, work)


def cost_of(engine: Engine, work: Callable[[Session], int]) -> Cost:
    """What the change and the reading of a page after it cost."""
    clock, processor = time.perf_counter(), time.process_time()
    papers = transact(engine, work)
    with read_session(engine) as session:
        shown_mentions(session, 1, _newest(session))
    return Cost(papers, time.perf_counter() - clock, time.process_time() - processor)


def _newest(session: Session) -> list[int]:
    """The newest papers with the newest version of a term."""
    newest = sa.select(sa.func.max(TermVersion.id)).scalar_subquery()
    carrying = sa.select(col(StoredMention.paper_id)).where(col(StoredMention.term_version_id) == newest)
    return list(session.scalars(carrying.distinct().order_by(col(StoredMention.paper_id).desc()).limit(PAGE)))


def full(engine: Engine, paper_count: int) -> Cost:
    """Reading everything again."""
    clock, processor = time.perf_counter(), time.process_time()
    with read_session(engine) as session:
        highlighter = stored_highlighter(session)
        ids = session.scalars(sa.select(col(Paper.id)).order_by(col(Paper.id))).all()
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            found = {
                (paper_id, version, mention.start)
                for paper_id, reading in texts_of(session, some).items()
                for version, mention in highlighter.mentions(reading)
            }
            rows = session.execute(
                sa.select(
                    col(StoredMention.paper_id), col(StoredMention.term_version_id),
                    col(StoredMention.start_offset),
                ).where(col(StoredMention.paper_id).in_(some))
            )  # fmt: skip
            found ^= {tuple(row) for row in rows}
    return Cost(paper_count, time.perf_counter() - clock, time.process_time() - processor)


def common_terms(engine: Engine) -> list[tuple[str, str]]:
    """Pairs of terms to merge: the first of each in some 300, 1,000 and 3,000 papers of 100,000."""
    with read_session(engine) as session:
        rows = session.execute(
            sa.text(
                "SELECT term.slug, sum(activity.paper_count) AS papers FROM activity "
                "JOIN term ON term.id = activity.term_id GROUP BY term.slug ORDER BY papers, term.slug"
            )
        ).all()
        count = session.execute(sa.select(sa.func.count()).select_from(Paper)).scalar_one()
    found = []
    for frequency in (300, 1_000, 3_000):
        wanted = frequency / 100_000 * count
        at = min(range(1, len(rows)), key=lambda each: abs(rows[each].papers - wanted))
        found.append((rows[at].slug, rows[at - 1].slug))
    return found


def measure(engine: Engine, paper_count: int, texts: Sequence[str], lexicon: Lexicon) -> None:
    """Print a line for each change."""
    whole = full(engine, paper_count)
    heads = ("change", "papers", "seconds", "of CPU", "full CPU", "times")
    print(f"{heads[0]:<32}" + " ".join(f"{head:>9}" for head in heads[1:]))
    added(engine, "kettle of tea")  # whatever a process makes once is made
    for forms in free_forms(texts, lexicon):
        costs = [added(engine, form) for form in forms]
        middle = Cost(*(statistics.median(part) for part in zip(*costs, strict=True)))
        _print(f"added: {forms[0]}", middle, whole)
    for slug, into in common_terms(engine):
        _print(f"merged: {slug}", merged(engine, slug, into), whole)


def _print(change: str, cost: Cost, whole: Cost) -> None:
    print(
        f"{change[:32]:<32}{cost.papers:9,.0f} {cost.clock:9.3f} {cost.processor:9.3f} "
        f"{whole.processor:9.1f} {whole.processor / cost.processor:9.0f}",
        flush=True,
    )


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--papers", type=int, default=100_000, help="how many, in thousands")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    chosen = parser.parse_args()
    texts = [text for _, text in abstracts()]
    lexicon = lexicon_of(TERMS, texts)
    with database(chosen.database) as url:
        engine = engine_for(url)
        fill(engine, chosen.papers, lexicon)
        if chosen.database == "postgresql":
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql("ANALYZE")  # as its own daemon would have by then
        measure(engine, chosen.papers, texts, lexicon)
        engine.dispose()


if __name__ == "__main__":
    main()
