"""arXiv's identifiers, of both ages, with and without a version, as the sources write them.

https://info.arxiv.org/help/arxiv_identifier.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[a-z-]{2,})?/[0-9]{7}"
_WRITTEN = re.compile(
    rf"(?:arxiv:|oai:arxiv\.org:|https?://(?:export\.|www\.)?arxiv\.org/abs/)?({_NUMBER})(?:v([0-9]{{1,4}}))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ArxivId:
    """A paper's number, as "2605.01234" or "hep-ex/0307015", and the version that was named, or None."""

    number: str
    version: int | None

    @property
    def identifier(self) -> str:
        return f"arxiv:{self.number}"

    @property
    def url(self) -> str:
        """The page of its newest version."""
        return f"https://arxiv.org/abs/{self.number}"


def arxiv_id(text: str) -> ArxivId | None:
    """The identifier in "arXiv:2605.01234v2", an address or an OAI identifier; None in anything else."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        return None
    archive, slash, number = found[1].rpartition("/")
    # The subject class was optional: math.GT/0309136 and math/0309136 are one paper.
    plain = f"{archive.partition('.')[0].lower()}{slash}{number}"
    return ArxivId(plain, int(found[2]) if found[2] and int(found[2]) else None)
