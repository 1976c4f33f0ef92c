"""Tasks about the health log; its category is held out."""

from __future__ import annotations

from datetime import date, timedelta

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.facts import Fact
from stb_env.suites.sandbox.lookups import days, once
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import health_log

_KM_PER_MILE = 1.609344


def _period(draw: Draw) -> tuple[str, str, str]:
    """Return a sport and the first and last day of a period in which it was done."""
    workout = draw.pick(list(draw.home().table("workouts").values()))
    when = date.fromisoformat(workout["date"])
    # The workout stands at an end of the period, which counts.
    length = timedelta(days=draw.between(6, 24))
    first, last = draw.pick(((when, when + length), (when - length, when)))
    return workout["sport"], first.isoformat(), min(last, TODAY).isoformat()


def _distance(unit: str, value: float) -> Fact:
    if unit == "km":
        return facts.number("distance_km", value, "rounded to one decimal")
    return facts.number("distance_miles", value, "rounded to two decimals", tolerance=0.02)


@template(health_log.TOOL, calls=1)
def workout_sum(draw: Draw) -> Plan:
    """Distance of workouts in a period, in the unit that the user wants."""
    sport, first, last = _period(draw)
    unit, word = draw.pick((("km", "kilometres (one decimal)"), ("miles", "miles (two decimals)")))

    def solve() -> Solution:
        row = yield health_log.sum_workouts(first_date=first, last_date=last, sport=sport)
        distance = row["distance_km"] if unit == "km" else round(row["distance_km"] / _KM_PER_MILE, 2)
        return Answer.of(
            f"{distance} {unit} in {row['minutes']} minutes.",
            _distance(unit, distance),
            facts.integer("minutes", row["minutes"], "in all"),
        )

    return Plan.of(
        f"How many {word} did I {sport} from {first} to {last}, both days included, and how many minutes did "
        "that take?",
        f"Sum up my log for the sport {sport} between {first} and {last} (inclusive): distance in {word} and "
        "total time in minutes.",
        f"For the period {first} to {last}, tell me the total distance in {word} and the minutes that I "
        f"logged as {sport}.",
        solve=solve,
    )


@template(health_log.TOOL, calls=2, writes=("workouts",))
def log_miles(draw: Draw) -> Plan:
    """Log a workout whose distance is given in miles."""
    draw.home()
    sport, pace = draw.pick((("run", 9), ("ride", 5)))
    when, miles = draw.pick(days(-40, -1)).isoformat(), draw.between(3, 24)
    minutes = miles * pace + draw.between(0, 20)
    distance = round(miles * _KM_PER_MILE, 2)

    def solve() -> Solution:
        look = health_log.list_workouts(first_date=when, last_date=when, sport=sport)
        act = health_log.log_workout(sport=sport, date=when, distance_km=distance, minutes=minutes)
        yield from once(look, act)
        return Answer.of(f"The {sport} of {when} is in your log.")

    return Plan.of(
        f"Log a {sport} of {miles} miles in {minutes} minutes on {when}; convert to kilometres with two "
        "decimals.",
        f"On {when} I did {miles} miles ({sport}, {minutes} minutes). Add it to my health log in km, rounded "
        "to two decimals.",
        f"Enter this into my log: {when}, {sport}, {miles} miles, {minutes} minutes. The log is metric; "
        "round to hundredths of a kilometre.",
        solve=solve,
    )


@template(health_log.TOOL, calls=2, writes=("sport_goals",))
def goal_from_past(draw: Draw) -> Plan:
    """Set a goal to what was done in a period."""
    sport, first, last = _period(draw)

    def solve() -> Solution:
        row = yield health_log.sum_workouts(first_date=first, last_date=last, sport=sport)
        distance = row["distance_km"]
        yield health_log.set_weekly_goal(sport=sport, weekly_km=distance)
        return Answer.of(f"The goal is {distance} km.", _distance("km", distance))

    return Plan.of(
        f"Set my weekly goal for {sport} to the whole distance that I logged for it from {first} to {last}, "
        "both included. How much is that in km?",
        f"My new weekly {sport} goal shall be the total of what I did between {first} and {last} "
        "(inclusive). Set it and tell me the kilometres.",
        f"Add up the {sport} distance from {first} through {last} and make it my goal per week. What is it, "
        "in kilometres?",
        solve=solve,
    )
