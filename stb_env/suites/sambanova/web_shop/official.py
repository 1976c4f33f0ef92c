"""Shopping tasks from files that a user has: WebShop's products, attributes and instructions."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Literal

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, DataError
from stb_env.suites.sambanova.common.program_task import Supplied
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.goal_tasks import GoalTasks
from stb_env.suites.sambanova.web_shop.goals import Goal, SyntheticGoals, human_goals
from stb_env.suites.sambanova.web_shop.json_stream import items, members
from stb_env.suites.sambanova.web_shop.product import NO_ATTRIBUTES, Described, Product, read_product
from stb_env.suites.sambanova.web_shop.shop_file import plain, shop_file

TEST_SIZE = 100
MAX_ASIN = 10

GoalKind = Literal["synthetic", "human"]

_PRODUCTS, _ATTRIBUTES, _HUMAN, _TEST = "items_shuffle", "items_ins", "items_human_ins", "test.jsonl"


def read_shop(path: str | Path, split: str = "test", goals: GoalKind = "synthetic") -> Supplied[Catalogue]:
    """Read a folder with WebShop's files: ``items_shuffle*.json``, ``items_ins*.json``, and for human goals
    ``items_human_ins*.json``.

    Goals with an index below 100 are test, or those that a ``test.jsonl`` names; all others are ``train``.

    Args:
        path: The folder.
        split: ``test`` or ``train``.
        goals: ``synthetic`` goals are what the paper played; ``human`` ones are annotated instructions.

    Raises:
        ConfigError: A setting is unknown.
        DataError: A file is missing or broken.
    """  # noqa: D205 (the names of three files fit no shorter line)
    if split not in ("test", "train"):
        raise ConfigError(f"unknown split {split!r}; known: test, train")
    if goals not in ("synthetic", "human"):
        raise ConfigError(f"goals must be 'synthetic' or 'human', got {goals!r}")
    folder = Path(path)
    shop = official_catalogue(folder)
    made: Sequence[Goal] = human_goals(_annotated(folder, shop)) if goals == "human" else SyntheticGoals(shop)
    if not made:
        raise DataError(f"{folder} has no {goals} goals for its products")
    return Supplied(GoalTasks(made, _test(folder / _TEST, made), split, f"{shop.hash}/{goals}"), shop)


def official_catalogue(folder: Path) -> Catalogue:
    """Return the products of a folder; their index is made once, and again when the files change.

    The 1.18 million products of the full shop take minutes, and a file of some gigabytes in the user's cache.

    Raises:
        DataError: A file is missing or broken.
    """
    folder = folder.resolve()
    known = [_file(folder, start) for start in (_PRODUCTS, _ATTRIBUTES)]
    stamps = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in known]
    name = f"official-{hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]}"
    file = shop_file(name, partial(_described, folder, *known))
    return Catalogue.opened(file, (official_catalogue, (folder,)))


def _described(folder: Path, products: Path, attributes: Path) -> Iterator[Described]:
    # A database of no name is a temporary one: what is known of a million products need not be in memory.
    with closing(sqlite3.connect("")) as known:
        known.execute("CREATE TABLE about (asin TEXT PRIMARY KEY, record TEXT)")
        rows = ((plain(asin), json.dumps(about)) for asin, about in members(attributes))
        known.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)
        for number, record in enumerate(items(products)):
            if not isinstance(record, Mapping):
                raise DataError(f"{folder}: product {number} is no object")
            asin = str(record.get("asin"))
            if asin == "nan" or len(asin) > MAX_ASIN:
                continue
            found = known.execute("SELECT record FROM about WHERE asin = ?", (plain(asin),)).fetchone()
            yield _read_described(
                f"{folder}, product {number}", record, json.loads(found[0]) if found else None
            )


def _read_described(place: str, record: JsonMapping, about: JsonMapping | None) -> Described:
    about = about or {}
    try:
        product = read_product(record, about.get("attributes") or NO_ATTRIBUTES)
    except DataError as error:
        raise DataError(f"{place}: {error}") from error
    wanted = tuple(about.get("instruction_attributes") or ())
    return Described(product, str(about.get("instruction") or ""), wanted)


def _annotated(folder: Path, shop: Catalogue) -> Iterator[tuple[Product, Mapping[str, object]]]:
    by_asin = dict(members(_file(folder, _HUMAN)))
    for asin in shop.in_order(by_asin):
        for record in by_asin[asin] or ():
            if not isinstance(record, Mapping) or not isinstance(record.get("instruction"), str):
                raise DataError(f"{folder}: the instructions of product {asin!r} must be a list of objects")
            yield shop.product(asin), record


def _test(file: Path, goals: Sequence[Goal]) -> list[int]:
    if not file.is_file():
        return list(range(min(TEST_SIZE, len(goals))))
    return [_goal_index(file, number, line, goals) for number, line in _lines(file)]


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            yield number, line


def _goal_index(file: Path, number: int, line: str, goals: Sequence[Goal]) -> int:
    try:
        record = jsontext.loads(line)
    except ValueError as error:
        raise DataError(f"{file}, line {number} is no JSON: {error}") from error
    index = record.get("id") if isinstance(record, dict) else None
    if not isinstance(index, int) or not 0 <= index < len(goals):
        raise DataError(f"{file}, line {number} needs an id from 0 to {len(goals) - 1}, got {index!r}")
    return index


def _file(folder: Path, start: str) -> Path:
    files = sorted(file for file in folder.glob(f"{start}*.json") if file.is_file())
    if not files:
        raise DataError(f"no {start}*.json in {folder}; give the folder with WebShop's product files")
    return files[0]
