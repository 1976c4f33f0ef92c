"""The data card of an export: what is in it, how it was selected, and where it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stb_env.core import jsontext
from stb_env.formats.record_file import Container, Part
from stb_env.formats.selection import sources
from stb_env.trajectory import Trajectory

_FORMS = {
    "sft": (
        "`messages` and `tools` are OpenAI's chat form. `mask` lists what the assistant wrote: "
        "message, way to the text in it, first character, and the one after the last; take a loss on these "
        "alone. `tokens`, where the engine gave ids, has them with a loss mask of 1 for the policy's own."
    ),
    "preferences": (
        "`prompt`, `chosen`, `rejected` and `tools` are TRL's conversational form. Ways on of several turns "
        "hold what tools answered too, on which DPO takes a loss as on the rest."
    ),
    "rl": (
        "Ids and log probabilities are the engine's own; nothing was tokenised again. `completion_mask` is 1 "
        "for tokens of the policy. An episode has several `parts` where a prompt did not extend the last."
    ),
    "trajectories": "One row an episode, with everything that its run saved.",
}


@dataclass(slots=True)
class Contents:
    """Contents of an export, counted as the episodes pass.

    Attributes:
        episodes: How many they are.
        groups: Episodes by suite and group.
        verdicts: Episodes by verdict.
        answered: Calls by who answered.
        left_out: Episodes and records that are not in it, by reason.
        in_parts: Episodes that became several records, since a prompt did not extend what came before.
    """

    episodes: int = 0
    groups: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    in_parts: int = 0

    def add(self, episode: Trajectory) -> None:
        """Count an exported episode."""
        self.episodes += 1
        self.groups["/".join(filter(None, (episode.suite, episode.group))) or "-"] += 1
        self.verdicts[str(episode.verdict["status"]) if episode.verdict else "none"] += 1
        self.answered.update(sources(episode))


def card(
    kind: str,
    into: Container,
    contents: Contents,
    parts: Mapping[str, Part],
    settings: Mapping[str, object],
    runs: Sequence[Mapping[str, object]],
) -> str:
    """Return the data card as Markdown, whose head tells ``datasets.load_dataset`` which files are what.

    Args:
        kind: What the records are.
        into: What holds them.
        contents: What was counted.
        parts: The parts as written.
        settings: How they were selected.
        runs: What made the episodes: environment, agent, model ... of each run.

    Examples:
        >>> parts = {"train": Part(1, "ab"), "test": Part(1, "cd")}
        >>> text = card("sft", "jsonl", Contents(episodes=2), parts, {"only": "solved"}, [])
        >>> "path: train.jsonl" in text, "| train | 1 | `ab` |" in text
        (True, True)
    """
    total = contents.answered.total()
    return "\n".join(
        [
            *(_head(kind, parts, into) if into != "datasets" else ()),
            f"# {kind}: {contents.episodes} episodes, {sum(part.rows for part in parts.values())} records",
            "",
            _FORMS.get(kind, f"Records of the format {kind}."),
            "",
            *_replaced(sum(part.replaced for part in parts.values())),
            *_table(("part", "records", "SHA-256 of the records as JSON lines"), _rows(parts)),
            *_longest(max(part.longest for part in parts.values())),
            *_table(("suite and group", "episodes"), sorted(contents.groups.items())),
            *_table(("verdict", "episodes"), sorted(contents.verdicts.items())),
            *_table(
                ("calls answered by", "calls", "share"),
                [(name, count, f"{count / total:.1%}") for name, count in sorted(contents.answered.items())],
            ),
            *_table(("in several records because", "episodes"), _in_parts(contents)),
            *_table(("left out because", "number"), sorted(contents.left_out.items())),
            *_table(("selected by", "value"), [(name, _code(value)) for name, value in settings.items()]),
            *_table(("run", "made by"), [(run["run"], _code(run)) for run in runs]),
            "License: this file grants none. Queries, tools and recorded answers are under the terms of the",
            "benchmark that the episodes are of, and a model's text under those of its provider; see to both",
            "before you publish what is here.",
            "",
        ]
    )


def _head(kind: str, parts: Mapping[str, Part], into: Container) -> list[str]:
    named = [("train" if name == kind else name, f"{name}.{into}") for name in parts]
    files = [line for split, file in named for line in (f"  - split: {split}", f"    path: {file}")]
    if not files:
        return []
    # Of two folders of one name `datasets` takes the second for the first, unless their heads differ.
    digests = f"  description: SHA-256 {' '.join(part.sha256 for part in parts.values())}"
    return ["---", "configs:", "- config_name: default", digests, "  data_files:", *files, "---", ""]


def _replaced(texts: int) -> list[str]:
    told = f"Lone surrogates, which no file can encode, became U+FFFD each; {texts} texts were changed."
    return [told, ""] if texts else []


def _longest(characters: int) -> list[str]:
    told = (
        f"The longest record has {characters:,} characters of messages and tools, which are a third to a "
        "quarter as many tokens. Trainers leave out or cut what is longer than their `max_length`; TRL's is "
        "1,024 tokens unless it is set."
    )
    return [told, ""] if characters else []


def _in_parts(contents: Contents) -> list[tuple[str, int]]:
    return [("prefix_broken", contents.in_parts)] if contents.in_parts else []


def _rows(parts: Mapping[str, Part]) -> list[tuple[object, ...]]:
    return [(name, part.rows, f"`{part.sha256}`") for name, part in parts.items()]


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    if not rows:
        return []
    lines = [head, ["---"] * len(head), *rows]
    return [*(f"| {' | '.join(map(str, line))} |" for line in lines), ""]


def _code(value: object) -> str:
    text = value if isinstance(value, str) else jsontext.dumps(value)
    return f"`{text}`".replace("|", "\\|")
