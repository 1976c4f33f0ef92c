"""Alarm clocks."""

from __future__ import annotations

from stb_env.jsontypes import JsonMapping
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.apis.records import Record, find_own, number_key
from stb_env.suites.api_bank.definition import TOKEN, Domain, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_time
from stb_env.suites.api_bank.tokens import user_of

ALARMS = Domain("Schedule Management")

_TIME = text("time", "When it rings, as YYYY-MM-DD hh:mm:ss.")


@ALARMS.api("AddAlarm", TOKEN, _TIME)
def add_alarm(state: State, token: str, time: str) -> tuple[str, State]:
    """Set an alarm clock."""
    read_time(time)
    alarm = {"username": user_of(state, token), "time": time}
    return "success", state.with_row("Alarm", number_key(state.table("Alarm")), alarm)


@ALARMS.api("DeleteAlarm", TOKEN, _TIME)
def delete_alarm(state: State, token: str, time: str) -> tuple[str, State]:
    """Remove the user's alarm clock of this time."""
    read_time(time)
    key, _ = _find(state, token, time, "alarm clock")
    return "success", state.without_row("Alarm", key)


@ALARMS.api(
    "ModifyAlarm",
    TOKEN,
    text("from_time", "When it rings until now, as YYYY-MM-DD hh:mm:ss."),
    text("to_time", "When it is to ring, as YYYY-MM-DD hh:mm:ss."),
)
def modify_alarm(state: State, token: str, from_time: str, to_time: str) -> tuple[str, State]:
    """Move the user's alarm clock to another time."""
    read_time(from_time)
    read_time(to_time)
    # The original says agenda here.
    key, alarm = _find(state, token, from_time, "agenda")
    return "success", state.with_row("Alarm", key, {"username": alarm["username"], "time": to_time})


@ALARMS.api("QueryAlarm", TOKEN, _TIME, outputs={"info": ("json", "The alarm clock as it is stored.")})
def query_alarm(state: State, token: str, time: str) -> JsonMapping:
    """Look up the user's alarm clock of this time."""
    read_time(time)
    return _find(state, token, time, "alarm clock")[1]


def _find(state: State, token: str, time: str, what: str) -> tuple[str, Record]:
    found = find_own(state, "Alarm", user_of(state, token), lambda alarm: alarm["time"] == time)
    if found is None:
        raise ApiError(f"You have no {what} at time : {time}")
    return found
