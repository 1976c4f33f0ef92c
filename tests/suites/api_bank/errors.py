"""Calls that the APIs refuse, each with the exact text, on the embedded databases."""

from __future__ import annotations

from typing import Any

from tests.suites.api_bank.play import INGRID, MIRA, Call

GOOD, LATER, EARLIER = "2023-05-01 08:00:00", "2023-05-02 08:00:00", "2023-04-01 08:00:00"
BAD_TIME = "time data '2023-05-01' does not match format '%Y-%m-%d %H:%M:%S'"
BAD_DATE = "time data '2023/05/01' does not match format '%Y-%m-%d'"
INVALID_TOKEN = "The token is invalid."


def item(**changes: Any) -> dict[str, Any]:
    return {"token": MIRA, "content": "x", "time": GOOD, "location": "home"} | changes


def reminder(**changes: Any) -> dict[str, Any]:
    return {"token": MIRA, "content": "x", "time": GOOD} | changes


def meeting(**changes: Any) -> dict[str, Any]:
    start = {"token": MIRA, "meeting_topic": "x", "start_time": GOOD, "end_time": LATER}
    return start | {"location": "home", "attendees": ["Ann"]} | changes


def plain_meeting(**changes: Any) -> dict[str, Any]:
    return {name: value for name, value in meeting(**changes).items() if name != "token"}


def alarm(**changes: Any) -> dict[str, Any]:
    return {"token": MIRA, "time": GOOD} | changes


def visit(**changes: Any) -> dict[str, Any]:
    return {"patient_name": "Mira Sol", "date": "2023-04-12", "doctor_name": "Dr. Okafor"} | changes


def change(**changes: Any) -> dict[str, Any]:
    return {"appointment_id": "20417735"} | changes


def health(**changes: Any) -> dict[str, Any]:
    return {"user_id": "M1001", "start_time": EARLIER, "end_time": GOOD} | changes


def measured(*items: Any, **changes: Any) -> dict[str, Any]:
    return {"user_id": "M1001", "time": GOOD, "health_data": list(items)} | changes


def scene(*devices: Any, name: str = "wake up") -> dict[str, Any]:
    return {"name": name, "devices": list(devices)}


def booking(**changes: Any) -> dict[str, Any]:
    stay = {"check_in_time": "2023-04-11", "check_out_time": "2023-04-12"}
    guests = {"room_count": 1, "adult_count": 2, "child_count": 0}
    return {"hotel_name": "Pinewood Lodge"} | stay | guests | changes


FIRST: Call = (
    "ForgotPassword",
    {"status": "Forgot Password", "username": "mira", "email": "mira@example.org"},
)
SECOND = {"status": "Verification Code", "verification_code": 970420, "new_password": "n"}
LAMP = {"name": "Lamp", "description": "on the desk"}
PULSE = {"name": "pulse", "value": 60}
MAIL = {"receiver": "ann@example.org", "subject": "s", "content": "c"}

REFUSALS: list[tuple[str, dict[str, Any], str]] = [
    ("GetUserToken", {"username": "Mira", "password": "mira-pass1"}, "The username does not exist."),
    ("GetUserToken", {"username": "mira", "password": "MIRA-PASS1"}, "The password is incorrect."),
    ("RegisterUser", {"username": "mira", "password": "", "email": ""}, "The username already exists."),
    ("DeleteAccount", {"token": f" {MIRA}"}, INVALID_TOKEN),
    ("CheckToken", {"token": MIRA.upper()}, INVALID_TOKEN),
    ("ModifyPassword", {"token": "no", "old_password": "", "new_password": ""}, INVALID_TOKEN),
    (
        "ModifyPassword",
        {"token": MIRA, "old_password": "", "new_password": ""},
        "The old password is incorrect.",
    ),
    (
        "ForgotPassword",
        {"status": "forgot password"},
        "The status is only 'Forgot Password' or 'Verification Code'.",
    ),
    (
        "ForgotPassword",
        {"status": "Forgot Password", "username": "mira"},
        "The username and email are required for the first call.",
    ),
    ("ForgotPassword", FIRST[1] | {"username": "nobody"}, "The username does not exist."),
    ("ForgotPassword", FIRST[1] | {"email": "other@example.org"}, "The email is incorrect."),
    ("ForgotPassword", SECOND, "You need to call the API with status 'Forgot Password' at first."),
    ("AddAgenda", item(time="2023-05-01"), BAD_TIME),
    ("AddAgenda", item(content=" "), "Content should not be null"),
    ("AddAgenda", item(token="no"), INVALID_TOKEN),
    ("DeleteAgenda", item(), "You have no meeting about x"),
    ("DeleteAgenda", item(content=""), f"You have no meeting at time : {GOOD}"),
    ("DeleteAgenda", item(time="2023-05-01"), BAD_TIME),
    ("ModifyAgenda", item(), "You have no agenda about x"),
    ("ModifyAgenda", item(content=""), f"You have no agenda at time : {GOOD}"),
    ("QueryAgenda", item(), "You have no agenda about x"),
    ("QueryAgenda", item(content=""), f"You have no agenda at time : {GOOD}"),
    ("QueryAgenda", item(content="", time=""), "Error"),
    ("QueryAgenda", item(content="Choir rehearsal"), "You have no agenda about Choir rehearsal"),
    ("AddAlarm", alarm(time="2023-05-01"), BAD_TIME),
    ("AddAlarm", alarm(time="2023-05-01", token="no"), BAD_TIME),
    ("AddAlarm", alarm(token="no"), INVALID_TOKEN),
    ("DeleteAlarm", alarm(), f"You have no alarm clock at time : {GOOD}"),
    ("QueryAlarm", alarm(), f"You have no alarm clock at time : {GOOD}"),
    ("ModifyAlarm", {"token": MIRA, "from_time": GOOD, "to_time": "2023-05-01"}, BAD_TIME),
    (
        "ModifyAlarm",
        {"token": MIRA, "from_time": GOOD, "to_time": LATER},
        f"You have no agenda at time : {GOOD}",
    ),
    ("AddMeeting", meeting(start_time="2023-05-01"), BAD_TIME),
    ("AddMeeting", meeting(end_time="2023-05-01"), BAD_TIME),
    ("AddMeeting", meeting(meeting_topic=" "), "Meeting Topic should not be null"),
    ("AddMeeting", meeting(token="no"), INVALID_TOKEN),
    *[
        (name, arguments, text)
        for name in ("DeleteMeeting", "ModifyMeeting", "QueryMeeting")
        for arguments, text in [
            (meeting(), "You have no meeting about x"),
            (meeting(meeting_topic=""), f"You have no meeting at time : {GOOD}"),
            (
                meeting(meeting_topic=" ", start_time=""),
                "Meeting Topic and start_time should not be null both",
            ),
            (meeting(end_time="2023-05-01"), BAD_TIME),
            (meeting(token="no"), INVALID_TOKEN),
        ]
    ],
    ("AddReminder", reminder(content=""), "Content should not be null"),
    ("AddReminder", reminder(token="no"), INVALID_TOKEN),
    *[
        (name, arguments, text)
        for name in ("DeleteReminder", "ModifyReminder", "QueryReminder")
        for arguments, text in [
            (reminder(), f"You have no reminder about x or at time : {GOOD}"),
            (reminder(content=" "), "Content should not be null"),
            (reminder(time=""), "time data '' does not match format '%Y-%m-%d %H:%M:%S'"),
        ]
    ],
    ("QueryBalance", {"token": "no"}, "The token is incorrect."),
    ("QueryBalance", {"token": INGRID}, "The user does not have an account."),
    ("QueryStock", {"stock_code": " ", "date": "x"}, "The stock code cannot be empty."),
    ("QueryStock", {"stock_code": "nope", "date": "2023/05/01"}, BAD_DATE),
    ("QueryStock", {"stock_code": "nope", "date": "2023-03-20"}, "The stock code does not exist."),
    (
        "QueryStock",
        {"stock_code": "brkv", "date": "23-03-20"},
        "The stock price of this date is not maintained.",
    ),
    ("QueryStock", {"stock_code": "brkv", "date": "2022-01-32"}, "unconverted data remains: 2"),
    (
        "QueryStock",
        {"stock_code": "brkv", "date": "2022-01-01 10:00:00"},
        "unconverted data remains:  10:00:00",
    ),
    ("Calculator", {"formula": "1+"}, "invalid formula"),
    ("Dictionary", {"keyword": "zzz"}, "Failed."),
    ("DocumentQA", {"url": "nowhere", "question": " "}, "The question is empty."),
    ("DocumentQA", {"url": "nowhere", "question": "?"}, "The document of this url failed to be processed."),
    ("ImageCaption", {"url": "a.JPG"}, "The url should end with .jpg, .jpeg or .png."),
    ("ImageCaption", {"url": "a.jpg"}, "The image of this url failed to be processed."),
    ("QueryHistoryToday", {"date": "02-29"}, "day is out of range for month"),
    ("QueryHistoryToday", {"date": "2-3"}, "The date is not in the database."),
    ("QueryHistoryToday", {"date": "today"}, "time data 'today' does not match format '%m-%d'"),
    *[
        ("SendEmail", MAIL | {"receiver": receiver}, "Email address of the receiver is invalid.")
        for receiver in (
            "Foo@example.com",
            "a@b.co",
            "john.m.doe@example.com",
            "jd@example.info",
            "x@example.co.uk",
            "",
        )
    ],
    ("SendEmail", MAIL | {"subject": " "}, "Subject cannot be empty."),
    ("SendEmail", MAIL | {"content": " "}, "Content cannot be empty."),
    ("SpeechRecognition", {"url": "a.mp3"}, "The url should end with .wav."),
    ("SpeechRecognition", {"url": "a.wav"}, "The audio of this url failed to be processed."),
    ("Translate", {"src": "x", "tgt_lang": "klingon"}, "Language not supported."),
    ("Translate", {"src": "x", "src_lang": "klingon"}, "Language not supported."),
    ("Translate", {"src": "x", "tgt_lang": "German"}, "No translation of this text into de is recorded."),
    ("Wiki", {"keyword": "zzz"}, "Keyword not found."),
    ("AppointmentRegistration", visit(doctor_name=" "), "Patient name or doctor name cannot be empty."),
    (
        "AppointmentRegistration",
        visit(patient_name=" ", date="x"),
        "Patient name or doctor name cannot be empty.",
    ),
    ("AppointmentRegistration", visit(date="2023/05/01"), BAD_DATE),
    ("AppointmentRegistration", visit(date=" 2023-4-12"), "This appointment has already been registered."),
    (
        "AppointmentRegistration",
        visit(doctor_name="Dr. Ishii"),
        "This patient has already been registered in this day.",
    ),
    ("CancelRegistration", {"appointment_id": "1"}, "The appointment ID is incorrect."),
    ("ModifyRegistration", change(appointment_id="1"), "The appointment ID does not exist."),
    ("ModifyRegistration", change(new_appointment_doctor=" "), "Fail because the doctor name is empty."),
    ("ModifyRegistration", change(new_appointment_date="2023/05/01"), BAD_DATE),
    ("ModifyRegistration", change(), "Fail because no modification is made."),
    (
        "ModifyRegistration",
        change(new_appointment_doctor="Dr. Okafor"),
        "Fail because doctor is not changed.",
    ),
    ("ModifyRegistration", change(new_appointment_date="2023-4-12"), "Fail because date is not changed."),
    (
        "ModifyRegistration",
        change(new_appointment_date="2023-04-12", new_appointment_doctor="Dr. Okafor"),
        "Fail because no modification is made.",
    ),
    (
        "ModifyRegistration",
        change(new_appointment_date="2023-04-12", new_appointment_doctor="X"),
        "Fail because date is not changed.",
    ),
    (
        "ModifyRegistration",
        change(new_appointment_date="2023-04-13", new_appointment_doctor="Dr. Okafor"),
        "Fail because doctor is not changed.",
    ),
    ("QueryRegistration", {"patient_name": "Mira Sol", "date": "2023/05/01"}, BAD_DATE),
    ("QueryRegistration", {"patient_name": "mira sol", "date": "2023-04-12"}, "No appointments found."),
    ("QueryHealthData", health(user_id=" "), "The user id cannot be empty."),
    ("QueryHealthData", health(start_time="2023-05-01", end_time="2023-05-01"), f"{BAD_TIME}; {BAD_TIME}"),
    ("QueryHealthData", health(end_time="2023-05-01"), BAD_TIME),
    ("QueryHealthData", health(start_time=LATER), "The start time cannot be later than the end time."),
    ("QueryHealthData", health(user_id="Z"), "The user id does not exist."),
    ("QueryHealthData", health(), "There is no health data in the given time span."),
    ("RecordHealthData", measured(PULSE, user_id=" "), "The user id cannot be empty."),
    ("RecordHealthData", measured(time="2023-05-01"), BAD_TIME),
    ("RecordHealthData", {"user_id": "M1001", "time": GOOD}, "The health data cannot be empty."),
    ("RecordHealthData", measured(), "The health data cannot be empty."),
    ("RecordHealthData", measured({"value": 60}), "The health data has invalid format."),
    ("RecordHealthData", measured(60), "The health data has invalid format."),
    ("RecordHealthData", measured(PULSE, PULSE), "The health data cannot contain duplicate items."),
    ("RecordHealthData", measured({"name": "pulse"}), "'value'"),
    ("SymptomSearch", {"symptom": " "}, "The symptom cannot be empty."),
    ("SymptomSearch", {"symptom": "zzz"}, "The symptom does not exist."),
    ("EmergencyKnowledge", {"symptom": " "}, "'Exception' object has no attribute 'lower'"),
    ("EmergencyKnowledge", {"symptom": "zzz"}, "The symptom does not exist."),
    ("AddScene", scene(name=" "), "Scene name cannot be empty."),
    ("AddScene", scene({"name": "lamp"}), "Invalid device format."),
    ("AddScene", scene(LAMP, LAMP | {"name": " lamp"}), "Device name cannot be duplicated."),
    ("AddScene", scene(LAMP, name=" Wake Up"), "Scene name already exists."),
    ("DeleteScene", {"name": ""}, "Scene name cannot be empty."),
    ("DeleteScene", {"name": "zzz"}, "The scene does not exist."),
    ("ModifyScene", scene(name=" "), "Scene name cannot be empty."),
    ("ModifyScene", scene("lamp"), "Invalid device format."),
    ("ModifyScene", scene(LAMP, LAMP), "Device name cannot be duplicated."),
    ("ModifyScene", scene(LAMP, name="zzz"), "The scene does not exist."),
    ("QueryScene", {"name": " "}, "Scene name cannot be empty."),
    ("QueryScene", {"name": "zzz"}, "Scene not found."),
    ("TimedSwitch", {"name": " ", "time": GOOD, "on": True}, "Name cannot be empty."),
    ("TimedSwitch", {"name": "tv", "time": "2023-05-01", "on": True}, BAD_TIME),
    ("CancelTimedSwitch", {"name": " ", "time": GOOD}, "name cannot be empty."),
    ("CancelTimedSwitch", {"name": "tv", "time": "2023-05-01"}, BAD_TIME),
    ("CancelTimedSwitch", {"name": "tv", "time": GOOD}, "device name does not exist."),
    ("CancelTimedSwitch", {"name": "Kettle", "time": GOOD}, "time does not exist."),
    ("PlayMusic", {"music_name": " "}, "The music name cannot be empty."),
    ("BookHotel", booking(check_in_time="2023/05/01"), BAD_DATE),
    ("BookHotel", booking(check_out_time="2023/05/01"), BAD_DATE),
    ("BookHotel", booking(adult_count=3), "The number of adults is greater than 2. Two rooms are ordered."),
    ("BookHotel", booking(), "The room is not available."),
]

REFUSED_SECOND_CALLS: list[tuple[dict[str, Any], str]] = [
    (
        {"status": "Verification Code", "verification_code": 970420},
        "The new password and verification code are required for the second call.",
    ),
    (SECOND | {"verification_code": 1}, "The verification code is incorrect."),
]

LEVEL_3_REFUSALS: list[tuple[str, dict[str, Any], str]] = [
    ("AccountInfo", {"username": "John", "password": "x"}, "User not found."),
    ("PersonalInfoUpdate", {"username": "john", "password": "123456", "address": "x"}, "User not found."),
    ("AddMeeting", plain_meeting(meeting_topic=" "), "Meeting Topic should not be null"),
    ("AddMeeting", plain_meeting(end_time="2023-05-01"), BAD_TIME),
    ("QueryMeeting", {"user_name": "Nobody"}, "'Nobody'"),
    (
        "EmailReminder",
        {"content": " ", "time": GOOD, "location": "", "recipient": ""},
        "Content should not be empty",
    ),
    ("EmailReminder", {"content": "x", "time": "2023-05-01", "location": "", "recipient": ""}, BAD_TIME),
    ("GetWeatherForCoordinates", {"latitude": 0, "longitude": 0}, "'NoneType' object is not subscriptable"),
    ("Geocoding", {"address": "Berlin"}, "'Berlin'"),
    ("OrganizationMembers", {"organization": "Acme"}, "'Acme'"),
    ("TravelStatus", {"member_name": "Nobody"}, "'Nobody'"),
    ("UserPosts", {"user_id": 9}, "9"),
    ("LikeCount", {"post_id": 16}, "Post with ID 16 does not exist."),
    ("Calculator", {"formula": "5"}, "invalid formula"),
    ("UserMoviePreferences", {"user_name": "Nobody"}, "'Nobody'"),
    ("UserWatchedMovies", {"user_name": "Nobody"}, "User not found."),
    ("MovieRecommendations", {"preferences": ["Drama", "Opera"]}, "'Opera'"),
    ("FlightSearch", {"source": "a", "destination": "b", "travel_dates": "2023/05/01"}, BAD_DATE),
    (
        "HotelAvailability",
        {"destination": "a", "check_in_date": "2023-05-01", "check_out_date": "2023/05/01"},
        BAD_DATE,
    ),
    ("GetOccupationSalary", {"occupation": "Baker"}, "The occupation is not in the database."),
    ("TaxCalculator", {"salary": -1.5}, "The salary cannot be negative."),
]
