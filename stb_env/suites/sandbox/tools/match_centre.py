"""Match Centre: football results and fixtures. Training never sees its category."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.suites.sandbox.content.leagues import matches, matches_by_team, teams
from stb_env.suites.sandbox.conventions import PAGE, found, page_of
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Sports", "Match Centre", "Football matches, played and to come.", held_out="category")
_TEAM = text("team_id", "Id of the team, as League Office has it.", "team-001")


def _entry(row: Mapping[str, object]) -> dict[str, object]:
    shown = ("match_id", "round", "date", "home_team_id", "away_team_id", "home_goals", "away_goals")
    return {key: row[key] for key in shown if row[key] is not None}


@TOOL.lookup("Results", _TEAM, PAGE)
def results(team_id: str, page: int) -> Response:
    """Matches that a team has played this season, first round first."""
    found(teams().get(team_id), "team", team_id)
    return page_of([_entry(row) for row in matches_by_team()[team_id] if row["home_goals"] is not None], page)


@TOOL.lookup(
    "Fixtures",
    _TEAM,
    choice("venue", "Only matches at home or away.", ("any", "home", "away"), optional=True),
)
def fixtures(team_id: str, venue: str) -> Response:
    """Matches that a team has still to play this season, by date."""
    found(teams().get(team_id), "team", team_id)
    rows = [
        _entry(row)
        for row in matches_by_team()[team_id]
        if row["home_goals"] is None and (venue == "any" or row[f"{venue}_team_id"] == team_id)
    ]
    return {"team_id": team_id, "fixtures": rows}


@TOOL.lookup("Head To Head", _TEAM, text("other_team_id", "Id of the opponent.", "team-002"))
def head_to_head(team_id: str, other_team_id: str) -> Response:
    """Both matches of two teams this season; none where they play in different leagues."""
    found(teams().get(team_id), "team", team_id)
    found(teams().get(other_team_id), "team", other_team_id)
    pair = {team_id, other_team_id}
    rows = [
        _entry(row)
        for row in matches_by_team()[team_id]
        if {row["home_team_id"], row["away_team_id"]} == pair
    ]
    return {"matches": rows}


@TOOL.lookup("Match Details", text("match_id", "Id of the match.", "match-001"))
def match_details(match_id: str) -> Response:
    """Result and attendance of one match, as far as it has been played."""
    row = found(matches().get(match_id), "match", match_id)
    attendance = {} if row["attendance"] is None else {"attendance": row["attendance"]}
    return {**_entry(row), **attendance}
