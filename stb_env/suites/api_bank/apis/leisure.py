"""Music and hotels."""

from __future__ import annotations

from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.compare import OUTPUT
from stb_env.suites.api_bank.definition import Domain, Parameter, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_date

ENTERTAINMENT = Domain("Entertainment")
TRAVEL = Domain("Travel")


@ENTERTAINMENT.api(
    "PlayMusic", text("music_name", "Title of the music."), reads="nothing", compare=OUTPUT, acts=True
)
def play_music(music_name: str) -> str:
    """Play music."""
    name = music_name.lower().strip()
    if not name:
        raise ApiError("The music name cannot be empty.")
    return f"music://{name}"


@TRAVEL.api(
    "BookHotel",
    text("hotel_name", "Name of the hotel."),
    text("check_in_time", "Day of arrival, as YYYY-MM-DD."),
    text("check_out_time", "Day of departure, as YYYY-MM-DD."),
    Parameter("room_count", "int", "Number of rooms."),
    Parameter("adult_count", "int", "Number of adults."),
    Parameter("child_count", "int", "Number of children."),
    outputs={"order_id": ("str", "Id of the booking.")},
)
def book_hotel(
    state: State,
    hotel_name: str,
    check_in_time: str,
    check_out_time: str,
    room_count: int,
    adult_count: int,
    child_count: int,
) -> tuple[str, State]:
    """Book rooms in a hotel."""
    arrival, departure = read_date(check_in_time), read_date(check_out_time)
    if adult_count > 2 and room_count == 1:
        raise ApiError("The number of adults is greater than 2. Two rooms are ordered.")
    orders = state.table("Hotel")
    for order in orders.values():
        if order["hotel_name"] == hotel_name:
            start, end = read_date(order["check_in_time"]), read_date(order["check_out_time"])
            # A stay around a booked one is let through, as in the original.
            if start <= arrival < end or start < departure <= end:
                raise ApiError("The room is not available.")
    key = str(len(orders) + 1)
    order = {
        "hotel_name": hotel_name,
        "check_in_time": check_in_time,
        "check_out_time": check_out_time,
        "room_count": room_count,
        "adult_count": adult_count,
        "child_count": child_count,
    }
    return key, state.with_row("Hotel", key, order)
