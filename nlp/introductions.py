"""What the short forms of one text mean, by the text's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nlp.abbreviations import abbreviation_pairs
from nlp.matcher import Match, Matcher
from nlp.normalize import term_key
from nlp.surfaces import is_short


def introductions(text: str, matcher: Matcher) -> dict[str, str]:
    """Each short form that the text introduces, with its long form's key: {"LoRA": "low rank adaptation"}.

    A short form stands in the singular ("LLMs" under "LLM"). Introduced twice, a long form of a listed
    term wins.
    """
    found: dict[str, str] = {}
    for pair in abbreviation_pairs(text):
        key = term_key(pair.long)
        short = _one(pair.short)
        if short not in found or matcher.term_of(key) is not None:
            found[short] = key
    return found


def is_contradicted(match: Match, text: str, introduced: Mapping[str, str], matcher: Matcher) -> bool:
    """Whether the text introduces this short form with a long form that is not the term's own."""
    quote = text[match.start : match.end]
    long = introduced.get(_one(quote)) if is_short(quote) else None
    if long is None or matcher.term_of(long) == match.term:
        return False
    words = set(long.split())
    for own in matcher.long_forms(match.term):
        if set(own.split()) <= words or words <= set(own.split()):
            return False  # "large-scale language models (LLMs)" are large language models
    return True


def short_matches(text: str, introduced: Mapping[str, str], matcher: Matcher) -> Iterator[Match]:
    """The places of the short forms, listed or not, that the text itself introduces for a listed term."""
    for short, long in introduced.items():
        term = matcher.term_of(long)
        if term is not None and is_short(short):
            for place in re.finditer(rf"(?<!\w){re.escape(short)}s?(?!\w)", text):
                yield Match(place.start(), place.end(), term)


def _one(short: str) -> str:
    return short[:-1] if len(short) > 2 and short.endswith("s") and short[-2].isupper() else short
