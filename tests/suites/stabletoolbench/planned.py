"""An evaluation under the protocol, with models behind local HTTP that answer by the query's number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from tests.fakes.openai_server import Answer, Received, completion, error
from tests.models.end_to_end.services import Services, calling, finishing, serving, simulating

STEMS = {"stb/I1Instruction-v0": "G1_instruction", "stb/I2Category-v0": "G2_category"}

MODELS = """
[models.agent]
model = "{model}"
base_url = "{agent}"
api_key_env = "FAKE_AGENT_KEY"
retries = 0
seed = 0
[models.simulator]
model = "simulator-model"
base_url = "{simulator}"
api_key_env = "FAKE_SIMULATOR_KEY"
retries = 0
[models.judge]
model = "judge-model"
base_url = "{judge}"
api_key_env = "FAKE_JUDGE_KEY"
retries = 0
[prices]
"{model}" = {{ prompt = 0, completion = 0 }}
"simulator-model" = {{ prompt = 0, completion = 0 }}
"judge-model" = {{ prompt = 0, completion = 0 }}
"""

FieldT = TypeVar("FieldT", bound="Field")

PLAN = """
[eval]
groups = {groups}
judge = "pass"
votes = 3
mode = "live"
seed = 0
trials = {trials}
models = "{models}"
data = "{data}"
{more}
"""


def write_queries(folder: Path, counts: Mapping[str, int]) -> Path:
    """Write official query files of so many queries a group, made of the packaged ones."""
    place = folder / "solvable_queries" / "test_instruction"
    place.mkdir(parents=True)
    packaged = files("stb_env.suites.stabletoolbench") / "embedded" / "test_instruction"
    for group, count in counts.items():
        stem = STEMS[group]
        records = json.loads((packaged / f"{stem}.json").read_text(encoding="utf-8"))
        made = [
            {
                **records[n % len(records)],
                "query_id": n + 1,
                "query": f"Query number {n} of {stem}: what is known?",
            }
            for n in range(count)
        ]
        (place / f"{stem}.json").write_text(json.dumps(made), encoding="utf-8")
    return folder


class Field:
    """Agents by the name of their model, and a judge that believes what an answer says of itself.

    Attributes:
        solves: How many of the first queries each agent's model answers well.
        refuses: From which query on an agent's endpoint refuses.
        down: Whether the judge refuses.
        compares: Whether it compares answers.
        asked: Answers that the judge was asked to check, in order.
    """

    def __init__(self, services: Services, solves: Mapping[str, int]) -> None:
        self.services = services
        self.solves = dict(solves)
        self.refuses: dict[str, int] = {}
        self.down = False
        self.compares = True
        self.asked: list[str] = []
        services.agent.always(self._play)
        services.simulator.always(self._simulate)
        services.judge.always(self._judge)

    def _play(self, request: Received) -> Answer:
        model = request.body["model"]
        found = re.search(r"Query number (\d+)", json.dumps(request.body["messages"]))
        if found is None:
            return Answer(completion("hm"))
        number = int(found[1])
        if number >= self.refuses.get(model, 10**6):
            return error("refused", 400)
        quality = "well" if number < self.solves[model] else "badly"
        return finishing(f"[{model} answers {number} {quality}]")

    def _simulate(self, request: Received) -> Answer:
        return simulating(request)

    def _judge(self, request: Received) -> Answer:
        if self.down:
            return error("down", 503)
        function = request.body["tool_choice"]["function"]["name"]
        text = request.body["messages"][-1]["content"]
        told = re.findall(r"\[([\w-]+) answers (\d+) (well|badly)\]", text)
        if function == "check_task_solvable":
            return calling(function, {"task_status": "Solvable", "reason": "-"})
        if function == "select_better_answer" and not self.compares:
            return error("down", 503)
        if function == "select_better_answer":
            # The name that comes first in the alphabet wins.
            first, second = list(dict.fromkeys(name for name, _, _ in told))
            return Answer(completion(json.dumps({"index": int(second < first), "reason": "-"})))
        self.asked.append(told[0][0])
        status = "Solved" if told[0][2] == "well" else "Unsolved"
        return calling(function, {"answer_status": status, "reason": "-"})


def write_plan(
    folder: Path,
    services: Services,
    agents: list[str],
    counts: Mapping[str, int],
    *,
    trials: int = 1,
    more: str = "",
) -> Path:
    """Write a plan whose agents, all the protocol's ``cot``, each have a models file of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    urls = {service.role: service.server.url(service.role) for service in services}
    for name in agents:
        (folder / f"{name}.toml").write_text(MODELS.format(model=name, **urls), encoding="utf-8")
    text = PLAN.format(
        groups=json.dumps(list(counts)),
        trials=trials,
        models=folder / f"{agents[0]}.toml",
        data=write_queries(folder / "data", counts),
        more=more,
    )
    for name in agents:
        text += f'[[agent]]\nname = "{name} agent"\nspec = "cot"\nmodels = "{folder / name}.toml"\n'
    file = folder / "plan.toml"
    file.write_text(text, encoding="utf-8")
    return file


@contextmanager
def field(monkeypatch: Any, solves: Mapping[str, int], kind: type[FieldT] = Field) -> Iterator[FieldT]:
    """Serve agents, simulator and judge until the block ends."""
    monkeypatch.setattr("stb_env.http.retry.FIRST_PAUSE", 0.01)
    with serving() as services:
        for service in services:
            monkeypatch.setenv(service.variable, service.key)
        yield kind(services, solves)
