"""What a fetch hands over, a page at a time, and how its place in a list is written down.

A page and the cursor that comes with it are to be stored together: whoever starts again from a stored cursor
gets every page after it, and none that was stored is needed again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from nlp.errors import UnknownSource
from nlp.fetching.answers import Answer, Validators
from nlp.fetching.errors import LATER, WrongContent
from nlp.records import RawPaper, Refusal, Section
from nlp.sources.source import Page

Place = TypeVar("Place")
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The papers of one answer of ``origin``, and the cursor from which to go on after it.

    So far ``done`` records were seen of the ``total`` that the list has, None where nobody knows.
    ``is_last`` says that the fetch is complete with this page. ``remark`` is for the person who waits;
    ``missed`` are days announced since the last fetch that this way of fetching cannot give any more.
    """

    origin: str
    papers: tuple[RawPaper | Refusal, ...]
    cursor: str
    done: int
    total: int | None
    is_last: bool
    validators: Validators | None = None
    remark: str = ""
    missed: tuple[date, ...] = ()


def as_text(place: Any) -> str:
    """A place, which is a dataclass of plain values, as the text of a cursor."""
    text: str = _adapter(type(place)).dump_json(place).decode()
    return text


def place_in(kind: type[Place], cursor: str) -> Place | None:
    """The place that a cursor holds; None for "" and for what another version wrote, and the list is begun
    anew."""
    try:
        found: Place = _adapter(kind).validate_json(cursor)
    except ValidationError:
        return None
    return found


def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def read(answer: Answer, reader: Callable[[bytes, Page], Read], board: str) -> Read:
    """What an answer says of a board's papers; raises `WrongContent` for what is no such answer."""
    try:
        return reader(answer.data, Page(answer.address, board))
    except UnknownSource as error:
        raise WrongContent(answer.address, error.reason, LATER) from error


def announcing(
    papers: tuple[RawPaper | Refusal, ...], is_of_before: Callable[[RawPaper], bool]
) -> tuple[RawPaper | Refusal, ...]:
    """The same, where papers of before the fetch's beginning announce nothing: their days would else appear
    on the board with the few of their papers that were revised since."""
    return tuple(
        replace(paper, section=Section.REPLACED)
        if isinstance(paper, RawPaper) and is_of_before(paper)
        else paper
        for paper in papers
    )


