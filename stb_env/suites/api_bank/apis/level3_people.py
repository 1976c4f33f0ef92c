"""Level 3: accounts, organisations, travel status, meetings, posts. Their content is fixed, whoever asks."""

from __future__ import annotations

from stb_env.jsontypes import Json, JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.apis.level3_content import content, found
from stb_env.suites.api_bank.apis.meetings import MATCH, MEETING, NO_TOPIC
from stb_env.suites.api_bank.compare import INPUT, NAME, OUTPUT, RESULT, WHOLE, all_but, all_of
from stb_env.suites.api_bank.definition import Domain, Parameter, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_time

PEOPLE = Domain("Account Management")
MEETINGS = Domain("Schedule Management")
NETWORK = Domain("Information Query and Processing")

_ACCOUNT = (text("username", "Name of the user."), text("password", "Password of the user."))
_USER = text("user_name", "Name of the user.")
_NAMED = all_of(NAME, WHOLE)


def _account(username: str, password: str) -> Json:
    account = content()["accounts"].get(username)
    if account is None or account["password"] != password:
        raise ApiError("User not found.")
    return account


@PEOPLE.api(
    "AccountInfo",
    *_ACCOUNT,
    outputs={
        "status": ("str", "Whether it worked."),
        "account_info": ("dict", "Mail address and telephone number."),
    },
    reads="nothing",
    compare=_NAMED,
)
def account_info(username: str, password: str) -> JsonObject:
    """Look up mail address and telephone number of a user."""
    account = _account(username, password)
    return {"email": account["email"], "phone": account["phone"]}


@PEOPLE.api(
    "PersonalInfoUpdate",
    *_ACCOUNT,
    text("address", "The new address."),
    compare=all_of(NAME, INPUT, OUTPUT),
)
def personal_info_update(
    state: State, username: str, password: str, address: str
) -> tuple[dict[str, str], State]:
    """Change the address of a user."""
    _account(username, password)
    return {"status": "success"}, state.with_row("PersonalInfoUpdate", username, {"address": address})


@MEETINGS.api("AddMeeting", *MEETING, compare=MATCH)
def add_meeting(
    state: State, meeting_topic: str, start_time: str, end_time: str, **others: Json
) -> tuple[str, State]:
    """Book a meeting."""
    read_time(start_time)
    read_time(end_time)
    if not meeting_topic.strip():
        raise ApiError(NO_TOPIC)
    times = {"start_time": start_time, "end_time": end_time}
    meeting = {"meeting_topic": meeting_topic, **times, **others}
    return "success", state.with_row("AddMeeting", str(len(state.table("AddMeeting"))), meeting)


@MEETINGS.api(
    "QueryMeeting",
    _USER,
    outputs={"meetings": ("list", "The user's meetings.")},
    reads="nothing",
    compare=_NAMED,
)
def query_meeting(user_name: str) -> JsonObject:
    """Look up the meetings of a user."""
    calendar = found(content()["calendar_of"], user_name)
    return {"meetings": content()["calendars"][calendar]}


@NETWORK.api(
    "EmailReminder",
    text("content", "What to be reminded of."),
    text("time", "When it takes place, as YYYY-MM-DD hh:mm:ss."),
    text("location", "Where it takes place."),
    text("recipient", "Mail address of who gets it."),
    reads="nothing",
    compare=all_of(NAME, all_but("content"), RESULT),
    acts=True,
)
def email_reminder(content: str, time: str, **_others: object) -> str:
    """Send a reminder by mail."""
    read_time(time)
    if not content.strip():
        raise ApiError("Content should not be empty")
    return "success"


@NETWORK.api(
    "OrganizationMembers",
    text("organization", "Name of the organisation."),
    outputs={"members": ("list", "Names of its members.")},
    reads="nothing",
    compare=_NAMED,
)
def organization_members(organization: str) -> JsonObject:
    """List the members of an organisation."""
    return {"members": found(content()["members"], organization)}


@NETWORK.api(
    "TravelStatus",
    text("member_name", "Name of the member."),
    outputs={"status": ("str", "Whether the member travels, or where they work.")},
    reads="nothing",
    compare=_NAMED,
)
def travel_status(member_name: str) -> Json:
    """Tell whether a member of an organisation is travelling."""
    return found(content()["travel_status"], member_name)


@NETWORK.api(
    "UserPosts",
    Parameter("user_id", "int", "Id of the user."),
    outputs={"post_ids": ("list", "Ids of the posts.")},
    reads="nothing",
    compare=_NAMED,
)
def user_posts(user_id: int) -> JsonObject:
    """List the posts of a user."""
    posts = content()["posts"].get(str(user_id))
    if posts is None:
        raise ApiError(str(user_id))
    return {"post_ids": posts}


@NETWORK.api(
    "LikeCount",
    Parameter("post_id", "int", "Id of the post."),
    outputs={"like_count": ("int", "Number of likes.")},
    reads="nothing",
    compare=_NAMED,
)
def like_count(post_id: int) -> JsonObject:
    """Count the likes of a post."""
    likes = content()["likes"].get(str(post_id))
    if likes is None:
        raise ApiError(f"Post with ID {post_id} does not exist.")
    return {"like_count": likes}
