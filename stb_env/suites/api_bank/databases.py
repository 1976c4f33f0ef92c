"""The databases behind the APIs: the official ``init_database`` folder, or content of our own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.formats.dialogues import GoldCall
from stb_env.suites.api_bank.languages import language_code
from stb_env.suites.api_bank.search_engine import SearchIndex, words
from stb_env.suites.api_bank.state import Table

TABLES = (
    "Account",
    "Agenda",
    "Alarm",
    "Appointments",
    "Bank",
    "HealthData",
    "Hotel",
    "Meeting",
    "Reminder",
    "Scenes",
    "TimeSwitch",
)
"""Databases that calls change."""
LIBRARY = (
    "History",
    "ImageCaptioning",
    "QuestionAnswering",
    "SearchEngine",
    "SpeechRecognition",
    "Stock",
    "Symptom",
    "Wiki",
)
"""Databases that calls only read."""
FROZEN = ("Dictionary", "Translate")
"""Answers that the original asks live services for; no official file holds them."""

_NUMBERED = ("Meeting", "Reminder")
_LISTS = ("HealthData", "Scenes", "TimeSwitch")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "Account": ("password", "token", "email"),
    "Agenda": ("content", "time", "location", "username"),
    "Alarm": ("time", "username"),
    "Appointments": ("patient_name", "date", "doctor_name"),
    "Bank": ("balance",),
    "HealthData": ("time",),
    "Hotel": ("hotel_name", "check_in_time", "check_out_time"),
    "Meeting": ("meeting_topic", "start_time", "end_time", "username"),
    "Reminder": ("content", "time", "username"),
    "Scenes": ("name", "description"),
    "TimeSwitch": ("time", "on"),
}


@dataclass(frozen=True)
class Databases:
    """Everything that the APIs know at the start of an episode; shared by all episodes, never changed.

    Attributes:
        tables: Databases that calls change, by name.
        library: Databases that calls only read, by name.
        missing: Databases that the folder lacks; they are empty.
        source: The files' values as they are, which decide the answers.
    """

    tables: Mapping[str, Table]
    library: JsonMapping
    missing: tuple[str, ...] = ()
    source: JsonMapping = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, source: JsonMapping) -> Databases:
        """Build databases from the values of their files, by name.

        Raises:
            DataError: A value has not the shape of its database.

        Examples:
            >>> databases = Databases.of({"Bank": {"ann": {"balance": 5, "age": 30, "city": "Oslo"}}})
            >>> databases.tables["Bank"]["ann"]["balance"], "Account" in databases.missing
            (5, True)
        """
        for name, value in source.items():
            _check(name, value)
        library = {name: source.get(name, {}) for name in (*LIBRARY, *FROZEN)}
        library["ImageCaptioning"] = _captions(source.get("ImageCaptioning", []))
        library["SearchEngine"] = _index(source.get("SearchEngine", {}))
        missing = tuple(name for name in (*TABLES, *LIBRARY) if name not in source)
        return cls({name: source.get(name, {}) for name in TABLES}, library, missing, source)

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest of the content."""
        text = json.dumps(self.source, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def with_frozen(self, frozen: JsonMapping) -> Databases:
        """Return databases that also hold these frozen answers of live services, by database name.

        Examples:
            >>> databases = Databases.of({}).with_frozen({"Translate": {"fr": {"hello": "bonjour"}}})
            >>> databases.library["Translate"]["fr"]["hello"]
            'bonjour'
        """
        merged = {
            "Dictionary": {**self.library["Dictionary"], **frozen.get("Dictionary", {})},
            "Translate": _merged(self.library["Translate"], frozen.get("Translate", {})),
        }
        return replace(self, library={**self.library, **merged}, source={**self.source, **merged})


def read_databases(folder: str | Path) -> Databases:
    """Read the official databases; files of other names are left alone.

    Args:
        folder: ``init_database``, or the folder that holds it.

    Raises:
        DataError: None of the databases is there, or one is broken.
    """
    root = Path(folder)
    root = root / "init_database" if (root / "init_database").is_dir() else root
    found = [root / f"{name}.json" for name in (*TABLES, *LIBRARY)]
    source = {file.stem: _read(file) for file in found if file.is_file()}
    if not source:
        raise DataError(
            f"{root} holds none of API-Bank's databases; give the folder init_database with Account.json, "
            "Agenda.json and the others"
        )
    return Databases.of(source)


@lru_cache(maxsize=1)
def embedded() -> Databases:
    """Return the databases that come with the package: small, of our own, something for every API to find."""
    folder = files("stb_env.suites.api_bank") / "embedded"
    return Databases.of(
        {
            name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
            for name in (*TABLES, *LIBRARY, *FROZEN)
        }
    )


def _read(file: Path) -> object:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{file}: not readable as JSON: {error}") from error


def _check(name: str, value: object) -> None:
    kind, expected = (list, "a list") if name == "ImageCaptioning" else (dict, "an object")
    if not isinstance(value, kind):
        raise DataError(f"database {name}: expected {expected}, got {type(value).__name__}")
    rows = value if isinstance(value, dict) else {}
    for key, row in rows.items() if name in TABLES else ():
        _check_row(name, key, row)
        if name in _NUMBERED and not key.isdecimal():
            raise DataError(f"database {name}: expected a number as key, got {key!r}")


def _check_row(name: str, key: str, row: object) -> None:
    records = row if name in _LISTS and isinstance(row, list) else [row]
    for record in records:
        missing = [each for each in _FIELDS[name] if not isinstance(record, dict) or each not in record]
        if missing:
            raise DataError(f"database {name}, {key!r}: expected {', '.join(missing)}, got {record!r:.80}")


def _captions(pictures: list[Mapping[str, str]]) -> dict[str, str]:
    captions: dict[str, str] = {}
    for picture in pictures:
        captions.setdefault(picture["url"], picture["caption"])
    return captions


def _index(engine: JsonMapping) -> SearchIndex:
    documents = engine.get("raw_documents", [])
    tokenized = engine.get("tokenized_documents") or [
        words(f"{document['title']} - {document['abstract']}") for document in documents
    ]
    return SearchIndex.of(documents, tokenized)


def _merged(ours: JsonMapping, theirs: JsonMapping) -> dict[str, object]:
    return {code: {**ours.get(code, {}), **theirs.get(code, {})} for code in {**ours, **theirs}}


def frozen_answers(calls: Iterable[GoldCall]) -> dict[str, dict[str, object]]:
    """Return what the dictionary and the translator answered, for `Databases.with_frozen`.

    Args:
        calls: Recorded calls of any APIs; the first answer to a question is kept.

    Examples:
        >>> call = GoldCall("Translate", {"src": "hello", "tgt_lang": "French"}, {"output": "bonjour"})
        >>> frozen_answers([call])
        {'Dictionary': {}, 'Translate': {'fr': {'hello': 'bonjour'}}}
    """
    meanings: JsonObject = {}
    translations: dict[str, dict[str, str]] = {}
    for call in calls:
        answer = call.result.get("output")
        if answer is None:
            continue
        if call.name == "Dictionary":
            keyword = str(call.arguments.get("keyword", "")).replace("_", " ").strip().lower()
            meanings.setdefault(keyword, answer)
        elif call.name == "Translate":
            code = _target(call.arguments)
            if code:
                translations.setdefault(code, {}).setdefault(str(call.arguments.get("src", "")), answer)
    return {"Dictionary": meanings, "Translate": translations}


def _target(arguments: Mapping[str, object]) -> str:
    try:
        return language_code(str(arguments.get("tgt_lang", "en")))
    except ApiError:
        return ""
