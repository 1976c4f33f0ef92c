"""The verdicts of a run as the official files of pass rates."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError
from stb_env.formats.export import APART, ExportSettings, places
from stb_env.runs.metrics.sopr import cast_votes
from stb_env.suites.stabletoolbench.answers import converted_entry, method_of
from stb_env.suites.stabletoolbench.original_scores.converted import steps_of, tool_names
from stb_env.suites.stabletoolbench.original_scores.passrate import rated
from stb_env.suites.stabletoolbench.queries import GROUPS
from stb_env.trajectory import Trajectory


def pass_files(episodes: Sequence[Trajectory], settings: ExportSettings) -> Iterator[tuple[str, str]]:
    """Yield name and text of ``<group>_<model>.json`` and ``.csv``, as the original's program writes them.

    The statuses are those of the votes that were cast on a run, by whichever judge; an episode that needed
    none has its verdict in every vote. Episodes without a verdict are left out.

    Args:
        episodes: Judged episodes.
        settings: ``method`` names the model in the files; that of the episodes where not given.

    Raises:
        ConfigError: Two episodes would be one entry.
    """
    judged = [episode for episode in episodes if cast_votes(episode)]
    runs = max((len(cast_votes(episode)) for episode in judged), default=0)
    groups: dict[tuple[str, str], JsonObject] = defaultdict(dict)
    for episode, place in zip(judged, places(judged, method_of, GROUPS), strict=True):
        model = settings.method or method_of(episode)
        if episode.task_id in groups[place, model]:
            raise ConfigError(f"two episodes would be entry {episode.task_id} of {place}; export {APART}")
        groups[place, model][episode.task_id] = _result(episode, runs)
    for (place, model), results in groups.items():
        rate = rated(results, runs)
        yield f"{place}_{model}.json", json.dumps(rate.to_json(), indent=4, ensure_ascii=False)
        yield f"{place}_{model}.csv", rate.to_csv(model)


def _result(episode: Trajectory, runs: int) -> JsonMapping:
    entry = converted_entry(episode, None)
    steps = steps_of(entry["answer"])
    votes = cast_votes(episode)
    # One vote stands for all: the episode needed no judge.
    cast = [str(vote.status).title() for vote in (votes if len(votes) > 1 else votes * runs)]
    return {
        "query": entry["query"],
        "tool_names": tool_names(entry),
        "answer_steps": steps.lines,
        "final_step": steps.final,
        "is_solved": {run: f"AnswerStatus.{status}" for run, status in enumerate(cast)},
    }
