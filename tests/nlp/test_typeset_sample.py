"""The page of forty hard abstracts is the one that was looked at. `--update-golden` writes it anew."""

from __future__ import annotations

import pytest

from tests.bench.sample import PAGE, page, sample


def test_the_page_is_the_golden_one(request: pytest.FixtureRequest) -> None:
    got = page()
    if request.config.getoption("--update-golden", default=False):
        PAGE.write_text(got, encoding="utf-8")
    assert got == PAGE.read_text(encoding="utf-8")


def test_there_are_forty_and_each_is_hard_in_its_own_way() -> None:
    names = [name for name, _ in sample()]
    assert len(names) == len(set(names)) == 40
