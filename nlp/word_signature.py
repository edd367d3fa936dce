"""Whether a text can have the words of a surface form: sure where it says no, right in most cases otherwise.

A signature is a Bloom filter of the words of a text, 256 bytes of it: each word sets four bits. A change of a
term's forms can change the mentions of no text that lacks the words of all of these forms, and a database of
100,000 texts is looked through in a tenth of a second.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from nlp.highlight import open_text
from nlp.normalize import term_key
from nlp.records import ReadingText
from nlp.surfaces import is_short, patterns, straighten

SIGNATURE_VERSION = 1  # counts up when the same text may get another signature
BYTES = 256
_BITS_A_WORD = 4
_WORD = re.compile(r"\w+")
_IGNORED = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")  # as `term_key` leaves them out


def signature(reading: ReadingText) -> bytes:
    """The 256 bytes for the words of a text in which a term may stand."""
    bits = 0
    for word in set(_words(open_text(reading))):
        bits |= _bits(word)
    return bits.to_bytes(BYTES, "little")


def needs(form: str) -> frozenset[frozenset[str]]:
    """What a text must have for this form to change its mentions: all words of one of these sets.

    The words of each spelling that is looked for, and those of the key by which a text may introduce it.
    """
    spellings = {pattern.folded for pattern in patterns(form)} | {term_key(form)}
    return frozenset(
        frozenset(key for word in _words(each) for key in _words(term_key(word))) for each in spellings
    )


def places_of(word: str) -> tuple[tuple[int, int], ...]:
    """Where a signature tells of a word out of `needs`: bytes of it, and the bit of each that is set."""
    return tuple((place // 8, 1 << place % 8) for place in _places(word))


def forms_that_tell(before: Iterable[str], after: Iterable[str]) -> frozenset[str]:
    """The forms without whose words a text has the same mentions when a term's forms become others.

    The forms that come or go, and where one of them is a long form all short ones of the term too: what a
    text introduces these as may now be another term, or this one.
    """
    old, new = frozenset(before), frozenset(after)
    changed = old ^ new
    if any(not is_short(form) for form in changed):
        changed |= {form for form in old | new if is_short(form)}
    return changed


def _words(text: str) -> list[str]:
    plain = straighten(text)
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", _IGNORED.sub("", plain))
    return _WORD.findall(plain)


@lru_cache(maxsize=32_768)  # most words of a text are those of others
def _bits(word: str) -> int:
    """The bits of all keys that a form with this word may have for it."""
    keys = {key for each in (word, word.lower()) for key in _words(term_key(each))}
    if "basis" in keys:
        keys.add("base")  # "knowledge bases"
    bits = 0
    for key in keys:
        for place in _places(key):
            bits |= 1 << place
    return bits


def _places(key: str) -> list[int]:
    digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=2 * _BITS_A_WORD).digest()
    return [
        int.from_bytes(digest[at : at + 2], "little") % (8 * BYTES) for at in range(0, 2 * _BITS_A_WORD, 2)
    ]
