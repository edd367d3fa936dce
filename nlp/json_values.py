"""Values of a JSON object that somebody sent, taken out one by one; every fault is collected. Pure."""

from __future__ import annotations

from typing import Any

from nlp.annotations import Span


class Faults(list[str]):
    """What is wrong with one record, in words."""

    def text(self, value: object, what: str, *, may_be_empty: bool = False) -> str:
        """The value if it is text that can be stored, else "" and a fault."""
        if not isinstance(value, str):
            self.append(f"{what} must be text")
        elif not value and not may_be_empty:
            self.append(f"{what} is empty")
        elif any("\ud800" <= character <= "\udfff" for character in value):
            self.append(f"{what} holds half a surrogate pair, which is no character")
        else:
            return value
        return ""

    def whole(self, value: object, what: str) -> int:
        """The value if it is a whole number from 0, else 0 and a fault."""
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        self.append(f"{what} must be a whole number from 0")
        return 0

    def member(self, value: object, what: str) -> dict[str, Any]:
        """The value if it is an object, else an empty one and a fault."""
        if isinstance(value, dict):
            return value
        self.append(f"{what} must be an object")
        return {}

    def span(self, value: object, text: str, what: str) -> Span | None:
        """The value if it is [start, end, label] and fits the text, else None and a fault."""
        if not isinstance(value, list | tuple) or len(value) != 3:
            self.append(f"{what} must be [start, end, label]")
            return None
        before = len(self)
        start, end = self.whole(value[0], f"{what}: start"), self.whole(value[1], f"{what}: end")
        label = self.text(value[2], f"{what}: label")
        if len(self) == before and not start < end <= len(text):
            self.append(f"{what}: {start} to {end} is no stretch of a text of {len(text)} characters")
        return Span(start, end, label) if len(self) == before else None
