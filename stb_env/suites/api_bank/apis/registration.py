"""Appointments at the doctor's."""

from __future__ import annotations

from stb_env.jsontypes import Json, JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.compare import (
    DATE,
    EXCEPTION,
    RESULT,
    all_of,
    answered_alike,
    optional,
    same,
    trimmed,
)
from stb_env.suites.api_bank.definition import Domain, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import normal_date

REGISTRATION = Domain("Health Management")

_PATIENT = text("patient_name", "Name of the patient.")
_DATE = text("date", "Day of the appointment, as YYYY-MM-DD.")
_ID = text("appointment_id", "Id of the appointment.")


def _id_text(value: Json) -> str:
    return str(value).strip()


@REGISTRATION.api(
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


@REGISTRATION.api("CancelRegistration", _ID, compare=all_of(same("appointment_id", normal=trimmed), RESULT))
def cancel_registration(state: State, appointment_id: str) -> tuple[str, State]:
    """Cancel an appointment."""
    key = appointment_id.strip()
    if key not in state.table("Appointments"):
        raise ApiError("The appointment ID is incorrect.")
    return "success", state.without_row("Appointments", key)


@REGISTRATION.api(
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


@REGISTRATION.api(
    "QueryRegistration",
    _PATIENT,
    _DATE,
    outputs={"appointments": ("list", "The patient's appointments of this day, by id.")},
    compare=all_of(same("patient_name", normal=trimmed), same("date", normal=DATE), RESULT),
)
def query_registration(state: State, patient_name: str, date: str) -> JsonObject:
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
