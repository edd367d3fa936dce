"""Typesetting, measured on real abstracts: python -m tests.bench.typeset

Words lost or added by a comparison that knows nothing of the typesetter, random words found again through
the map of offsets, formulas typeset, TeX left in the page, and the speed beside pylatexenc's. Every exception
is listed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from nlp.typeset import typeset
from tests.bench.abstracts import abstracts, add_corpus
from tests.bench.typeset_pages import Formulas, Visible, formulas, visible_tex
from tests.bench.typeset_speed import PROTOTYPE, Speed, measure
from tests.bench.typeset_words import Difference, Found, compare, look_up, prose_in_formulas

WIDTH = 52


def row(what: str, got: str, wanted: str) -> None:
    print(f"{what:{WIDTH}} {got:>24}  {wanted}")


def show_words(differences: Sequence[Difference], prose: Sequence[tuple[str, str]], count: int) -> None:
    share = 1 - len(differences) / count
    row("abstracts with no word lost or added", f"{share:.3%} of {count:,}", "99.9 %")
    for each in differences:
        print(f"    {each.identifier}: lost {list(each.lost)}, added {list(each.added)}")
    row("formulas that hold prose", str(len(prose)), "listed")
    for identifier, tex in prose:
        print(f"    {identifier}: {tex[:90]!r}")


def show_found(found: Found) -> None:
    row("random words found again in the source", f"{found.share:.3%} of {found.drawn:,}", "99.95 %")
    row("  letter by letter", f"{found.alike / found.drawn:.3%}", "")
    row("  once marks inside the word are taken off", f"{found.marked / found.drawn:.3%}", "")
    for identifier, word, piece in found.lost:
        print(f"    {identifier}: {word!r} came from {piece!r}")


def show_formulas(got: Formulas) -> None:
    row("distinct formulas typeset", f"{got.share:.3%} of {got.distinct:,}", "98.7 %")
    row("the others shown as source", f"{got.shown_as_source} of {len(got.failed)}", "all")
    for tex in got.failed:
        print(f"    {tex[:90]!r}")


def show_visible(visible: Iterable[Visible], count: int) -> None:
    visible = list(visible)
    raw = [each for each in visible if each.raw]
    meant = [each for each in visible if each.meant]
    row("abstracts whose page shows raw TeX", f"{len(raw) / count:.3%} of {count:,}", "under 0.1 %")
    for each in raw:
        print(f"    {each.identifier}: {list(each.raw)}")
    row("  that show money or a set in braces", str(len(meant)), "listed, meant so")
    for each in meant:
        print(f"    {each.identifier}: {list(each.meant)}")


def show_speed(speed: Speed) -> None:
    ours, theirs = speed.count / speed.ours, speed.count / speed.theirs
    print(f"\n{'one core, interleaved':{WIDTH}} {'abstracts/s':>12} {'ratio':>8} {'refused':>8}")
    print(f"{'typeset':{WIDTH}} {ours:12,.0f} {ours / theirs:8.1f} {0:8}")
    print(f"{'pylatexenc latex2text':{WIDTH}} {theirs:12,.0f} {1:8.1f} {speed.refused:8}")
    print(f"the prototype, on another machine: {PROTOTYPE}/s; five times that: {5 * PROTOTYPE:,}/s")


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    add_corpus(parser)
    parser.add_argument("--words", type=int, default=50_000, help="random words to look up")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    papers = abstracts(given.corpus)
    readings = [typeset(source) for _, source in papers]
    pairs = list(zip(papers, readings, strict=True))
    row("", "measured", "at least")
    differences = [found for paper, reading in pairs if (found := compare(*paper, reading))]
    prose = [(paper[0], tex) for paper, reading in pairs for tex in prose_in_formulas(reading)]
    show_words(differences, prose, len(papers))
    show_found(look_up(papers, readings, given.words, given.seed))
    show_formulas(formulas(readings))
    seen = (visible_tex(identifier, reading) for (identifier, _), reading in pairs)
    show_visible([each for each in seen if each], len(papers))
    show_speed(measure([source for _, source in papers]))


if __name__ == "__main__":
    main()
