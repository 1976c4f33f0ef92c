"""Contact Book: the user's contacts."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.conventions import PAGE, added, changed, columns, found, page_of, search
from stb_env.suites.sandbox.params import text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Productivity", "Contact Book", "The user's contacts.")
_ID = text("contact_id", "Id from Search Contacts.", "contact-001")


@TOOL.starts_with
def rows(_rng: random.Random, household: int) -> Mapping[str, Table]:
    """Start with contacts."""
    return {"contacts": {row["contact_id"]: row for row in friends(household)}}


@TOOL.api("Search Contacts", text("name", "Part of the name, in any case.", "a"), PAGE)
def search_contacts(state: Tables, name: str, page: int) -> Response:
    """Find contacts by part of their name; returns ids and names."""
    rows = search(state.table("contacts").values(), "name", name)
    return page_of(columns(rows, "contact_id", "name"), page)


@TOOL.api("Contact Details", _ID)
def contact_details(state: Tables, contact_id: str) -> Response:
    """Phone, e-mail, city and birthday of one contact."""
    return dict(found(state.row("contacts", contact_id), "contact", contact_id))


@TOOL.api(
    "Add Contact",
    text("name", "Full name.", "Robin Sample"),
    text("phone", "Phone number.", "+44 0000 0000"),
    text("email", "E-mail address.", "", optional=True),
)
def add_contact(state: Tables, name: str, phone: str, email: str) -> Update:
    """Add a contact; names are unique."""
    name = " ".join(name.split())
    if not name:
        raise ApiError("name must not be empty")
    if any(row["name"].casefold() == name.casefold() for row in state.table("contacts").values()):
        raise ApiError(f"a contact named {name[:80]!r} exists already")
    return added(state, "contacts", "contact", name=name, phone=phone, email=email, city_id="", birthday="")


@TOOL.api(
    "Update Contact",
    _ID,
    text("phone", "New phone number.", "", optional=True),
    text("email", "New e-mail address.", "", optional=True),
)
def update_contact(state: Tables, contact_id: str, phone: str, email: str) -> Update:
    """Change a contact's phone or e-mail; what is left empty stays."""
    row = found(state.row("contacts", contact_id), "contact", contact_id)
    return changed(
        state, "contacts", contact_id, row, phone=phone or row["phone"], email=email or row["email"]
    )


@TOOL.api("Delete Contact", _ID)
def delete_contact(state: Tables, contact_id: str) -> Update:
    """Remove a contact for good."""
    row = found(state.row("contacts", contact_id), "contact", contact_id)
    return {"deleted": row["name"]}, state.without_row("contacts", contact_id)
