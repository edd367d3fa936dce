"""Lexicons of any size for benchmarks: the starter lexicon and, after it, what the corpus says most often.

Left out are the phrases that more than one abstract in 200 has: of the starter lexicon's terms a few only are
more frequent, and with "data" and "show" among its terms no lexicon would be one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from nlp.lexicon import Lexicon, LexiconTerm, lexicon_from_entries, load_lexicon
from nlp.normalize import slug, term_key

SEEDS = Path(__file__).parents[2] / "seeds"
_WORD = re.compile(r"[a-z]{2,}(?:-[a-z]+)*")
_CLAUSE = re.compile(r"[^\w\s-]+|\d+")
_SHARE = 1 / 200
# A phrase that begins or ends with one of these is none.
_WORDS = """
    an and are as at be been both but by can do for from has have how if in into is it its may more most no
    not of on or our over so such than that the their them then these they this those through to under up was
    we were what when where which while will with without you your
"""
_SMALL = frozenset(_WORDS.split())


def lexicon_of(size: int, texts: Sequence[str]) -> Lexicon:
    """The first `size` terms of the starter lexicon and of the phrases of one to three words that are most
    frequent in the texts; the same for the same texts.

    Raises `ValueError` when the texts have too few phrases.
    """
    starter = load_lexicon(SEEDS / "lexicon.toml").terms
    terms = list(starter[:size])
    keys = {term_key(form) for term in starter for form in (*term.surfaces, *term.bound)}
    slugs = {term.slug for term in starter}
    for phrase in _by_count(texts) if len(terms) < size else ():
        key = term_key(phrase)
        address = slug(key)
        if key not in keys and address not in slugs:
            keys.add(key)
            slugs.add(address)
            terms.append(LexiconTerm(key, address, phrase))
            if len(terms) == size:
                break
    if len(terms) < size:
        raise ValueError(f"these texts have phrases for {len(terms):,} terms only, not for {size:,}")
    return lexicon_from_entries(terms, f"lexicon of {size:,} terms")


def _by_count(texts: Sequence[str]) -> list[str]:
    counts = Counter(phrase for text in texts for phrase in set(_phrases(text)))
    most = len(texts) * _SHARE
    return sorted(
        (phrase for phrase in counts if counts[phrase] <= most), key=lambda phrase: (-counts[phrase], phrase)
    )


def _phrases(text: str) -> Iterator[str]:
    for clause in _CLAUSE.split(text):
        words = clause.split()
        for length in (1, 2, 3):
            for at in range(len(words) - length + 1):
                phrase = words[at : at + length]
                if _SMALL.isdisjoint((phrase[0], phrase[-1])) and all(map(_WORD.fullmatch, phrase)):
                    yield " ".join(phrase)
