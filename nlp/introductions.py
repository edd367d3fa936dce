"""What the short forms of one text mean, by the text's own words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from nlp.abbreviations import abbreviation_pair, brackets
from nlp.matcher import Matcher
from nlp.normalize import term_key
from nlp.standings import Match, Standing
from nlp.surfaces import in_singular, is_short


def with_introductions(text: str, matches: list[Match], matcher: Matcher) -> list[Match]:
    """The matches of a text, by start and longest first, as its own introductions of short forms change them.

    A listed short form that the text introduces with another meaning is none; one that it introduces for a
    listed term, listed or not, is a match wherever it stands.
    """
    introduced = introductions(text, matches, matcher)
    if not introduced:
        return matches
    kept = [
        match
        for match in matches
        if match[2].short not in introduced or not is_contradicted(match[2], introduced, matcher)
    ]
    added = list(short_matches(text, introduced, matcher))
    if added:
        kept += added
        kept.sort(key=lambda match: (match[0], -match[1]))
    return kept


def introductions(text: str, matches: Sequence[Match], matcher: Matcher) -> dict[str, str]:
    """Each short form that the text introduces, with its long form's key: {"LoRA": "low rank adaptation"}.

    Only brackets at whose beginning one of the ``matches``, which are in order, ends or begins are looked at:
    no other can introduce a listed term or give a listed short form another meaning. A short form stands in
    the singular ("LLMs" under "LLM"). Introduced twice, a long form of a listed term wins.
    """
    found: dict[str, str] = {}
    settled = set()
    starts = [match[0] for match in matches]
    for bracket in brackets(text):
        begin = bracket.start()  # between it and a match there may be a blank and a quotation mark
        first = bisect_left(starts, begin - 2 - matcher.longest)
        last = bisect_right(starts, begin + 2, first)
        beside = [match for match in matches[first:last] if match[1] >= begin - 2]
        if not beside:
            continue
        if _is_repeated(bracket, beside):
            settled.add(in_singular(bracket[1]))
        elif pair := abbreviation_pair(text, bracket):
            key = _key(pair.long)
            short = in_singular(pair.short)
            if short not in found or matcher.term_of(key) is not None:
                found[short] = key
    return {short: key for short, key in found.items() if short not in settled} if settled else found


def is_contradicted(standing: Standing, introduced: Mapping[str, str], matcher: Matcher) -> bool:
    """Whether a short form is introduced with a long form that is not the term's own."""
    long = introduced[standing.short]
    if matcher.term_of(long) == standing.term:
        return False
    words = set(long.split())
    for own in matcher.long_forms(standing.term):
        if set(own.split()) <= words or words <= set(own.split()):
            return False  # "large-scale language models (LLMs)" are large language models
    return True


def short_matches(text: str, introduced: Mapping[str, str], matcher: Matcher) -> Iterator[Match]:
    """The places of the short forms, listed or not, that the text itself introduces for a listed term."""
    for short, long in introduced.items():
        term = matcher.term_of(long)
        if term is not None and is_short(short):
            for start, end in _places(short, text):
                yield start, end, Standing(term)


def _is_repeated(bracket: re.Match[str], beside: Sequence[Match]) -> bool:
    """Whether the bracket holds a form of the term before it, which tells nothing new: "LLMs" of "large
    language models (LLMs)"."""
    place = bracket.span(1)
    inside = [standing.term for start, end, standing in beside if (start, end) == place]
    before = place[0] - 2
    return bool(inside) and any(end == before and standing.term in inside for _, end, standing in beside)


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
