"""Answers kept on disk: the cache, recordings and their replay."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError, DataError
from stb_env.models import (
    BudgetedModel,
    CachedModel,
    ChatReply,
    ChatRequest,
    Meter,
    ModelConfig,
    ModelError,
    OpenAIModel,
    RecordingModel,
    ReplayModel,
    Sampling,
    ScriptedModel,
    Usage,
)
from tests.fakes.openai_server import error

QUESTION = ChatRequest.of("Is it?")

# Writes answers without end and names each one that is stored.
WRITER = """
import sys
from itertools import count
from stb_env.models import CachedModel, ChatRequest, RecordingModel, ScriptedModel
model = ScriptedModel(lambda request: request.messages[0]["content"] * 2000)
model = CachedModel(model, sys.argv[1] + "/cache")
model = RecordingModel(model, sys.argv[1] + "/talk.jsonl")
for number in count():
    model.complete(ChatRequest.of(str(number)))
    print(number, flush=True)
"""

json_text = st.text(max_size=20)
messages = st.lists(st.dictionaries(json_text, json_text | st.integers() | st.none(), max_size=3), max_size=3)


def _shuffled(value):
    if isinstance(value, dict):
        return {key: _shuffled(value[key]) for key in reversed(value)}
    return [_shuffled(item) for item in value] if isinstance(value, list) else value


@given(messages)
def test_the_key_ignores_the_order_of_members(content):
    assert ChatRequest(content).key == ChatRequest(_shuffled(content)).key


@pytest.mark.parametrize(
    "other",
    [
        ChatRequest.of("Is it not?"),
        ChatRequest.of("Is it?", index=1),
        ChatRequest.of("Is it?", sampling=Sampling(temperature=0.0)),
        ChatRequest(QUESTION.messages, tools=[{"type": "function"}]),
        ChatRequest(QUESTION.messages, tool_choice="none"),
        ChatRequest(QUESTION.messages, response_format={"type": "json_object"}),
    ],
)
def test_whatever_can_change_the_answer_changes_the_key(other):
    assert other.key != QUESTION.key


def test_a_request_that_is_no_json_is_refused():
    with pytest.raises(ConfigError, match="must be plain JSON data, but Object of type set is not JSON"):
        _ = ChatRequest([{"content": {1}}]).key


def test_asking_again_is_free_and_gives_the_same(tmp_path):
    usage = Usage(3, 1, 4, calls=1, cost=0.5)
    reply = ChatReply({"role": "assistant", "content": "ü\ud800"}, "stop", usage, "m", {"token_ids": [1]})
    inner = ScriptedModel([reply])
    first = CachedModel(inner, tmp_path)
    assert first.complete(QUESTION) == reply
    again = CachedModel(inner, tmp_path)
    assert asyncio.run(again.acomplete(QUESTION)) == reply
    assert (first.hits, first.misses, again.hits, again.misses, len(inner.requests)) == (0, 1, 1, 0, 1)


def test_votes_with_other_indices_are_other_answers(tmp_path):
    model = CachedModel(ScriptedModel(["a", "b"]), tmp_path)
    texts = [model.complete(ChatRequest.of("Is it?", index=index)).text for index in (0, 1, 0, 1)]
    assert texts == ["a", "b", "a", "b"]


def test_models_and_settings_that_differ_do_not_share_answers(tmp_path):
    paths = set()
    for settings in ({}, {"model": "big"}, {"temperature": 1.0}, {"base_url": "http://127.0.0.1:2/v1"}):
        given = {"model": "tiny", "base_url": "http://127.0.0.1:1/v1", **settings}
        paths.add(CachedModel(OpenAIModel(ModelConfig("agent", **given)), tmp_path)._path(QUESTION))
    assert len(paths) == 4


def test_roles_with_one_endpoint_and_model_share_answers(tmp_path):
    configs = [ModelConfig(role, "tiny", base_url="http://127.0.0.1:1/v1") for role in ("agent", "judge")]
    assert len({CachedModel(OpenAIModel(config), tmp_path)._path(QUESTION) for config in configs}) == 1


def test_failures_are_not_stored(tmp_path):
    model = CachedModel(ScriptedModel([ModelError("down"), "up"]), tmp_path)
    with pytest.raises(ModelError):
        model.complete(QUESTION)
    assert model.complete(QUESTION).text == "up"


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"reply": 3}', '{"reply": {"message": {}}}', "\x00\xff"])
def test_a_damaged_entry_is_replaced(tmp_path, damage):
    model = CachedModel(ScriptedModel(["first", "second"]), tmp_path)
    model.complete(QUESTION)
    next(tmp_path.rglob("*.json")).write_text(damage, encoding="latin-1")
    assert [model.complete(QUESTION).text for _ in range(2)] == ["second", "second"]


def test_a_folder_that_cannot_be_written_is_a_typed_failure(tmp_path):
    (tmp_path / "file").write_text("")
    model = CachedModel(ScriptedModel(["yes"]), tmp_path / "file")
    with pytest.raises(ModelError, match=r"cannot store a model answer: .*choose another folder") as caught:
        model.complete(QUESTION)
    assert (caught.value.kind, caught.value.stage) == ("internal", "cache")


def test_a_killed_process_leaves_every_answer_that_it_reported(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, tmp_path], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        reported = [int(writer.stdout.readline()) for _ in range(10)]
        writer.send_signal(signal.SIGKILL)
        reported += [int(line) for line in writer.stdout if line.endswith("\n")]
    cached = CachedModel(ScriptedModel([]), tmp_path / "cache")
    replayed = ReplayModel(tmp_path / "talk.jsonl")
    for number in reported:
        question = ChatRequest.of(str(number))
        assert cached.complete(question).text == replayed.complete(question).text == str(number) * 2000


def test_a_recording_is_replayed_in_order_for_equal_requests(tmp_path):
    file = tmp_path / "talks" / "talk.jsonl"
    recorder = RecordingModel(ScriptedModel(["a", "b", "c"], name="tiny"), file)
    replies = [recorder.complete(QUESTION), asyncio.run(recorder.acomplete(ChatRequest.of("Other?")))]
    replies.append(recorder.complete(QUESTION))
    model = ReplayModel(file)
    assert model.complete(ChatRequest.of("Other?")) == replies[1]
    assert [model.complete(QUESTION), asyncio.run(model.acomplete(QUESTION))] == [replies[0], replies[2]]


def test_an_unknown_request_is_a_cache_miss(tmp_path):
    file = tmp_path / "talk.jsonl"
    RecordingModel(ScriptedModel(["a"]), file).complete(QUESTION)
    model = ReplayModel(file)
    with pytest.raises(ModelError, match=r"in talk.jsonl: it is not in there; record again") as caught:
        model.complete(ChatRequest.of("Other?"))
    assert (caught.value.kind, caught.value.stage, caught.value.retryable) == ("cache_miss", "replay", False)
    model.complete(QUESTION)
    with pytest.raises(ModelError, match="it was recorded 1 times and asked 2; record again"):
        model.complete(QUESTION)


def test_a_line_that_a_killed_process_left_incomplete_is_no_obstacle(tmp_path):
    file = tmp_path / "talk.jsonl"
    RecordingModel(ScriptedModel(["a"]), file).complete(QUESTION)
    with file.open("a") as lines:
        lines.write('{"model": "scri')
    assert ReplayModel(file).complete(QUESTION).text == "a"
    RecordingModel(ScriptedModel(["b"]), file).complete(QUESTION)
    model = ReplayModel(file)
    assert [model.complete(QUESTION).text for _ in range(2)] == ["a", "b"]


def test_a_recorded_failure_is_replayed_as_the_same_failure(tmp_path):
    file = tmp_path / "talk.jsonl"
    cost = Usage(1, 1, 2, calls=1)
    down = ModelError(
        "slow down", kind="rate_limit", stage="judge", retryable=True, retry_after=2.5, usage=cost, status=429
    )
    model = RecordingModel(ScriptedModel([down, "up"]), file)
    with pytest.raises(ModelError, match=r"^slow down$"):
        model.complete(QUESTION)
    model.complete(QUESTION)
    replayed = ReplayModel(file)
    with pytest.raises(ModelError, match=r"^slow down$") as caught:
        replayed.complete(QUESTION)
    assert caught.value.to_dict() == down.to_dict()
    assert caught.value.status == 429
    assert replayed.complete(QUESTION).text == "up"


def test_a_call_that_the_budget_refused_is_not_recorded(tmp_path):
    file = tmp_path / "talk.jsonl"
    model = RecordingModel(BudgetedModel(ScriptedModel(["never"]), Meter(max_calls=0)), file)
    with pytest.raises(ModelError, match="the budget of 0 calls is used up"):
        model.complete(QUESTION)
    assert not file.exists()


def test_a_recorded_line_holds_the_sampling_and_the_time_that_it_took(tmp_path, pauses):
    class Slow(ScriptedModel):
        fingerprint: ClassVar = {"model": "tiny", "temperature": 0.5}

        def complete(self, request: ChatRequest) -> ChatReply:
            pauses.sleep(2.0)
            return super().complete(request)

    file = tmp_path / "talk.jsonl"
    clock = pauses.clock(monotonic=lambda: sum(pauses.taken), wall=lambda: 1000.0)
    RecordingModel(Slow(["yes"], name="tiny"), file, clock).complete(
        ChatRequest.of("Is it?", sampling=Sampling(seed=7))
    )
    (line,) = map(json.loads, file.read_text().splitlines())
    assert line.keys() == {"model", "fingerprint", "request", "reply", "asked", "seconds", "after", "sha256"}
    assert line["fingerprint"] == {"model": "tiny", "temperature": 0.5}
    assert line["request"]["sampling"] == {"seed": 7}
    assert (line["asked"], line["seconds"]) == (1000.0, 2.0)


def test_attempts_that_failed_stand_in_the_line_of_the_answer(tmp_path, server, connected):
    server.script(error("full", 503), error("slow down", 429, retry_after="7"))
    recorded = RecordingModel(connected(), tmp_path / "talk.jsonl")
    assert recorded.complete(QUESTION).text == "ok"
    (line,) = map(json.loads, (tmp_path / "talk.jsonl").read_text().splitlines())
    assert [(one["kind"], one["message"]) for one in line["tries"]] == [
        ("transport", "HTTP 503: full"),
        ("rate_limit", "HTTP 429: slow down"),
    ]
    assert line["tries"][1]["waited"] == 7.0


def test_attempts_that_all_failed_stand_in_the_line_of_the_failure(tmp_path, server, connected):
    server.script(*[error("full", 503)] * 3)
    with pytest.raises(ModelError, match=r"HTTP 503: full \(attempts: 3; "):
        RecordingModel(connected(), tmp_path / "talk.jsonl").complete(QUESTION)
    (line,) = map(json.loads, (tmp_path / "talk.jsonl").read_text().splitlines())
    assert [one["message"] for one in line["tries"]] == ["HTTP 503: full"] * 2


def test_a_recording_of_an_earlier_version_is_still_replayed(tmp_path):
    file = tmp_path / "talk.jsonl"
    reply = ChatReply({"role": "assistant", "content": "yes"})
    line = {"model": "tiny", "request": QUESTION.to_dict(), "reply": reply.to_dict()}
    file.write_text(json.dumps(line) + "\n")
    assert ReplayModel(file).complete(QUESTION) == reply


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "3",
        "nonsense",
        '{"request": {}, "failure": {"kind": "mood"}}',
        '{"request": {}, "reply": {"message": 1}}',
    ],
)
def test_a_file_that_is_no_recording_is_refused_with_the_line(tmp_path, line):
    file = tmp_path / "talk.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(DataError, match=r"line 1 of .*talk.jsonl is no recorded request and reply"):
        ReplayModel(file)


def test_a_recording_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read the recording .*absent.jsonl: No such file"):
        ReplayModel(tmp_path / "absent.jsonl")


def test_a_recording_that_cannot_be_written_is_a_typed_failure(tmp_path):
    model = RecordingModel(ScriptedModel(["yes"]), tmp_path / "talk.jsonl")
    (tmp_path / "talk.jsonl").mkdir()
    with pytest.raises(ModelError, match="cannot record a model answer: Is a directory"):
        model.complete(QUESTION)
