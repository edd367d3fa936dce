"""Authors as arXiv's sources write them: one line of TeX with affiliations in brackets."""

from __future__ import annotations

import re

from nlp.sources.bylines import split_names, tidy_names
from nlp.typeset import typeset

_INNERMOST = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_LEAD = re.compile(r"(?:on behalf of|for) (?=the\b)")
_MARKS = frozenset("\\{}~$")


def arxiv_names(line: str) -> tuple[str, ...]:
    r"""The names of "Ana K\'ettle (1), Bob Lid Jr (2) ((1) Pot Lab, (2) Dept. of Tea)", without affiliations,
    accents as characters. A collaboration is a name among the others."""
    text = typeset(line, paragraphs=False).text if _MARKS & set(line) else line
    return tidy_names(_LEAD.sub("", without_affiliations(name)) for name in split_names(text))


def without_affiliations(name: str) -> str:
    """The name without what stands in brackets, brackets in brackets too."""
    while (shorter := _INNERMOST.sub("", name)) != name:
        name = shorter
    return name
