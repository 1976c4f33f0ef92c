"""Values for dialogues, each with the way in which people say it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.suites.api_bank.databases import Databases
from stb_env.suites.api_bank.languages import languages
from stb_env.suites.api_bank.spoken_times import MONTHS

_FIRST, _SPAN = date(2023, 4, 1), 85


class Phrase(NamedTuple):
    """A value, and how it is said."""

    value: Json
    said: str


Phrases = dict[str, Phrase]


class Source(NamedTuple):
    """The source of drawn values.

    Attributes:
        random: Draws.
        databases: What the APIs know.
        user: Name of the user who is logged in.
    """

    random: Random
    databases: Databases
    user: str


@lru_cache(maxsize=1)
def words() -> JsonMapping:
    """Return the words that dialogues are made of."""
    text = (files("stb_env.suites.api_bank") / "composer" / "words.json").read_text(encoding="utf-8")
    loaded: JsonMapping = json.loads(text)
    return loaded


def said_day(random: Random, day: date) -> str:
    """Return a day as somebody says it; always so that it can mean no other.

    Examples:
        >>> sorted({said_day(Random(seed), date(2023, 5, 9)) for seed in range(40)})
        ['2023-05-09', '9 May', '9 May 2023', 'May 9', 'May 9, 2023']
    """
    month = MONTHS[day.month - 1].title()
    forms = (f"{day.day} {month}", f"{month} {day.day}", f"{day.day} {month} {day.year}", day.isoformat())
    return random.choice((*forms, f"{month} {day.day}, {day.year}"))


def said_clock(random: Random, hour: int, minute: int) -> str:
    """Return a time of day as somebody says it.

    Examples:
        >>> sorted({said_clock(Random(seed), 14, 30) for seed in range(40)})
        ['14:30', '2:30 pm']
    """
    short = f"{(hour - 1) % 12 + 1}" + (f":{minute:02}" if minute else "")
    return random.choice((f"{hour:02}:{minute:02}", f"{short} {'am' if hour < 12 else 'pm'}"))


def day_of(random: Random, text: str) -> Phrase:
    """Return a stored day, said in some way."""
    return Phrase(text, said_day(random, date.fromisoformat(text)))


def clock_of(random: Random, text: str) -> Phrase:
    """Return a stored time of day, said in some way."""
    hour, minute = map(int, text.split(":")[:2])
    return Phrase(text, said_clock(random, hour, minute))


def names_of(names: Sequence[str]) -> Phrase:
    """Return names, said as a list.

    Examples:
        >>> names_of(["Ann", "Bob", "Cy"]).said
        'Ann, Bob and Cy'
    """
    return Phrase(list(names), " and ".join((", ".join(names[:-1]), names[-1])) if names[1:] else names[0])


def plain(**values: str) -> Phrases:
    """Return values that are said as they are."""
    return {name: Phrase(value, value) for name, value in values.items()}


def _day(source: Source) -> Phrases:
    day = _FIRST + timedelta(source.random.randrange(_SPAN))
    return {"day": Phrase(day.isoformat(), said_day(source.random, day))}


def _clock(source: Source, name: str = "clock", hours: tuple[int, int] = (6, 20)) -> Phrases:
    hour, minute = source.random.randint(*hours), source.random.choice((0, 0, 15, 30, 45))
    said = said_clock(source.random, hour, minute)
    return {name: Phrase(f"{hour:02}:{minute:02}:00", said)}


def _span(source: Source) -> Phrases:
    start = source.random.randint(8, 15)
    return {
        "start": Phrase(f"{start:02}:00:00", f"{start:02}:00"),
        "end": Phrase(f"{start + 2:02}:30:00", f"{start + 2:02}:30"),
    }


def _later(source: Source) -> Phrases:
    return {"later": _day(source)["day"], **_clock(source, "hour")}


def _of(name: str, *keys: str) -> Callable[[Source], Phrases]:
    """Return a slot that draws from the words: one text, or several that belong together."""

    def draw(source: Source) -> Phrases:
        drawn = source.random.choice(words()[name])
        texts = [drawn] if isinstance(drawn, str) else drawn
        return plain(**dict(zip(keys, texts, strict=True)))

    return draw


def _row(name: str, key: str) -> Callable[[Source], Phrases]:
    """Return a slot that draws a key of a library."""
    return lambda source: plain(**{key: source.random.choice(sorted(source.databases.library[name]))})


def _table(name: str, key: str) -> Callable[[Source], Phrases]:
    return lambda source: plain(**{key: source.random.choice(sorted(source.databases.tables[name]))})


def _own(name: str) -> Callable[[Source], Phrases]:
    """Return a slot with the user's record of a table; empty where there is none with a full time."""

    def draw(source: Source) -> Phrases:
        rows = source.databases.tables[name].values()
        row = next((row for row in rows if row["username"] == source.user), None)
        moment = "" if row is None else row.get("time") or row["start_time"]
        if row is None or " " not in moment:
            return {}
        day, clock = moment.split(" ")
        when = {"day": day_of(source.random, day), "clock": clock_of(source.random, clock)}
        match name:
            case "Agenda":
                return plain(event=row["content"], place=row["location"]) | when
            case "Alarm":
                return {"day": when["day"], "old": when["clock"]}
            case "Reminder":
                return plain(duty=row["content"]) | when
        end = row["end_time"].split(" ")[1]
        times = {"start": Phrase(clock, clock[:5]), "end": Phrase(end, end[:5])}
        texts = plain(topic=row["meeting_topic"], room=row["location"])
        return {**texts, "day": when["day"], **times, "guests": names_of(row["attendees"])}

    return draw


def _share(source: Source) -> Phrases:
    stock = source.databases.library["Stock"]
    code = source.random.choice(sorted(stock))
    day = source.random.choice(sorted(stock[code]))
    return plain(code=code) | {"day": day_of(source.random, day)}


def _booked(source: Source) -> Phrases:
    row = source.random.choice(list(source.databases.tables["Appointments"].values()))
    return plain(patient=row["patient_name"]) | {"day": day_of(source.random, row["date"])}


def _transfer(source: Source) -> Phrases:
    visits = source.databases.tables["Appointments"]
    visit = source.random.choice(sorted(visits))
    doctors = [doctor for doctor in words()["doctors"] if doctor != visits[visit]["doctor_name"]]
    # After every day that is booked by now: a visit is not moved to the day it is on.
    day = date(2023, 5, 10) + timedelta(source.random.randrange(40))
    phrases = plain(visit=visit, doctor=source.random.choice(doctors))
    return phrases | {"day": day_of(source.random, day.isoformat())}


def _duty(source: Source) -> Phrases:
    duty = source.random.choice(words()["duties"])
    said = duty[0].lower() + duty[1:]
    return {"duty": Phrase(duty, duty), "duty_said": Phrase(said, said)}


def _guests(source: Source) -> Phrases:
    return {"guests": names_of(source.random.sample(words()["guests"], source.random.randint(1, 3)))}


def _known(source: Source) -> Phrases:
    accounts = source.databases.tables["Account"]
    handle = source.random.choice(sorted(accounts))
    return plain(handle=handle, mail=accounts[handle]["email"])


def _letter(source: Source) -> Phrases:
    subject, letter = source.random.choice(words()["letters"])
    return plain(mail=source.random.choice(words()["correspondents"]), subject=subject, letter=letter)


def _sum(source: Source) -> Phrases:
    numbers = [source.random.randint(*bounds) for bounds in ((12, 98), (3, 29), (2, 60))]
    forms = (("{}*{}+{}", "{} times {} plus {}"), ("{}+{}-{}", "{} plus {} minus {}"))
    form, said = source.random.choice(forms)
    return {"sum": Phrase(form.format(*numbers), said.format(*numbers))}


def _phrase(source: Source) -> Phrases:
    texts = source.databases.library["Translate"]
    code = source.random.choice(sorted(texts))
    language = languages()[code].title()
    return plain(phrase=source.random.choice(sorted(texts[code])), language=language)


def _anniversary(source: Source) -> Phrases:
    day = source.random.choice(sorted(source.databases.library["History"]))
    month, number = map(int, day.split("-"))
    return {"day": Phrase(day, f"{number} {MONTHS[month - 1].title()}")}


def _stay(source: Source) -> Phrases:
    arrival = date(2023, 7, 1) + timedelta(source.random.randrange(60))
    leaving = arrival + timedelta(source.random.randint(1, 9))
    counts = {name: str(source.random.randint(2, 4)) for name in ("rooms", "adults", "children")}
    days = {
        name: Phrase(day.isoformat(), said_day(source.random, day))
        for name, day in (("arrival", arrival), ("leaving", leaving))
    }
    return plain(hotel=source.random.choice(words()["hotels"]), **counts) | days


def _chart(source: Source) -> Phrases:
    records = source.databases.tables["HealthData"]
    user = source.random.choice(sorted(records))
    measured = date.fromisoformat(source.random.choice(records[user])["time"][:10])
    start = measured - timedelta(source.random.randint(0, 9))
    end = measured + timedelta(source.random.randint(0, 9))
    days = {name: day_of(source.random, day.isoformat()) for name, day in (("start", start), ("end", end))}
    return plain(id=user) | days


def _measure(source: Source) -> Phrases:
    what, name, values = source.random.choice(words()["measures"])
    value = source.random.choice(values)
    data = [{"name": name, "value": value}]
    user = source.random.choice(sorted(source.databases.tables["HealthData"]))
    return plain(id=user, what=what, value=value) | {"data": Phrase(data, "")}


def _mood(source: Source) -> Phrases:
    mood, device, use = source.random.choice(words()["moods"])
    devices = Phrase([{"name": device, "description": use}], "")
    return plain(mood=mood, device=device, use=use) | {"devices": devices}


def _device(source: Source) -> Phrases:
    device, is_on = source.random.choice(words()["devices"]), source.random.random() < 1 / 2
    return plain(device=device) | {"way": Phrase(str(is_on), "on" if is_on else "off")}


def _timer(source: Source) -> Phrases:
    timers = source.databases.tables["TimeSwitch"]
    device = source.random.choice(sorted(timers))
    day, clock = source.random.choice(timers[device])["time"].split(" ")
    return plain(device=device) | {"day": day_of(source.random, day), "clock": clock_of(source.random, clock)}


SLOTS: Mapping[str, Callable[[Source], Phrases]] = {
    "anniversary": _anniversary,
    "article": _row("Wiki", "article"),
    "booked": _booked,
    "chart": _chart,
    "clock": _clock,
    "day": _day,
    "device": _device,
    "doctor": _of("doctors", "doctor"),
    "event": _of("events", "event", "place"),
    "guests": _guests,
    "known": _known,
    "later": _later,
    "letter": _letter,
    "measure": _measure,
    "mood": _mood,
    "newcomer": _of("newcomers", "handle", "person", "mail"),
    "own_alarm": _own("Alarm"),
    "own_duty": _own("Reminder"),
    "own_event": _own("Agenda"),
    "own_meeting": _own("Meeting"),
    "patient": _of("patients", "patient"),
    "phrase": _phrase,
    "picture": _row("ImageCaptioning", "url"),
    "quest": _of("quests", "quest"),
    "room": _of("rooms", "room"),
    "scene": _table("Scenes", "scene"),
    "secret": _of("secrets", "secret"),
    "share": _share,
    "song": _of("songs", "song"),
    "sound": _row("SpeechRecognition", "url"),
    "span": _span,
    "stay": _stay,
    "sum": _sum,
    "symptom": _row("Symptom", "symptom"),
    "timer": _timer,
    "topic": _of("topics", "topic"),
    "transfer": _transfer,
    "visit": _table("Appointments", "visit"),
    "duty": _duty,
    "word": _row("Dictionary", "word"),
}
"""The slots of errands by name; a slot that a user has nothing for is empty."""
