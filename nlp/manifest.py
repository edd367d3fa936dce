"""The manifest of a folder of documents: which boards there are, and each file's format, board and day."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from nlp.errors import NlpError
from nlp.sources import SOURCES

PERIODS = ("week", "month")
DAY_RULES = ("announced", "submitted")

T = TypeVar("T")


class BadManifest(NlpError):
    """The manifest cannot be read or contradicts itself; names the file and the key."""

    def __init__(self, origin: str, key: str, reason: str) -> None:
        super().__init__(f"{origin}: {key}: {reason}" if key else f"{origin}: {reason}")
        self.origin = origin
        self.key = key
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ManifestBoard:
    """A board as the manifest states it; ``grace_days`` is 0 or more, ``time_zone`` an IANA name."""

    code: str
    name: str
    field: str
    period: str
    day_rule: str
    time_zone: str
    grace_days: int


@dataclass(frozen=True, slots=True)
class ManifestDocument:
    """A file beside the manifest: ``kind`` is one of `nlp.sources.SOURCES`, ``board`` a stated code."""

    file: str
    kind: str
    board: str
    day: date
    day_is_inferred: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """Boards and documents in the order they stand in."""

    boards: tuple[ManifestBoard, ...]
    documents: tuple[ManifestDocument, ...]


def load_manifest(file: Path | Traversable) -> Manifest:
    """The manifest in a TOML file. Raises `BadManifest`, with the key where one is at fault."""
    origin = str(file)
    try:
        tables = tomllib.loads(file.read_bytes().decode("utf-8"))
    except OSError as error:
        raise BadManifest(origin, "", f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadManifest(origin, "", f"not a TOML file: {error}") from None
    for key in tables:
        if key not in ("boards", "documents"):
            raise BadManifest(origin, key, "not a key of a manifest")
    boards = _each(origin, tables, "boards", _board)
    codes = tuple(board.code for board in boards)
    documents = _each(origin, tables, "documents", lambda table: _document(table, codes))
    _refuse_duplicates(origin, "boards", "code", codes)
    _refuse_duplicates(origin, "documents", "file", tuple(document.file for document in documents))
    return Manifest(boards, documents)


class _Table:
    """One table of the file: every key is taken once, with its type checked, and none may be left over."""

    def __init__(self, origin: str, path: str, values: object) -> None:
        if not isinstance(values, dict):
            raise BadManifest(origin, path, "a table is wanted")
        self._origin, self._path, self._values = origin, path, dict(values)

    def bad(self, key: str, reason: str) -> BadManifest:
        return BadManifest(self._origin, f"{self._path}.{key}", reason)

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        value = self._values.pop(key, default)
        if value is None:
            raise self.bad(key, "missing")
        if type(value) is not kind:  # a date is no date and time, true is no number
            raise self.bad(key, f"{_WORDS[kind]} is wanted, not {value!r}")
        return value

    def text(self, key: str) -> str:
        value = self.take(key, str)
        if not value.strip():
            raise self.bad(key, "empty")
        return value

    def one_of(self, key: str, known: tuple[str, ...]) -> str:
        value = self.text(key)
        if value not in known:
            raise self.bad(key, f"{value!r} is none of {', '.join(known)}")
        return value

    def end(self) -> None:
        for key in self._values:
            raise self.bad(key, "not a key of a manifest")


_WORDS: Mapping[type, str] = {str: "text", int: "a whole number", bool: "true or false", date: "a day"}


def _each(origin: str, tables: dict[str, Any], name: str, read: Callable[[_Table], T]) -> tuple[T, ...]:
    found = tables.get(name)
    if not isinstance(found, list) or not found:
        raise BadManifest(origin, name, f"at least one [[{name}]] is wanted")
    rows = []
    for number, values in enumerate(found, 1):
        table = _Table(origin, f"{name}[{number}]", values)
        rows.append(read(table))
        table.end()
    return tuple(rows)


def _board(table: _Table) -> ManifestBoard:
    board = ManifestBoard(
        code=table.text("code"),
        name=table.text("name"),
        field=table.text("field"),
        period=table.one_of("period", PERIODS),
        day_rule=table.one_of("day_rule", DAY_RULES),
        time_zone=table.text("time_zone"),
        grace_days=table.take("grace_days", int),
    )
    if board.grace_days < 0:
        raise table.bad("grace_days", "less than 0")
    try:
        ZoneInfo(board.time_zone)
    except (KeyError, ValueError, OSError):
        raise table.bad("time_zone", f"there is no time zone {board.time_zone!r}") from None
    return board


def _document(table: _Table, codes: tuple[str, ...]) -> ManifestDocument:
    document = ManifestDocument(
        file=table.text("file"),
        kind=table.one_of("kind", SOURCES),
        board=table.one_of("board", codes),
        day=table.take("day", date),
        day_is_inferred=table.take("day_is_inferred", bool, False),
    )
    if PurePath(document.file).name != document.file or document.file == "..":
        raise table.bad("file", f"{document.file!r} does not stand beside the manifest")
    return document


def _refuse_duplicates(origin: str, name: str, key: str, values: tuple[str, ...]) -> None:
    for number, value in enumerate(values, 1):
        if value in values[: number - 1]:
            raise BadManifest(origin, f"{name}[{number}].{key}", f"{value!r} stands twice")
