"""`peer-revenue season`: who gained most in a quarter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from web.cli.database import database_option, opened

if TYPE_CHECKING:
    from market.reads.leaderboard import Leaderboard, Ranked


@click.command()
@click.argument("name", required=False, metavar="[SEASON]")
@click.option("--without-simulated", is_flag=True, help="Only people.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, amounts in units (10,000 a credit).")
@database_option
def season(name: str | None, without_simulated: bool, as_json: bool, database: str) -> None:
    """Show the leaderboard of a season, as on its page.

    A SEASON is a quarter in UTC, as 2026-Q2; without one, that which goes on. Places go by what was gained:
    cash, what is set aside, and what selling every position to the maker would have brought, at the season's
    end or the last close of a day, less the same at its begin and less grants. On it are simulated traders
    and those who want to be; linked accounts are not.

    \b
    Example:
        peer-revenue season
        peer-revenue season 2026-Q1 --json
    """
    from market.db import read_session
    from market.reads.leaderboard import leaderboard
    from market.seasons import parse_season, season_of
    from web.cli.settings import settings

    now = settings().now()
    with opened(database, create=False) as engine, read_session(engine) as session:
        asked = parse_season(name) if name else season_of(now)
        found = leaderboard(session, asked, now, with_simulated=not without_simulated)
    if as_json:
        click.echo(json.dumps(_as_json(found), ensure_ascii=False, indent=2))
    else:
        _print(found)


def _print(found: Leaderboard) -> None:
    from market.money import credits_text
    from web.filters import full_moment, plain_day

    days = f"{plain_day(found.season.first_day)} to {plain_day(found.season.last_day)}"
    if found.as_of is None:
        click.echo(f"{found.season.name}, {days}: no day has been closed in it yet.", err=True)
        return
    state = "over" if found.is_over else f"as of {full_moment(found.as_of)}"
    click.echo(f"{found.season.name}, {days}, {state}", err=True)
    for place in found.places:
        marked = " (simulated)" if place.is_simulated else ""
        gain = credits_text(place.standing.gain_units)
        click.echo(f"{place.rank}\t{place.name}{marked}\t{gain}\t{credits_text(place.standing.end_units)}")
    if not found.places:
        click.echo("Nobody is on the leaderboard.", err=True)


def _as_json(found: Leaderboard) -> dict[str, object]:
    return {
        "season": found.season.name,
        "begins": found.season.begins.isoformat(),
        "ends": found.season.ends.isoformat(),
        "is_over": found.is_over,
        "as_of": found.as_of.isoformat() if found.as_of else None,
        "places": [_place(place) for place in found.places],
    }


def _place(place: Ranked) -> dict[str, object]:
    standing = place.standing
    return {
        "rank": place.rank, "trader": place.name, "is_simulated": place.is_simulated,
        "gain_units": standing.gain_units, "start_units": standing.start_units,
        "granted_units": standing.granted_units, "end_units": standing.end_units,
    }  # fmt: skip
