"""Single JSON objects, read strictly: no key twice, no NaN, no broken characters."""

from __future__ import annotations

import json
from typing import Any

from nlp.sources import characters

_KINDS = {list: "a list", dict: "an object", bool: "true or false", type(None): "null"}


class Unfit(Exception):
    """Why a record is refused, in words."""


def json_object(text: str) -> dict[str, Any]:
    """The object that the text is; raises `Unfit`."""
    try:
        record = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Unfit(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise Unfit("not JSON that can be read: nested too deeply, or a number too long") from None
    if not isinstance(record, dict):
        raise Unfit("not a JSON object")
    return record


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in pairs:
        if key in record:
            raise Unfit(f"the key {shown(key)} stands twice")
        record[key] = value
    return record


def _refuse_constant(name: str) -> None:
    raise Unfit(f"not JSON: {name}")


_DECODER = json.JSONDecoder(object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)


def shown(value: str) -> str:
    """A value as it stands in a message."""
    return ascii(value if len(value) <= 60 else value[:60] + "...")


def text_of(record: dict[str, Any], key: str) -> str:
    """The text under a key; raises `Unfit` where there is none, or one with broken characters."""
    if key not in record:
        raise Unfit(f"no {key}")
    return sound(record[key], key)


def sound(value: object, key: str) -> str:
    """The value, called ``key`` in messages, if it is text without flaws; raises `Unfit`."""
    if not isinstance(value, str):
        raise Unfit(f"{key}: text is wanted, not {_KINDS.get(type(value), 'a number')}")
    value = value.replace("\r\n", "\n")
    if reason := characters.flaw(value):
        raise Unfit(f"{key}: {reason}")
    return value
