"""Published answers opened as ours do: given their own texts, the same messages and functions are sent."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import stb_env
from stb_env.tools import standardize
from tests.shared import found, queries
from tests.suites.stabletoolbench import repository

TOOL_LINE = re.compile(r"^\d+\.(?P<name>\w+): (?P<text>.*)$", re.MULTILINE)


def answers(root: Path) -> list[tuple[str, dict[str, Any]]]:
    """Published raw answers with the ids of their queries; the test skips where there are none."""
    files = found(root, "stabletoolbench/data/answers/*/*/*.json")
    opened = [
        (file.name.partition("_")[0], json.loads(file.read_text())["answer_generation"]) for file in files
    ]
    kept = [(task, one) for task, one in opened if one.get("train_messages")]
    if not kept:
        pytest.skip("no published answer has messages")
    return kept


def group_of(data: Path, task: str) -> str | None:
    for file in sorted((data / "test_instruction").glob("G*.json")):
        if any(str(record["query_id"]) == task for record in json.loads(file.read_text())):
            level, _, kind = file.stem.partition("_")
            return f"stb/I{level[1:]}{kind.capitalize()}-v0"
    return None


def write_copy(folder: Path, system: str, user: str, query: str, finish: dict[str, Any]) -> Path:
    """Write a copy of the original's repository that holds the texts of an answer, without its tools."""
    beginning = system[: TOOL_LINE.search(system).start()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repository, "SYSTEM", "{task_description}")
        patch.setattr(repository, "TASK", beginning)
        patch.setattr(repository, "USER", user.replace(query.strip(), "{input_description}"))
        patch.setattr(repository, "FINISH", finish)
        return repository.write_repository(folder)


def write_tools(folder: Path, system: str, entries: list[dict[str, Any]]) -> Path:
    """Write tool files with the descriptions that an answer's system message tells."""
    told = {match["name"]: match["text"] for match in TOOL_LINE.finditer(system)}
    by_tool: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for entry in entries:
        by_tool.setdefault((entry["category_name"], entry["tool_name"]), []).append(entry)
    for (category, tool), apis in by_tool.items():
        name = standardize(tool)
        file = folder / category / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        listed = [{**api, "name": api["api_name"], "description": api["api_description"]} for api in apis]
        text = told.get(name, "")
        described = {
            "tool_name": tool,
            "tool_description": "" if text == "None" else text,
            "api_list": listed,
        }
        file.write_text(json.dumps(described), encoding="utf-8")
    return folder


def test_golden_published_answers_open_with_the_messages_and_functions_that_ours_send(
    shared_data: Path, tmp_path: Path
):
    data, compared = queries(shared_data), 0
    for place, (task, answer) in enumerate(answers(shared_data)):
        group = group_of(data, task)
        if group is None:
            continue
        system, user = (message["content"] for message in answer["train_messages"][-1][:2])
        finish = answer["function"][-1]
        plain = stb_env.make(group, data=str(data), judge="heuristic", compat="original")
        plain.reset(options={"task_id": task})
        entries = [dict(tool.record) for tool in plain.task.tools]
        flat = "function" not in finish
        env = stb_env.make(
            group,
            data=str(data),
            tools=str(write_tools(tmp_path / f"tools{place}", system, entries)),
            compat="original",
            functions="toolllm" if flat else "stabletoolbench",
            originals=str(
                write_copy(
                    tmp_path / f"copy{place}",
                    system,
                    user,
                    plain.task.query,
                    finish if flat else finish["function"],
                )
            ),
            judge="heuristic",
        )
        _, info = env.reset(options={"task_id": task})
        sent = [tool["function"] if flat else tool for tool in info["tools"]]
        assert sent == answer["function"], task
        assert [message["content"] for message in info["messages"]] == [system, user], task
        compared += 1
    if not compared:
        pytest.skip("no published answer is to a query that is there")
