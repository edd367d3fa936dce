"""Reading files into raw papers. A new input format is a new module and one line in `FORMATS`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import PurePath

from nlp.errors import UnknownSource
from nlp.records import RawPaper, Refusal
from nlp.sources import characters, json_lines, listing, tmlr_digest
from nlp.sources.source import Page, Source

__all__ = ["FORMATS", "SOURCES", "read_source"]

FORMATS: tuple[Source, ...] = (
    tmlr_digest.SOURCE,
    listing.SOURCE,
    json_lines.SOURCE,
)
SOURCES: tuple[str, ...] = tuple(each.name for each in FORMATS)

_HEAD = 20_000  # characters shown to the recognisers; the longest abstract allowed has 5,000
_SHOWN = 50


def read_source(
    data: bytes,
    origin: str,
    *,
    source: str | None = None,
    board: str | None = None,
    day: date | None = None,
) -> Iterator[RawPaper | Refusal]:
    """The papers of a file, and a `Refusal` with its line for each record that cannot be taken.

    ``origin`` is the file's name, for messages. ``source`` is one of `SOURCES`; without it the format
    is recognised. ``board`` (a code such as "cs.LG") and ``day`` are needed where the file states none.
    Raises `UnknownSource` at once, before the first record, where nothing recognises the file, where it
    is not what ``source`` says, or where board or day are unknown or contradict the file.
    """
    if source is not None and source not in SOURCES:
        raise UnknownSource(origin, f"no format is called “{source}”; there are {', '.join(SOURCES)}")
    text = characters.decode(data, origin)
    return _recognise(text, origin, source).parse(text, Page(origin, board, day))


def _recognise(text: str, origin: str, source: str | None) -> Source:
    head, name = text.lstrip()[:_HEAD], PurePath(origin).name.lower()
    fitting = [each for each in FORMATS if each.recognises(head, name)]
    chosen = next((each for each in fitting if source in (None, each.name)), None)
    if chosen is not None:
        return chosen
    seen = f"it looks like {fitting[0].description} ({fitting[0].name})" if fitting else _seen(head)
    if source is not None:
        raise UnknownSource(origin, f"not of the format {source}: {seen}")
    known = "; ".join(f"{each.description} ({each.name})" for each in FORMATS)
    raise UnknownSource(origin, f"{seen}. What can be read: {known}")


def _seen(head: str) -> str:
    begin = head[:_SHOWN]
    if begin.lower().startswith(("<!doctype html", "<html")):
        return "an HTML page"
    if begin.startswith("<?xml"):
        return "an XML document"
    if begin.startswith(("[", "{")):
        return "JSON, but not one object a line"
    return f"text that begins with {begin!a}"
