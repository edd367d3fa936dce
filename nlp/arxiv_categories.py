"""arXiv's categories by their names: which names are its, and in which set its archive has them."""

from __future__ import annotations

import re

# Archives that are one category themselves.
WHOLE = frozenset(
    ("gr-qc", "hep-ex", "hep-lat", "hep-ph", "hep-th", "math-ph", "nucl-ex", "nucl-th", "quant-ph")
)
PHYSICS = WHOLE | {"astro-ph", "cond-mat", "nlin", "physics"}


def is_arxiv_category(name: str) -> bool:
    """Whether it is the name of a category of arXiv, as "cs.LG" or "hep-ex", by its form."""
    return name in WHOLE or re.fullmatch(r"[a-z]+(?:-[a-z]+)?\.[A-Za-z-]{2,}", name) is not None


def oai_set(name: str) -> str:
    """The OAI-PMH set of a category: "cs:cs:LG" of cs.LG, "physics:hep-ex" of hep-ex."""
    archive, _, subject = name.partition(".")
    group = "physics" if archive in PHYSICS else archive
    return ":".join(part for part in (group, archive, subject) if part)
