"""Settings: where they come from, what they refuse, and the key that is kept."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from web.config import BadSettings, Settings, load_settings, secret_key_of

LONG = "x" * 32


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "SECRET_KEY", "PEER_REVENUE_PRODUCTION", "PEER_REVENUE_MARKET_CLOCK"):
        monkeypatch.delenv(name, raising=False)


def test_without_anything_set() -> None:
    settings = load_settings()
    assert settings.database_url == "sqlite:///instance/peer-revenue.sqlite"
    assert settings.market_clock is None
    assert not settings.production
    assert abs((settings.now() - datetime.now(UTC)).total_seconds()) < 5


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere/papers")
    monkeypatch.setenv("PEER_REVENUE_MARKET_CLOCK", "2026-05-17T20:00:00+00:00")
    monkeypatch.setenv("PEER_REVENUE_TRUSTED_HOSTS", "papers.example.org, localhost")
    settings = load_settings()
    assert settings.database_url == "postgresql://somewhere/papers"
    assert settings.now() == datetime(2026, 5, 17, 20, tzinfo=UTC)
    assert settings.trusted_hosts == ("papers.example.org", "localhost")
    assert load_settings(database_url="sqlite:///other").database_url == "sqlite:///other"


def test_production_needs_a_secret_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEER_REVENUE_PRODUCTION", "1")
    with pytest.raises(BadSettings, match="set SECRET_KEY to at least 32 random characters"):
        load_settings()
    with pytest.raises(BadSettings, match="at least 32 characters"):
        load_settings(secret_key="short")
    assert load_settings(secret_key=LONG).production


@pytest.mark.parametrize("clock", ["2026-05-17T20:00:00", "yesterday"])
def test_a_clock_needs_its_time_zone(clock: str) -> None:
    with pytest.raises(BadSettings, match=r"PEER_REVENUE_MARKET_CLOCK|market_clock"):
        load_settings(market_clock=clock)


def test_settings_do_not_change_and_do_not_show_the_secret() -> None:
    settings = load_settings(secret_key=LONG)
    with pytest.raises(ValidationError):
        settings.production = True  # type: ignore[misc]
    assert LONG not in repr(settings)


def test_the_key_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    settings = load_settings(instance_folder=tmp_path / "instance")
    first = secret_key_of(settings)
    path = tmp_path / "instance" / "secret_key"
    assert len(first) >= 32
    assert secret_key_of(settings) == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret_key_of(load_settings(instance_folder=tmp_path / "other")) != first


def test_a_broken_key_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("")
    with pytest.raises(BadSettings, match="secret_key holds no usable key"):
        secret_key_of(Settings(instance_folder=tmp_path))  # type: ignore[call-arg]
