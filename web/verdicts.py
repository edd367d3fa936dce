"""Whether the market beats the plain forecast, in one sentence."""

from __future__ import annotations

from market.reads.record import Verdict
from web.filters import counted, decimal


def verdict_sentence(verdict: Verdict, kind: str) -> str:
    """Whether the market beats the plain forecast, with what the claim rests on; ``kind`` is "week" or
    "month"."""
    over = f"Over {counted(verdict.period_count, kind)} and {counted(verdict.contract_count, 'contract')}"
    off = f"{decimal(abs(verdict.difference), 2)} papers"
    nearer = "nearer to" if verdict.difference < 0 else "farther from"
    if verdict.is_clear:
        beats = "beats" if verdict.difference < 0 else "does worse than"
        return f"{over} the market {beats} the plain forecast: its prices lay {off} {nearer} the count."
    too_few = "that is too little to tell it" if verdict.standard_error is None else "that could be chance"
    return f"{over} the market lay {off} {nearer} the count than the plain forecast; {too_few}."
