"""From a surface form to its term key: the one definition of "same term".

Two surface forms are the same term when their keys are equal. Long and short forms ("low-rank adaptation",
"LoRA") are brought together by the lexicon and by the abbreviations found in a text, not here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from nlp.plurals import singular
from nlp.spelling import american

HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015-"  # the ASCII one last: it stands in character classes
APOSTROPHES = "'\u2019\u02bc\u2018"

_JOINTS = re.compile(rf"[\s{HYPHENS}]+")
_IGNORED = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")  # soft hyphen, zero-width characters
_POSSESSIVE = re.compile(rf"(?<=\w)[{APOSTROPHES}]s(?!\w)|(?<=s)[{APOSTROPHES}](?!\w)", re.IGNORECASE)
_SHORT_PLURAL = re.compile(r"(?<![^\W_])([A-Z0-9]*[A-Z][A-Z0-9]*)s(?![^\W_])")  # "LLMs", "APIs", "GPs"
_PLAIN = re.compile(r"[a-z0-9]+(?:[ -][a-z0-9]+)*")
_BASE_NOUNS = frozenset({"case", "code", "customer", "data", "fact", "knowledge", "law", "rule", "user"})
_EDGES = ".,;:!?()[]{}\"'“”‘’«»`_/|"


def term_key(surface: str) -> str:
    """The key under which a surface form is known: lower case, singular, American, words parted by one blank.

    `term_key(term_key(x)) == term_key(x)`; a string without letters or digits has the key "".
    """
    if _PLAIN.fullmatch(surface) and "bases" not in surface:  # most are, and this takes a fifth of the time
        return " ".join(map(_alone, surface.replace("-", " ").split(" ")))
    text = _IGNORED.sub("", unicodedata.normalize("NFKC", surface))
    text = _SHORT_PLURAL.sub(r"\1", _POSSESSIVE.sub("", text))
    key = _plain_key(text)
    while (again := _plain_key(key)) != key:  # a word may need two steps: "programmes", "program"
        key = again
    return key if any(ch.isalnum() for ch in key) else ""


def slug(key: str) -> str:
    """An address for a term key: [a-z0-9] and single hyphens, never empty.

    Signs that tell terms apart are spelled ("c++" -> "c-plus-plus"); a key with no Latin letters or digits is
    written by its code points. Two keys may share a slug ("c#", "c sharp"): whoever stores slugs checks.
    """
    text = key
    for sign, word in (("+", " plus "), ("#", " sharp "), ("*", " star "), ("&", " and "), ("@", " at ")):
        text = text.replace(sign, word)
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    address = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return address or "-".join(f"u{ord(ch):04x}" for ch in key) or "none"


def _plain_key(text: str) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    words = [word.strip(_EDGES) for word in _JOINTS.split(_POSSESSIVE.sub("", text))]
    words = [word for word in words if word]
    return " ".join(_word_key(word, before) for before, word in zip(["", *words], words, strict=False))


@lru_cache(maxsize=65_536)
def _alone(word: str) -> str:
    """The key of a small word that is no matter of the word before it."""
    while (again := _word_key(word, "")) != word:
        word = again
    return word


def _word_key(word: str, before: str) -> str:
    if word == "bases" and before in _BASE_NOUNS:
        return "base"
    return american(singular(word))
