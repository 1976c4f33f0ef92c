"""Schedule: agenda, alarms, meetings, reminders, and the day on which everything happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict, Unpack

from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.compare import (
    NAME,
    RESULT,
    alike,
    all_but,
    all_of,
    same,
    when_done,
)
from stb_env.suites.api_bank.definition import TOKEN, Domain, Parameter, text
from stb_env.suites.api_bank.formats.dialogues import Envelope
from stb_env.suites.api_bank.state import State, Table
from stb_env.suites.api_bank.times import read_time

SCHEDULE = Domain("Schedule Management")
TODAY = "2023-03-31"

Record = Mapping[str, Any]
Found = tuple[str, Record]
"""Key and record."""


class Meeting(TypedDict):
    """The arguments of AddMeeting."""

    meeting_topic: str
    start_time: str
    end_time: str
    location: str
    attendees: list[str]


_CONTENT = text("content", "What is to be done.")
_TIME = text("time", "When, as YYYY-MM-DD hh:mm:ss.")
_RINGS = text("time", "When it rings, as YYYY-MM-DD hh:mm:ss.")
_ITEM = (TOKEN, _CONTENT, _TIME, text("location", "Where."))
_REMINDER = (TOKEN, text("content", "What to be reminded of."), _TIME)
MEETING = (
    text("meeting_topic", "What it is about."),
    text("start_time", "When it begins, as YYYY-MM-DD hh:mm:ss."),
    text("end_time", "When it ends, as YYYY-MM-DD hh:mm:ss."),
    text("location", "Where it takes place."),
    Parameter("attendees", "list(str)", "Names of those who take part."),
)
MEETING_MATCH = all_of(alike("meeting_topic"), all_but("meeting_topic"), RESULT)
_ITEM_MATCH = all_of(alike("content"), same("time", "location"), RESULT)
_REMINDER_MATCH = all_of(alike("content", str.lower), same("time"), RESULT)


@SCHEDULE.api("AddAgenda", *_ITEM, compare=all_of(NAME, _ITEM_MATCH))
def add_agenda(state: State, token: str, content: str, time: str, location: str) -> tuple[str, State]:
    """Put an item on the user's agenda."""
    check_record(content, time)
    item = {"content": content, "time": time, "location": location, "username": state.user_of(token)}
    return "success", state.with_row("Agenda", number_key(state.table("Agenda")), item)


@SCHEDULE.api("DeleteAgenda", *_ITEM, compare=when_done(same("time")))
def delete_agenda(
    state: State, token: str, content: str, time: str, **_others: object
) -> str | tuple[str, State]:
    """Take an item off the user's agenda; its content or its time tells which."""
    found = _agenda_item(state, token, content, time)
    if found is not None:
        return "success", state.without_row("Agenda", found[0])
    if content or time:
        raise _nothing("meeting", content, time)
    # The original reports success here without deleting anything.
    return "success"


@SCHEDULE.api("ModifyAgenda", *_ITEM, compare=_ITEM_MATCH)
def modify_agenda(
    state: State, token: str, content: str, time: str, location: str
) -> str | tuple[str, State]:
    """Change an item of the user's agenda; its content or its time tells which."""
    found = _agenda_item(state, token, content, time)
    if found is None:
        if content or time:
            raise _nothing("agenda", content, time)
        # The original returns the error as if it were a result.
        return "Error"
    item = {"content": content, "time": time, "location": location, "username": found[1]["username"]}
    return "success", state.with_row("Agenda", found[0], item)


@SCHEDULE.api(
    "QueryAgenda", *_ITEM, outputs={"info": ("json", "The item as it is stored.")}, compare=_ITEM_MATCH
)
def query_agenda(state: State, token: str, content: str, time: str, **_others: object) -> Record:
    """Look up an item of the user's agenda; its content or its time tells which."""
    found = _agenda_item(state, token, content, time)
    if found is None:
        raise _nothing("agenda", content, time) if content or time else ApiError("Error")
    return found[1]


@SCHEDULE.api("AddAlarm", TOKEN, _RINGS)
def add_alarm(state: State, token: str, time: str) -> tuple[str, State]:
    """Set an alarm clock."""
    read_time(time)
    alarm = {"username": state.user_of(token), "time": time}
    return "success", state.with_row("Alarm", number_key(state.table("Alarm")), alarm)


@SCHEDULE.api("DeleteAlarm", TOKEN, _RINGS)
def delete_alarm(state: State, token: str, time: str) -> tuple[str, State]:
    """Remove the user's alarm clock of this time."""
    read_time(time)
    return "success", state.without_row("Alarm", _alarm(state, token, time, "alarm clock")[0])


@SCHEDULE.api(
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
    key, alarm = _alarm(state, token, from_time, "agenda")
    return "success", state.with_row("Alarm", key, {"username": alarm["username"], "time": to_time})


@SCHEDULE.api("QueryAlarm", TOKEN, _RINGS, outputs={"info": ("json", "The alarm clock as it is stored.")})
def query_alarm(state: State, token: str, time: str) -> Record:
    """Look up the user's alarm clock of this time."""
    read_time(time)
    return _alarm(state, token, time, "alarm clock")[1]


@SCHEDULE.api("AddMeeting", TOKEN, *MEETING, compare=MEETING_MATCH)
def add_meeting(state: State, token: str, **meeting: Unpack[Meeting]) -> tuple[str, State]:
    """Book a meeting."""
    check_meeting(meeting)
    given: Mapping[str, object] = meeting
    record = {each.name: given[each.name] for each in MEETING} | {"username": state.user_of(token)}
    return "success", state.with_row("Meeting", text_key(state.table("Meeting")), record)


def never_right(predicted: Envelope, gold: Envelope) -> bool:  # noqa: ARG001 (a rule takes both)
    """Fail, as the released check of two successful deletions does: it reads an input that does not exist."""
    raise KeyError("time")


@SCHEDULE.api(
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
    return "success", state.without_row(
        "Meeting", _meeting(state, token, meeting_topic, start_time, end_time)[0]
    )


@SCHEDULE.api("ModifyMeeting", TOKEN, *MEETING, compare=MEETING_MATCH)
def modify_meeting(
    state: State, token: str, meeting_topic: str, start_time: str, end_time: str, **_others: object
) -> tuple[str, State]:
    """Change topic or times of a meeting of the user's; its topic or its start tells which."""
    key, meeting = _meeting(state, token, meeting_topic, start_time, end_time)
    changes = {"meeting_topic": meeting_topic} if meeting_topic else {}
    if start_time:
        changes |= {"start_time": start_time, "end_time": end_time}
    return "success", state.with_row("Meeting", key, {**meeting, **changes})


@SCHEDULE.api(
    "QueryMeeting",
    TOKEN,
    *MEETING,
    outputs={"meeting_info": ("json", "The meeting as it is stored.")},
    compare=MEETING_MATCH,
)
def query_meeting(
    state: State, token: str, meeting_topic: str, start_time: str, end_time: str, **_others: object
) -> Record:
    """Look up a meeting of the user's; its topic or its start tells which."""
    return _meeting(state, token, meeting_topic, start_time, end_time)[1]


@SCHEDULE.api("AddReminder", *_REMINDER, compare=all_of(NAME, _REMINDER_MATCH))
def add_reminder(state: State, token: str, content: str, time: str) -> tuple[str, State]:
    """Set a reminder."""
    check_record(content, time)
    reminder = {"content": content, "time": time, "username": state.user_of(token)}
    return "success", state.with_row("Reminder", text_key(state.table("Reminder")), reminder)


@SCHEDULE.api("DeleteReminder", *_REMINDER, compare=when_done(same("time")))
def delete_reminder(state: State, token: str, content: str, time: str) -> tuple[str, State]:
    """Remove a reminder of the user's; its content or its time tells which."""
    return "success", state.without_row("Reminder", _reminder(state, token, content, time)[0])


@SCHEDULE.api("ModifyReminder", *_REMINDER, compare=all_of(NAME, _REMINDER_MATCH))
def modify_reminder(state: State, token: str, content: str, time: str) -> tuple[str, State]:
    """Change a reminder of the user's; its content or its time tells which, and both are set anew."""
    key, reminder = _reminder(state, token, content, time)
    return "success", state.with_row("Reminder", key, {**reminder, "content": content, "time": time})


@SCHEDULE.api(
    "QueryReminder",
    *_REMINDER,
    outputs={"reminder_info": ("json", "The reminder as it is stored.")},
    compare=_REMINDER_MATCH,
)
def query_reminder(state: State, token: str, content: str, time: str) -> Record:
    """Look up a reminder of the user's; its content or its time tells which."""
    return _reminder(state, token, content, time)[1]


def answered(predicted: Envelope, gold: Envelope) -> bool:  # noqa: ARG001 (a rule takes both)
    """Look at the prediction alone: an output, no input and no exception."""
    return predicted["output"] is not None and predicted["exception"] is None and predicted["input"] is None


@SCHEDULE.api(
    "GetToday",
    outputs={"date": ("str", "Today, as YYYY-MM-DD.")},
    reads="nothing",
    compare=answered,
    echo="none",
)
def get_today() -> str:
    """Tell today's date."""
    return TODAY


def check_record(content: str, time: str) -> None:
    """Refuse an agenda item or a reminder without a valid time or without content.

    Raises:
        ApiError: One of them is missing or wrong.
    """
    read_time(time)
    if not content.strip():
        raise ApiError("Content should not be null")


def check_meeting(meeting: Meeting) -> None:
    """Refuse a meeting without valid times or without a topic.

    Raises:
        ApiError: One of them is missing or wrong.
    """
    read_time(meeting["start_time"])
    read_time(meeting["end_time"])
    if not meeting["meeting_topic"].strip():
        raise ApiError("Meeting Topic should not be null")


def number_key(rows: Table) -> str:
    """Return the key of a new agenda item or alarm.

    The original counts in numbers beside the loaded records' texts: a new key never meets a loaded one, but
    after a deletion it can meet, and overwrite, one that was added before.

    Examples:
        >>> number_key({"1": {}, "2": {}})
        '#3'
    """
    return f"#{len(rows) + 1}"


def text_key(rows: Table) -> str:
    """Return the key of a new meeting or reminder: one more than the largest.

    Examples:
        >>> text_key({"1": {}, "7": {}}), text_key({})
        ('8', '0')
    """
    return str(max(map(int, rows)) + 1) if rows else "0"


def _own(state: State, table: str, token: str, fits: Callable[[Record], bool]) -> Found | None:
    """Return key and record of the user's first record that fits, or None."""
    user = state.user_of(token)
    rows = state.table(table).items()
    return next(((key, row) for key, row in rows if row["username"] == user and fits(row)), None)


def _nothing(what: str, content: str, time: str) -> ApiError:
    which = f"about {content}" if content else f"at time : {time}"
    return ApiError(f"You have no {what} {which}")


def _agenda_item(state: State, token: str, content: str, time: str) -> Found | None:
    if time:
        read_time(time)
    return _own(state, "Agenda", token, lambda item: item["content"] == content or item["time"] == time)


def _alarm(state: State, token: str, time: str, what: str) -> Found:
    found = _own(state, "Alarm", token, lambda alarm: alarm["time"] == time)
    if found is None:
        raise _nothing(what, "", time)
    return found


def _meeting(state: State, token: str, topic: str, start: str, end: str) -> Found:
    for time in (start, end):
        if time:
            read_time(time)
    if not topic.strip() and not start:
        raise ApiError("Meeting Topic and start_time should not be null both")
    found = _own(
        state, "Meeting", token, lambda held: held["meeting_topic"] == topic or held["start_time"] == start
    )
    if found is None:
        raise _nothing("meeting", topic, start)
    return found


def _reminder(state: State, token: str, content: str, time: str) -> Found:
    check_record(content, time)
    found = _own(state, "Reminder", token, lambda held: held["content"] == content or held["time"] == time)
    if found is None:
        raise ApiError(f"You have no reminder about {content} or at time : {time}")
    return found
