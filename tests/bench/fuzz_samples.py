"""Files that each input format reads: the seeds, the fixtures where they are at hand, and two small ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from pathlib import Path

from nlp.errors import NlpError
from nlp.records import RawPaper
from nlp.sources import FORMATS, read_source

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "seeds", ROOT.parent / "shared" / "data" / "fixtures")
# What the person who sends a file may say of it, where the format states none
TOLD = ((None, None), ("cs.LG", None), ("cs.LG", date(2026, 5, 16)), ("tmlr", None))

_LINE = {
    "id": "2605.01230", "date": "2026-05-16", "title": "Tea for\n  Two", "authors": ["Ana Kettle", "Bob Lid"],
    "abstract": "Kettles $n<m$ at 50% of R\\'enyi's heat.", "categories": ["cs.LG", "stat.ML"],
}  # fmt: skip
_SNAPSHOT = {
    "id": "2605.01230", "authors": "Ana K\\'ettle and Bob Lid Jr", "title": "Tea for\n  Two",
    "categories": "cs.LG stat.ML", "abstract": "  Kettles $n<m$.\n", "update_date": "2026-05-16",
    "versions": [{"version": "v1", "created": "Wed, 13 May 2026 18:00:01 GMT"}],
    "authors_parsed": [["Kettle", "Ana", ""], ["Lid", "Bob", "Jr"]],
}  # fmt: skip
_SMALL = {"lines.jsonl": _LINE, "snapshot.json": _SNAPSHOT}


@dataclass(frozen=True, slots=True)
class Samples:
    """What one format reads, and what it has to be told of it."""

    board: str | None
    day: date | None
    texts: tuple[tuple[str, str], ...]  # (expression, text)


@cache
def samples() -> dict[str, Samples]:
    """For each format the files that it reads a paper from; none for some, maybe."""
    return {each.name: _samples_of(each.name) for each in FORMATS}


def sample(name: str) -> str:
    """The text of a sample by its file's name; "mails.mbox" is a mailbox of two."""
    if name == "mails.mbox":
        return "".join(f"From ana@example.org Sat May 16 00:00:00 2026\n{mail}\n" for mail in _mails())
    return _texts()[name]


def _mails() -> list[str]:
    return [text for name, text in _texts().items() if name.endswith(".eml")] * 2 or ["Subject: x\n\nx\n"]


@cache
def _texts() -> dict[str, str]:
    texts = {name: "\n".join([json.dumps(record)] * 3) for name, record in _SMALL.items()}
    for folder in FOLDERS:
        for path in sorted(folder.glob("*.*")):
            if path.suffix in (".txt", ".xml", ".json", ".eml"):
                texts[path.name] = path.read_text(encoding="utf-8", errors="surrogateescape")
    return texts


def _samples_of(source: str) -> Samples:
    for board, day in TOLD:
        page = partial(_is_read, source=source, board=board, day=day)
        texts = tuple((f"sample({name!a})", sample(name)) for name in sorted(_texts()) if page(name))
        if texts:
            break
    return Samples(board, day, texts)


def _is_read(name: str, source: str, board: str | None, day: date | None) -> bool:
    data = sample(name).encode("utf-8", "surrogateescape")
    try:
        papers = read_source(data, name, source=source, board=board, day=day)
        return any(isinstance(each, RawPaper) for each in papers)
    except NlpError:
        return False
