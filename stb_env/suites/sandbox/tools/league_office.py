"""League Office: football leagues, teams and tables. Training never sees its category."""

from __future__ import annotations

from stb_env.suites.sandbox.content.leagues import LEAGUES, ROUNDS, standings, teams
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Sports", "League Office", "Football leagues and their tables.", held_out="category")
_LEAGUE = text("league_id", "Id from List Leagues.", "league-01")


@TOOL.lookup("List Leagues")
def list_leagues() -> Response:
    """Ids and names of the leagues."""
    return {"leagues": [{"league_id": key, "name": name} for key, name in LEAGUES.items()]}


@TOOL.lookup("Search Teams", text("name", "Part of the team's name, in any case.", "rovers"), PAGE)
def search_teams(name: str, page: int) -> Response:
    """Find teams by part of their name; returns team and league ids."""
    return page_of(columns(search(teams().values(), "name", name), "team_id", "name", "league_id"), page)


@TOOL.lookup("Team Profile", text("team_id", "Id from Search Teams.", "team-001"))
def team_profile(team_id: str) -> Response:
    """Coach, founding year, stadium and league of one team."""
    return dict(found(teams().get(team_id), "team", team_id))


@TOOL.lookup(
    "Standings", _LEAGUE, whole("after_round", "Count rounds up to this.", ROUNDS, 1, ROUNDS, optional=True)
)
def league_standings(league_id: str, after_round: int) -> Response:
    """Table of a league, best first: a win gives three points, a draw one; then goal difference decides."""
    found(LEAGUES.get(league_id), "league", league_id)
    rows = [{"place": place, **line} for place, line in enumerate(standings(league_id, after_round), start=1)]
    return {"league_id": league_id, "after_round": after_round, "table": rows}
