r"""TeX formulas to MathML Core, by math-core; what comes out may stand in a page as it is.

The converter escapes its input. Two things are added: a formula is put into the TeX that the converter
knows (`formula_tex`), and its output is let through only as far as it is MathML (`allowed_mathml`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from math_core import LatexError, LatexToMathML

from nlp.allowed_mathml import only_mathml
from nlp.formula_delimiters import without_search
from nlp.formula_tex import MACROS, prepared, repaired

LONGEST = 2000  # code points; the longest of 46,000 formulas had 462
LONGEST_MARKUP = 40_000  # characters of one formula
_MOST_REPAIRS = 5  # authors' macros in one formula
# What a formula's own macros expand to, nobody has counted: such a formula is shown as its source.
_DEFINES = re.compile(r"\\(?:[egx]?def|let|(?:re)?newcommand|providecommand|DeclareMathOperator)(?![A-Za-z])")


def formula_to_mathml(tex: str, *, display: bool) -> str | None:
    """One ``<math>`` element for a formula without its delimiters; None where it cannot be typeset.

    The element carries its TeX as an annotation, and no style, script or address: alignment in
    tables is left to the classes ``tex-left``, ``tex-right`` and ``tex-flush``. Never raises.
    """
    tex = tex.strip()
    if not tex or len(tex) > LONGEST:
        return None
    return _convert(tex, display)


@lru_cache(maxsize=8_192)
def _convert(tex: str, display: bool) -> str | None:
    tex = prepared(tex)
    if _DEFINES.search(tex):
        return None
    for _ in range(_MOST_REPAIRS + 1):
        safe = without_search(tex)
        if safe is None:
            return None
        try:
            markup = _converter().convert_with_local_state(safe, displaystyle=display)
        except LatexError as error:
            mended = repaired(tex, str(error))
            if mended is None:
                return None
            tex = mended
        except UnicodeError:  # half a surrogate pair
            return None
        else:
            return only_mathml(markup) if len(markup) <= LONGEST_MARKUP else None
    return None


@cache
def _converter() -> LatexToMathML:
    return LatexToMathML(macros=MACROS, annotation=True, allow_unreliable_rendering=True, fancy_error=False)
