"""Processes that are killed while they trade, and a crowd of processes on one contract: in small.

The full sizes are `tests.bench.kills` and `tests.bench.crowd`.
"""

from __future__ import annotations

from sqlalchemy import Engine

from tests.bench.crowd import Crowd, gather
from tests.bench.kills import check, kill_often
from tests.bench.people import counted, faults


def test_what_was_acknowledged_survives_a_kill(database_url: str) -> None:
    answers, entries = kill_often(database_url, times=3, server_too=False)
    assert answers >= 6  # each worker is killed after its first answer
    assert entries >= 20  # the grants of the twenty traders


def test_a_crowd_on_one_contract_loses_nothing_and_doubles_nothing(
    database_url: str, engine: Engine
) -> None:
    answers = gather(database_url, Crowd(processes=2, threads=6, requests=20))
    assert len(answers) == 240
    assert faults(engine, answers, is_all=True) == []
    outcomes = counted(answers)
    assert outcomes["done"] > 100
    assert outcomes["InsufficientShares"] > 0  # and they are told why
    check(engine, answers)
