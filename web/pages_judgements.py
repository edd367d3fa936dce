"""What operators are shown of what readers say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from market.reads.judgements import JudgementGroup


@dataclass(frozen=True)
class JudgementsPage:
    """What waits for a decision, in groups."""

    template: ClassVar[str] = "judgements.html"
    title: ClassVar[str] = "What readers say of terms"
    groups: tuple[JudgementGroup, ...]
