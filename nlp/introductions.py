"""What the short forms of one text mean, by the text's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from nlp.abbreviations import LONGEST_SHORT, abbreviation_pair, brackets
from nlp.matcher import Match, Matcher
from nlp.normalize import term_key
from nlp.standings import Standing
from nlp.surfaces import is_short


def with_introductions(text: str, matches: list[Match], matcher: Matcher) -> list[Match]:
    """The matches of a text, by start and longest first, as its own introductions of short forms change them.

    A listed short form that the text introduces with another meaning is none; one that it introduces for a
    listed term, listed or not, is a match wherever it stands.
    """
    introduced = introductions(text, matches, matcher)
    if not introduced:
        return matches
    longest = LONGEST_SHORT + len("s")
    changed = [
        match
        for match in matches
        if match.end - match.start > longest or not is_contradicted(match, text, introduced, matcher)
    ]
    changed.extend(short_matches(text, introduced, matcher))
    changed.sort(key=lambda match: (match.start, -match.end))
    return changed


def introductions(text: str, matches: Sequence[Match], matcher: Matcher) -> dict[str, str]:
    """Each short form that the text introduces, with its long form's key: {"LoRA": "low rank adaptation"}.

    Only brackets at whose beginning one of the ``matches`` ends or begins are looked at: no other can
    introduce a listed term or give a listed short form another meaning. A short form stands in the singular
    ("LLMs" under "LLM"). Introduced twice, a long form of a listed term wins.
    """
    found: dict[str, str] = {}
    settled = set()
    for bracket in brackets(text):
        beside = _beside(bracket, matches)
        if short := _repeated(bracket, beside):
            settled.add(_one(short))
        elif beside and (pair := abbreviation_pair(text, bracket)):
            key = _key(pair.long)
            short = _one(pair.short)
            if short not in found or matcher.term_of(key) is not None:
                found[short] = key
    return {short: key for short, key in found.items() if short not in settled} if settled else found


def is_contradicted(match: Match, text: str, introduced: Mapping[str, str], matcher: Matcher) -> bool:
    """Whether the text introduces this short form with a long form that is not the term's own."""
    quote = text[match.start : match.end]
    long = introduced.get(_one(quote))
    if long is None or matcher.term_of(long) == match.term or not is_short(quote):
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
            for start, end in _places(short, text):
                yield Match(start, end, Standing(term, text[start:end]))


def _beside(bracket: re.Match[str], matches: Sequence[Match]) -> list[Match]:
    """The matches that end before the bracket or begin in it, with a blank or a quotation mark between."""
    begin = bracket.start()
    return [match for match in matches if match.start <= begin + 2 and match.end >= begin - 2]


def _repeated(bracket: re.Match[str], beside: Sequence[Match]) -> str:
    """What the bracket holds where that is a form of the term before it, which tells nothing new: "LLMs" of
    "large language models (LLMs)"; else ""."""
    before = {match.term for match in beside if match.end == bracket.start() - 1}
    place = bracket.span(1)
    return bracket[1] if any(match[:2] == place and match.term in before for match in beside) else ""


@lru_cache(maxsize=32_768)  # the long forms of a field come again and again
def _key(long: str) -> str:
    return term_key(long)


def _places(short: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the short form or its plural stands as a whole word."""
    start = text.find(short)
    while start >= 0:
        end = start + len(short)
        end += text.startswith("s", end)
        if not (_is_word(text[start - 1 : start]) or _is_word(text[end : end + 1])):
            yield start, end
        start = text.find(short, end)


def _is_word(ch: str) -> bool:
    return ch.isalnum() or ch == "_"


def _one(short: str) -> str:
    return short[:-1] if len(short) > 2 and short.endswith("s") and short[-2].isupper() else short
