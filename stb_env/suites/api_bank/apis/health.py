"""Health data, symptoms, first aid, and appointments at the doctor's."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.compare import (
    DATE,
    EXCEPTION,
    RESULT,
    TIME,
    all_of,
    answered_alike,
    folded,
    moment,
    optional,
    raised,
    same,
    trimmed,
)
from stb_env.suites.api_bank.definition import Domain, Library, Parameter, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import normal_date, normal_time, read_time

HEALTH = Domain("Health Management")

Measurement = dict[str, Any]
"""Measured values by name, with the time; in calls objects of name and value."""
Illness = dict[str, str]

_USER = text("user_id", "Id of the patient.")
_SYMPTOM = text("symptom", "The symptom.")


def _user_text(value: object) -> str:
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
def query_health_data(state: State, user_id: str, start_time: str, end_time: str) -> list[Measurement]:
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


def _values(measured: object) -> list[str]:
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
def record_health_data(
    state: State, user_id: str, time: str, health_data: list[Measurement] | None = None
) -> tuple[str, State]:
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
def symptom_search(library: Library, symptom: str) -> list[Illness]:
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
def emergency_knowledge(library: Library, symptom: str) -> list[Illness]:
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


def _measured(health_data: list[Measurement] | None) -> Measurement:
    if not health_data:
        raise ApiError("The health data cannot be empty.")
    if not all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in health_data):
        raise ApiError("The health data has invalid format.")
    if len({item["name"] for item in health_data}) < len(health_data):
        raise ApiError("The health data cannot contain duplicate items.")
    if not all("value" in item for item in health_data):
        raise ApiError("'value'")
    return {item["name"]: item["value"] for item in health_data}


def _illnesses(library: Library, symptom: str) -> list[Illness]:
    illnesses: list[Illness] | None = library["Symptom"].get(symptom)
    if illnesses is None:
        raise ApiError("The symptom does not exist.")
    return illnesses


_PATIENT = text("patient_name", "Name of the patient.")
_DATE = text("date", "Day of the appointment, as YYYY-MM-DD.")
_ID = text("appointment_id", "Id of the appointment.")


def _id_text(value: object) -> str:
    return str(value).strip()


@HEALTH.api(
    "AppointmentRegistration",
    _PATIENT,
    _DATE,
    text("doctor_name", "Name of the doctor."),
    outputs={"appointment_id": ("str", "Id of the appointment.")},
    compare=all_of(
        same("patient_name", "doctor_name", normal=trimmed),
        same("date", normal=DATE),
        EXCEPTION,
        answered_alike,
    ),
)
def appointment_registration(
    state: State, patient_name: str, date: str, doctor_name: str
) -> tuple[str, State]:
    """Make an appointment with a doctor."""
    patient, doctor = patient_name.strip(), doctor_name.strip()
    if not patient or not doctor:
        raise ApiError("Patient name or doctor name cannot be empty.")
    day = normal_date(date)
    appointments = state.table("Appointments")
    for booked in appointments.values():
        if booked["patient_name"] == patient and booked["date"] == day:
            if booked["doctor_name"] == doctor:
                raise ApiError("This appointment has already been registered.")
            raise ApiError("This patient has already been registered in this day.")
    key, state = state.new_id("AppointmentRegistration", _number, appointments)
    appointment = {"patient_name": patient, "date": day, "doctor_name": doctor}
    return key, state.with_row("Appointments", key, appointment)


@HEALTH.api("CancelRegistration", _ID, compare=all_of(same("appointment_id", normal=trimmed), RESULT))
def cancel_registration(state: State, appointment_id: str) -> tuple[str, State]:
    """Cancel an appointment."""
    key = appointment_id.strip()
    if key not in state.table("Appointments"):
        raise ApiError("The appointment ID is incorrect.")
    return "success", state.without_row("Appointments", key)


@HEALTH.api(
    "ModifyRegistration",
    _ID,
    text("new_appointment_date", "The new day, as YYYY-MM-DD.", optional=True),
    text("new_appointment_doctor", "Name of the new doctor.", optional=True),
    compare=all_of(
        same("appointment_id", normal=_id_text),
        same("new_appointment_date", normal=optional(DATE)),
        same("new_appointment_doctor", normal=optional(trimmed)),
        RESULT,
    ),
)
def modify_registration(
    state: State,
    appointment_id: str,
    new_appointment_date: str | None = None,
    new_appointment_doctor: str | None = None,
) -> tuple[str, State]:
    """Change day or doctor of an appointment, or both."""
    key = _id_text(appointment_id)
    appointment = state.row("Appointments", key)
    if appointment is None:
        raise ApiError("The appointment ID does not exist.")
    changes = {}
    if new_appointment_doctor is not None:
        changes["doctor_name"] = new_appointment_doctor.strip()
        if not changes["doctor_name"]:
            raise ApiError("Fail because the doctor name is empty.")
    if new_appointment_date is not None:
        changes["date"] = normal_date(new_appointment_date)
    _check_changes(appointment, changes)
    return "success", state.with_row("Appointments", key, {**appointment, **changes})


@HEALTH.api(
    "QueryRegistration",
    _PATIENT,
    _DATE,
    outputs={"appointments": ("list", "The patient's appointments of this day, by id.")},
    compare=all_of(same("patient_name", normal=trimmed), same("date", normal=DATE), RESULT),
)
def query_registration(state: State, patient_name: str, date: str) -> dict[str, dict[str, str]]:
    """Look up a patient's appointments on a day."""
    day, patient = normal_date(date), patient_name.strip()
    found = {
        key: booked
        for key, booked in state.table("Appointments").items()
        if booked["patient_name"] == patient and booked["date"] == day
    }
    if not found:
        raise ApiError("No appointments found.")
    return found


def _number(random_number: int) -> str:
    return str(10_000_000 + random_number % 90_000_000)


def _check_changes(appointment: dict[str, str], changes: dict[str, str]) -> None:
    unchanged = [name for name, value in changes.items() if appointment[name] == value]
    if len(changes) == len(unchanged) != 1:
        raise ApiError("Fail because no modification is made.")
    if unchanged:
        raise ApiError(f"Fail because {'date' if 'date' in unchanged else 'doctor'} is not changed.")
