"""Dialogues and scenes as tasks, and the pools of tools that they offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.seeding import rng
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.api_set import ApiSet
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.argument_origins import origins
from stb_env.suites.api_bank.corpus import Corpus
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall, Utterance, recorded_ids
from stb_env.suites.api_bank.formats.scenes import Scene
from stb_env.suites.api_bank.knowledge import asking_tool, facts_of
from stb_env.suites.api_bank.retrieval_world import found_names
from stb_env.suites.api_bank.searcher import ToolSearcher
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCall, ToolResult

Pool = Literal["own", "all"] | int
"""The APIs that the dialogue calls, the whole set, or the own ones and so many others."""
DONE = "Done."
"""The oracle's reply where the dialogue records a call and no reply to it."""


def checked_pool(pool: Pool, apis: ApiSet) -> Pool:
    """Return the pool.

    Raises:
        ConfigError: It is no pool.

    Examples:
        >>> from stb_env.suites.api_bank.api_set import LEVEL_3
        >>> checked_pool(5, LEVEL_3)
        5
        >>> checked_pool(50, LEVEL_3)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: pool must be 'own', 'all' or a number from 0 to 21, got 50.
    """
    most = len(apis.apis) - 1
    if pool in ("own", "all") or (type(pool) is int and 0 <= pool <= most):
        return pool
    near = did_you_mean(pool, ("own", "all")) if isinstance(pool, str) else ""
    raise ConfigError(f"pool must be 'own', 'all' or a number from 0 to {most}, got {pool!r}.{near}")


def pool_tools(own: Iterable[str], apis: ApiSet, pool: Pool, *, searched: bool, key: str) -> tuple[Tool, ...]:
    """Return the tools of a pool, in the order of the set, so that the order gives nothing away.

    Args:
        own: Names of the APIs that the dialogue calls.
        apis: The whole set.
        pool: Which pool.
        searched: Whether tools have to be found, so that the search is always there.
        key: Decides which distractors are drawn, for example the task's id.

    Examples:
        >>> from stb_env.suites.api_bank.api_set import LEVEL_12
        >>> [tool.name for tool in pool_tools(["QueryStock"], LEVEL_12, 2, searched=False, key="a")]
        ['ModifyAlarm', 'QueryStock', 'QueryScene']
    """
    needed = {*own, SEARCHER} if searched else set(own)
    others = [name for name in apis.apis if name not in needed and name != SEARCHER]
    if pool == "all":
        needed.update(others)
    elif pool != "own":
        needed.update(rng("api_bank pool", key).sample(others, min(pool, len(others))))
    return tuple(tool for name, tool in apis.tools.items() if name in needed)


def dialogue_tasks(corpus: Corpus, pool: Pool, *, ask_user: bool = False) -> TaskSet:
    """Return the tasks of a corpus; those in which nobody says or calls anything are left out.

    A task's goal has the recorded ``calls`` with their results and with the arguments that nobody gave
    (``loose``), and the ``replies`` that followed calls, by turn. Its record has the ``turns``, each with
    what the user said, the number of calls and the reply, what the user ``knows`` by the name of the
    parameter, and the ``calls`` as they stand in the dialogue.

    Args:
        corpus: The dialogues.
        pool: The tools of a task.
        ask_user: Whether each task also has the tool that asks the user for a value.

    Raises:
        DataError: A recorded call does not fit its API.
    """
    suite = f"APIBank{corpus.ability}"
    recorded = [call for dialogue in corpus.dialogues for call in dialogue.calls]
    asking = (asking_tool(recorded, corpus.apis),) if ask_user else ()
    tasks = (
        dialogue_task(dialogue, corpus.apis, pool, asking, suite=suite, searched=corpus.ability != "Call")
        for dialogue in corpus.dialogues
        if dialogue.calls and any(isinstance(item, Utterance) for item in dialogue.items)
    )
    return TaskSet(tasks, suite)


def dialogue_task(
    dialogue: Dialogue,
    apis: ApiSet,
    pool: Pool,
    more: tuple[Tool, ...] = (),
    *,
    suite: str,
    searched: bool,
) -> Task:
    """Return the task of one dialogue, with some more tools; see `dialogue_tasks`."""
    turns = list(_turns(dialogue.items))
    sources = origins(dialogue)
    own = [call.name for call in dialogue.calls]
    replies = [[number, turn["reply"]] for number, turn in enumerate(turns) if turn["answered"]]
    tools = pool_tools([*own, *_found(dialogue.calls)], apis, pool, searched=searched, key=dialogue.name)
    return Task(
        id=dialogue.name,
        query=turns[0]["user"],
        tools=tools + more,
        suite=suite,
        group=f"level-{dialogue.level}",
        relevant=tuple(apis.tools[name].id for name in dict.fromkeys(own) if name in apis.tools),
        gold=tuple(_call(dialogue.name, call, apis) for call in dialogue.calls),
        goal={
            "calls": [
                {"name": call.name, "result": dict(call.result), "loose": source.loose}
                for call, source in zip(dialogue.calls, sources, strict=True)
            ],
            "replies": replies,
        },
        record={
            "turns": turns,
            "knows": facts_of(list(zip(dialogue.calls, sources, strict=True)), apis),
            "recorded_ids": recorded_ids(dialogue.calls),
            "level": dialogue.level,
            "calls": [[call.name, dict(call.arguments), dict(call.result)] for call in dialogue.calls],
        },
        answer="acts",
        # Some official dialogues record no call: their own pool is empty, and all there is to do is talk.
        checked=bool(tools),
    )


def scene_tasks(corpus: Corpus, scenes: Iterable[Scene], pool: Pool) -> TaskSet:
    """Return the tasks of scenes: the user says the first utterance, and all they know when asked.

    Scenes record no results: what this package answers to their calls, played in order, is the goal. A call
    that is refused there is no part of it.
    """
    world = ApiBankWorld(corpus.apis, corpus.databases, searcher=ToolSearcher(corpus.apis.entries))
    dialogues = (_played(scene, world) for scene in scenes)
    tasks = (
        dialogue_task(dialogue, corpus.apis, pool, suite="APIBankPlan", searched=True)
        for dialogue in dialogues
    )
    return TaskSet(tasks, "APIBankPlan")


def recorded_calls(task: Task) -> tuple[GoldCall, ...]:
    """Return the calls of a task as its dialogue has them."""
    return tuple(GoldCall(*call) for call in task.record["calls"])


def _call(name: str, call: GoldCall, apis: ApiSet) -> ToolCall:
    if call.name not in apis.apis:
        raise DataError(f"dialogue {name}: {call.name!r} is no API of {apis.name}")
    try:
        return apis.tool_call(call)
    except ApiError as error:
        raise DataError(f"dialogue {name}: the call of {call.name} does not fit its API: {error}") from error


def _found(calls: Iterable[GoldCall]) -> Iterator[str]:
    """Yield what recorded searches found, which is not always what is called afterwards."""
    for call in calls:
        if call.name == SEARCHER:
            yield from found_names(ToolResult.of(call.result["output"], source="world"))


def _turns(items: Iterable[Utterance | GoldCall]) -> Iterator[JsonObject]:
    """Yield what the user said, how many calls followed, the last reply, and whether it answers a call."""
    turn: JsonObject | None = None
    for item in items:
        if isinstance(item, Utterance) and item.speaker == "User":
            if turn is not None:
                yield turn
            turn = {"user": item.text, "calls": 0, "reply": DONE, "answered": False}
            continue
        # Nobody writes to an assistant by way of an answer: what comes before the user speaks is a turn, too.
        turn = turn or {"user": "", "calls": 0, "reply": DONE, "answered": False}
        if isinstance(item, GoldCall):
            turn |= {"calls": turn["calls"] + 1, "reply": DONE, "answered": False}
        else:
            turn |= {"reply": item.text, "answered": turn["calls"] > 0}
    if turn is not None:
        yield turn


def _played(scene: Scene, world: ApiBankWorld) -> Dialogue:
    """Return a scene as a dialogue, with a search before the first use of each API."""
    state = world.fresh()
    calls: list[GoldCall] = []
    for call in scene.calls:
        if call.name not in world.tools or isinstance(call.arguments, str):
            continue
        made, after = _made(call.name, call.arguments, world, state)
        if made is None:
            continue
        if all(earlier.name != call.name for earlier in calls):
            search, _ = _made(SEARCHER, {"keywords": call.name}, world, state)
            calls += [search] if search else []
        calls.append(made)
        state = after
    opening = (Utterance("User", scene.first_utterance), Utterance("AI", DONE))
    return Dialogue(scene.name, 3, (*opening, Utterance("User", scene.key_info), *calls))


def _made(
    name: str, arguments: Mapping[str, object], world: ApiBankWorld, state: State
) -> tuple[GoldCall | None, State]:
    tool = world.tools[name]
    result, after = world.call(state, tool, arguments)
    envelope = world.envelope(tool, arguments, result)
    if envelope is None or result.error:
        return None, state
    return GoldCall(name, arguments, envelope), after
