"""Abstracts a second on one core, ours and pylatexenc's, in turns: a busy machine is unfair to neither."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nlp.typeset import typeset

PROTOTYPE = 663  # abstracts a second of the prototype that the design measured, on another machine
TURN = 500  # abstracts before it is the other one's turn


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds of processor time that each took for ``count`` abstracts; how many the peer could not read."""

    count: int
    ours: float
    theirs: float
    refused: int


def measure(sources: Sequence[str]) -> Speed:
    """Both over the same abstracts. Formulas stay TeX on both sides, which is the peer's fastest way."""
    convert = _pylatexenc()
    ours = theirs = 0.0
    refused = 0
    for at in range(0, len(sources), TURN):
        turn = sources[at : at + TURN]
        seconds, _ = _timed(typeset, turn)
        ours += seconds
        seconds, errors = _timed(convert, turn)
        theirs += seconds
        refused += errors
    return Speed(len(sources), ours, theirs, refused)


def _pylatexenc() -> Callable[[str], object]:
    from pylatexenc.latex2text import LatexNodes2Text  # the extra `bench`

    convert: Callable[[str], object] = LatexNodes2Text(math_mode="verbatim").latex_to_text
    return convert


def _timed(work: Callable[[str], object], sources: Sequence[str]) -> tuple[float, int]:
    errors = 0
    began = time.process_time()
    for source in sources:
        try:
            work(source)
        except Exception:
            errors += 1
    return time.process_time() - began, errors
