"""Authors as arXiv's sources write them: one line of TeX with affiliations in brackets."""

from __future__ import annotations

import re

from nlp.records import FORMULA
from nlp.sources.bylines import split_names, tidy_names, without_brackets
from nlp.typeset import typeset

_LABEL = re.compile(r"\AAuthors?: ")
# What joins a collaboration that is named last.
_BEHALF = re.compile(r"(?:\A|,? )(?:on behalf of|for) (?=the\b)")
_TEX = frozenset("\\{}~$")
_FOOTMARKS = "*†‡§¶#^ "


def arxiv_names(line: str) -> tuple[str, ...]:
    r"""The names of "Ana K\'ettle (1), Bob Lid Jr (2) ((1) Pot Lab, (2) Dept. of Tea)", without affiliations
    and marks of footnotes, accents as characters. A collaboration is a name among the others."""
    text = typeset(line, paragraphs=False).text if _TEX & set(line) else line
    plain = (without_brackets(name) for name in split_names(_LABEL.sub("", text)))
    names = (name for part in plain for name in _BEHALF.split(part))
    return tidy_names(name.replace(FORMULA, "").rstrip(_FOOTMARKS) for name in names)
