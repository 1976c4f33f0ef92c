"""Solvers for Inspect: our own loop, or Inspect's agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Literal

# Inspect asks its approvers where its own agents make calls, and has no public name for that.
from inspect_ai._util.exception import TerminateSampleError
from inspect_ai.agent import AgentState, react
from inspect_ai.approval import Approval
from inspect_ai.approval._apply import apply_tool_approval, modified_function_error
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolCallError, ToolDef, ToolInfo, ToolParams

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.integrations.inspect.scorer import STORED
from stb_env.runs import DrivenEpisode
from stb_env.runs.make import make_env
from stb_env.seeding import derive

Form = Literal["exact", "react"]
Solve = Callable[[TaskState, DrivenEpisode], Awaitable[None]]


@solver
def exact(env_id: str, settings: dict[str, object]) -> Solver:
    """Return the solver that brings everything a model writes to the environment."""

    async def turns(state: TaskState, episode: DrivenEpisode) -> None:
        while not (episode.over or state.completed):
            state.output = await get_model().generate(state.messages, tools=tool_infos(episode))
            said = state.output.message
            state.messages.append(said)
            if said.tool_calls:
                state.messages += await made(episode, said, state.messages)
            if not said.tool_calls:
                heard = await episode.asay(said.text)
                if not heard.over:
                    state.messages.append(ChatMessageUser(content=heard.text))

    return solving(env_id, settings, turns)


@solver
def reacting(env_id: str, settings: dict[str, object]) -> Solver:
    """Return the solver that lets Inspect's own agent play.

    Raises:
        ConfigError: The tools of an episode change, and Inspect's agent has those of its start.
    """
    if DrivenEpisode(env_id, **settings).tools_change:
        raise ConfigError(
            f"form='react' offers the tools of an episode's start throughout, and {env_id} offers others "
            "later; take form='exact'"
        )

    async def agent(state: TaskState, episode: DrivenEpisode) -> None:
        async def more(told: AgentState) -> bool | str:
            said = told.output.message
            if said.tool_calls or episode.over:
                return not episode.over
            heard = await episode.asay(said.text)
            return False if heard.over else heard.text

        tools = [tool_of(episode, spec["function"]) for spec in episode.tools]
        play = react(prompt=None, tools=tools, submit=False, on_continue=more)
        done = await play(AgentState(messages=state.messages))
        state.messages, state.output = done.messages, done.output

    return solving(env_id, settings, agent)


def solving(env_id: str, settings: Mapping[str, object], solve: Solve) -> Solver:
    """Return a solver that starts a sample's episode, has it played, and stores its record."""
    root = make_env(env_id, settings)

    async def run(state: TaskState, generate: Generate) -> TaskState:
        del generate
        episode = DrivenEpisode(root.fork())
        task_id, trial = state.metadata["task_id"], state.epoch - 1
        await episode.astart(task_id=task_id, seed=derive(state.metadata["seed"], task_id, trial))
        try:
            await solve(state, episode)
        finally:
            # A limit of Inspect's may end it, and then it is scored as far as it came.
            state.store.set(STORED, episode.trajectory(trial).to_dict())
        return state

    return run


FORMS: Mapping[str, Callable[[str, JsonObject], Solver]] = {"exact": exact, "react": reacting}


def tool_infos(episode: DrivenEpisode) -> list[ToolInfo]:
    """Return what may be called now."""
    return [info_of(spec["function"]) for spec in episode.tools]


def info_of(function: Mapping[str, object]) -> ToolInfo:
    """Return a function's spec as Inspect's."""
    parameters = ToolParams.model_validate(function["parameters"])
    return ToolInfo(name=function["name"], description=function["description"], parameters=parameters)


async def made(
    episode: DrivenEpisode, said: ChatMessageAssistant, history: list[ChatMessage]
) -> list[ChatMessageTool]:
    """Make the calls of a message as one turn, those that approvers let pass, and return their results.

    Raises:
        TerminateSampleError: An approver ends the sample.
        RuntimeError: An approver put another function in the place of the one that was called.
    """
    found: dict[str, ChatMessageTool] = {}
    passed: list[ToolCall] = []
    for call in said.tool_calls or ():
        approved, approval = await apply_tool_approval(said.text, call, None, history)
        if approved:
            passed.append(_modified(call, approval))
        elif approval is not None and approval.decision == "terminate":
            raise TerminateSampleError("Tool call approver requested termination.")
        else:
            why = (approval and approval.explanation) or "Tool call not approved."
            error = ToolCallError("approval", why)
            found[call.id] = ChatMessageTool(
                content="", tool_call_id=call.id, function=call.function, error=error
            )
    # What cannot be read as arguments is for the environment to refuse, and costs a turn there.
    replies = await episode.acalls([(call.function, call.parse_error or call.arguments) for call in passed])
    for call, reply in zip(passed, replies, strict=True):
        # Not flagged as an error: a model would read another text than in our own loop.
        found[call.id] = ChatMessageTool(
            content=reply.text,
            tool_call_id=call.id,
            function=call.function,
            metadata={"status": reply.status},
        )
    return [found[call.id] for call in said.tool_calls or ()]


def _modified(call: ToolCall, approval: Approval | None) -> ToolCall:
    if approval is None or approval.modified is None:
        return call
    if wrong := modified_function_error(call, approval.modified):
        raise RuntimeError(wrong)
    return replace(approval.modified, id=call.id)


def tool_of(episode: DrivenEpisode, function: Mapping[str, object]) -> ToolDef:
    """Return a function of the episode as a tool that Inspect runs, one after another."""
    info = info_of(function)

    async def execute(**kwargs: object) -> str:
        return (await episode.acall(info.name, kwargs)).text

    described = info.description or info.name
    # Results are cut by the environment, where they still parse.
    return ToolDef(execute, info.name, described, parameters=info.parameters, parallel=False, max_output=0)
