"""Ways to find a lexicon's terms in texts, to be measured beside each other, and what each costs to build.

All look for the same spellings. Ours alone decides what is a mention: the others tell where one stands.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import get_context
from typing import NamedTuple

from nlp.highlight import find_mentions
from nlp.lexicon import Lexicon, compile_matcher, lexicon_from_entries
from nlp.records import ReadingText
from nlp.standings import copied
from nlp.surfaces import fold, variants

Finder = Callable[[ReadingText], int]  # a text -> how many places were found in it
Spellings = Mapping[str, Sequence[str]]  # of each term, by its key
Builder = Callable[[Lexicon, Spellings], Finder]


class Cost(NamedTuple):
    """Seconds of processor time to build, and megabytes that what was built keeps and that building took."""

    seconds: float
    kept_mb: float
    peak_mb: float


def find_mentions_of(lexicon: Lexicon, spellings: Spellings) -> Finder:
    """Ours: vetoes, the abbreviations that a text introduces, leftmost-longest.

    Built from the terms alone, as a stored lexicon is: looking for contradictions is part of it.
    """
    matcher = compile_matcher(lexicon_from_entries(lexicon.terms))
    return lambda reading: len(find_mentions(reading, matcher))


def bare_matcher(lexicon: Lexicon, spellings: Spellings) -> Finder:
    """The automaton alone, on the copies of texts that it reads: every place, overlapping ones too."""
    from ahocorasick_rs import BytesAhoCorasick, Implementation

    sought = {copied(f" {fold(spelling)} ") for own in spellings.values() for spelling in own}
    kind = Implementation.DFA if len(lexicon.terms) < 5_000 else Implementation.ContiguousNFA
    automaton = BytesAhoCorasick(sorted(sought), implementation=kind)
    copies: dict[str, bytes] = {}

    def find(reading: ReadingText) -> int:
        copy = copies.get(reading.text)
        if copy is None:  # in the first round, which is none of the best
            copy = copies[reading.text] = copied(f" {reading.text} ")
        return len(automaton.find_matches_as_indexes(copy, overlapping=True))

    return find


def phrase_matcher(lexicon: Lexicon, spellings: Spellings) -> Finder:
    """spaCy's PhraseMatcher on tokens in lower case, tokenizing included, since it needs tokens."""
    import spacy
    from spacy.matcher import PhraseMatcher

    language = spacy.blank("en")
    matcher = PhraseMatcher(language.vocab, attr="LOWER")
    for term, own in spellings.items():
        matcher.add(term, list(language.tokenizer.pipe(own)))
    return lambda reading: len(matcher(language.make_doc(reading.text)))


def flashtext(lexicon: Lexicon, spellings: Spellings) -> Finder:
    """flashtext, last released as 2.7 in February 2018; whole words in any case, leftmost-longest."""
    from flashtext import KeywordProcessor  # the extra `bench`

    processor = KeywordProcessor(case_sensitive=False)
    for term, own in spellings.items():
        for spelling in own:
            processor.add_keyword(spelling, term)
    return lambda reading: len(processor.extract_keywords(reading.text, span_info=True))


BUILDERS: dict[str, Builder] = {
    "find_mentions": find_mentions_of,
    "automaton alone": bare_matcher,
    "flashtext": flashtext,
    "PhraseMatcher": phrase_matcher,
}


def spellings_of(lexicon: Lexicon) -> dict[str, tuple[str, ...]]:
    """Every spelling of every term."""
    return {
        term.key: tuple(dict.fromkeys(spelling for form in term.surfaces for spelling in variants(form)))
        for term in lexicon.terms
    }


def cost(builder: Builder, lexicon: Lexicon, spellings: Spellings) -> Cost:
    """What building takes, in a process of its own; `ImportError` where what it needs is not installed."""
    receiver, sender = get_context("spawn").Pipe(duplex=False)
    process = get_context("spawn").Process(target=_build, args=(builder, lexicon, spellings, sender.send))
    process.start()
    sender.close()
    told = receiver.recv()
    process.join()
    if isinstance(told, Exception):
        raise told
    return Cost(*told)


def _build(
    builder: Builder, lexicon: Lexicon, spellings: Spellings, tell: Callable[[object], None]
) -> None:
    try:
        builder(Lexicon((), ""), {})  # what is imported is no part of the cost
        before = _memory_mb("VmRSS")
        began = time.process_time()
        finder = builder(lexicon, spellings)
        seconds = time.process_time() - began
        gc.collect()
        tell((seconds, _memory_mb("VmRSS") - before, _memory_mb("VmHWM") - before))
        del finder
    except Exception as error:
        tell(error)
    os._exit(0)


def _memory_mb(field: str) -> float:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(f"{field}:"))
