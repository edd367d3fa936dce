"""Whether a paper says of itself that it is withdrawn: the sources have no field for it."""

from __future__ import annotations

import re

from nlp.sources.characters import squeeze

# "Withdrawn from ICLR" is a paper on its way to another venue.
_COMMENT = re.compile(r"\bwithdrawn\b(?! from\b)", re.IGNORECASE)
# The abstract's first words, the verb right after its noun: a paper may be about consent that was withdrawn.
_ABSTRACT = re.compile(
    r"[\[(* ]*(?:"
    r"(?:(?:this|the|our) )?(?:paper|article|manuscript|submission|preprint|work)(?: [^ .]{1,20}){0,3}? "
    r"(?:is|was|has been|had been)(?: [a-z]{1,12})? withdrawn\b"
    r"|(?:the |this )?authors? (?:has|have)(?: [a-z]{1,12})? withdrawn this\b"
    r"|(?:paper )?withdrawn(?=[.,;:!\])]| (?:by|due|because|as)\b|\Z)"
    r")(?! from\b)",
    re.IGNORECASE,
)
_BEGINNING = 200  # characters, far more than the pattern takes


def says_withdrawn(comment: str, abstract: str) -> bool:
    """Whether the author's comment says so, or the abstract begins by saying so."""
    return bool(_COMMENT.search(squeeze(comment)) or _ABSTRACT.match(squeeze(abstract[:_BEGINNING])))
