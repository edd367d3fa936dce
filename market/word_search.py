"""Stored papers whose text may have the words of a form: found by the signatures kept beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlmodel import Session, col

from market.inserts import insert_new
from market.prepared import Prepared
from nlp.records import ReadingText
from nlp.tables import Paper, PaperWords
from nlp.typeset import runs_from_json
from nlp.word_signature import BYTES, SIGNATURE_VERSION, needs, places_of, signature

PAPERS_AT_ONCE = 20_000  # whose signatures are held: 5 MB
TEXTS_AT_ONCE = 500

_SIGNATURES = Prepared(
    sa.select(col(PaperWords.paper_id), col(PaperWords.signature))
    .where(col(PaperWords.paper_id) > sa.bindparam("after"))
    .order_by(col(PaperWords.paper_id))
    .limit(PAPERS_AT_ONCE)
)


def keep_words(session: Session, readings: Iterable[tuple[int, ReadingText]]) -> None:
    """Keep the signatures of new texts, by the ids of their papers; those of others must be gone."""
    rows = [
        {"paper_id": paper_id, "signature_version": SIGNATURE_VERSION, "signature": signature(reading)}
        for paper_id, reading in readings
    ]
    insert_new(session, PaperWords, rows)


def forget_words(session: Session, paper_ids: Iterable[int]) -> None:
    """Forget the signatures of papers whose text is another now."""
    session.execute(sa.delete(PaperWords).where(col(PaperWords.paper_id).in_(list(paper_ids))))


def papers_with_words(session: Session, forms: Iterable[str]) -> tuple[int, ...]:
    """The papers, by their ids and in that order, whose text may have all words of one of the forms.

    None is left out that has; a few in a thousand others are among them. Signatures that are missing, or of
    another version, are made first.
    """
    wanted = {words for form in forms for words in needs(form)}
    if not wanted:
        return ()
    _complete(session)
    found: list[int] = []
    after = 0
    while rows := _SIGNATURES.rows(session, {"after": after}):
        found += _having(rows, wanted)
        after = rows[-1][0]
    return tuple(found)


def _having(rows: Sequence[tuple[Any, ...]], wanted: Iterable[frozenset[str]]) -> list[int]:
    table = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.uint8).reshape(-1, BYTES)
    ids = np.array([row[0] for row in rows])
    of_word: dict[str, NDArray[np.bool_]] = {}
    either = np.zeros(len(rows), dtype=np.bool_)
    for words in wanted:
        every = np.ones(len(rows), dtype=np.bool_)
        for word in words:
            if word not in of_word:
                of_word[word] = _with_word(table, word)
            every &= of_word[word]
        either |= every
    having: list[int] = ids[either].tolist()
    return having


def _with_word(table: NDArray[np.uint8], word: str) -> NDArray[np.bool_]:
    (first, bit), *others = places_of(word)
    having: NDArray[np.bool_] = (table[:, first] & bit) != 0
    for byte, bit in others:
        having &= (table[:, byte] & bit) != 0
    return having


def _complete(session: Session) -> None:
    """Make the signatures that are missing: of papers from before there were any."""
    current = sa.select(sa.func.count()).where(col(PaperWords.signature_version) == SIGNATURE_VERSION)
    papers = sa.select(sa.func.count()).select_from(Paper)
    counts = session.execute(
        sa.select(papers.scalar_subquery().label("papers"), current.scalar_subquery().label("current"))
    ).one()
    if counts.papers == counts.current:
        return
    session.execute(sa.delete(PaperWords).where(col(PaperWords.signature_version) != SIGNATURE_VERSION))
    missing = session.scalars(
        sa.select(col(Paper.id)).where(
            ~sa.exists().where(col(PaperWords.paper_id) == col(Paper.id))
        ).order_by(col(Paper.id))
    ).all()  # fmt: skip
    for start in range(0, len(missing), TEXTS_AT_ONCE):
        keep_words(session, texts_of(session, missing[start : start + TEXTS_AT_ONCE]).items())


def texts_of(session: Session, paper_ids: Sequence[int | None]) -> Mapping[int, ReadingText]:
    """The reading texts of the papers' abstracts, by their ids."""
    rows = session.execute(
        sa.select(col(Paper.id), col(Paper.abstract_text), col(Paper.abstract_runs))
        .where(col(Paper.id).in_(paper_ids))
        .order_by(col(Paper.id))
    )
    return {row.id: runs_from_json(row.abstract_text, row.abstract_runs) for row in rows}
