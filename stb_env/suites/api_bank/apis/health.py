"""Health data of patients, symptoms, first aid."""

from __future__ import annotations

from datetime import datetime

from stb_env.jsontypes import Json, JsonArray, JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.compare import RESULT, TIME, all_of, folded, moment, raised, same
from stb_env.suites.api_bank.definition import Domain, Library, Parameter, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import normal_time, read_time

HEALTH = Domain("Health Management")

_USER = text("user_id", "Id of the patient.")
_SYMPTOM = text("symptom", "The symptom.")


def _user_text(value: Json) -> str:
    return str(value).upper().strip()


def _filled(value: str) -> str:
    if not value.strip():
        raise ApiError("The symptom cannot be empty.")
    return folded(value)


_SYMPTOM_MATCH = all_of(same("symptom", normal=_filled), RESULT)


@HEALTH.api(
    "QueryHealthData",
    _USER,
    text("start_time", "From when, as YYYY-MM-DD hh:mm:ss."),
    text("end_time", "Until when, as YYYY-MM-DD hh:mm:ss."),
    outputs={"health_data": ("list", "The records of this time.")},
    compare=all_of(same("user_id", normal=raised), same("start_time", "end_time", normal=moment), RESULT),
)
def query_health_data(state: State, user_id: str, start_time: str, end_time: str) -> JsonArray:
    """Look up what was measured of a patient in a span of time."""
    user = raised(user_id)
    if not user:
        raise ApiError("The user id cannot be empty.")
    start, end = _span(start_time, end_time)
    if start > end:
        raise ApiError("The start time cannot be later than the end time.")
    records = state.row("HealthData", user)
    if records is None:
        raise ApiError("The user id does not exist.")
    found = [record for record in records if start <= moment(record["time"]) <= end]
    if not found:
        raise ApiError("There is no health data in the given time span.")
    return found


def _values(measured: Json) -> list[str]:
    """Return what was measured, whatever it is called: the later release compared none of it."""
    items = measured if isinstance(measured, list) else []
    return sorted(str(item.get("value")) for item in items)


_RECORD_MATCH = all_of(same("user_id", normal=_user_text), same("time", normal=TIME), RESULT)


@HEALTH.api(
    "RecordHealthData",
    _USER,
    text("time", "When it was measured, as YYYY-MM-DD hh:mm:ss."),
    Parameter("health_data", "list", "What was measured: a list of objects with name and value.", True),
    compare=all_of(_RECORD_MATCH, same("health_data", normal=_values)),
    original_compare=_RECORD_MATCH,
)
def record_health_data(state: State, user_id: str, time: str, health_data: Json = None) -> tuple[str, State]:
    """Record what was measured of a patient."""
    user = _user_text(user_id)
    if not user:
        raise ApiError("The user id cannot be empty.")
    written = normal_time(time)
    measured = _measured(health_data)
    records = state.row("HealthData", user) or []
    if any(record["time"] == written for record in records):
        records = [record | measured if record["time"] == written else record for record in records]
    else:
        records = [*records, {"time": written} | measured]
    return "success", state.with_row("HealthData", user, records)


@HEALTH.api(
    "SymptomSearch",
    _SYMPTOM,
    outputs={"results": ("list", "Illnesses that show in this way, with descriptions.")},
    reads="library",
    compare=_SYMPTOM_MATCH,
)
def symptom_search(library: Library, symptom: str) -> list[JsonObject]:
    """Find illnesses that a symptom may come from."""
    name = folded(symptom)
    if not name:
        raise ApiError("The symptom cannot be empty.")
    return [{"name": each["name"], "description": each["description"]} for each in _illnesses(library, name)]


@HEALTH.api(
    "EmergencyKnowledge",
    _SYMPTOM,
    outputs={"results": ("list", "Illnesses that show in this way, with first aid.")},
    reads="library",
    compare=_SYMPTOM_MATCH,
)
def emergency_knowledge(library: Library, symptom: str) -> list[JsonObject]:
    """Find out what to do about a symptom in an emergency."""
    name = folded(symptom)
    if not name:
        # The original trips over its own complaint here.
        raise ApiError("'Exception' object has no attribute 'lower'")
    return [{"name": each["name"], "aid": each["aid"]} for each in _illnesses(library, name)]


def _span(start_time: str, end_time: str) -> tuple[datetime, datetime]:
    times, errors = [], []
    for written in (start_time, end_time):
        try:
            times.append(read_time(normal_time(written)))
        except ApiError as error:
            errors.append(str(error))
    if errors:
        raise ApiError("; ".join(errors))
    return times[0], times[1]


def _measured(health_data: Json) -> JsonObject:
    if not health_data:
        raise ApiError("The health data cannot be empty.")
    if not all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in health_data):
        raise ApiError("The health data has invalid format.")
    if len({item["name"] for item in health_data}) < len(health_data):
        raise ApiError("The health data cannot contain duplicate items.")
    if not all("value" in item for item in health_data):
        raise ApiError("'value'")
    return {item["name"]: item["value"] for item in health_data}


def _illnesses(library: Library, symptom: str) -> Json:
    illnesses = library["Symptom"].get(symptom)
    if illnesses is None:
        raise ApiError("The symptom does not exist.")
    return illnesses
