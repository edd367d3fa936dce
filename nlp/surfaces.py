"""What of a surface form may vary in a text, and what may not.

A word with a capital after its first letter ("LoRA", "GPUs"), and a form that is one capitalised word
("Mamba"), is a name: it is matched in exactly this spelling, also with a plural s. Every other word is
matched in any case. A blank and a hyphen are the same, each word has its British and its American
spelling, and the head of the form its singular and plural.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from nlp.normalize import APOSTROPHES, HYPHENS, term_key
from nlp.plurals import plurals, singular
from nlp.spelling import american, british

_ASCII_JOINTS = "\t\n\r\v\f-"
_OTHER_JOINTS = (
    "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))) + HYPHENS.removesuffix("-")
)
_JOINT = re.compile(rf"[\s{HYPHENS}]+")
_WORD = re.compile(r"[^ ]+")
_POSSESSIVE = re.compile(rf"(?<=\w)[{APOSTROPHES}]s(?=\s)")  # "Alzheimer", "Alzheimers disease"
_PREPOSITIONS = frozenset({"as", "by", "for", "from", "in", "of", "on", "to", "with"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """One spelling to be looked for in a folded text.

    ``exact`` holds the places, from the pattern's start, at which the text must stand letter for letter.
    """

    folded: str
    exact: tuple[tuple[int, str], ...]


def straighten(text: str) -> str:
    """`text` with every hyphen and blank as " " and every apostrophe as "'"; its length is kept."""
    # Replacing one character at a time is some ten times as fast as str.translate.
    for joint in _ASCII_JOINTS:
        text = text.replace(joint, " ")
    if text.isascii():
        return text
    for joint in _OTHER_JOINTS:
        text = text.replace(joint, " ")
    for apostrophe in APOSTROPHES:
        text = text.replace(apostrophe, "'")
    return text.replace("İ", "i")  # the one character that grows under lower()


def fold(text: str) -> str:
    """The straightened text in lower case; its length is kept, so offsets in it are offsets in `text`."""
    return straighten(text).lower()


def is_word_character(ch: str) -> bool:
    """Whether a word goes on through this character: a letter, digit, underscore or combining mark."""
    return ch.isalnum() or ch == "_" or unicodedata.combining(ch) != 0


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether [start, end) of a text neither begins nor ends within a word."""
    if start and is_word_character(text[start - 1]) and is_word_character(text[start]):
        return False
    return not (end < len(text) and is_word_character(text[end]) and is_word_character(text[end - 1]))


def is_short(form: str) -> bool:
    """Whether a form is a short form ("LoRA", "GPUs") that a text may introduce with another meaning."""
    return sum(ch.isupper() for ch in form) > 1 and len(_words(form)) == 1


def short_form(quote: str) -> str:
    """The short form in the singular ("LLM" of "LLMs"), or "" if the quote is none."""
    return in_singular(quote) if not quote.islower() and is_short(quote) else ""


def in_singular(short: str) -> str:
    """A short form without the s of its plural: "LLM" of "LLMs"."""
    return short[:-1] if len(short) > 2 and short.endswith("s") and short[-2].isupper() else short


@lru_cache(maxsize=131_072)  # asked once to look for contradictions and once to compile
def patterns(form: str) -> tuple[Pattern, ...]:
    """Everything that is looked for to find a surface form."""
    return tuple(dict.fromkeys(map(_pattern_of, variants(form))))


def variants(form: str) -> tuple[str, ...]:
    """The form as written and, after it, its other spellings, its singulars and its plurals."""
    written = " ".join(_words(form))
    key = term_key(form)
    found = [written, _POSSESSIVE.sub("", written), _POSSESSIVE.sub("s", written)]
    for respell in (american, british):
        words = (word if _is_exact(word, form) else respell(word.lower()) for word in written.split())
        found.append(" ".join(words))
    for spelling in dict.fromkeys(found):
        found.extend(_numbers(spelling, form))
    return tuple(variant for variant in dict.fromkeys(found) if term_key(variant) == key)


def _words(form: str) -> list[str]:
    return _JOINT.split(form.strip())


def _is_exact(word: str, form: str) -> bool:
    if word.islower():
        return False
    has_inner_capital = any(ch.isupper() for ch in word[1:])
    return has_inner_capital or (len(_words(form)) == 1 and word[:1].isupper())


def _numbers(spelling: str, form: str) -> list[str]:
    """The other numbers of the last word, and of one before a preposition ("mixtures of experts")."""
    words = spelling.split()
    keys = term_key(spelling).split()
    heads = {len(words) - 1, *(at - 1 for at in range(1, len(words)) if words[at].lower() in _PREPOSITIONS)}
    found: list[str] = []
    for at in sorted(heads):
        word = words[at]
        if _is_exact(word, form):
            others = [word[:-1] if word.endswith("s") else f"{word}s"]
        else:
            # "bases" alone is of "basis", in "knowledge bases" of "base".
            ones = [singular(word.lower()), *keys[at : at + 1]]
            others = [number for one in ones for number in (one, *plurals(one))]
        found.extend(" ".join([*words[:at], other, *words[at + 1 :]]) for other in others)
    return found


def _pattern_of(spelling: str) -> Pattern:
    if spelling.islower():
        return Pattern(fold(spelling), ())
    words = [(word.start(), word[0]) for word in _WORD.finditer(spelling)]
    exact = tuple((at, straighten(word)) for at, word in words if _is_exact(word, spelling))
    return Pattern(fold(spelling), exact)
