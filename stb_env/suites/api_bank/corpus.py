"""A corpus: the dialogues, APIs, databases and known searches of one level."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from stb_env.errors import DataError
from stb_env.suites.api_bank.api_set import LEVEL_3, LEVEL_12, ApiSet
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.composer.splits import Split, composed
from stb_env.suites.api_bank.databases import Databases, embedded, frozen_answers, read_databases
from stb_env.suites.api_bank.formats.dialogues import (
    Dialogue,
    GoldCall,
    level3_files,
    read_dialogues,
    read_item,
    read_level3,
)
from stb_env.suites.api_bank.formats.scenes import Scene, read_scenes
from stb_env.suites.api_bank.formats.written_dialogues import is_written, read_written
from stb_env.suites.api_bank.recorded_apis import RecordedApis
from stb_env.suites.api_bank.searcher import frozen_searches
from stb_env.suites.api_bank.world import ApiBankWorld

Ability = Literal["Call", "Retrieve", "Plan"]

LEVELS: dict[Ability, int] = {"Call": 1, "Retrieve": 2, "Plan": 3}


@dataclass(frozen=True)
class Corpus:
    """Dialogues of one level with all that they are played on.

    Attributes:
        ability: What they ask of an agent; one for each level.
        dialogues: The dialogues, in order.
        apis: The APIs, described as the recorded searches describe them.
        databases: What the APIs know at the start.
        searches: Which API the recorded searches found, by keywords.
    """

    ability: Ability
    dialogues: tuple[Dialogue, ...]
    apis: ApiSet
    databases: Databases = field(repr=False)
    searches: dict[str, str] = field(repr=False)

    @property
    def right_searches(self) -> dict[str, str]:
        """The known searches without those that missed: what they found is nowhere called afterwards."""
        called = {
            str(call.arguments.get("keywords"))
            for dialogue in self.dialogues
            for place, call in enumerate(dialogue.calls)
            if call.name == SEARCHER
            and self.searches.get(str(call.arguments.get("keywords")))
            in {later.name for later in dialogue.calls[place + 1 :]}
        }
        return {keywords: name for keywords, name in self.searches.items() if keywords in called}

    @property
    def without_calls(self) -> list[str]:
        """Names of the dialogues that record no call, so that there is nothing to judge."""
        return [dialogue.name for dialogue in self.dialogues if not dialogue.calls]

    def world(self, compat: Literal["original"] | None = None) -> ApiBankWorld:
        """Return a world of these APIs and databases, without a search."""
        return ApiBankWorld(self.apis, self.databases, compat=compat)


def read_corpus(ability: Ability, data: str | Path, databases: str | Path | None = None) -> Corpus:
    """Read the official files of one level, or the dialogues of one level that models wrote.

    Args:
        ability: Which level.
        data: The official folder with ``init_database`` and the dialogues somewhere below it; for ``Plan``
            also the file ``level-3.json``. Or the folder of a synthesis, or official training files.
        databases: Folder of the databases, where it is elsewhere.

    Raises:
        DataError: Something is missing or broken.
    """
    if is_written(data):
        return _written(ability, data)
    if ability == "Plan":
        return _corpus(ability, _plans(Path(data)), LEVEL_3, Databases({}, {}))
    dialogues = read_dialogues(data)
    chosen = [dialogue for dialogue in dialogues if dialogue.level == LEVELS[ability]]
    if not chosen:
        raise DataError(f"{data} holds no dialogues of level {LEVELS[ability]}, which {ability} plays")
    return _corpus(ability, chosen, LEVEL_12, read_databases(databases or _root(Path(data))), dialogues)


def levels_of(data: str | Path | None) -> list[Corpus]:
    """Return the levels that official files hold, or all of our own where there are none.

    Raises:
        DataError: They hold none.
    """
    if data is None:
        return [embedded_corpus(ability) for ability in LEVELS]
    corpora, problems = [], []
    for ability in LEVELS:
        try:
            corpora.append(read_corpus(ability, data))
        except DataError as error:
            problems.append(str(error))
    if not corpora:
        raise DataError(problems[0])
    return corpora


def read_scene_corpus(data: str | Path, databases: str | Path | None = None) -> tuple[Corpus, list[Scene]]:
    """Read the scene texts of level 3, which are about the APIs and databases of levels 1 and 2.

    Returns:
        A corpus without dialogues, and the scenes.

    Raises:
        DataError: Something is missing or broken.
    """
    folder = Path(data)
    known = read_databases(databases or _root(folder))
    return _corpus("Plan", (), LEVEL_12, known), read_scenes(folder)


@lru_cache(maxsize=6)
def embedded_corpus(ability: Ability, split: Split = "test") -> Corpus:
    """Return dialogues of our own: for tests those written by hand and composed ones, else other ones.

    Args:
        ability: Which level.
        split: ``test``, or ``train``, in which no dialogue of the tests recurs.
    """
    file = files("stb_env.suites.api_bank") / "dialogues" / f"{ability.lower()}.json"
    records = json.loads(file.read_text(encoding="utf-8"))
    level = LEVELS[ability]
    dialogues = [Dialogue(name, level, tuple(map(read_item, items))) for name, items in records.items()]
    more = composed(level, split, dialogues)
    chosen = [*dialogues, *more] if split == "test" else more
    return _corpus(ability, chosen, LEVEL_3 if level == 3 else LEVEL_12, embedded())


def _corpus(
    ability: Ability,
    dialogues: Sequence[Dialogue],
    apis: ApiSet,
    databases: Databases,
    sources: Sequence[Dialogue] = (),
) -> Corpus:
    """Build a corpus; documentation and frozen answers come from all sources, whatever their level."""
    calls = [call for dialogue in sources or dialogues for call in dialogue.calls]
    if apis.uses_databases:
        databases = databases.with_frozen(frozen_answers(calls))
    searches = frozen_searches(_found(calls))
    return Corpus(ability, tuple(dialogues), apis.described(calls), databases, searches)


def _found(calls: Sequence[GoldCall]) -> dict[str, object]:
    return {
        str(call.arguments.get("keywords")): call.result["output"]
        for call in calls
        if call.name == SEARCHER and call.result.get("output")
    }


def _written(ability: Ability, data: str | Path) -> Corpus:
    level = LEVELS[ability]
    written = [one for one in read_written(data) if one.dialogue.level == level]
    if not written:
        raise DataError(f"{data} holds no written dialogues of level {level}, which {ability} plays")
    recorded = RecordedApis(written)
    calls = [call for dialogue in recorded.dialogues for call in dialogue.calls]
    searches = frozen_searches(_found(calls))
    return Corpus(ability, tuple(recorded.dialogues), recorded.apis, recorded.databases, searches)


def _plans(path: Path) -> list[Dialogue]:
    files = level3_files(path)
    dialogues = [dialogue for file in files for dialogue in read_level3(file)]
    if not dialogues:
        raise DataError(f"{path} holds no dialogues of level 3; give level-3.json or a folder that holds it")
    return dialogues


def _root(path: Path) -> Path:
    """Return the nearest folder above a folder of dialogues that has the databases."""
    near = [path, *path.resolve().parents[:2]]
    return next((folder for folder in near if (folder / "init_database").is_dir()), path)
