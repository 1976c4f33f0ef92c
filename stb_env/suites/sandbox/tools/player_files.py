"""Player Files: football players. Training never sees its category."""

from __future__ import annotations

from stb_env.suites.sandbox.content.leagues import POSITIONS, players, teams
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search, where
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Sports", "Player Files", "Football players.", held_out="category")
_POSITION = choice("position", "Only this position.", ("any", *POSITIONS), optional=True)


@TOOL.lookup("Search Players", text("name", "Part of the name, in any case.", "an"), _POSITION, PAGE)
def search_players(name: str, position: str, page: int) -> Response:
    """Find players by part of their name; returns ids and names."""
    rows = search(players().values(), "name", name, position=position)
    return page_of(columns(rows, "player_id", "name"), page)


@TOOL.lookup("Player Details", text("player_id", "Id from Search Players.", "player-001"))
def player_details(player_id: str) -> Response:
    """Team, position, shirt number, birth date, goals and market value (million aurel) of one player."""
    return dict(found(players().get(player_id), "player", player_id))


@TOOL.lookup("Squad", text("team_id", "Id of the team, as League Office has it.", "team-001"), _POSITION)
def squad(team_id: str, position: str) -> Response:
    """Players of one team with position, shirt number and goals of this season."""
    found(teams().get(team_id), "team", team_id)
    rows = where(players().values(), team_id=team_id, position=position)
    shown = columns(rows, "player_id", "name", "position", "shirt_number", "goals")
    return {"team_id": team_id, "players": shown}
