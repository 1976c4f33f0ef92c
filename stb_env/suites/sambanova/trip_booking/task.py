"""The declaration of Trip Booking."""

from __future__ import annotations

from stb_env.suites.sambanova.common.task import SambaNovaTask

TASK = SambaNovaTask(
    id="trip_booking",
    env_id="stb/TripBooking-v1",
    env="stb_env.suites.sambanova.trip_booking.env:make",
    documents="stb_env.suites.sambanova.trip_booking.tools:documents",
    demonstrations="stb_env.suites.sambanova.trip_booking.demos:demonstrations",
    functions=20,
    max_tokens=300,
    documents_k=20,
    examples_k=3,
    templates=30,
    repeats=60,
    published_complexity=10.1,
)
