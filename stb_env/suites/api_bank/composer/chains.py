"""Dialogues of level 3: requests that take several calls, one built on the other, each tool searched for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

from stb_env.suites.api_bank.apis.level3_content import content
from stb_env.suites.api_bank.composer.dialogue_writer import DialogueWriter
from stb_env.suites.api_bank.composer.phrases import said_clock, said_day, words

Chain = Callable[[DialogueWriter, str], None]
"""Writes one request with its calls and the reply; the text leads over from the request before."""


def write_chains(writer: DialogueWriter) -> None:
    """Write a conversation of one or two requests of different kinds."""
    for place, chain in enumerate(writer.random.sample(CHAINS, writer.random.choice((1, 2)))):
        chain(writer, writer.random.choice(words()["thanks"]) if place else "")


def _day(random: Random) -> date:
    return date(2023, 4, 3) + timedelta(random.randrange(80))


def _remind_of_meetings(writer: DialogueWriter, lead: str) -> None:
    name = writer.random.choice(sorted(content()["calendar_of"]))
    mail = writer.random.choice(words()["correspondents"])
    writer.ask(
        lead,
        f"Which meetings does {name} have? Send an e-mail reminder of each to {mail}.",
        f"Look up {name}'s meetings and remind {mail} of every one of them by mail.",
    )
    meetings = writer.call("QueryMeeting", {"user_name": name})["meetings"]
    for meeting in meetings:
        reminder = {
            "content": meeting["meeting_name"],
            "time": meeting["meeting_time"],
            "location": meeting["meeting_location"],
            "recipient": mail,
        }
        writer.call("EmailReminder", reminder)
    titles = ", ".join(f'"{each["meeting_name"]}" on {each["meeting_time"]}' for each in meetings)
    writer.assistant(f"{name} has these meetings: {titles}. A reminder of each went to {mail}.")


def _dress_for(writer: DialogueWriter, lead: str) -> None:
    place = writer.random.choice(sorted(content()["places"]))
    writer.ask(
        lead,
        f"I am in {place}. What shall I wear in this weather?",
        f"Which clothes suit the weather in {place}?",
    )
    weather = writer.call("GetWeatherForCoordinates", writer.call("Geocoding", {"address": place}))
    clothes = writer.call(
        "ClothingRecommendation",
        {
            "temperature": weather["temperature"],
            "humidity": weather["humidity"],
            "weather_conditions": weather["description"],
        },
    )["clothing_options"]
    writer.assistant(
        f"It is {weather['temperature']} degrees in {place}, {weather['description'].lower()}. "
        f"Take these: {', '.join(clothes).lower()}."
    )


def _tell_weather(writer: DialogueWriter, lead: str) -> None:
    places = writer.random.sample(sorted(content()["places"]), writer.random.choice((1, 2)))
    writer.ask(
        lead,
        f"How is the weather in {' and in '.join(places)}?",
        f"Tell me the weather in {' and '.join(places)}.",
    )
    told = []
    for place in places:
        weather = writer.call("GetWeatherForCoordinates", writer.call("Geocoding", {"address": place}))
        told.append(f"In {place} it is {weather['temperature']} degrees, {weather['description'].lower()}.")
    writer.assistant(" ".join(told))


def _gather_who_is_there(writer: DialogueWriter, lead: str) -> None:
    random = writer.random
    company = random.choice(sorted(content()["members"]))
    topic, room, day = random.choice(words()["topics"]), random.choice(words()["rooms"]), _day(random)
    start = random.randint(8, 16)
    writer.user(f"{lead}Book a meeting for everybody at {company} who is not traveling.")
    writer.assistant("When and where is it, and what is the topic?")
    writer.user(
        f"On {said_day(random, day)} from {said_clock(random, start, 0)} to "
        f'{said_clock(random, start + 1, 30)} in the {room}. The topic is "{topic}".'
    )
    members = writer.call("OrganizationMembers", {"organization": company})["members"]
    there = [name for name in members if writer.call("TravelStatus", {"member_name": name}) != "Traveling"]
    meeting = {
        "meeting_topic": topic,
        "start_time": f"{day} {start:02}:00:00",
        "end_time": f"{day} {start + 1:02}:30:00",
        "location": room,
        "attendees": there,
    }
    writer.call("AddMeeting", meeting)
    writer.assistant(f'The meeting about "{topic}" is booked with {" and ".join(there)}.')


def _eat_near(writer: DialogueWriter, lead: str) -> None:
    place = writer.random.choice(sorted(content()["places"]))
    distance = writer.random.choice((300, 500, 800, 1200, 1500, 2500))
    if writer.random.random() < 1 / 2:
        writer.user(f"{lead}Where can one eat around here?")
        writer.assistant("Which place are you at, and how far would you go?")
        writer.user(f"{place}, and at most {distance} metres.")
    else:
        writer.user(f"{lead}Find restaurants within {distance} metres of {place}.")
    coordinates = writer.call("Geocoding", {"address": place})
    found = writer.call("NearbyRestaurants", {**coordinates, "distance": distance})["restaurants"]
    writer.assistant(f"Near {place} there are {', '.join(each['name'] for each in found)}.")


def _pick_a_film(writer: DialogueWriter, lead: str) -> None:
    name = writer.random.choice(sorted(content()["film_preferences"]))
    writer.ask(
        lead,
        f"Recommend films that suit the taste of {name} and that {name} has not watched yet.",
        f"{name} wants to see something new. Which recommended films are left for {name}?",
    )
    tastes = writer.call("UserMoviePreferences", {"user_name": name})["preferences"]
    watched = writer.call("UserWatchedMovies", {"user_name": name})
    films = writer.call("MovieRecommendations", {"preferences": tastes})["recommended_movies"]
    writer.assistant(f"These would be new: {', '.join(film for film in films if film not in watched)}.")


def _count_likes(writer: DialogueWriter, lead: str) -> None:
    user = writer.random.choice(sorted(content()["posts"]))
    writer.ask(
        lead,
        f"How many likes did the posts of user {user} get? Add them up with the calculator.",
        f"Look up the likes of all posts of the user with the id {user}, and calculate the sum.",
    )
    posts = writer.call("UserPosts", {"user_id": int(user)})["post_ids"]
    likes = [writer.call("LikeCount", {"post_id": post})["like_count"] for post in posts]
    total = writer.call("Calculator", {"formula": "+".join(map(str, likes))})
    writer.assistant(f"The posts got {', '.join(map(str, likes))} likes, {total:g} altogether.")


def _travel(writer: DialogueWriter, lead: str) -> None:
    flight = writer.random.choice(content()["flights"])
    day = date.fromisoformat(flight["departure_date"][:10])
    source, destination = flight["source"], flight["destination"]
    first, next_day = said_day(writer.random, day), said_day(writer.random, day + timedelta(1))
    years = [text if "2022" in text else f"{text} 2022" for text in (first, next_day)]
    writer.user(
        f"{lead}I want to fly from {source} to {destination} on {years[0]} and need a hotel until "
        f"{years[1]}. What is there?"
    )
    search = {"source": source, "destination": destination, "travel_dates": day.isoformat()}
    flights = writer.call("FlightSearch", search)["flights"]
    stay = {"check_in_date": day.isoformat(), "check_out_date": (day + timedelta(1)).isoformat()}
    hotels = writer.call("HotelAvailability", {"destination": destination, **stay})["hotels"]
    room = "a hotel room is free" if hotels else "no hotel room is listed"
    writer.assistant(f"A flight leaves {source} at {flights[0]['departure_date']}; {room} in {destination}.")


def _earn(writer: DialogueWriter, lead: str) -> None:
    jobs = writer.random.sample(sorted(content()["salaries"]), writer.random.choice((1, 2)))
    named = " and of a ".join(job.lower() for job in jobs)
    writer.ask(
        lead,
        f"What is left of the salary of a {named} after tax?",
        f"After tax, what remains of the pay of a {named}?",
    )
    told = []
    for job in jobs:
        salary = writer.call("GetOccupationSalary", {"occupation": job})["salary"]
        net = writer.call("TaxCalculator", {"salary": salary})["salary_after_tax"]
        told.append(f"A {job.lower()} keeps {net:g} of {salary}.")
    writer.assistant(" ".join(told))


def _move_house(writer: DialogueWriter, lead: str) -> None:
    name = writer.random.choice(sorted(content()["accounts"]))
    password = content()["accounts"][name]["password"]
    street = writer.random.choice(words()["streets"])
    if writer.random.random() < 1 / 2:
        writer.user(f"{lead}I have moved to {street}. Show me my account, and change the address.")
        writer.assistant("What are your user name and your password?")
        writer.user(f"{name}, and {password}.")
    else:
        writer.user(
            f"{lead}I am {name}, my password is {password}. Show me what my account says, and then make "
            f"{street} my address."
        )
    account = writer.call("AccountInfo", {"username": name, "password": password})
    writer.call("PersonalInfoUpdate", {"username": name, "password": password, "address": street})
    writer.assistant(
        f"Your account has the mail address {account['email']} and the telephone number {account['phone']}. "
        f"Your address is now {street}."
    )


CHAINS: tuple[Chain, ...] = (
    _remind_of_meetings,
    _dress_for,
    _tell_weather,
    _gather_who_is_there,
    _eat_near,
    _pick_a_film,
    _count_likes,
    _travel,
    _earn,
    _move_house,
)
