"""Meetings with a topic, a room and attendees."""

from __future__ import annotations

from stb_env.jsontypes import JsonMapping
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.apis.records import Record, find_own, text_key
from stb_env.suites.api_bank.compare import RESULT, Envelope, alike, all_but, all_of, same, when_done
from stb_env.suites.api_bank.definition import TOKEN, Domain, Parameter, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_time
from stb_env.suites.api_bank.tokens import user_of

MEETINGS = Domain("Schedule Management")
NO_TOPIC = "Meeting Topic should not be null"

MEETING = (
    text("meeting_topic", "What it is about."),
    text("start_time", "When it begins, as YYYY-MM-DD hh:mm:ss."),
    text("end_time", "When it ends, as YYYY-MM-DD hh:mm:ss."),
    text("location", "Where it takes place."),
    Parameter("attendees", "list(str)", "Names of those who take part."),
)
MATCH = all_of(alike("meeting_topic"), all_but("meeting_topic"), RESULT)


def never_right(predicted: Envelope, gold: Envelope) -> bool:  # noqa: ARG001 (a rule takes both)
    """Fail, as the released check of two successful deletions does: it reads an input that does not exist."""
    raise KeyError("time")


@MEETINGS.api("AddMeeting", TOKEN, *MEETING, compare=MATCH)
def add_meeting(
    state: State,
    token: str,
    meeting_topic: str,
    start_time: str,
    end_time: str,
    location: str,
    attendees: list[str],
) -> tuple[str, State]:
    """Book a meeting."""
    read_time(start_time)
    read_time(end_time)
    if not meeting_topic.strip():
        raise ApiError(NO_TOPIC)
    meeting = {
        "meeting_topic": meeting_topic,
        "start_time": start_time,
        "end_time": end_time,
        "location": location,
        "attendees": attendees,
        "username": user_of(state, token),
    }
    return "success", state.with_row("Meeting", text_key(state.table("Meeting")), meeting)


@MEETINGS.api(
    "DeleteMeeting",
    TOKEN,
    *MEETING,
    compare=when_done(same("start_time")),
    original_compare=when_done(never_right),
)
def delete_meeting(
    state: State, token: str, meeting_topic: str, start_time: str, end_time: str, **_others: object
) -> tuple[str, State]:
    """Call a meeting of the user's off; its topic or its start tells which."""
    key, _ = _find(state, token, meeting_topic, start_time, end_time)
    return "success", state.without_row("Meeting", key)


@MEETINGS.api("ModifyMeeting", TOKEN, *MEETING, compare=MATCH)
def modify_meeting(
    state: State, token: str, meeting_topic: str, start_time: str, end_time: str, **_others: object
) -> tuple[str, State]:
    """Change topic or times of a meeting of the user's; its topic or its start tells which."""
    key, meeting = _find(state, token, meeting_topic, start_time, end_time)
    changes = {"meeting_topic": meeting_topic} if meeting_topic else {}
    if start_time:
        changes |= {"start_time": start_time, "end_time": end_time}
    return "success", state.with_row("Meeting", key, {**meeting, **changes})


@MEETINGS.api(
    "QueryMeeting",
    TOKEN,
    *MEETING,
    outputs={"meeting_info": ("json", "The meeting as it is stored.")},
    compare=MATCH,
)
def query_meeting(
    state: State, token: str, meeting_topic: str, start_time: str, end_time: str, **_others: object
) -> JsonMapping:
    """Look up a meeting of the user's; its topic or its start tells which."""
    return _find(state, token, meeting_topic, start_time, end_time)[1]


def _find(state: State, token: str, topic: str, start: str, end: str) -> tuple[str, Record]:
    for time in (start, end):
        if time:
            read_time(time)
    if not topic.strip() and not start:
        raise ApiError("Meeting Topic and start_time should not be null both")
    user = user_of(state, token)
    found = find_own(
        state, "Meeting", user, lambda held: held["meeting_topic"] == topic or held["start_time"] == start
    )
    if found is None:
        which = f"about {topic}" if topic else f"at time : {start}"
        raise ApiError(f"You have no meeting {which}")
    return found
