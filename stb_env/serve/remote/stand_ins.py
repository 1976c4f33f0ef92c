"""Stand-ins for the parts of an environment that its server keeps: backend, judge, wording, oracle."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Slow, drive
from stb_env.envs.wording import Wording
from stb_env.errors import InfrastructureError, JudgeError
from stb_env.judges.judge import Case
from stb_env.serve.remote.server import Server
from stb_env.serve.sessions.wire import read_call, result_data
from stb_env.tasks import Ending, Task
from stb_env.tools import FINISH, Tool, ToolCall, ToolResult
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict, Vote


class RemoteBackend:
    """Says what answers the calls, and answers none: the server makes them.

    Args:
        fingerprint: That of the server's backend.
    """

    def __init__(self, fingerprint: Mapping[str, object]) -> None:
        self._fingerprint = fingerprint

    @property
    def fingerprint(self) -> dict[str, object]:
        """Settings that decide the answers, as plain data."""
        return dict(self._fingerprint)

    def start(self, task: Task, seed: int) -> None:
        """Return no state; it is the server's."""
        del task, seed

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        """Refuse.

        Raises:
            InfrastructureError: Always.
        """
        del state, call
        yield from ()
        raise InfrastructureError(f"{tool.name} is called at the server, by whole actions", stage="server")

    def recorded(self, state: object, tool: Tool, call: ToolCall) -> ToolResult | None:
        """Return nothing; what was recorded is the server's."""
        del state, tool, call
        return None

    def close(self) -> None:
        """Do nothing; the environment closes its session."""


class RemoteJudge:
    """The server's judge, for answers that were given before any call.

    Args:
        server: The server.
        chosen: Id and settings of the environment there.
        about: What the server says of the judge.
        exact: Whether it verifies exactly.
    """

    def __init__(
        self, server: Server, chosen: Mapping[str, object], about: JsonMapping, *, exact: bool
    ) -> None:
        self._server, self._chosen = server, chosen
        self.name: str = about["name"]
        self.exact = exact
        if about["floors"] is not None:
            self.floors: JsonMapping = about["floors"]
        if about["fingerprint"] is not None:
            self.fingerprint: JsonObject = about["fingerprint"]

    def judge(self, case: Case) -> Slow[Verdict]:
        """Give the answer in an episode of its own, and return the verdict.

        Raises:
            JudgeError: There were calls, which only the server's own episode can be judged with.
        """
        if any(call.name != FINISH for call in case.calls):
            raise JudgeError("a remote episode is judged at its end, by the server", retryable=False)
        reset = {"options": {"task_id": case.task.id, "seed": 0}}
        opened = yield from self._server.request("POST", "/sessions", {**self._chosen, "reset": reset})
        path = f"/sessions/{opened['session']}"
        given = {"answer": case.answer, "cannot": case.cannot, "final_answer": case.final_answer}
        arguments = {name: value for name, value in given.items() if value is not None}
        body = {"action": {"name": FINISH, "arguments": arguments}}
        reply = yield from self._server.request("POST", f"{path}/step", body)
        self._server.forget(opened["session"])
        verdict = reply["info"].get("verdict")
        if verdict is None:
            raise JudgeError("the server gave no verdict")
        votes = tuple(Vote(vote["status"], vote["reason"]) for vote in verdict["votes"])
        parts, metrics = verdict.get("parts", {}), verdict.get("metrics", {})
        return Verdict(verdict["status"], verdict["score"], verdict["judge"], votes, parts, metrics)


def potential_there(task: Task, state: object, calls: Sequence[CallRecord]) -> float:
    """Refuse to say how far an episode has come: the server shapes its rewards.

    Raises:
        InfrastructureError: Always.
    """
    del state, calls
    raise InfrastructureError(f"the server shapes the rewards of task {task.id!r}", stage="server")


class RemoteWording(Wording):
    """The server's words, of which the client sees the opening of each episode alone.

    Args:
        about: What the server says of the environment.
    """

    def __init__(self, about: JsonMapping) -> None:
        super().__init__()
        if finish := about["finish"]:
            self.finish = Tool(finish["name"], finish["description"], finish["parameters"])
        self._fingerprint: JsonObject = about["wording"]

    @property
    def fingerprint(self) -> dict[str, object]:
        """Hashes of the server's texts by their names."""
        return dict(self._fingerprint)


class RemoteOracle:
    """Solves a task as the server says, where its operator gives solutions away.

    Args:
        server: The server.
        chosen: Id and settings of the environment there.
    """

    def __init__(self, server: Server, chosen: Mapping[str, object]) -> None:
        self._server, self._chosen = server, chosen

    def __call__(self, task: Task) -> Generator[Any, ToolResult, Ending]:
        """Yield what the solution does, and return how it ends; see `stb_env.tasks.Oracle`."""
        results: list[JsonObject] = []
        while True:
            body = {**self._chosen, "task_id": task.id, "results": results}
            move = drive(self._server.request("POST", "/environments/solve", body))
            if "answer" in move:
                return str(move["answer"])
            if "finish" in move:
                return dict(move["finish"])
            results.append(result_data((yield _move(move))))


def _move(move: JsonMapping) -> object:
    if "says" in move:
        return move["says"]
    return read_call(move["call"]) if "call" in move else [read_call(call) for call in move["calls"]]
