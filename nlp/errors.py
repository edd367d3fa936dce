"""What can go wrong with text, one class per reason; bad records are values (`records.Refusal`)."""

from __future__ import annotations


class NlpError(Exception):
    """Base of every error that this package raises on purpose."""


class UnknownSource(NlpError):
    """A file is in none of the formats that can be read, or not in the one it was said to be."""

    def __init__(self, origin: str, reason: str) -> None:
        super().__init__(f"{origin}: {reason}")
        self.origin = origin
        self.reason = reason


class BadLexicon(NlpError):
    """The lexicon contradicts itself or cannot be read; names the file and the entry."""

    def __init__(self, origin: str, reason: str) -> None:
        super().__init__(f"{origin}: {reason}")
        self.origin = origin
        self.reason = reason
