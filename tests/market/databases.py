"""Databases made anew for each run of something that needs many."""

from __future__ import annotations

from market.db import engine_for


def recreate(server_url: str, name: str, template: str) -> None:
    """Drop the database of this name, and make it anew from the template; nobody may be connected to that."""
    engine = engine_for(server_url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
    engine.dispose()
