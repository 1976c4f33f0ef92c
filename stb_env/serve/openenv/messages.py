"""Messages of OpenEnv's wire format (version 0.10), with its field names."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Number = bool | int | float


class Message(BaseModel):
    """The base of all: a field that nobody knows is refused."""

    model_config = ConfigDict(extra="forbid")


# -- actions --------------------------------------------------------------------------------------------


class CallTool(Message):
    """Calls a tool of the episode."""

    type: Literal["call_tool"] = "call_tool"
    tool_name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)


class ListTools(Message):
    """Asks what may be called."""

    type: Literal["list_tools"] = "list_tools"
    metadata: dict[str, Any] = Field(default_factory=dict)


# -- observations ---------------------------------------------------------------------------------------


class Observed(Message):
    """Fields of every observation.

    Attributes:
        done: Whether the episode is over.
        reward: What the step earned; None at reset, and where a failure of the infrastructure ended the
            episode, so that nobody takes it for a 0 that was earned.
        metadata: ``status``, ``valid``; at the end also ``verdict`` or ``failure``, and ``episode_reward``.
    """

    done: bool = False
    reward: Number | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    def payload(self) -> dict[str, object]:
        """Return it as it travels: fields of its own inside, reward and end beside them."""
        fields = self.model_dump()
        done, reward, metadata = fields.pop("done"), fields.pop("reward"), fields["metadata"]
        whole = {"observation": fields, "reward": reward, "done": done}
        return {**whole, "metadata": metadata} if metadata else whole


class TaskGiven(Observed):
    """The start of an episode; its tools are asked for by `ListTools`."""

    task_id: str
    query: str
    messages: list[dict[str, Any]]


class ToolCalled(Observed):
    """Result of a call.

    Attributes:
        tool_name: The tool that was called.
        result: Text of the tool message: JSON of ``error`` and ``response``.
        error: Always None: what a tool, or whoever calls it, does wrong stands in the result.
    """

    tool_name: str
    result: str
    error: None = None


class ToolSpec(Message):
    """A tool as clients show it to models."""

    name: str
    description: str
    input_schema: dict[str, Any]


class ToolsListed(Observed):
    """List of the tools."""

    tools: list[ToolSpec]


class State(BaseModel):
    """State of an episode."""

    episode_id: str | None = None
    step_count: int = 0
    env_id: str = ""
    task_id: str | None = None
    over: bool = False
    reward: Number | None = None


# -- requests -------------------------------------------------------------------------------------------


class Reset(Message):
    """Request for a new episode.

    Attributes:
        seed: Draws the task where none is named.
        episode_id: How the client calls the episode.
        task_id: The task.
        split: The split to take it from; the environment's own where None.
    """

    seed: int | None = Field(default=None, ge=0, lt=2**63)
    episode_id: str | None = Field(default=None, max_length=255)
    task_id: str | None = None
    split: str | None = None


class HttpReset(Reset):
    """A reset over HTTP, of a session or just to look at a task."""

    session_id: str | None = None


class HttpStep(Message):
    """A step over HTTP, in a session."""

    action: Annotated[CallTool | ListTools, Field(discriminator="type")]
    session_id: str | None = None
    timeout_s: float | None = Field(default=None, gt=0)
    request_id: str | None = Field(default=None, max_length=255)


class Rpc(Message):
    """A request of JSON-RPC 2.0."""

    jsonrpc: Literal["2.0"]
    method: str
    params: dict[str, Any] = Field(default_factory=dict)
    id: str | int | None = None


ACTION: TypeAdapter[CallTool | ListTools] = TypeAdapter(
    Annotated[CallTool | ListTools, Field(discriminator="type")]
)
