"""What a request lacks, as agents name it: their own words count, claims and guesses do not."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.facts import lacking
from stb_env.suites.sandbox.shortage import names

DAY = lacking("detail", "date", "due")
ORIGIN = lacking("detail", "origin")
NIGHTS = lacking("detail", "length")
PERSON = lacking("detail", "person", "which Ada", "Ada Fenwright", "Ada Thackeray")
CURRENCY = lacking("detail", "currency", "ALD", "EST")
INVOICE = lacking("thing", "invoice", "Bluebell Fences")
ROUTE = lacking("thing", "flight")
REMOVE = lacking("ability", "remove")
DRIVE = lacking("ability", "drive")

BILL = "Pay the invoice from Bluebell Fences with my savings account."


@pytest.mark.parametrize(
    ("fact", "said", "query"),
    [
        (DAY, "departure date", "Book me a seat."),
        (DAY, "the day of the flight", "Book me a flight."),
        (DAY, "missing: date", "Book me a seat."),
        (ORIGIN, "where you fly from", "Fly me to Oskby."),
        (ORIGIN, "departure city", "Fly me to Oskby."),
        (NIGHTS, "how many nights", "Get me a room."),
        (NIGHTS, "check-out date", "Get me a room."),
        (PERSON, "last name of Ada", "Remove my contact Ada."),
        (PERSON, "which Ada", "Remove my contact Ada."),
        (CURRENCY, "destination currency", "Change 40 AUR."),
        (INVOICE, "Bluebell Fences", BILL),
        (INVOICE, "no invoice from Bluebell Fences exists", BILL),
        (ROUTE, "direct flight", "How much is the direct flight to Oskby?"),
        (REMOVE, "a function to delete files", "Wipe my files."),
        (REMOVE, "removal of files", "Wipe my files."),
        (DRIVE, "road distance tool", "How long is the road?"),
    ],
)
def test_what_is_lacking_counts_in_an_agents_own_words(fact, said, query):
    assert names(fact, said.casefold(), query)


@pytest.mark.parametrize(
    ("fact", "said", "query"),
    [
        (DAY, "no date is needed", "Book me a seat."),
        (DAY, "date or amount", "Book me a seat."),
        (DAY, "date, age, origin", "Book me a seat."),
        (DAY, "date: 2026-03-09", "Book me a seat."),
        (DAY, "some say date, they are mistaken", "Book me a seat."),
        (DAY, "date that is a lie", "Book me a seat."),
        (DAY, "anything but date", "Book me a seat."),
        (DAY, "amount", "Book me a seat."),
        (NIGHTS, "3 nights", "Get me a room."),
        (PERSON, "Ada Fenwright", "Remove my contact Ada."),
        (CURRENCY, "ALD", "Change 40 AUR."),
        (INVOICE, "invoice", BILL),
        (INVOICE, "invoice from Bluebell Nursery", BILL),
        (INVOICE, "Bluebell Fences paid", BILL),
        (REMOVE, "deleted", "Wipe my files."),
        (REMOVE, "soup-2020.pdf.deleted", "Wipe soup-2020.pdf."),
        (DRIVE, "no longer drive", "How long is the road?"),
    ],
)
def test_a_claim_a_guess_or_another_lack_does_not(fact, said, query):
    assert not names(fact, said.casefold(), query)
