"""The request flows recorded from the original server, step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest

from stb_env.backend.cache import ResponseCache, call_key
from stb_env.backend.real_api import RemoteServer
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.request import Slow, drive
from stb_env.errors import BackendError, SimulatorError
from stb_env.formats.recorded_answer import read_answer
from stb_env.suites.stabletoolbench.api_entry import server_names
from stb_env.suites.stabletoolbench.cache_export import export_folder
from stb_env.suites.stabletoolbench.cache_import import import_source
from stb_env.suites.stabletoolbench.original_server import (
    FAILED_SIMULATION,
    FIELDS,
    PARSE_ERROR,
    OriginalServer,
    Question,
    RealReply,
)
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult
from tests.fakes.api_server import APIServer
from tests.fakes.openai_server import Answer
from tests.shared import objects


class World:
    """The real API and the model of one step, and what they were asked."""

    def __init__(self) -> None:
        self.reply: Any = None
        self.outputs: Iterator[str] = iter(())
        self.real_requests: list[Mapping[str, Any]] = []
        self.questions: list[Question] = []

    def real(self, body: Mapping[str, Any]) -> RealReply:
        self.real_requests.append(json.loads(json.dumps(body)))
        if self.reply is None:
            raise BackendError("the connection failed", kind="transport", stage="real")
        value = self.reply.get("json")
        return RealReply(self.reply["status"], "<html>" if value is None else json.dumps(value))

    def simulate(self, question: Question) -> str:
        self.questions.append(question)
        return next(self.outputs)


def flows(shared_data: Path) -> list[dict[str, Any]]:
    files = objects(shared_data, "stabletoolbench/golden/server/*.json", "flows")
    return [flow for file in files for flow in file["flows"]]


def write_tree(folder: Path, files: Mapping[str, Any]) -> None:
    for name, value in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value, indent=4), encoding="ascii")


def read_tree(folder: Path) -> dict[str, Any]:
    # As lists, so that the order of keys counts.
    return {
        file.relative_to(folder).as_posix(): list(json.loads(file.read_text()).items())
        for file in sorted(folder.rglob("*.json"))
    }


def play(flow: Mapping[str, Any], folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield what each step gave beside what was recorded."""
    write_tree(folder / "tools", flow["tool_files"])
    write_tree(folder / "cache", flow["cache_before"])
    for step in flow["steps"]:
        world = World()
        server = OriginalServer(
            folder / "cache", folder / "tools", world.real, world.simulate, save=flow["is_save"]
        )
        world.reply, world.outputs = step["real_api"], iter(step["llm_outputs"])
        status, body = server.virtual(step["request"])
        got = {
            "status": status,
            "body": body,
            "real_request": world.real_requests[0] if world.real_requests else None,
            "llm_calls": len(world.questions),
            "simulator_inputs": shown(world.questions[0]) if world.questions else None,
            "cache_after": read_tree(folder / "cache"),
        }
        assert len(world.real_requests) <= 1
        recorded = dict(step["expected"])
        recorded["cache_after"] = {
            name: list(entries.items()) for name, entries in recorded["cache_after"].items()
        }
        yield json.loads(json.dumps(got)), json.loads(json.dumps(recorded))


def shown(question: Question) -> dict[str, Any]:
    text = str(question.examples)
    assert question.examples_text == text[:2048]
    return {
        "examples": [key for key, _ in question.examples],
        "examples_text_length": len(text),
        "doc": question.document,
        "tool_input": question.tool_input,
    }


def test_golden_flows_are_replayed_to_the_byte(shared_data, tmp_path):
    for number, flow in enumerate(flows(shared_data)):
        for step, (got, recorded) in enumerate(play(flow, tmp_path / str(number))):
            assert got == recorded, f"{flow['name']}, step {step}"


def test_golden_flows_leave_caches_that_survive_import_and_export(shared_data, tmp_path):
    for number, flow in enumerate(flows(shared_data)):
        folder = tmp_path / str(number)
        for _ in play(flow, folder):
            pass
        before = answers(folder / "cache")
        if not before:
            continue
        with closing(ResponseCache()) as cache:
            import_source(cache, folder / "cache", kind="official")
            export_folder(cache, folder / "exported")
        # Keys that differ only in the order of arguments are two recordings, and stay two.
        assert answers(folder / "exported") == before, flow["name"]


def answers(folder: Path) -> dict[str, dict[str, str]]:
    """Return what is an answer, as text, by file and key."""
    files = {}
    for file in sorted(folder.rglob("*.json")):
        kept = {
            key: json.dumps(value) for key, value in json.loads(file.read_text()).items() if is_answer(value)
        }
        if kept:
            files[file.relative_to(folder).as_posix()] = kept
    return files


class ScriptedSimulator:
    """Says what a step's model said, read as our simulator reads: an object of error and response."""

    fingerprint: ClassVar[dict[str, Any]] = {"model": "scripted", "prompt": "v1"}

    def __init__(self) -> None:
        self.outputs: Iterator[str] = iter(())

    def simulate(self, tool: Tool, arguments: Any, *, key: str, examples: Any = ()) -> Slow[ToolResult]:
        for text in self.outputs:
            answer = read_answer(text.removeprefix("```json").removesuffix("```"))
            if answer is not None:
                return ToolResult.of(answer.response, error=answer.error, source="simulator")
        raise SimulatorError("no usable output")
        yield


def test_golden_flows_over_http_in_record_mode_give_the_answers_that_are_no_defect(shared_data, tmp_path):
    with APIServer().running() as server:
        for number, flow in enumerate(flows(shared_data)):
            for got, recorded in record(flow, tmp_path / str(number), server):
                assert got == recorded, flow["name"]


def record(flow: Mapping[str, Any], folder: Path, server: APIServer) -> Iterator[tuple[Any, Any]]:
    """Yield our answer and the recorded one of each step that the original answers with an answer."""
    write_tree(folder / "before", flow["cache_before"])
    simulator, cache = ScriptedSimulator(), ResponseCache()
    if flow["cache_before"]:
        import_source(cache, folder / "before", kind="official")
    real = RemoteServer(server.url(), taxonomy="paper", retries=0)
    mode = "record" if flow["is_save"] else "live"
    backend = VirtualBackend(cache, mode=mode, real=real, live_simulator=simulator)
    first: dict[str, Any] = {}
    for step in flow["steps"]:
        recorded = step["expected"]["body"]
        if not is_answer(recorded):
            continue
        category, tool_folder, api = server_names(*(step["request"][name] for name in FIELDS[:3]))
        tool = Tool("api", "", {}, ToolId(category, tool_folder.removesuffix(f"_for_{category}"), api))
        call = ToolCall("api", step["request"]["tool_input"])
        # What we take for the same call, another order of arguments included, gets the first answer.
        recorded = first.setdefault(call_key(tool.id, call.arguments), recorded)
        server.default, simulator.outputs = http_answer(step["real_api"]), iter(step["llm_outputs"])
        result, _ = drive(backend.answer(backend.start(None, 0), tool, call))
        yield json.loads(result.text), recorded
    backend.close()


def is_answer(body: Any) -> bool:
    """Say whether it is an answer, and none of those that the original makes up or gets wrong."""
    return isinstance(body, dict) and "response" in body and body not in (FAILED_SIMULATION, PARSE_ERROR)


def http_answer(real: Mapping[str, Any] | None) -> Answer:
    return Answer(dropped=True) if real is None else Answer(real.get("json", ""), real["status"])


@pytest.fixture
def server(tmp_path) -> OriginalServer:
    world = World()
    world.reply, world.outputs = {"status": 200, "json": {"error": "", "response": "r"}}, iter([])
    return OriginalServer(tmp_path / "cache", tmp_path / "tools", world.real, world.simulate)


def fields(**changes: Any) -> dict[str, Any]:
    return {
        "category": "Net",
        "tool_name": "icmp",
        "api_name": "ping",
        **dict.fromkeys(FIELDS[3:], ""),
        **changes,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"category": ".."},
        {"tool_name": "../../x_for_Net"},
        {"tool_name": "/etc/x_for_Net"},
        {"tool_name": "..\\x_for_Net"},
        {"api_name": "///"},
        {"tool_input": 7},
    ],
)
def test_a_request_that_would_leave_the_folders_or_has_no_valid_fields_is_refused(server, tmp_path, changes):
    assert server.virtual(fields(**changes)) == (422, "validation error")
    assert not list(tmp_path.rglob("*"))


def test_a_damaged_cache_file_counts_as_empty(server, tmp_path):
    server.virtual(fields())
    (file,) = (tmp_path / "cache").rglob("*.json")
    file.write_text('{"{}": {"error"')
    assert server.virtual(fields()) == (200, {"error": "", "response": "r"})


def test_an_answer_that_was_changed_by_its_reader_is_still_stored_as_it_came(server):
    server.virtual(fields(tool_input="{a"))[1]["error"] = "changed"
    assert server.virtual(fields(tool_input="{a"))[1]["error"] == "Tool input parse error...\n"


def test_deep_nesting_is_a_parse_error_and_no_crash(server):
    assert server.virtual(fields(tool_input="[" * 100_000))[1]["error"] == "Tool input parse error...\n"
