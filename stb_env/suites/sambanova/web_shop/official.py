"""Shopping tasks from files that a user has: WebShop's products, attributes and instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from stb_env import jsontext
from stb_env.errors import ConfigError, DataError
from stb_env.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.program_task import Supplied
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.generator import Described
from stb_env.suites.sambanova.web_shop.goals import Goal, human_goals, synthetic_goals
from stb_env.suites.sambanova.web_shop.product import NO_ATTRIBUTES, Product, read_product
from stb_env.suites.sambanova.web_shop.tasks import NAME, shopping_task
from stb_env.tasks import TaskSet

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
    described = _products(folder)
    shop = Catalogue(each.product for each in described)
    if goals == "human":
        made = human_goals(_annotated(folder, shop.products))
    else:
        made = synthetic_goals(each for each in described if each.instruction)
    if not made:
        raise DataError(f"{folder} has no {goals} goals for its products")
    chosen = _chosen(folder / _TEST, made, split)
    return Supplied(TaskSet((shopping_task(str(at), split, made[at]) for at in chosen), NAME), shop)


def _products(folder: Path) -> list[Described]:
    records = _read(folder, _PRODUCTS)
    known = _read(folder, _ATTRIBUTES)
    if not isinstance(records, list) or not isinstance(known, dict):
        raise DataError(f"{folder}: {_PRODUCTS}*.json must be a list, {_ATTRIBUTES}*.json an object by asin")
    described: dict[str, Described] = {}
    for number, record in enumerate(records):
        asin = record.get("asin") if isinstance(record, Mapping) else None
        if asin == "nan" or (isinstance(asin, str) and (len(asin) > MAX_ASIN or asin in described)):
            continue
        if not isinstance(record, Mapping):
            raise DataError(f"{folder}: product {number} is no object")
        about = known.get(asin) or {}
        try:
            product = read_product(record, about.get("attributes") or NO_ATTRIBUTES)
        except DataError as error:
            raise DataError(f"{folder}, product {number}: {error}") from error
        wanted = tuple(about.get("instruction_attributes") or ())
        described[product.asin] = Described(product, str(about.get("instruction") or ""), wanted)
    return list(described.values())


def _annotated(folder: Path, products: Mapping[str, Product]) -> Iterator[tuple[Product, JsonMapping]]:
    by_asin = _read(folder, _HUMAN)
    if not isinstance(by_asin, dict):
        raise DataError(f"{folder}: {_HUMAN}*.json must be an object by asin")
    for asin, product in products.items():
        for record in by_asin.get(asin) or ():
            if not isinstance(record, Mapping) or not isinstance(record.get("instruction"), str):
                raise DataError(f"{folder}: the instructions of product {asin!r} must be a list of objects")
            yield product, record


def _chosen(file: Path, goals: list[Goal], split: str) -> list[int]:
    test = list(range(min(TEST_SIZE, len(goals))))
    if file.is_file():
        test = [_goal_index(file, number, line, goals) for number, line in _lines(file)]
    if split == "test":
        return test
    taken = set(test)
    return [index for index in range(len(goals)) if index not in taken]


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            yield number, line


def _goal_index(file: Path, number: int, line: str, goals: list[Goal]) -> int:
    try:
        record = jsontext.loads(line)
    except ValueError as error:
        raise DataError(f"{file}, line {number} is no JSON: {error}") from error
    index = record.get("id") if isinstance(record, dict) else None
    if not isinstance(index, int) or not 0 <= index < len(goals):
        raise DataError(f"{file}, line {number} needs an id from 0 to {len(goals) - 1}, got {index!r}")
    return index


def _read(folder: Path, start: str) -> Any:
    files = sorted(file for file in folder.glob(f"{start}*.json") if file.is_file())
    if not files:
        raise DataError(f"no {start}*.json in {folder}; give the folder with WebShop's product files")
    try:
        return jsontext.loads(files[0].read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{files[0]} is no JSON: {error}") from error
