"""The state of an episode: rows by table, and the random ids that come next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.seeding import mix
from stb_env.suites.api_bank.api_error import ApiError

Table = JsonMapping


@dataclass(frozen=True, slots=True)
class State:
    """Named tables of JSON values, copied on write, so that a snapshot is a reference.

    Attributes:
        tables: Rows by key, by table name. A table is a database, or what one API remembers between calls.
        seed: Seed of the episode, for ids and tokens.
        draws: How many random numbers were drawn.
        recorded_ids: Ids that are to be handed out before any random one, by API, in order.

    Examples:
        >>> state = State({"Bank": {"ann": {"balance": 5}}})
        >>> later = state.with_row("Bank", "bob", {"balance": 0})
        >>> list(later.table("Bank")), list(state.table("Bank"))
        (['ann', 'bob'], ['ann'])
    """

    tables: Mapping[str, Table] = field(default_factory=dict)
    seed: int = 0
    draws: int = 0
    recorded_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """Return the rows of a table by key, in order of insertion; empty where there is no such table."""
        return self.tables.get(name, {})

    def row(self, table: str, key: str) -> Json:
        """Return one row, or None."""
        return self.table(table).get(key)

    def with_row(self, table: str, key: str, row: object) -> State:
        """Return a state in which the table holds this row."""
        return replace(self, tables={**self.tables, table: {**self.table(table), key: row}})

    def without_row(self, table: str, key: str) -> State:
        """Return a state without this row."""
        rows = {other: row for other, row in self.table(table).items() if other != key}
        return replace(self, tables={**self.tables, table: rows})

    def new_id(self, api: str, make: Callable[[int], str], taken: Table) -> tuple[str, State]:
        """Return an id that an API hands out, and the state that has handed it out.

        Args:
            api: Name of the API, which may have ids recorded.
            make: Makes an id of a 64-bit number.
            taken: Table whose keys are in use.
        """
        recorded = self.recorded_ids.get(api)
        if recorded:
            return recorded[0], replace(self, recorded_ids={**self.recorded_ids, api: recorded[1:]})
        draws = self.draws
        while (made := make(mix(self.seed, draws))) in taken:
            draws += 1
        return made, replace(self, draws=draws + 1)

    def user_of(self, token: str) -> str:
        """Return the user of a token; accounts are looked up as they are now.

        Raises:
            ApiError: No account has it.
        """
        for username, account in self.table("Account").items():
            if account["token"] == token:
                return str(username)
        raise ApiError("The token is invalid.")
