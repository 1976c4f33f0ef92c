"""``--protocol sambanova`` on the command line: what a served model is asked, what its answers are worth.

What it should be asked is put together here from the specification [2.2 to 2.4, 10.3]; of the package there
are only the texts of documents and demonstrations, and the tasks.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium as gym
import httpx2  # noqa: F401 - its first import would eat up time-outs
import pytest
from typer.testing import CliRunner

from stb_env.show.cli import app
from stb_env.suites.sambanova.materials import documents, examples, turns
from stb_env.suites.sambanova.tabletop.nested_agent import prompt_for
from stb_env.suites.sambanova.tasks import SUITE
from stb_env.tasks import Task
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion

# Name: bound on tokens, API documents, demonstrations [1, Table 8].
TABLE_8 = {
    "open_weather": (128, 9, 3),
    "cat_api": (128, 6, 3),
    "home_search": (128, 15, 3),
    "trip_booking": (300, 20, 3),
    "google_sheets": (256, 10, 3),
    "virtual_home": (128, 10, 3),
    "web_shop": (128, 2, 3),
    "tabletop": (256, 0, 0),
}
TEXT = [name for name in TABLE_8 if name not in ("web_shop", "tabletop")]
STOPS = ["------", "Task:"]
EPISODES = 6

Model = Callable[[str], str]


# -- the specification -------------------------------------------------------------------------------------


class Shelf:
    """Texts in the order of their file names, found by Okapi BM25 with the settings of the original [2.2]."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = list(dict.fromkeys(texts[name] for name in sorted(texts)))
        bags = [Counter(_words(text)) for text in self._texts]
        self._bags, self._lengths = bags, [bag.total() for bag in bags]
        known = Counter(word for bag in bags for word in bag)
        idf = {word: math.log(len(bags) - n + 0.5) - math.log(n + 0.5) for word, n in known.items()}
        floor = 0.25 * sum(idf.values()) / len(idf)
        self._idf = {word: floor if value < 0 else value for word, value in idf.items()}
        self._mean = sum(self._lengths) / len(bags)

    def best(self, k: int, query: str) -> list[str]:
        words = [word for word in _words(query) if word in self._idf]
        scores = [
            sum(
                self._idf[word] * bag[word] * 2.5 / (bag[word] + 1.5 * (0.25 + 0.75 * length / self._mean))
                for word in words
                if word in bag
            )
            for bag, length in zip(self._bags, self._lengths, strict=True)
        ]
        # Sums of equal terms in another order differ in their last bits.
        order = sorted(range(len(scores)), key=lambda index: (-round(scores[index], 9), index))
        return [self._texts[index] for index in order[:k]]


def _words(text: str) -> list[str]:
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


@cache
def shelves(name: str) -> tuple[Shelf, Shelf]:
    """Return the API documents and the demonstrations of a task."""
    task = SUITE[name]
    demos = {
        one.name: "\n".join(f"Task: {asked}\nAction:\n{said}\n" for asked, said in turns(task, one))
        for one in examples(task)
    }
    return Shelf(documents(task)), Shelf(demos)


def written(name: str, goal: str) -> str:
    """Return the prompt of a goal or page [2.3]."""
    _, k, shots = TABLE_8[name]
    apis, demos = shelves(name)
    return (
        f"I have the following set of API:\n\n{_lines(apis.best(k, goal))}{'-' * 13}\n"
        f"I have the following set of examples:\n\n{_lines(demos.best(shots, goal))}{'-' * 13}\n"
        f"Task: {goal}\nAction:\n"
    )


def _lines(texts: list[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


# -- the command line --------------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenAIServer]:
    fake = OpenAIServer()
    with fake.running():
        monkeypatch.setenv("FAKE_KEY", "sk-0")
        lines = ["[models.agent]", 'model = "fake"', f'base_url = "{fake.url()}"', 'api_key_env = "FAKE_KEY"']
        (tmp_path / "models.toml").write_text("\n".join(lines))
        yield fake


def stb(*words: object) -> dict[str, Any]:
    done = CliRunner().invoke(app, [str(word) for word in words], env=dict(os.environ))
    assert done.exit_code == 0, done.output
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def run(server: OpenAIServer, folder: Path, name: str, model: Model, *words: object) -> dict[str, Any]:
    """Play a task under the protocol against a served model; ``words`` are further options."""

    def answer(request: Received) -> Answer:
        return Answer(completion(model(request.body["messages"][-1]["content"])))

    server.script(*[answer] * 5_000)
    env_id, models = SUITE[name].env_id, folder / "models.toml"
    return stb("run", env_id, "--protocol", "sambanova", "--models", models, "--json", *words)


# -- models ------------------------------------------------------------------------------------------------


def goal_of(prompt: str) -> str:
    """Return the goal or page that a prompt ends with."""
    last = prompt if prompt.startswith("# Python") else prompt.rsplit("\nTask: ", 1)[1]
    return "\n".join(last.splitlines()[-2:]) if last is prompt else last.removesuffix("\nAction:\n")


def held_out(name: str) -> list[Task]:
    tasks = gym.make(SUITE[name].env_id).unwrapped.tasks  # type: ignore[attr-defined] # a ToolEnv
    return [tasks.at(index) for index in range(tasks.size)]


def program_of(task: Task) -> str:
    """Return a gold program, the first label where the task has labels."""
    if "labels" in task.goal:
        return str(task.goal["labels"][0])
    lines = []
    for call in task.gold:
        values = [
            repr(value) if isinstance(value, str) else f"np.array({value})"
            for value in call.arguments.values()
        ]
        lines.append(f"{call.name}({', '.join(values)})")
    return "\n".join(lines) or "say('done')"


def knowing(name: str, shift: int = 0) -> Model:
    """Return a model that answers each goal with its gold program, or the one of another task."""
    tasks = held_out(name)
    programs = {task.query: program_of(tasks[n - shift]) for n, task in enumerate(tasks)}
    return lambda prompt: programs[goal_of(prompt)]


def shopping(folder: Path) -> Model:
    """Return a model that does in a shop what was done there before, page by page."""
    words = ("stb/WebShop-v1", "--protocol", "sambanova", "--agent", "gold", "--trials", 1)
    stb("run", *words, "--episodes", EPISODES, "--out", folder, "--json")
    lines = (folder / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()
    actions = defaultdict(list)
    for episode in map(json.loads, lines):
        for call in (call for step in episode["steps"] for call in step["calls"]):
            if call["name"] in ("search", "click"):
                (value,) = call["arguments"].values()
                actions[_wish(episode["query"])].append(f"{call['name']}[{value}]")
    asked: Counter[str] = Counter()

    def answer(prompt: str) -> str:
        wish = next(wish for wish in actions if wish in goal_of(prompt))
        asked[wish] += 1
        return actions[wish][(asked[wish] - 1) % len(actions[wish])]

    return answer


def _wish(query: str) -> str:
    return query.partition("Instruction:")[2].strip() or query.strip()


def copying(prompt: str) -> str:
    """Return the program of the demonstration that matches best."""
    if prompt.startswith("# Python"):
        # The last of the fixed examples: the program behind the last comment but one.
        return prompt.split("\n# ")[-2].partition("\n")[2].partition("\nobjects =")[0].strip()
    return prompt.split("set of examples:\n\n")[1].split("\nAction:\n")[1].split("\nTask: ")[0].strip()


# -- what is asked -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXT)
def test_the_request_log_is_that_of_the_specification(server: OpenAIServer, tmp_path: Path, name: str):
    run(server, tmp_path, name, knowing(name), "--episodes", EPISODES)
    goals = [task.query for task in held_out(name)[:EPISODES]]
    expected = [{"role": "user", "content": written(name, goal)} for goal in goals]
    bound = TABLE_8[name][0]
    assert len(server.requests) == 3 * EPISODES
    for request in server.requests:
        assert request.body["messages"] in [[message] for message in expected]
        assert request.body.keys() - {"stream", "stream_options"} == {
            "model",
            "messages",
            "temperature",
            "max_tokens",
            "stop",
        }
        assert (request.body["temperature"], request.body["max_tokens"]) == (0.0, bound)
        assert request.body["stop"] == STOPS
    asked = Counter(request.body["messages"][0]["content"] for request in server.requests)
    assert asked == dict.fromkeys((message["content"] for message in expected), 3)


@pytest.mark.heavy
def test_in_a_shop_each_page_is_a_prompt_of_its_own(server: OpenAIServer, tmp_path: Path):
    run(server, tmp_path, "web_shop", shopping(tmp_path / "gold"), "--episodes", 2, "--trials", 1)
    assert len(server.requests) >= 2 * 3
    for request in server.requests:
        (message,) = request.body["messages"]
        page = goal_of(message["content"])
        assert "Instruction:" in page
        assert message["content"] == written("web_shop", page)
        assert (request.body["temperature"], request.body["max_tokens"]) == (0.0, 128)
        assert request.body["stop"] == STOPS


def test_a_table_is_played_by_nested_generation(server: OpenAIServer, tmp_path: Path):
    report = run(server, tmp_path, "tabletop", knowing("tabletop"), "--episodes", EPISODES)
    assert report["protocol"]["departures"] == _standing()
    goals = [task.query for task in held_out("tabletop")[:EPISODES]]
    for goal, request in zip(
        [goal for goal in goals for _ in range(3)], _by_goal(server, goals), strict=True
    ):
        objects, instruction = goal.splitlines()
        assert objects.startswith("objects = [")
        assert instruction.startswith("# ")
        assert request.body["messages"] == [{"role": "user", "content": prompt_for("goal", goal)}]
        assert (request.body["temperature"], request.body["max_tokens"]) == (0.0, 256)
        assert request.body["stop"] == [*STOPS, "#", "objects = ["]


def _by_goal(server: OpenAIServer, goals: list[str]) -> list[Received]:
    return sorted(server.requests, key=lambda one: goals.index(goal_of(one.body["messages"][0]["content"])))


def test_what_a_program_calls_and_nobody_defined_is_asked_for_with_its_own_stop_texts(
    server: OpenAIServer, tmp_path: Path
):
    written_once = {
        "# define function: park_everything().": "def park_everything():\n    stow(get_obj_names())",
        "# define function: stow(get_obj_names()).": "def stow(names):\n    say(names[0])",
    }

    def model(prompt: str) -> str:
        return written_once.get(prompt.splitlines()[-1], "park_everything()")

    run(server, tmp_path, "tabletop", model, "--episodes", 1, "--trials", 1)
    asked = [request.body["messages"][0]["content"].splitlines()[-1] for request in server.requests]
    assert asked[1:] == list(written_once)
    assert [request.body["stop"][2:] for request in server.requests] == [
        ["#", "objects = ["],
        ["# define", "# example"],
        ["# define", "# example"],
    ]


# -- what answers are worth --------------------------------------------------------------------------------


@pytest.mark.heavy
@pytest.mark.parametrize("name", [*TEXT, "tabletop"])
def test_gold_programs_are_worth_the_maximum(server: OpenAIServer, tmp_path: Path, name: str):
    words = ("--trials", 1, "--episodes", 20)
    report = run(server, tmp_path, name, knowing(name), *words)
    assert (report["mean"], report["solved"], report["episodes"]) == (1.0, 20, 20)


def test_what_was_bought_before_is_worth_the_maximum(server: OpenAIServer, tmp_path: Path):
    model = shopping(tmp_path / "gold")
    report = run(server, tmp_path, "web_shop", model, "--trials", 1, "--episodes", 2)
    assert (report["mean"], report["episodes"]) == (1.0, 2)


# What is reached by copying: the requests of the Cat API that take no value have one program each, and a
# household's chores share steps, which count by their longest common subsequence.
ALIKE = {"cat_api": 0.15, "virtual_home": 0.25}
CHEATS: dict[str, Callable[[str], Model]] = {
    "says nothing": lambda _: lambda _: "",
    "says that it is done": lambda _: lambda _: "Done: the goal is reached.",
    "copies the nearest demonstration": lambda _: copying,
    "answers for the task before": lambda name: knowing(name, shift=1),
}


@pytest.mark.heavy
@pytest.mark.parametrize("cheat", CHEATS)
@pytest.mark.parametrize("name", [*TEXT, "tabletop"])
def test_a_cheat_is_worth_next_to_nothing(server: OpenAIServer, tmp_path: Path, name: str, cheat: str):
    report = run(server, tmp_path, name, CHEATS[cheat](name), "--trials", 1, "--episodes", 20)
    bound = ALIKE.get(name, 0.0) if cheat.startswith(("copies", "answers")) else 0.0
    assert (report["mean"] <= bound, report["episodes"]) == (True, 20)


@pytest.mark.parametrize("said", ["", "search[anything]", "click[buy now]"])
def test_in_a_shop_nothing_is_bought_by_one_word(server: OpenAIServer, tmp_path: Path, said: str):
    words = ("--trials", 1, "--episodes", 3)
    assert run(server, tmp_path, "web_shop", lambda _: said, *words)["mean"] == 0.0


# -- what is said of it ------------------------------------------------------------------------------------


def _standing() -> list[str]:
    return [
        row["departure"] for row in stb("protocols", "sambanova", "--json")["settings"] if row["departure"]
    ]


@pytest.mark.parametrize(
    ("env_id", "agent", "departures"),
    [
        ("stb/HomeSearch-v1", "gold", ["agent 'gold' is none of the protocol's"]),
        ("stb/Tabletop-v1", "few_shot", ["agent 'few_shot' is none of the protocol's"]),
        ("stb/HomeSearch-v1", "zero_shot", []),
        ("stb/HomeSearch-v1", "few_shot(examples=1)", ["examples of few_shot is 1, not 'paper'"]),
        ("stb/HomeSearch-v1", "few_shot(documents=2)", ["documents of few_shot is 2, not 'paper'"]),
        (
            "stb/HomeSearch-v1",
            "few_shot(variant='system')",
            ["variant of few_shot is 'system', not 'original'"],
        ),
        ("stb/Tabletop-v1", "nested(compat=None)", ["compat of nested is None, not 'original'"]),
    ],
)
def test_a_run_says_in_what_it_departs(
    server: OpenAIServer, tmp_path: Path, env_id: str, agent: str, departures: list[str]
):
    models = ("--models", tmp_path / "models.toml")
    words = ("--protocol", "sambanova", "--agent", agent, "--episodes", 1, *models, "--json")
    assert stb("run", env_id, *words)["protocol"]["departures"] == [*departures, *_standing()]
