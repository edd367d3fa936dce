"""The leaderboard of a season, and taking part in it."""

from __future__ import annotations

from flask import Blueprint, Flask, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from market.membership import set_membership
from market.reads.leaderboard import KeptStandings, leaderboard, own_membership, seasons_so_far
from market.seasons import Season
from web import db, frame
from web.auth import sign_in_first
from web.pages import Choice
from web.pages_seasons import LeaderboardPage, season_words
from web.parameters import one_of

blueprint = Blueprint("leaderboard", __name__)

KEPT = "web.standings"
SHOWN = {"show": "Shown", "hide": "Hidden"}


def install(app: Flask) -> None:
    """Keep what was computed for as long as the application runs."""
    app.extensions[KEPT] = KeptStandings()


@blueprint.get("/leaderboard")
def show() -> ResponseReturnValue:
    """The places of the season that goes on, or of one that is over."""
    session, now, trader_id = db.session(), frame.now(), frame.trader_id()
    seasons = {season.name: season for season in seasons_so_far(session, now)}
    newest = next(iter(seasons))
    season = seasons[one_of("season", request.args.get("season", newest), seasons)]
    simulated = one_of("simulated", request.args.get("simulated", "show"), SHOWN)
    page = LeaderboardPage(
        board=leaderboard(
            session, season, now, with_simulated=simulated == "show", kept=current_app.extensions[KEPT]
        ),
        seasons=tuple(_season_choice(each, season, simulated) for each in seasons.values()),
        simulated=tuple(
            Choice(words, _address(season, name), name == simulated) for name, words in SHOWN.items()
        ),
        own=None if trader_id is None else own_membership(session, trader_id),
        own_id=trader_id,
    )
    return frame.show(page)


@blueprint.post("/leaderboard")
@db.writes
def take_part() -> ResponseReturnValue:
    """Put the name of whoever is signed in on the leaderboard, or take it off."""
    trader_id = frame.trader_id()
    if trader_id is None:
        return sign_in_first("/leaderboard")
    on = request.form.get("on", "")
    if on not in ("0", "1"):
        raise BadRequest
    set_membership(db.session(), trader_id, on == "1", frame.now())
    return redirect(f"{url_for('leaderboard.show')}#taking-part", 303)


def _season_choice(season: Season, shown: Season, simulated: str) -> Choice:
    return Choice(season_words(season), _address(season, simulated), season == shown)


def _address(season: Season, simulated: str) -> str:
    """The address of a season's places; what is so anyway is not in it."""
    named = {"season": season.name, "simulated": simulated if simulated != "show" else None}
    return url_for("leaderboard.show", **named)  # type: ignore[arg-type]
