"""The official result files: a JSON object that is continued, and a table beside it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stb_env.core.files import write_json, write_text
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.models.chat import digest
from stb_env.suites.stabletoolbench.answers import read_json

PROVENANCE = "judging.json"
"""What we keep beside the official files: who judged, in whose words. The original does not say."""

_WIDEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ResultFiles:
    """Paths of a group's result files.

    Attributes:
        folder: The folder of results.
        stem: ``<group>_<model>`` of pass rates, ``<group>_<reference>_<model>`` of preferences.
    """

    folder: Path
    stem: str

    @property
    def json(self) -> Path:
        """The object by query id."""
        return self.folder / f"{self.stem}.json"

    @property
    def csv(self) -> Path:
        """The table, tab-separated."""
        return self.folder / f"{self.stem}.csv"

    def read(self) -> dict[str, JsonMapping]:
        """Return the object so far; an empty one where there is none.

        Raises:
            DataError: The file cannot be read.
        """
        value = read_json(self.json) if self.json.is_file() else {}
        if not isinstance(value, dict) or not all(isinstance(entry, dict) for entry in value.values()):
            raise DataError(f"{self.json} is no result file: it must hold an object for each query")
        return value

    def changed(self, results: Mapping[str, JsonMapping]) -> set[str]:
        """Return the queries whose rows are not what was written here; rows without a hash are not known."""
        hashes = read_provenance(self.folder).get(self.stem, {}).get("rows", {})
        return {task for task, row in results.items() if task in hashes and hashes[task] != digest(row)}

    def check(self, results: Mapping[str, JsonMapping]) -> None:
        """Refuse rows that are not what was written here.

        Raises:
            DataError: A row was changed.
        """
        if changed := self.changed(results):
            raise DataError(
                f"{self.json}, query {min(changed)}: the row was changed since it was written (its hash in "
                f"{PROVENANCE} differs); run the `stb-env judge` that wrote it again, which judges it anew"
            )

    def write(self, results: Mapping[str, object]) -> None:
        """Replace the object, in the original's layout, and keep a hash of each row beside it."""
        text = _encodable(json.dumps(results, indent=4, ensure_ascii=False))
        known = read_provenance(self.folder)
        rows = {task: digest(row) for task, row in json.loads(text).items()}
        self.json.parent.mkdir(parents=True, exist_ok=True)
        # In this order: a row that is there has its hash.
        write_json(self.folder / PROVENANCE, {**known, self.stem: {**known.get(self.stem, {}), "rows": rows}})
        write_text(self.json, text)

    def write_table(self, text: str) -> None:
        """Replace the table."""
        self.csv.parent.mkdir(parents=True, exist_ok=True)
        write_text(self.csv, _encodable(text))

    def record(self, who: Mapping[str, object]) -> None:
        """Keep who judged beside the official files."""
        known = read_provenance(self.folder)
        rows = known.get(self.stem, {}).get("rows", {})
        write_json(self.folder / PROVENANCE, {**known, self.stem: {**who, "rows": rows}})


def all_result_files(folder: Path) -> list[ResultFiles]:
    """Return the result files below a folder that say who judged.

    Examples:
        >>> all_result_files(Path("runs/nothing"))
        []
    """
    folders = sorted(file.parent for file in folder.rglob(PROVENANCE))
    return [ResultFiles(each, stem) for each in folders for stem in read_provenance(each)]


def read_provenance(folder: Path) -> Mapping[str, JsonMapping]:
    """Return who judged, by the stem of the files; empty where only the original's files are there.

    Raises:
        DataError: The file cannot be read.
    """
    file = folder / PROVENANCE
    known = read_json(file) if file.is_file() else {}
    if not isinstance(known, dict):
        raise DataError(f"{file} must be an object, got {type(known).__name__}")
    return known


def read_statuses(folder: Path, model: str, group: str) -> Mapping[str, str]:
    """Return the text of ``is_solved`` by query id, from the table of a model's pass results.

    Args:
        folder: Holds ``<model>/<group>_<model>.csv``, or the table itself.
        model: Name of the model.
        group: Name of the group.

    Raises:
        DataError: There is no such table, or it lacks a column.
    """
    name = f"{group}_{model}.csv"
    found = [file for file in (folder / model / name, folder / name) if file.is_file()]
    if not found:
        raise DataError(f"no {model}/{name} and no {name} in {folder}; judge that model first")
    return dict(_statuses(found[0]))


def _statuses(file: Path) -> Iterator[tuple[str, str]]:
    # A field holds all steps of an answer, which is more than the module takes by default.
    limit = csv.field_size_limit(_WIDEST)
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                yield row["query_id"], row["is_solved"]
    except (KeyError, csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"{file} is no table of pass results: {error!r}") from error
    finally:
        csv.field_size_limit(limit)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
