"""Plays every role without a model: the Sandbox's tools are the APIs, its tasks the queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from stb_env import Task, Tool, seeding
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow
from stb_env.errors import DataError
from stb_env.experiments.synthesis.api import SEARCHER
from stb_env.experiments.synthesis.author import Written
from stb_env.experiments.synthesis.role import Role, Try
from stb_env.experiments.synthesis.scene import Scene
from stb_env.experiments.synthesis.tool_api import api_of
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates
from stb_env.suites.sandbox.world import VERSION, SandboxWorld

TIME = f"{TODAY} 09:00:00"
_MOST_TRIES = 100
_TURNS = 1_000_000

Draft = JsonObject


class SandboxAuthor:
    """Writes from the Sandbox's training tasks; what it writes follows from the scene alone.

    The results are what the Sandbox's code answers, and the tester compares the reply with the facts that
    the task's goal names, so that it is never wrong about it.

    Examples:
        >>> from stb_env.core.request import drive
        >>> from stb_env.experiments.synthesis import Pipeline, Settings
        >>> pipeline = Pipeline.offline(seed=0)
        >>> dialogue = drive(pipeline.dialogue(0, []))
        >>> dialogue.outcome, dialogue.review.keep
        ('kept', True)
    """

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the Sandbox."""
        return {"author": "sandbox", "version": VERSION}

    def write(self, role: Role, scene: Scene, tries: Sequence[Try]) -> Slow[Written]:
        """Write the text of a role; waits for nothing.

        Raises:
            DataError: The role is unknown, or no task needs exactly the APIs of the scene.
        """
        yield from ()
        if role.name not in _WRITERS:
            raise DataError(f"the Sandbox plays {', '.join(_WRITERS)}, not {role.name!r}")
        return Written(jsontext.dumps(_WRITERS[role.name](_Script(scene, len(tries)))))


class _Script:
    """Drafts of the Sandbox for a scene, at the given attempt."""

    def __init__(self, scene: Scene, attempt: int) -> None:
        self._scene = scene
        self._attempt = attempt

    def domain(self) -> Draft:
        categories = dict.fromkeys(tool.id.category for tool in _needed(_template(self._scene)))
        return {"domains": [" and ".join(name.replace("_", " ") for name in categories)]}

    def api(self) -> Draft:
        return {"apis": [api_of(tool).record for tool in _needed(_template(self._scene))]}

    def query(self) -> Draft:
        return {"utterances": [_task(self._scene, self._attempt).query], "time": TIME}

    def caller(self) -> Draft:
        return {"turns": [_turn(_spoken(self._scene), self._scene.ability.searches)]}

    def tester(self) -> Draft:
        task, turn = _spoken(self._scene), self._scene.turns[-1]
        reasons = [] if turn.reply == task.record["final_answer"] else ["the reply is not the task's answer"]
        wanted = [call.name for call in task.gold]
        made = [call.name for call in turn.calls if not call.is_search]
        if made != wanted:
            reasons.append(f"the calls are {', '.join(made)} instead of {', '.join(wanted)}")
        return {"keep": not reasons, "reasons": reasons}

    def single(self) -> Draft:
        turn = _turn(_task(self._scene, self._attempt), self._scene.ability.searches)
        return {"domain": self.domain()["domains"][0], **self.api(), **self.query(), "turns": [turn]}


_WRITERS: Mapping[str, Callable[[_Script], Draft]] = {
    "domain": _Script.domain,
    "api": _Script.api,
    "query": _Script.query,
    "caller": _Script.caller,
    "tester": _Script.tester,
    "single": _Script.single,
}


@lru_cache(maxsize=1)
def _tools_by_template() -> Mapping[str, tuple[Tool, ...]]:
    """Return the tools that the tasks of each training template need."""
    needed = {}
    for name, template in templates().items():
        if not template.held_out:
            task = SandboxTasks("train", template=name, distractors=0).at(0)
            needed[name] = tuple(sorted(task.tools, key=lambda tool: tool.name))
    return needed


@lru_cache(maxsize=1)
def _names_by_template() -> Mapping[str, frozenset[str]]:
    """Return what the APIs are called that the tasks of each training template need."""
    return {
        name: frozenset(api_of(tool).name for tool in tools) for name, tools in _tools_by_template().items()
    }


def _needed(template: str) -> tuple[Tool, ...]:
    return _tools_by_template()[template]


def _template(scene: Scene) -> str:
    """Return the template that a scene is written from: one that fits its APIs, or else its size."""
    wanted = {api.name for api in scene.apis}
    fitting = [
        name
        for name, names in _names_by_template().items()
        if (names == wanted if wanted else len(names) == scene.size)
    ]
    if not fitting:
        raise DataError(f"no task of the Sandbox needs exactly {', '.join(sorted(wanted))}")
    return seeding.rng("synthesis", scene.seed, "template").choice(fitting)


def _task(scene: Scene, attempt: int) -> Task:
    template = _template(scene)
    tasks, wanted = SandboxTasks("train", template=template, distractors=0), set(_needed(template))
    # A few templates need one tool or another, depending on what is drawn.
    for turn in seeding.derive_each(("synthesis", scene.seed, "turn", attempt), range(_MOST_TRIES)):
        task = tasks.at(turn % _TURNS)
        if set(task.tools) == wanted:
            return task
    raise DataError(f"tasks of template {template} need other tools than its first one")


def _spoken(scene: Scene) -> Task:
    """Return the task whose query the user speaks."""
    said = scene.utterances[0]
    for attempt in range(_MOST_TRIES):
        task = _task(scene, attempt)
        if " ".join(task.query.split()) == said:
            return task
    raise DataError(f"no task of the Sandbox has the query {said[:120]!r}")


def _turn(task: Task, searches: bool) -> Draft:
    world = SandboxWorld()
    state, known = world.start(task, 0), {tool.name: tool for tool in task.tools}
    calls: list[Draft] = []
    found: set[str] = set()
    solution = oracle(task)
    try:
        call = next(solution)
        while True:
            arguments = dict(call.arguments) if not isinstance(call.arguments, str) else {}
            if searches and call.name not in found:
                calls += _search(known[call.name])
                found.add(call.name)
            result, state = world.call(state, known[call.name], arguments)
            answer = {"error": result.error} if result.error else result.response
            answer = answer if isinstance(answer, dict) else {"result": answer}
            calls.append({"name": call.name, "arguments": arguments, "result": answer})
            call = solution.send(result)
    except StopIteration as stop:
        ending = stop.value
        reply = ending if isinstance(ending, str) else ending["final_answer"]
        return {"calls": calls, "reply": reply}


def _search(tool: Tool) -> Iterator[Draft]:
    keywords = f"{tool.record['tool_name']} {tool.record['api_name']}".lower()
    yield {"name": SEARCHER.name, "arguments": {"keywords": keywords}, "result": tool.name}
