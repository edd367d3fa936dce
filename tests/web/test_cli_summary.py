"""The one line that says what became of a file's records."""

from __future__ import annotations

from market.intake import IntakeReport
from nlp.records import Refusal
from web.cli.ingest import counted, summary


def test_what_did_not_happen_is_not_said() -> None:
    plain = IntakeReport(1230, 1200, 29, (Refusal("f", 1, "why"),), 0, (), 0)
    assert summary(counted(plain)) == "1,230 read, 1,200 new, 29 known, 1 refused"


def test_what_happened_is() -> None:
    report = IntakeReport(
        40, 28, 2, (), 0, (), 0, replaced_only_count=10, updated_count=1, withdrawn_count=2, duplicate_count=3
    )
    assert summary(counted(report)) == (
        "40 read, 28 new, 2 known, 10 only replaced, 1 updated, 2 withdrawn, "
        "3 with the text of another paper, 0 refused"
    )
