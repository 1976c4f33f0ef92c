"""Tasks about football. Training never sees its category."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import combinations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.content.leagues import (
    LEAGUES,
    POSITIONS,
    ROUNDS,
    matches,
    matches_by_team,
    players,
    round_day,
    teams,
)
from stb_env.suites.sandbox.lookups import days, find, long_date, spoken
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, ranked, template
from stb_env.suites.sandbox.tools import league_office, match_centre, player_files

_TEAMS = Options(lambda: teams().values())
_TEAM_NAMES = Options(lambda: [row["name"] for row in _TEAMS])
_PLAYERS = Options(lambda: players().values())
_PLAYED = sum(round_day(number) < TODAY for number in range(1, ROUNDS + 1))
_PLAYED_MATCHES = Options(lambda: [row for row in matches().values() if row["home_goals"] is not None])
_QUARTETS = [post for post, count in POSITIONS.items() if count == 4]
# Team, position and goals, with at least one player who scored so many.
_SCORERS = Options(
    lambda: sorted(
        {
            (teams()[row["team_id"]]["name"], row["position"], goals)
            for row in _PLAYERS
            for goals in range(2, row["goals"] + 1)
        }
    )
)


def _to_come() -> Iterator[tuple[str, str, date]]:
    """Yield team, venue and day where both the venue and the day matter for which match is the next."""
    for team in _TEAMS:
        coming = [
            (date.fromisoformat(row["date"]), "home" if row["home_team_id"] == team["team_id"] else "away")
            for row in matches_by_team()[team["team_id"]]
            if row["home_goals"] is None
        ]
        for day in days(0, 60):
            later = [match for match in coming if match[0] >= day]
            skipped = {venue for _, venue in coming[: len(coming) - len(later)]}
            other = {venue for _, venue in later} - ({later[0][1]} if later else set())
            for venue in sorted(other & skipped):
                yield team["name"], venue, day


_TO_COME = Options(_to_come)


def _team_id(name: str) -> Steps[str]:
    return str((yield from find(league_office.search_teams(name=name), name=name))["team_id"])


def _player(name: str) -> Steps[JsonObject]:
    key = (yield from find(player_files.search_players(name=name), name=name))["player_id"]
    return dict((yield player_files.player_details(player_id=key)))


@template(league_office.TOOL, calls=2)
def points_gap(draw: Draw) -> Plan:
    """Points between two teams after a round."""
    league, number = draw.pick(list(LEAGUES)), draw.between(4, _PLAYED)
    one, two = draw.pick_some([row["name"] for row in _TEAMS if row["league_id"] == league], 2)
    title = LEAGUES[league]

    def solve() -> Solution:
        key = (yield from find(league_office.list_leagues(), name=title))["league_id"]
        table = (yield league_office.league_standings(league_id=key, after_round=number))["table"]
        first, second = (next(row for row in table if row["team"] == name) for name in (one, two))
        gap, above = abs(first["points"] - second["points"]), first["place"] < second["place"]
        return Answer.of(
            f"{'Yes' if above else 'No'}; {gap} points lie between them.",
            facts.yes_no("first_team_was_higher", above, "whether the team named first stood higher"),
            facts.integer("points_difference", gap, "at least 0"),
        )

    return Plan.of(
        f"After round {number} of the {title}, did {one} stand above {two}, and how many points were between "
        "them?",
        f"{title}, table after round {number}: is {one} ahead of {two}? How large is the gap in points?",
        f"Was {one} placed higher than {two} once round {number} of the {title} was over? Tell me the "
        "difference in points, too.",
        solve=solve,
    )


@template(league_office.TOOL, match_centre.TOOL, calls=4)
def match_crowd(draw: Draw) -> Plan:
    """Date of a match and a share of its attendance."""
    match = draw.pick(_PLAYED_MATCHES)
    home, away = (teams()[match[f"{side}_team_id"]]["name"] for side in ("home", "away"))
    percent = draw.between(5, 60)

    def solve() -> Solution:
        first = yield from _team_id(home)
        second = yield from _team_id(away)
        key = (
            yield from find(
                match_centre.head_to_head(team_id=first, other_team_id=second), home_team_id=first
            )
        )["match_id"]
        row = yield match_centre.match_details(match_id=key)
        guests, rest = divmod(row["attendance"] * percent + 50, 100)
        if not rest:
            raise Undecided
        return Answer.of(
            f"It was on {spoken(row['date'])}; {guests} came for the guests.",
            facts.date("match_date", row["date"]),
            facts.integer("attendance_share", guests, "people, rounded to a whole number"),
        )

    return Plan.of(
        f"When did {home} play {away} at home, and how many spectators came with the guests, if they were "
        f"{percent} % of the attendance?",
        f"Find the home match of {home} against {away}. Its date, please, and {percent} per cent of its "
        "attendance.",
        f"{home} (home) - {away}: on what date was that, and how many people are {percent} % of the crowd?",
        solve=solve,
    )


@template(league_office.TOOL, match_centre.TOOL, calls=4)
def goals_in_rounds(draw: Draw) -> Plan:
    """Goals that a team scored and conceded over some rounds."""
    name = draw.pick(_TEAM_NAMES)
    spans = combinations(range(1, _PLAYED + 1), 2)
    first, last = draw.pick([span for span in spans if span != (1, _PLAYED)])

    def solve() -> Solution:
        key = yield from _team_id(name)
        rows: list[JsonObject] = []
        for page in (1, 2, 3):
            rows += (yield match_centre.results(team_id=key, page=page))["results"]
        scored = conceded = 0
        for row in rows:
            if first <= row["round"] <= last:
                ours, theirs = ("home", "away") if row["home_team_id"] == key else ("away", "home")
                scored += row[f"{ours}_goals"]
                conceded += row[f"{theirs}_goals"]
        return Answer.of(
            f"They scored {scored} and conceded {conceded}.",
            facts.integer("goals_scored", scored),
            facts.integer("goals_conceded", conceded),
        )

    return Plan.of(
        f"How many goals did {name} score in rounds {first} to {last} of this season, and how many did they "
        "concede?",
        f"Count the goals for and against {name} from round {first} up to and including round {last}.",
        f"{name}, rounds {first}-{last}: goals scored and goals let in, in all?",
        solve=solve,
    )


@template(league_office.TOOL, match_centre.TOOL, calls=3)
def next_fixture(draw: Draw) -> Plan:
    """Opponent and date of a team's next match."""
    name, venue, start = draw.pick(_TO_COME)

    def solve() -> Solution:
        key = yield from _team_id(name)
        rows = (yield match_centre.fixtures(team_id=key, venue=venue))["fixtures"]
        row = next(row for row in rows if row["date"] >= start.isoformat())
        other = row["away_team_id"] if venue == "home" else row["home_team_id"]
        profile = yield league_office.team_profile(team_id=other)
        return Answer.of(
            f"They meet {profile['name']} on {spoken(row['date'])}.",
            facts.date("match_date", row["date"]),
            facts.name("opponent", profile["name"]),
        )

    where = "at home" if venue == "home" else "away from home"
    return Plan.of(
        f"When do {name} next play {where}, from {long_date(start)} on, and against whom?",
        f"I am a fan of {name}. First match {where} on or after {start}: date and opponent?",
        f"Which team do {name} meet in their next match {where} (from {long_date(start)}), and on what date?",
        solve=solve,
    )


@template(player_files.TOOL, calls=4)
def older_player(draw: Draw) -> Plan:
    """Birth date and shirt number of the older of two players."""
    first = draw.pick(_PLAYERS)
    second = draw.pick([row for row in _PLAYERS if row["birth_date"] != first["birth_date"]])

    def solve() -> Solution:
        one = yield from _player(first["name"])
        two = yield from _player(second["name"])
        older = ranked((one, two), lambda row: str(row["birth_date"]))[0]
        born = older["birth_date"]
        return Answer.of(
            f"Born on {spoken(born)}, with number {older['shirt_number']}.",
            facts.date("birth_date", born),
            facts.integer("shirt_number", older["shirt_number"]),
        )

    return Plan.of(
        f"Of the football players {first['name']} and {second['name']}, take the older. On what date was "
        "that player born, and what is the shirt number?",
        f"{first['name']} or {second['name']}: birth date and shirt number of the elder one only, please.",
        f"For whichever footballer is older, {first['name']} or {second['name']}, give me the date of birth "
        "and the number on the shirt.",
        solve=solve,
    )


@template(player_files.TOOL, league_office.TOOL, calls=3)
def coach_of_player(draw: Draw) -> Plan:
    """The coach of a player, and a fact about the team."""
    name = draw.pick(_PLAYERS)["name"]
    field, name_of_field, words = draw.pick(
        (
            ("founded", "founding_year", "the year of the team's founding"),
            ("stadium_capacity", "stadium_capacity", "the capacity of the stadium"),
        )
    )

    def solve() -> Solution:
        key = (yield from _player(name))["team_id"]
        team = yield league_office.team_profile(team_id=key)
        return Answer.of(
            f"{team['coach']} is the coach; {words} is {team[field]}.",
            facts.name("coach", team["coach"]),
            facts.integer(name_of_field, team[field]),
        )

    return Plan.of(
        f"Who coaches the football player {name}, and what is {words}?",
        f"Find the team of the footballer {name}: name of the coach, and {words}?",
        f"I write about {name}, who plays football. Tell me who the coach is and {words}.",
        solve=solve,
    )


@template(league_office.TOOL, player_files.TOOL, calls=2)
def squad_scorers(draw: Draw) -> Plan:
    """Players of a position with at least so many goals."""
    team, post, goals = draw.pick(_SCORERS)

    def solve() -> Solution:
        rows = (yield player_files.squad(team_id=(yield from _team_id(team)), position=post))["players"]
        fitting = [row["name"] for row in rows if row["goals"] >= goals]
        if len(fitting) == len(rows):
            raise Undecided
        return Answer.of(f"That holds for {', '.join(fitting)}.", facts.names("scorers", fitting))

    return Plan.of(
        f"Which {post}s of {team} have scored at least {goals} goals this season? Only those, please.",
        f"Name every {post} of {team} with {goals} goals or more this season, and nobody else.",
        f"{team}, position {post}: who has {goals} or more goals?",
        solve=solve,
    )


@template(league_office.TOOL, player_files.TOOL, calls=6)
def transfer_fee(draw: Draw) -> Plan:
    """The most (or least) valuable player in a position, and a share of the market value."""
    team, post, percent = draw.pick(_TEAM_NAMES), draw.pick(_QUARTETS), draw.between(2, 25)
    wording, highest = draw.pick((("most", "highest"), ("least", "lowest")))

    def solve() -> Solution:
        rows = (yield player_files.squad(team_id=(yield from _team_id(team)), position=post))["players"]
        values = {}
        for row in rows:
            details = yield player_files.player_details(player_id=row["player_id"])
            values[details["name"]] = details["market_value_million"]
        best = (max if wording == "most" else min)(values, key=lambda name: values[name])
        fee = round(values[best] * percent * 10_000)
        return Answer.of(
            f"That is {best}; the agent gets {fee} AUR.",
            facts.name("player", best),
            facts.integer("value_share", fee, "in AUR"),
        )

    return Plan.of(
        f"Who is the {wording} valuable {post} of {team}, and how many aurel does an agent earn who takes "
        f"{percent} % of the market value? Name that player only.",
        f"Find the {post} of {team} with the {highest} market value. The name, and {percent} per cent of the "
        "value in AUR, please.",
        f"{team} sell their {wording} valuable {post}. Which player is it, and what fee in aurel is "
        f"{percent} % of the market value?",
        solve=solve,
    )
