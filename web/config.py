"""Settings of the web application: from the environment, or given by the command that starts it."""

from __future__ import annotations

import os
import re
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, AwareDatetime, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from web import DEFAULT_DATABASE

SHORTEST_SECRET = 32
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")


class BadSettings(Exception):
    """The application cannot start with these settings; the message names each one and what it needs."""


def _named(variable: str, field: str) -> Any:
    return AliasChoices(variable, field)


class Settings(BaseSettings):
    """What differs between machines. Frozen; every value can be given by name or by its environment variable.

    ``market_clock`` stands still at the moment it names, for demonstrations; None is the real time.
    ``trusted_hosts`` are the host names that requests may ask for, without ports. ``contact`` is the address
    that services which papers are fetched from can write to.
    """

    model_config = SettingsConfigDict(frozen=True, populate_by_name=True, extra="forbid", case_sensitive=True)

    database_url: str = Field(
        DEFAULT_DATABASE, validation_alias=_named("DATABASE_URL", "database_url")
    )
    secret_key: str | None = Field(None, validation_alias=_named("SECRET_KEY", "secret_key"), repr=False)
    production: bool = Field(False, validation_alias=_named("PEER_REVENUE_PRODUCTION", "production"))
    market_clock: AwareDatetime | None = Field(
        None, validation_alias=_named("PEER_REVENUE_MARKET_CLOCK", "market_clock")
    )
    trusted_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        LOCAL_HOSTS, validation_alias=_named("PEER_REVENUE_TRUSTED_HOSTS", "trusted_hosts")
    )
    instance_folder: Path = Field(
        Path("instance"), validation_alias=_named("PEER_REVENUE_INSTANCE", "instance_folder")
    )

    checkpoint_key: str | None = Field(
        None, validation_alias=_named("CHECKPOINT_KEY", "checkpoint_key"), repr=False
    )
    checkpoint_file: Path | None = Field(
        None, validation_alias=_named("PEER_REVENUE_CHECKPOINTS", "checkpoint_file")
    )

    contact: str | None = Field(None, validation_alias=_named("PEER_REVENUE_CONTACT", "contact"))
    arxiv_api: str = Field(
        "https://export.arxiv.org/api/query", validation_alias=_named("PEER_REVENUE_ARXIV_API", "arxiv_api")
    )
    arxiv_feed: str = Field(
        "https://rss.arxiv.org/rss", validation_alias=_named("PEER_REVENUE_ARXIV_FEED", "arxiv_feed")
    )
    arxiv_oai: str = Field(
        "https://oaipmh.arxiv.org/oai", validation_alias=_named("PEER_REVENUE_ARXIV_OAI", "arxiv_oai")
    )
    openreview: str = Field(
        "https://api2.openreview.net", validation_alias=_named("PEER_REVENUE_OPENREVIEW", "openreview")
    )

    @field_validator("contact")
    @classmethod
    def _check_contact(cls, value: str | None) -> str | None:
        """It goes into a header, which holds printable ASCII in one line."""
        if value is not None and re.fullmatch(r"[!-~][ -~]{0,199}", value) is None:
            raise ValueError(f"{value!r} is no mail address or page in plain characters")
        return value

    @field_validator("arxiv_api", "arxiv_feed", "arxiv_oai", "openreview")
    @classmethod
    def _check_address(cls, value: str) -> str:
        """A mistyped address must not look like a service that is down."""
        if re.fullmatch(r"https?://[A-Za-z0-9.\[\]:_-]+(/[!-~]*)?", value) is None:
            raise ValueError(f"{value!r} is no address such as https://example.org/path")
        return value

    @field_validator("trusted_hosts", mode="before")
    @classmethod
    def _split_hosts(cls, value: object) -> object:
        """The environment gives one string: ``papers.example.org, localhost``."""
        if isinstance(value, str):
            return tuple(host.strip() for host in value.split(",") if host.strip())
        return value

    @model_validator(mode="after")
    def _check_production(self) -> Settings:
        for name, key in (("SECRET_KEY", self.secret_key), ("CHECKPOINT_KEY", self.checkpoint_key)):
            if key is not None and len(key) < SHORTEST_SECRET:
                raise ValueError(f"{name} must have at least {SHORTEST_SECRET} characters")
        if self.production and self.secret_key is None:
            raise ValueError(
                "PEER_REVENUE_PRODUCTION is set, and sessions then need a key that is not made up here: set "
                f"SECRET_KEY to at least {SHORTEST_SECRET} random characters, the same for every process"
            )
        return self

    def now(self) -> datetime:
        """The market's time: the market clock if one is set, else the real time in UTC."""
        return self.market_clock or datetime.now(UTC)


def load_settings(**values: object) -> Settings:
    """Settings from the environment, with ``values`` going first; raises `BadSettings` in words."""
    try:
        return Settings(**values)  # type: ignore[arg-type]
    except ValidationError as error:
        raise BadSettings("; ".join(_in_words(detail) for detail in error.errors())) from None


def secret_key_of(settings: Settings) -> str:
    """The key that cookies are signed with: the one set, else one kept in the instance folder.

    The file is made on first use and can be read by its owner only.
    """
    return settings.secret_key or _key_in(settings.instance_folder / "secret_key")


def checkpoint_key_of(settings: Settings) -> str:
    """The key that the ledger's checkpoints are signed with, likewise."""
    return settings.checkpoint_key or _key_in(settings.instance_folder / "checkpoint_key")


def checkpoint_file_of(settings: Settings) -> Path:
    """The file outside the database that every checkpoint is written to, one a line."""
    return settings.checkpoint_file or settings.instance_folder / "checkpoints.jsonl"


def _key_in(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _kept_key(path)
    with os.fdopen(descriptor, "w") as file:
        key = secrets.token_hex(32)
        file.write(key)
    return key


def _kept_key(path: Path) -> str:
    key = path.read_text().strip()
    if len(key) < SHORTEST_SECRET:
        raise BadSettings(f"{path} holds no usable key; delete it, and a new one is made")
    return key


def _in_words(detail: Any) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    message = str(detail["msg"]).removeprefix("Value error, ")
    return f"{where}: {message}" if where else message
