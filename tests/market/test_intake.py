"""Papers in: each once, on its boards, on the day it was first sighted there, however often it comes."""

from __future__ import annotations

import gzip
import threading
from collections import Counter
from dataclasses import replace
from datetime import date

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine, event
from sqlmodel import Session, col, select

from market.activity import rebuild
from market.boards import ensure_board
from market.db import engine_for, read_session, transact, write_session
from market.intake import BATCH, IntakeReport, install_lexicon, take_in
from market.tables import Activity, Board, BoardDay, BoardPaper, Listing
from nlp.lexicon import Lexicon, load_lexicon
from nlp.manifest import load_manifest
from nlp.records import RawPaper, Refusal, Section
from nlp.sources import read_source
from nlp.tables import Paper, StoredMention, Term, TermVersion
from nlp.typeset import runs_from_json, text_hash, typeset
from tests.conftest import SEEDS, SHARED_DATA
from tests.market.factories import NOW, add_board

SATURDAY, SUNDAY = date(2026, 5, 16), date(2026, 5, 17)
LEXICON = """
[[term]]
label = "diffusion model"
[[term]]
label = "flow matching"
[[term]]
label = "large language model"
abbreviations = ["LLM"]
"""


def lexicon(text: str = LEXICON) -> Lexicon:
    return load_lexicon(text)


def raw(number: int, abstract: str = "A diffusion model and flow matching.", **values: object) -> RawPaper:
    paper = RawPaper(
        identifier=f"arxiv:2605.{number:05d}", title="Kettles and $n$ lids", abstract=abstract,
        authors=("Ana Kettle", "Bob Lid"), categories=("cs.LG",), day=SATURDAY, section=Section.NEW,
        url=None, source="a test", line=number,
    )  # fmt: skip
    return replace(paper, **values)  # type: ignore[arg-type]


def begin(session: Session) -> Board:
    """A board and the lexicon; a second board that nothing is put on by itself."""
    board = add_board(session)
    add_board(session, "cs.CV", position=2)
    install_lexicon(session, lexicon(), NOW)
    return board


def take(session: Session, *papers: RawPaper | Refusal) -> IntakeReport:
    return take_in(session, papers, now=NOW)


def everything(session: Session) -> dict[str, list[tuple[object, ...]]]:
    """All rows that an intake writes."""
    session.flush()
    tables = (Paper, StoredMention, BoardPaper, BoardDay, Activity, Listing, Term, TermVersion)
    return {
        table.__name__: sorted((tuple(row) for row in session.execute(sa.select(table.__table__))), key=repr)  # type: ignore[attr-defined]
        for table in tables
    }


def places(session: Session) -> list[tuple[str, str, str, str, int]]:
    found = session.execute(
        sa.select(
            col(Board.code), col(Paper.identifier), col(BoardPaper.day), col(BoardPaper.section),
            col(BoardPaper.position),
        )
        .join(BoardPaper, col(BoardPaper.board_id) == Board.id)
        .join(Paper, col(Paper.id) == BoardPaper.paper_id)
        .order_by(col(Board.code), col(BoardPaper.day), col(BoardPaper.position))
    )  # fmt: skip
    return [(code, name[-2:], f"{day:%d}", section, at) for code, name, day, section, at in found]


def counts(session: Session) -> dict[tuple[str, str], tuple[int, int]]:
    found = session.execute(
        sa.select(col(Term.slug), col(Activity.day), col(Activity.paper_count), col(Activity.mention_count))
        .join(Activity, col(Activity.term_id) == Term.id)
        .join(Board, col(Board.id) == Activity.board_id)
        .where(Board.code == "cs.LG")
    )
    return {(slug, day.isoformat()[-2:]): (papers, mentions) for slug, day, papers, mentions in found}


def test_a_paper_is_stored_as_its_source_and_as_it_is_read(engine: Engine) -> None:
    abstract = "We train  a \\textit{diffusion\n model} on $x^2$; diffusion models and LLMs."
    with write_session(engine) as session:
        begin(session)
        report = take(session, raw(1, abstract))
        assert (report.read_count, report.new_count, report.known_count, report.refusals) == (1, 1, 0, ())
        assert (report.mention_count, report.days, report.listed_count) == (3, (("cs.LG", SATURDAY),), 2)
        paper = session.exec(select(Paper)).one()
        reading = runs_from_json(paper.abstract_text, paper.abstract_runs)
        assert reading == typeset(abstract)
        assert (paper.abstract_source, paper.text_hash) == (abstract, text_hash(reading.text))
        assert (paper.title_source, paper.title_text) == ("Kettles and $n$ lids", "Kettles and \ufffc lids")
        assert (paper.authors, paper.categories) == (["Ana Kettle", "Bob Lid"], ["cs.LG"])
        assert (paper.announced_on, paper.taken_in_at) == (SATURDAY, NOW)
        mentions = session.exec(select(StoredMention).order_by(col(StoredMention.start_offset))).all()
        assert [mention.quote for mention in mentions] == ["diffusion model", "diffusion models", "LLMs"]
        assert all(paper.abstract_text[m.start_offset : m.end_offset] == m.quote for m in mentions)
        assert counts(session) == {("diffusion-model", "16"): (1, 2), ("large-language-model", "16"): (1, 1)}
        listings = session.exec(select(Listing)).all()
        assert {listing.reason for listing in listings} == {
            "in the lexicon; first carried on 2026-05-16 by 1 paper"
        }


def test_papers_stand_on_every_board_of_their_categories(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        report = take(
            session,
            raw(1),
            raw(2, categories=("cs.CV", "cs.LG", "math.ST", "cs.LG"), section=Section.CROSS),
            raw(3, categories=("cs.CV",), day=SUNDAY),
            raw(4, categories=("stat.ML", "cs.LG"), section=Section.CROSS),
        )
        assert places(session) == [
            ("cs.CV", "02", "16", "new", 1), ("cs.CV", "03", "17", "new", 1),
            ("cs.LG", "01", "16", "new", 1), ("cs.LG", "02", "16", "cross", 2),
            ("cs.LG", "04", "16", "cross", 3),
        ]  # fmt: skip
        assert report.days == (("cs.LG", SATURDAY), ("cs.CV", SATURDAY), ("cs.CV", SUNDAY))
        # The order goes on where the day ended.
        take(session, raw(5), raw(6, day=SUNDAY))
        assert [place[1:] for place in places(session)[-3:]] == [
            ("04", "16", "cross", 3), ("05", "16", "new", 4), ("06", "17", "new", 1),
        ]  # fmt: skip


def test_the_sections_of_a_digest_are_kept(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        add_board(session, "tmlr", period="month", position=3)
        take(
            session,
            raw(1, categories=("tmlr",), section=Section.ACCEPTED),
            raw(2, categories=("tmlr",), section=Section.SUBMITTED),
        )
        assert [place[3] for place in places(session)] == ["accepted", "submitted"]


def test_the_same_papers_again_change_nothing(engine: Engine) -> None:
    papers = [raw(number, day=SATURDAY if number % 2 else SUNDAY) for number in range(20)]
    with write_session(engine) as session:
        begin(session)
        first = take(session, *papers)
        stored = everything(session)
        again = take(session, *papers)
        assert everything(session) == stored
    assert (first.new_count, first.known_count) == (20, 0)
    assert again == IntakeReport(20, 0, 20, (), 0, (), 0)


def test_a_later_sighting_moves_and_doubles_nothing(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        take(session, raw(1, version=2))
        stored = everything(session)
        # The next day's crawl, another text of the same version, and one that is older.
        report = take(
            session,
            raw(1, day=SUNDAY, version=2),
            raw(1, "Flow matching – flow matching, and large language models.", version=2),
            raw(1, "Flow matching, flow matching, and large language models.", version=1, day=SUNDAY),
            raw(1, "Flow matching, flow matching, and large language models."),
        )
        assert everything(session) == stored
        assert (report.new_count, report.known_count, report.days) == (0, 4, ())


def test_a_paper_that_comes_twice_in_one_file_is_one_paper(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        report = take(
            session,
            raw(1),
            raw(1, "Other – text.", day=SUNDAY),
            raw(2),
            raw(1, categories=("cs.LG", "cs.CV"), day=SUNDAY),
        )
        assert (report.new_count, report.known_count) == (2, 2)
        assert places(session) == [
            ("cs.CV", "01", "16", "cross", 1),
            ("cs.LG", "01", "16", "new", 1), ("cs.LG", "02", "16", "new", 2),
        ]  # fmt: skip
        assert counts(session)["diffusion-model", "16"] == (2, 2)
        assert session.exec(select(Paper.categories).where(Paper.identifier == raw(1).identifier)).one() == [
            "cs.LG", "cs.CV",
        ]  # fmt: skip


def test_a_new_category_puts_a_known_paper_on_a_further_board_on_its_own_day(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        take(session, raw(1))
        report = take(session, raw(1, categories=("cs.LG", "cs.CV"), day=SUNDAY, section=Section.CROSS))
        assert places(session) == [("cs.CV", "01", "16", "cross", 1), ("cs.LG", "01", "16", "new", 1)]
        assert (report.new_count, report.known_count, report.days) == (0, 1, (("cs.CV", SATURDAY),))
        assert counts(session)["diffusion-model", "16"] == (1, 1)


def test_what_cannot_be_taken_is_refused_with_its_line(engine: Engine) -> None:
    before = Refusal("page.txt", 3, "no abstract")
    with write_session(engine) as session:
        begin(session)
        items = [raw(1), before, raw(2, categories=("q-bio.QM", "math.ST")), raw(4, day=None), raw(5)]
        report = take_in(session, items, now=NOW, origin="page.txt")
        assert [place[1] for place in places(session)] == ["01", "05"]
    assert report.refusals == (
        before,
        Refusal(
            "page.txt", 2,
            "none of its categories is a board here: q-bio.QM, math.ST; "
            "add one with `peer-revenue boards add`",
        ),
        Refusal("page.txt", 4, "the day it was announced on is not known; give it with --day"),
    )  # fmt: skip
    assert (report.read_count, report.new_count, report.known_count) == (5, 2, 0)


def test_an_empty_source_changes_nothing(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        assert take(session) == IntakeReport(0, 0, 0, (), 0, (), 0)
        assert everything(session)["BoardDay"] == []


def test_a_late_paper_corrects_a_closed_day(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        take(session, raw(1))
        session.execute(sa.update(BoardDay).values(closed_at=NOW))
        take(session, raw(2))
        row = session.exec(select(BoardDay)).one()
        assert (row.paper_count, row.closed_at) == (2, NOW)
        assert counts(session)["flow-matching", "16"] == (2, 2)


def test_many_papers_take_a_constant_number_of_queries_a_batch(engine: Engine) -> None:
    statements: list[str] = []
    progress: list[int] = []
    with write_session(engine) as session:
        begin(session)
        event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
        take_in(session, (raw(number) for number in range(10)), now=NOW)
        few = len(statements)
        take_in(session, (raw(number) for number in range(10, 2 * BATCH)), now=NOW, progress=progress.append)
        many = len(statements) - few
    assert progress == [BATCH, 2 * BATCH - 10]
    assert many <= 3 * few


def test_two_intakes_at_once_end_with_one_set_of_rows(engine: Engine) -> None:
    with write_session(engine) as session:
        begin(session)
        session.commit()
    papers = [raw(number, day=SATURDAY if number % 3 else SUNDAY) for number in range(60)]
    barrier = threading.Barrier(3)
    reports: list[IntakeReport] = []

    def work() -> None:
        barrier.wait()
        reports.append(transact(engine, lambda session: take(session, *papers)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report.new_count for report in reports) == [0, 0, 60]
    with read_session(engine) as session:
        assert session.execute(sa.select(sa.func.count()).select_from(Paper)).scalar_one() == 60
        assert [place[4] for place in places(session)] == [*range(1, 41), *range(1, 21)]
        assert counts(session)["diffusion-model", "16"] == (40, 40)


def ingest_seeds(session: Session) -> dict[str, IntakeReport]:
    manifest = load_manifest(SEEDS / "manifest.toml")
    for board in manifest.boards:
        ensure_board(
            session, board.code, board.name, board.field, board.period, board.day_rule, board.time_zone,
            board.grace_days,
        )  # fmt: skip
    install_lexicon(session, load_lexicon((SEEDS / "lexicon.toml").read_text(encoding="utf-8")), NOW)
    return {
        document.file: take_in(
            session,
            read_source(
                (SEEDS / document.file).read_bytes(), document.file, source=document.kind,
                board=document.board, day=document.day,
            ),
            now=NOW,
            origin=document.file,
        )
        for document in manifest.documents
    }  # fmt: skip


def test_the_seed_documents_are_read_whole(engine: Engine) -> None:
    with write_session(engine) as session:
        reports = ingest_seeds(session)
        assert sorted(report.new_count for report in reports.values()) == [30, 30, 32]
        assert all(report.refusals == () for report in reports.values())
        listed = {row.day: row.paper_count for row in session.exec(select(BoardDay))}
        assert listed == {date(2026, 2, 22): 32, SATURDAY: 30, SUNDAY: 30}
        sections = Counter(session.exec(select(BoardPaper.section)))
        assert sections == {"accepted": 6, "submitted": 26, "new": 40, "cross": 20}
        stored = everything(session)
        assert len(stored["StoredMention"]) > 300
        for board_id in session.exec(select(Board.id)):
            assert board_id is not None
            rebuild(session, board_id, NOW)
        assert everything(session) == stored
        again = ingest_seeds(session)
        assert everything(session) == stored
        assert all(report.new_count == 0 and report.days == () for report in again.values())


def test_counting_day_by_day_equals_a_rebuild_on_real_papers(sqlite_url: str) -> None:
    corpus = SHARED_DATA / "corpus" / "cs_lg_2026_jan_may.jsonl.gz"
    if not corpus.exists():
        pytest.skip("the corpus is not beside the repository")
    lines = gzip.decompress(corpus.read_bytes()).splitlines(keepends=True)[::25]
    engine = engine_for(sqlite_url)
    with write_session(engine) as session:
        board = begin(session)
        report = take_in(session, read_source(b"".join(lines), "corpus.jsonl", source="json-lines"), now=NOW)
        assert report.new_count == len(lines)
        counted = everything(session)["Activity"]
        assert counted
        assert board.id is not None
        rebuild(session, board.id, NOW)
        assert everything(session)["Activity"] == counted
    engine.dispose()
