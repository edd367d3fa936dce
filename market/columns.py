"""A column type of the market's own: whole numbers longer than any integer column holds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Dialect, Text, TypeDecorator


class LongNumber(TypeDecorator[int]):
    """A whole number of any length, kept as its decimal digits: exact on every database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> str | None:
        return None if value is None else str(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> int | None:
        return None if value is None else int(value)
