"""People of the sandbox: film people, and names for everyone else."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.places import cities

_FIRST = [
    "Ada", "Amir", "Anouk", "Bela", "Bruno", "Carla", "Cosmo", "Dario", "Delia", "Edda", "Emil", "Farah",
    "Fergus", "Gita", "Gregor", "Hana", "Hugo", "Ilse", "Ivo", "Jamila", "Jonas", "Keiko", "Kofi", "Lena",
    "Lorcan", "Maren", "Mateo", "Nadia", "Nils", "Odile", "Oskar", "Petra", "Quentin", "Rania", "Ruben",
    "Saskia", "Soren", "Talia", "Tomas", "Ulla", "Viktor", "Wanda", "Xenia", "Yara", "Yusuf", "Zelda",
    "Zoran",
]  # fmt: skip
_LAST = [
    "Abara", "Ackerby", "Belmonte", "Birkwood", "Castellan", "Corvane", "Dunmore", "Dvalin", "Eastlake",
    "Ekholm", "Falkner", "Fenwright", "Galdano", "Grimsby", "Halvard", "Hollins", "Ibarra", "Iskander",
    "Jarrow", "Jelinek", "Kestrel", "Kovarik", "Lindqvist", "Lorrimer", "Marchetti", "Mossop", "Nakagawa",
    "Norrgard", "Okonjo", "Ormsby", "Pellerin", "Prowse", "Quillfeather", "Ravensdale", "Rostami", "Sandoval",
    "Strand", "Tamburin", "Thackeray", "Ueda", "Underhill", "Valcourt", "Vesterby", "Wexcombe",
    "Winterbourne", "Yarrow", "Zabel", "Zimmerlin",
]  # fmt: skip


def full_names(rng: random.Random, count: int) -> list[str]:
    """Draw different full names."""
    pairs = rng.sample(range(len(_FIRST) * len(_LAST)), count)
    return [f"{_FIRST[pair % len(_FIRST)]} {_LAST[pair // len(_FIRST)]}" for pair in pairs]


@per_edition()
def people() -> Mapping[str, JsonObject]:
    """Return the film people by id: directors first, then actors."""
    rng = edition.rng("people")
    city_ids = list(cities())
    rows = {}
    for index, name in enumerate(full_names(rng, 72)):
        key = f"person-{index + 1:03}"
        rows[key] = {
            "person_id": key,
            "name": name,
            "profession": "director" if index < 24 else "actor",
            "birth_date": (date(1928, 1, 1) + timedelta(days=rng.randrange(21_900))).isoformat(),
            "birth_city_id": rng.choice(city_ids),
        }
    return rows
