"""Whether a paper says of itself that it is withdrawn: the sources have no field for it."""

from __future__ import annotations

import re

# "Withdrawn from ICLR" is a paper on its way to another venue.
_COMMENT = re.compile(r"\bwithdrawn\b(?! from\b)", re.IGNORECASE)
_ABSTRACT = re.compile(
    r"\s*(?:this|the) (?:paper|article|manuscript|submission|preprint|work)\b[^.]{0,60}\bwithdrawn\b"
    r"(?! from\b)",
    re.IGNORECASE,
)


def says_withdrawn(comment: str, abstract: str) -> bool:
    """Whether the author's comment says so, or the abstract begins by saying so."""
    return bool(_COMMENT.search(comment) or _ABSTRACT.match(abstract))
