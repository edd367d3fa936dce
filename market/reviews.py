"""What somebody who read a list of terms decided about it, as a TOML file.

    [[refused]]
    reason = "a place, not a term"
    terms = ["Texas"]

    [[term]]
    label = "activation steering"
    same = ["steering vector", "activation engineering"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlp.errors import BadLexicon
from nlp.normalize import term_key


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Decisions by term key: why it is refused; how it is labelled; whose it is (the key of another term)."""

    refused: Mapping[str, str]
    labels: Mapping[str, str]
    same: Mapping[str, str]


NOT_REVIEWED = Reviewed({}, {}, {})


def load_review(path: Path) -> Reviewed:
    """The decisions of a file; raises `BadLexicon` with the file and what is wrong in it."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadLexicon(str(path), str(error)) from error
    unknown = sorted(set(content) - {"refused", "term"})
    if unknown:
        raise BadLexicon(str(path), f"only [[refused]] and [[term]] are known, not {', '.join(unknown)}")
    refused: dict[str, str] = {}
    labels: dict[str, str] = {}
    same: dict[str, str] = {}
    for number, entry in enumerate(content.get("refused", []), start=1):
        reason, words = _entry(path, f"[[refused]] {number}", entry, "reason", "terms")
        refused.update((term_key(word), reason) for word in words)
    for number, entry in enumerate(content.get("term", []), start=1):
        label, words = _entry(path, f"[[term]] {number}", entry, "label", "same")
        key = term_key(label)
        labels[key] = label
        same.update((term_key(word), key) for word in words if term_key(word) != key)
    for key, owner in same.items():
        if owner in same or key in labels:
            raise BadLexicon(str(path), f"{key!r} is the same as {owner!r} and a term of its own")
    return Reviewed(refused, labels, same)


def _entry(path: Path, where: str, entry: Any, text: str, words: str) -> tuple[str, list[str]]:
    if not isinstance(entry, dict) or set(entry) - {text, words}:
        raise BadLexicon(str(path), f"{where} has other fields than {text} and {words}")
    name, listed = entry.get(text), entry.get(words, [])
    if not isinstance(name, str) or not name.strip():
        raise BadLexicon(str(path), f"{where} has no {text}")
    if not isinstance(listed, list) or not all(isinstance(word, str) and term_key(word) for word in listed):
        raise BadLexicon(str(path), f"{where} ({name!r}): {words} must be a list of words")
    return name.strip(), listed
