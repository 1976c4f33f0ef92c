"""Earlier copies: the rows of an entity as they were the day before."""

from __future__ import annotations

from stb_env.seeding import rng
from stb_env.suites.worlds.data.rows import Data, Row, State
from stb_env.suites.worlds.schema.kit import Category, Day, Entity, Flag, Life, Quantity

_GONE, _OTHER = 0.1, 0.4
"""Of the rows of an earlier copy, the share that is not there yet, and with it that which differs."""


def earlier(described: Entity, data: Data, entity: str, seed: str) -> State:
    """Return the state of an earlier copy: some rows are not there yet, and some have other values."""
    drawn = data.rows[entity]
    columns = [
        column
        for column, attribute in enumerate(described.attributes.values())
        if isinstance(attribute, Category | Day | Flag | Life | Quantity)
    ]
    pick = rng("earlier", seed, entity)
    rows: dict[int, Row | None] = {}
    for number, row in enumerate(drawn):
        chance = pick.random()
        if chance < _GONE:
            rows[number] = None
        elif chance < _OTHER and columns:
            column = pick.choice(columns)
            rows[number] = (*row[:column], pick.choice(drawn)[column], *row[column + 1 :])
    return data.put_all(State(), entity, rows)
