"""What is stored of papers and terms. Imported only here, by `market.intake`/`market.activity`/`market.reads`
and by the migrations."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Date,
    Index,
    LargeBinary,
    Text,
    UniqueConstraint,
    false,
    true,
)
from sqlmodel import Field, SQLModel

from nlp.columns import BIGINT, Moment, whole_numbers


class Paper(SQLModel, table=True):
    """One paper, by its identifier without a version; the source text is kept untouched.

    `version` is the version that the text is of, None where no source said. `announced_on` is the first day
    on which a source announced it, as `announced_as` (a `Section`); both are None while it is only known from
    replacements, and the day alone while no source stated one. `withdrawn_at` is when that became known here;
    `is_notice` says that the text is a withdrawal's, for want of another. `content_hash` is the same for
    texts that read alike (see `nlp.content`), None for one that is too short to tell.
    """

    __table_args__: ClassVar[Any] = (
        CheckConstraint("length(text_hash) = 64", name="text_hash_is_sha256"),
        CheckConstraint("version >= 1", name="version_from_one"),
        CheckConstraint("length(content_hash) = 64", name="content_hash_is_sha256"),
    )

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    identifier: str = Field(unique=True, max_length=200)
    source: str = Field(max_length=40)
    url: str | None = Field(default=None, max_length=500)
    title_source: str = Field(sa_type=Text)
    title_runs: list[Any] = Field(sa_type=JSON)
    title_text: str = Field(sa_type=Text)
    abstract_source: str = Field(sa_type=Text)
    abstract_runs: list[Any] = Field(sa_type=JSON)
    abstract_text: str = Field(sa_type=Text)
    text_hash: str = Field(max_length=64)
    typesetter_version: int
    authors: list[str] = Field(sa_type=JSON)
    categories: list[str] = Field(sa_type=JSON)
    taken_in_at: datetime = Field(sa_type=Moment)
    version: int | None = None
    submitted_at: datetime | None = Field(default=None, sa_type=Moment)
    announced_on: date | None = Field(default=None, sa_type=Date)
    announced_as: str | None = Field(default=None, max_length=16)
    withdrawn_at: datetime | None = Field(default=None, sa_type=Moment)
    is_notice: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    content_hash: str | None = Field(default=None, max_length=64, index=True)


class PaperWords(SQLModel, table=True):
    """The signature of the words of a paper's abstract (see `nlp.word_signature`): by it the papers are found
    that a term's new forms may stand in. A projection of the texts."""

    __tablename__ = "paper_words"

    paper_id: int = Field(sa_type=BIGINT, foreign_key="paper.id", primary_key=True)
    signature_version: int
    signature: bytes = Field(sa_type=LargeBinary)


class Term(SQLModel, table=True):
    """A term that can be highlighted: its key, the slug of its address, the label people read.

    One that was merged into another is not looked for any more but by the contracts that were opened on it.
    """

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    key: str = Field(unique=True, max_length=200)
    slug: str = Field(unique=True, max_length=200)
    label: str = Field(max_length=200)
    current_version: int = Field(sa_type=BIGINT)
    merged_into_id: int | None = Field(default=None, sa_type=BIGINT, foreign_key="term.id")


class TermVersion(SQLModel, table=True):
    """The frozen set of surface forms that a count was made with.

    What was found with it belongs to the term's activity while `is_counted`: not any more once forms of it
    were given to another term. Contracts that are bound to it count with it all the same.
    """

    __tablename__ = "term_version"
    __table_args__: ClassVar[Any] = (UniqueConstraint("term_id", "version"), whole_numbers("version"))

    id: int | None = Field(default=None, sa_type=BIGINT, primary_key=True)
    term_id: int = Field(sa_type=BIGINT, foreign_key="term.id")
    version: int = Field(sa_type=BIGINT)
    forms: list[str] = Field(sa_type=JSON)
    highlighter_version: int
    created_at: datetime = Field(sa_type=Moment)
    is_counted: bool = Field(default=True, sa_column_kwargs={"server_default": true()})


class StoredMention(SQLModel, table=True):
    """One occurrence of a term in a paper's abstract, as [start, end) of its reading text."""

    __tablename__ = "mention"
    __table_args__: ClassVar[Any] = (
        CheckConstraint("start_offset >= 0 AND end_offset > start_offset", name="span_is_not_empty"),
        whole_numbers("start_offset", "end_offset"),
        Index("ix_mention_term_version_id_paper_id", "term_version_id", "paper_id"),
    )

    paper_id: int = Field(sa_type=BIGINT, foreign_key="paper.id", primary_key=True)
    term_version_id: int = Field(sa_type=BIGINT, foreign_key="term_version.id", primary_key=True)
    start_offset: int = Field(sa_type=BIGINT, primary_key=True)
    end_offset: int = Field(sa_type=BIGINT)
    quote: str = Field(max_length=400)
