"""Write the parts of the suites' pages that are played or read, between their marks.

Usage: python docs/suites/write.py

A part begins with a line such as ``<!-- written: episode stb/Sandbox-v1 -->`` and ends with ``<!-- end -->``;
its first word names the function below that writes it.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import stb_env
from stb_env.runs.protocol import find_protocol
from stb_env.suites.api_bank.figures_table import published as api_bank_figures
from stb_env.suites.sambanova.published import published as sambanova_figures
from stb_env.suites.stabletoolbench.leaderboard import find_table
from stb_env.trajectory import CallRecord

HERE = Path(__file__).parent
PART = re.compile(r"(<!-- written: ([\w-]+) ?([^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
WIDTH = 100
SHOWN = 12
"""How many tools of a task are named."""


def episode(env_id: str, task: str = "", *settings: str) -> str:
    """Let gold play a task, and print all of it; ``name=value`` sets the environment."""
    chosen = {
        name: int(value) if value.isdecimal() else value == "True"
        for name, value in (setting.split("=") for setting in settings)
    }
    env = stb_env.make(env_id, **chosen)
    observation, info = env.reset(seed=0, options={"task_id": task} if task else {})
    agent = stb_env.load_agent("gold")()
    agent.reset(env, seed=0)
    names = [tool["function"]["name"] for tool in info["tools"]]
    rest = [f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    lines = [
        *_said("task", info["task_id"]),
        *_said("query", str(observation["query"])),
        *_said("tools", ", ".join(names[:SHOWN] + rest)),
    ]
    over = False
    while not over:
        action = agent.act(observation, info)
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        lines.append("")
        lines += _step(
            action, [CallRecord.from_dict(call) for call in info["calls"]], str(observation["result"])
        )
    verdict = info["verdict"]
    parts = {name: verdict[name] for name in ("parts", "metrics") if verdict.get(name)}
    lines += ["", *_said("verdict", f"{verdict['status']} by {verdict['judge']}, reward {reward}")]
    lines += [line for name, value in parts.items() for line in _said(name, json.dumps(value))]
    return _fenced("text", lines)


def published(suite: str, *models: str) -> str:
    """Return the figures of a suite's paper; SambaNova's of the named models."""
    if suite == "sambanova":
        return _table_8(models)
    return {"stabletoolbench": _sopr, "api_bank": _table_3}[suite]()


def departures(protocol: str) -> str:
    """Return in what a protocol departs from its paper."""
    return "\n".join(f"- {text}" for text in find_protocol(protocol).standing)


def red_team(*env_ids: str) -> str:
    """Return the rows of environments in the table of the red team."""
    page = (HERE.parent / "trust.md").read_text(encoding="utf-8")
    table = page.partition("<!-- red team -->\n\n")[2].partition("\n\n")[0].splitlines()
    kept = [row for row in table[2:] if any(f" {env_id} " in row for env_id in env_ids)]
    return "\n".join([*table[:2], *kept])


_WRITERS: dict[str, Callable[..., str]] = {
    "episode": episode,
    "published": published,
    "departures": departures,
    "red-team": red_team,
}


def pages() -> Iterator[Path]:
    """Yield the pages that have written parts."""
    for page in sorted(HERE.glob("*.md")):
        if PART.search(page.read_text(encoding="utf-8")):
            yield page


def written(page: Path) -> str:
    """Return a page with its parts written anew."""

    def part(found: re.Match[str]) -> str:
        return f"{found[1]}\n{_WRITERS[found[2]](*found[3].split())}\n\n{found[4]}"

    return PART.sub(part, page.read_text(encoding="utf-8"))


def _step(action: object, calls: Sequence[CallRecord], result: str) -> Iterator[str]:
    if not calls:
        yield from _said("says", str(getattr(action, "text", action)))
        yield from _said("hears", result)
        return
    for call in calls:
        arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        if call.name == "Finish":
            given = {name: value for name, value in json.loads(arguments).items() if name != "return_type"}
            yield from _said("finish", json.dumps(given))
        else:
            yield from _said("call", f"{call.name} {arguments}")
            yield from _said("result", call.result.text)


def _said(who: str, text: str) -> list[str]:
    """Return a labelled text, whole, wrapped."""
    paragraphs = text.splitlines() or [""]
    lines = [line for one in paragraphs for line in textwrap.wrap(one, WIDTH - 9) or [""]]
    return [
        f"{label:<9}{line}".rstrip() for label, line in zip([who] + [""] * len(lines), lines, strict=False)
    ]


def _fenced(language: str, lines: Iterable[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```"])


def _markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _sopr() -> str:
    rows = find_table("SoPR")
    groups = list(rows[0].means)
    return _markdown(
        ["SoPR, in per cent", *groups, "average"],
        [[row.method, *(str(row.means[group]) for group in groups), str(row.average)] for row in rows],
    )


def _table_3() -> str:
    columns = ["", "level 1", "level 2", "level 3", "in all", "ROUGE-L in all"]
    return _markdown(
        columns,
        [
            [row["name"], *map(str, row["correctness"]), f"{row['rouge'][-1]:.4f}"]
            for row in api_bank_figures()["models"]
        ],
    )


def _table_8(models: Sequence[str]) -> str:
    data = sambanova_figures()
    columns = data["columns"]
    return _markdown(
        ["3-shot", *(column.replace("_", " ") for column in columns)],
        [
            [model, *(_figure(figures.get(column)) for column in columns)]
            for model, figures in data["three_shot"].items()
            if model in models
        ],
    )


def _figure(value: object) -> str:
    if value is None:
        return ""
    return " / ".join(map(str, value)) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    for page in pages():
        page.write_text(written(page), encoding="utf-8")
