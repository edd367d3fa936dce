"""How fast terms are found, beside spaCy's PhraseMatcher on the same texts: python -m tests.bench.highlight

Both look for the starter lexicon's surface forms in the abstracts of the seed documents. Ours adds spelling
variants, vetoes and abbreviations that a text introduces itself; theirs matches tokens in lower case.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import spacy
from spacy.matcher import PhraseMatcher

from nlp.highlight import find_mentions
from nlp.lexicon import Lexicon, compile_matcher, load_lexicon
from nlp.manifest import load_manifest
from nlp.records import RawPaper, ReadingText
from nlp.sources import read_source
from nlp.typeset import typeset

SEEDS = Path(__file__).parents[2] / "seeds"


def abstracts() -> list[str]:
    """Every abstract of the seed documents, as its source has it."""
    found = []
    for document in load_manifest(SEEDS / "manifest.toml").documents:
        data = (SEEDS / document.file).read_bytes()
        papers = read_source(
            data, document.file, source=document.kind, board=document.board, day=document.day
        )
        found += [paper.abstract for paper in papers if isinstance(paper, RawPaper)]
    return found


def spacy_matcher(lexicon: Lexicon) -> Callable[[str], object]:
    """A PhraseMatcher on the same forms, tokenizing included, since it needs tokens."""
    language = spacy.blank("en")
    matcher = PhraseMatcher(language.vocab, attr="LOWER")
    for term in lexicon.terms:
        matcher.add(term.key, list(language.tokenizer.pipe(term.surfaces)))
    return lambda text: matcher(language.make_doc(text))


def per_second(work: Callable[[ReadingText], object], readings: Sequence[ReadingText], rounds: int) -> float:
    """Texts a second, the best of the rounds."""
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        for reading in readings:
            work(reading)
        best = min(best, time.perf_counter() - began)
    return len(readings) / best


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    sources = abstracts()
    lexicon = load_lexicon(SEEDS / "lexicon.toml")
    readings = [typeset(source) for source in sources]
    matcher, theirs = compile_matcher(lexicon), spacy_matcher(lexicon)
    ours_rate = per_second(lambda reading: find_mentions(reading, matcher), readings, given.rounds)
    their_rate = per_second(lambda reading: theirs(reading.text), readings, given.rounds)
    print(f"{len(readings)} abstracts, {len(lexicon.terms):,} terms")
    print(f"{'':24} {'texts/s':>10} {'ratio':>8}")
    print(f"{'find_mentions':24} {ours_rate:10,.0f} {ours_rate / their_rate:8.2f}")
    print(f"{'spaCy PhraseMatcher':24} {their_rate:10,.0f} {1:8.2f}")


if __name__ == "__main__":
    main()
