"""An evaluation under the protocol that is killed at random, with endpoints that log every request."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from typer.testing import CliRunner

from stb_env.show.cli import app
from tests.fakes.openai_server import Answer, Received
from tests.kills import killed_when, needs_fork
from tests.models.end_to_end.services import Services, calling, number
from tests.processes import interruptible, wait_until
from tests.suites.stabletoolbench.planned import STEMS, Field, field, write_plan

INSTRUCTION, CATEGORY = "stb/I1Instruction-v0", "stb/I2Category-v0"
AGENTS, REFERENCE = ("alpha", "beta", "gamma"), "beta"
QUERIES, TRIALS, CONCURRENCY, KILLS = {INSTRUCTION: 2, CATEGORY: 2}, 3, 4, 3
# A call of the agent, its response, and the answer.
LONGEST = 3

Told = tuple[str, str, str, str, str]
"""What an answer says of itself: agent, query, group, the seed of its trial, and its quality."""

_ANSWER = re.compile(r"\[(\w+) answers (\d+) of (\w+) with (\d+), (well|badly|doubtfully)\]")
# When it was, and what it cost with that.
_OF_THE_CLOCK = {"timings.jsonl", "spending.jsonl", "SHA256SUMS"}


class Logging(Field):
    """Endpoints whose answers follow from each request alone, and that log what they answered.

    Attributes:
        log: Of each request the service, the body, and the answer.
    """

    def __init__(self, services: Services, solves: dict[str, int]) -> None:
        self.log: list[tuple[str, str, str]] = []
        super().__init__(services, solves)

    def _logged(self, role: str, request: Received, answer: Answer) -> Answer:
        # Long enough to be in flight when the client is killed.
        threading.Event().wait(0.01)
        self.log.append((role, json.dumps(request.body, sort_keys=True), answer.text))
        return answer

    def _play(self, request: Received) -> Answer:
        text = json.dumps(request.body["messages"])
        query, stem = re.findall(r"Query number (\d+) of (\w+)", text)[0]
        model, seed = request.body["model"], request.body["seed"]
        first = not any(one["role"] == "assistant" for one in request.body["messages"])
        if int(query) % 3 == 0 and first:
            name = request.body["tools"][0]["function"]["name"]
            return self._logged("agent", request, calling(name, {}))
        quality = ("well", "badly", "doubtfully")[number(f"{model} {query} {stem} {seed}", 3)]
        said = f"[{model} answers {query} of {stem} with {seed}, {quality}]"
        finish = {"return_type": "give_answer", "final_answer": said}
        return self._logged("agent", request, calling("Finish", finish))

    def _simulate(self, request: Received) -> Answer:
        return self._logged("simulator", request, super()._simulate(request))

    def _judge(self, request: Received) -> Answer:
        function = request.body["tool_choice"]["function"]["name"]
        told = list(dict.fromkeys(_ANSWER.findall(json.dumps(request.body["messages"]))))
        said = {"reason": "-"}
        if function == "check_task_solvable":
            said["task_status"] = "Solvable"
        elif function == "select_better_answer":
            better = sorted(told)[number(str(sorted(told)), 2)]
            said["better"] = ("first", "second")[told.index(better)]
        else:
            believed = {"well": True, "badly": False, "doubtfully": request.body.get("seed", 0) % 2 == 0}
            said["answer_status"] = "Solved" if believed[told[0][4]] else "Unsolved"
        return self._logged("judge", request, calling(function, said))

    def counted(self, begin: int = 0) -> Counter[tuple[str, str]]:
        """Return how often each request was made from some place of the log on."""
        return Counter((role, body) for role, body, _ in self.log[begin:])


class ByHand:
    """The tables, computed from the log of an evaluation that was not killed."""

    def __init__(self, log: list[tuple[str, str, str]]) -> None:
        self.answers: set[Told] = set()
        self._votes: dict[tuple[Told, int], bool] = {}
        self._checked: dict[Told, bool] = {}
        self._better: dict[frozenset[Told], Told] = {}
        for role, text, answer in log:
            body, told = json.loads(text), list(dict.fromkeys(_ANSWER.findall(text)))
            if role == "agent":
                self.answers.update(_ANSWER.findall(answer))
            elif role == "judge":
                function = json.loads(answer)["choices"][0]["message"]["tool_calls"][0]["function"]
                said = json.loads(function["arguments"])
                solved = said.get("answer_status") == "Solved"
                if function["name"] == "report_status":
                    self._votes[told[0], body["seed"]] = solved
                elif function["name"] == "check_answer_status":
                    self._checked[told[0]] = solved
                elif function["name"] == "select_better_answer":
                    self._better[frozenset(told)] = told[("first", "second").index(said["better"])]

    def rates(self, agent: str, group: str) -> list[float]:
        """Return the share of answers that each vote calls solved."""
        answers = self._of(agent, group)
        seeds = sorted({seed for _, seed in self._votes})
        return [fmean(self._votes[answer, seed] for answer in answers) for seed in seeds]

    def row(self, agent: str) -> str:
        """Return an agent's row of the first table, without its interval."""
        groups = [self.rates(agent, STEMS[group]) for group in QUERIES]
        means, deviations = [fmean(one) for one in groups], [pstdev(one) for one in groups]
        cells = [*zip(means, deviations, strict=True), (fmean(means), fmean(deviations))]
        return " | ".join(f"{100 * mean:.1f} ± {100 * deviation:.1f}" for mean, deviation in cells)

    def wins(self, agent: str, group: str) -> float:
        """Return the share of an agent's answers that beat the reference's."""
        won = []
        for answer in self._of(agent, group):
            (rival,) = [one for one in self._of(REFERENCE, group) if one[1:4] == answer[1:4]]
            if self._checked[answer] != self._checked[rival]:
                won.append(self._checked[answer])
            else:
                won.append(self._better[frozenset((answer, rival))] == answer)
        return fmean(won)

    def _of(self, agent: str, group: str) -> list[Told]:
        return [answer for answer in self.answers if (answer[0], answer[2]) == (agent, group)]


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch) -> Iterator[Logging]:
    with field(monkeypatch, dict.fromkeys(AGENTS, 0), Logging) as served:
        yield served


def words(plan: Path, out: Path) -> list[str]:
    return ["eval", str(plan), "--protocol", "stabletoolbench", "--out", str(out), "--yes", "--json"]


def finished(plan: Path, out: Path) -> None:
    """Let an evaluation come to its end."""
    done = CliRunner().invoke(app, words(plan, out))
    assert done.exit_code == 0, done.output


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, without times and without what a kill left of a file in the making."""
    found = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    files = sorted(file for file in found if file.name not in _OF_THE_CLOCK)
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


@pytest.mark.heavy
@needs_fork
@pytest.mark.serial
def test_an_evaluation_that_is_killed_at_random_ends_as_an_unbroken_one_and_as_its_log_says(
    endpoints: Logging, tmp_path: Path
):
    more = f'concurrency = {CONCURRENCY}\nreference = "{REFERENCE} agent"'
    plan = write_plan(tmp_path / "plan", endpoints.services, list(AGENTS), QUERIES, trials=TRIALS, more=more)
    whole, broken = tmp_path / "whole", tmp_path / "broken"

    finished(plan, whole)
    needed, by_hand = endpoints.counted(), ByHand(endpoints.log)
    assert len(by_hand.answers) == len(AGENTS) * TRIALS * sum(QUERIES.values())
    text = (whole / "results.md").read_text(encoding="utf-8")
    for agent in AGENTS:
        assert f"| {agent} agent | {by_hand.row(agent)} |" in re.sub(" +", " ", text)
    results = json.loads((whole / "results.json").read_text(encoding="utf-8"))
    wins = {(one["agent"], one["group"]): one["rate"]["win"] for one in results["wins"]}
    assert wins == pytest.approx(
        {
            (f"{agent} agent", group.removeprefix("stb/").removesuffix("-v0")): by_hand.wins(agent, stem)
            for agent in AGENTS
            for group, stem in STEMS.items()
            if agent != REFERENCE
        }
    )

    rng, begin = random.Random(5), len(endpoints.log)
    for count in sorted(rng.sample(range(10, needed.total() - 10), KILLS)):
        evaluate = partial(CliRunner().invoke, app, words(plan, broken))
        assert killed_when(evaluate, lambda count=count: len(endpoints.log) - begin >= count)
    finished(plan, broken)
    twice = endpoints.counted(begin) - needed
    assert contents(broken) == contents(whole)
    assert not needed - endpoints.counted(begin)
    # What was in flight: episodes in their places, and one vote or comparison for each place.
    assert sum(count for (role, _), count in twice.items() if role == "judge") <= KILLS * CONCURRENCY
    assert twice.total() <= KILLS * CONCURRENCY * (LONGEST + 1)


@pytest.mark.heavy
def test_a_signal_says_what_is_saved_whether_an_evaluation_plays_or_compares(
    endpoints: Logging, tmp_path: Path
):
    more = f'concurrency = {CONCURRENCY}\nreference = "{REFERENCE} agent"'
    plan = write_plan(tmp_path / "plan", endpoints.services, list(AGENTS), {CATEGORY: 2}, more=more)

    def played() -> bool:
        return len(endpoints.log) > 8

    def compared() -> bool:
        return any('"select_better_answer"' in body for _, body, _ in endpoints.log)

    for sent, reached in ((signal.SIGTERM, played), (signal.SIGINT, compared)):
        command = [sys.executable, "-m", "stb_env", *words(plan, tmp_path / "out")]
        process = subprocess.Popen(
            command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=interruptible
        )
        wait_until(process, reached)
        process.send_signal(sent)
        said, error = process.communicate(timeout=60)
        assert (process.returncode, said) == (130, "")
        assert re.search(r"stopped: \d+ episodes are played, and \d+ of them wait for a verdict; ", error)
        assert "the same command goes on there" in error
    assert f"stopped: {2 * len(AGENTS)} episodes are played, and 0 of them wait" in error
    finished(plan, tmp_path / "out")
