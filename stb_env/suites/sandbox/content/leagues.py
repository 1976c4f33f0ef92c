"""Football of the sandbox: leagues, teams, a season of matches and the players."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.content.people import full_names
from stb_env.suites.sandbox.content.places import cities

LEAGUES: Mapping[str, str] = {
    "league-01": "Coastal Premier",
    "league-02": "Highland Division",
    "league-03": "Meridian League",
}
TEAMS_PER_LEAGUE = 10
ROUNDS = 2 * (TEAMS_PER_LEAGUE - 1)
POSITIONS: Mapping[str, int] = {"goalkeeper": 2, "defender": 4, "midfielder": 4, "forward": 3}
"""Positions and how many players of a team have them."""
_FIRST_ROUND = date(2025, 9, 6)
_NICKNAMES = ("Rovers", "United", "Athletic", "Wanderers", "City", "Harriers")


@per_edition()
def teams() -> Mapping[str, JsonObject]:
    """Return every team by id; no city has two, so that a name is one team's only."""
    rng = edition.rng("teams")
    homes = rng.sample(list(cities().values()), TEAMS_PER_LEAGUE * len(LEAGUES))
    coaches = full_names(rng, len(homes))
    rows = {}
    for index, (home, coach) in enumerate(zip(homes, coaches, strict=True)):
        key = f"team-{index + 1:03}"
        rows[key] = {
            "team_id": key,
            "name": f"{home['name']} {rng.choice(_NICKNAMES)}",
            "league_id": list(LEAGUES)[index // TEAMS_PER_LEAGUE],
            "coach": coach,
            "founded": rng.randint(1878, 1975),
            "stadium_capacity": rng.randrange(4_000, 72_000, 50),
        }
    return rows


def round_day(number: int) -> date:
    """Return the day of a round, counted from 1."""
    return _FIRST_ROUND + timedelta(weeks=2 * (number - 1))


@per_edition()
def matches() -> Mapping[str, JsonObject]:
    """Return every match of the season by id, by league and round; those to come have no goals yet."""
    rng = edition.rng("matches")
    rows: dict[str, JsonObject] = {}
    for league in LEAGUES:
        members = [key for key, team in teams().items() if team["league_id"] == league]
        for number, home, away in _season(members):
            key = f"match-{len(rows) + 1:03}"
            played = round_day(number) < TODAY
            rows[key] = {
                "match_id": key,
                "league_id": league,
                "round": number,
                "date": round_day(number).isoformat(),
                "home_team_id": home,
                "away_team_id": away,
                "home_goals": rng.choices(range(6), (20, 30, 25, 14, 8, 3))[0] if played else None,
                "away_goals": rng.choices(range(6), (28, 32, 22, 11, 5, 2))[0] if played else None,
                "attendance": rng.randint(900, teams()[home]["stadium_capacity"]) if played else None,
            }
    return rows


def _season(members: list[str]) -> list[tuple[int, str, str]]:
    """Return (round, home, away) of a double round robin by the circle method."""
    circle, half = list(members), []
    for number in range(1, len(members)):
        for index in range(len(members) // 2):
            pair = circle[index], circle[-1 - index]
            half.append((number, *(pair if (number + index) % 2 else pair[::-1])))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    shift = len(members) - 1
    return half + [(number + shift, away, home) for number, home, away in half]


@per_edition()
def matches_by_team() -> Mapping[str, list[JsonObject]]:
    """Return the matches of every team by round, by team id."""
    grouped: dict[str, list[JsonObject]] = {}
    for row in sorted(matches().values(), key=lambda row: (row["round"], row["match_id"])):
        for side in ("home_team_id", "away_team_id"):
            grouped.setdefault(row[side], []).append(row)
    return grouped


def standings(league: str, after_round: int) -> list[dict[str, object]]:
    """Return the table of a league after a round, best first: points, then goal difference, then name.

    Args:
        league: Id of the league.
        after_round: Rounds that count; those to come add nothing.
    """
    table = {
        key: {"team_id": key, "team": team["name"], "played": 0, "points": 0, "goal_difference": 0}
        for key, team in teams().items()
        if team["league_id"] == league
    }
    for row in matches().values():
        if row["league_id"] == league and row["round"] <= after_round and row["home_goals"] is not None:
            lead = row["home_goals"] - row["away_goals"]
            for side, margin in (("home_team_id", lead), ("away_team_id", -lead)):
                line = table[row[side]]
                line["played"] += 1
                line["goal_difference"] += margin
                line["points"] += 3 if margin > 0 else int(margin == 0)
    return sorted(table.values(), key=lambda line: (-line["points"], -line["goal_difference"], line["team"]))


@per_edition()
def players() -> Mapping[str, JsonObject]:
    """Return every player by id; names are unique, in a team shirt numbers, births and values too."""
    rng = edition.rng("players")
    posts = [post for post, count in POSITIONS.items() for _ in range(count)]
    names = iter(full_names(rng, len(posts) * len(teams())))
    rows: dict[str, JsonObject] = {}
    for team in teams():
        shirts = rng.sample(range(1, 60), len(posts))
        births = rng.sample(range(6_500), len(posts))
        values = rng.sample(range(4, 420), len(posts))
        for post, shirt, birth, value in zip(posts, shirts, births, values, strict=True):
            key = f"player-{len(rows) + 1:03}"
            rows[key] = {
                "player_id": key,
                "name": next(names),
                "team_id": team,
                "position": post,
                "shirt_number": shirt,
                "birth_date": (date(1988, 3, 1) + timedelta(days=birth)).isoformat(),
                "goals": 0 if post == "goalkeeper" else rng.randint(0, 19),
                "market_value_million": value / 10,
            }
    return rows
