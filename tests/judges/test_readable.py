"""A reply that cannot be read: what the next attempt says, and by which seed and temperature."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.core.request import drive
from stb_env.errors import ConfigError
from stb_env.judges.judge import Case
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.readable import ReadableModel
from stb_env.models import CachedModel, ChatReply, ChatRequest, ModelError, Sampling, ScriptedModel, Usage
from stb_env.tasks import Task
from stb_env.tools import Tool

REFUSED = ModelError("the model refused", retryable=True, usage=Usage(5, 1, 6, calls=1))
CASE = Case(Task("1", "Capital of France?", (Tool("search", "", {}),)), "Paris.", ())


class Set(ScriptedModel):
    """A scripted model with a seed and a temperature of its own."""

    def __init__(self, replies: Any, **settings: float) -> None:
        super().__init__(replies)
        self.fingerprint = {"model": self.name, **settings}


def asked(model: ScriptedModel, request: ChatRequest | None = None, attempts: int = 3) -> list[ChatRequest]:
    """The questions that reach the model until it says yes."""
    patient = ReadableModel(model, lambda reply: reply.text == "yes", attempts)
    patient.complete(request or ChatRequest.of("Is it?"))
    return model.requests


def test_what_could_not_be_read_is_said_and_the_question_is_extended():
    first, second, third = asked(ScriptedModel(["perhaps", "", "yes"]))
    assert second.messages[:-2] == first.messages
    assert third.messages[:-2] == second.messages
    assert second.messages[1]["content"] == "perhaps"
    assert "could not be read" in second.messages[-1]["content"]
    assert "was empty" in third.messages[-1]["content"]


def test_a_reply_that_was_cut_hears_that():
    cut = ChatReply({"role": "assistant", "content": "ye"}, "length")
    assert "cut at the length limit" in asked(ScriptedModel([cut, "yes"]))[1].messages[-1]["content"]


def test_a_form_that_was_asked_for_is_named_with_its_members():
    model = ScriptedModel(["I would say so.", "Solved"])
    drive(PassJudge(model).judge(CASE))
    complaint = model.requests[1].messages[-1]["content"]
    assert "one call of report_status" in complaint
    assert "answer_status, reason" in complaint


def test_an_unreadable_call_goes_back_as_text_so_that_any_server_takes_it():
    function = {"name": "report_status", "arguments": '{"answer_status": '}
    call = {"tool_calls": [{"id": "c", "type": "function", "function": function}]}
    model = ScriptedModel([call, "Solved"])
    drive(PassJudge(model).judge(CASE))
    assert model.requests[1].messages[1] == {"role": "assistant", "content": '{"answer_status": '}


def test_every_attempt_has_a_seed_of_its_own_and_a_little_chance():
    requests = asked(Set(["a", "b", "yes"], seed=7, temperature=0.0))
    assert len({request.sampling.seed for request in requests}) == 3
    assert requests[0].sampling == Sampling(seed=7)
    assert [request.sampling.temperature for request in requests[1:]] == [0.2, 0.2]


@pytest.mark.parametrize(
    ("configured", "request_", "expected"),
    [({}, None, 0.2), ({"temperature": 0.9}, None, 0.9), ({"temperature": 0.9}, 0.0, 0.2), ({}, 0.6, 0.6)],
)
def test_another_attempt_is_never_at_temperature_0(configured: Any, request_: Any, expected: float):
    question = ChatRequest.of("Is it?", sampling=Sampling(temperature=request_))
    assert asked(Set(["a", "yes"], **configured), question)[1].sampling.temperature == expected


def test_a_refusal_is_asked_again_in_the_same_words_at_another_seed():
    first, second = asked(ScriptedModel([REFUSED, "yes"]))
    assert second.messages == first.messages
    assert second.sampling.seed != first.sampling.seed


def test_votes_carry_seeds_of_their_own():
    model = Set(["Solved"] * 3, seed=40)
    drive(PassJudge(model, votes=3).judge(CASE))
    assert [request.sampling.seed for request in model.requests] == [40, 41, 42]


def test_an_attempt_never_has_the_seed_of_another_vote():
    model = ScriptedModel(["hm", "hm", "Solved"] * 3)
    drive(PassJudge(model, votes=3).judge(CASE))
    assert len({request.sampling.seed for request in model.requests}) == 9


def test_a_vote_that_took_two_attempts_is_stored_under_the_question_alone(tmp_path):
    model = ScriptedModel(["hm", "yes"])
    cached = CachedModel(ReadableModel(model, lambda reply: reply.text == "yes", 3), tmp_path)
    texts = [cached.complete(ChatRequest.of("Is it?")).text for _ in range(2)]
    assert (texts, len(model.requests)) == (["yes", "yes"], 2)


def test_what_stays_unreadable_is_a_failure_that_counts_all_attempts():
    model = ScriptedModel([ChatReply({"content": "hm"}, usage=Usage(calls=1))] * 2)
    with pytest.raises(ModelError, match=r"^model 'scripted' wrote .*: 'hm' \(asked 2 times\)$") as failed:
        asked(model, attempts=2)
    assert (failed.value.kind, failed.value.usage.calls) == ("judge", 2)


def test_no_attempt_at_all_is_refused():
    with pytest.raises(ConfigError, match=r"^attempts must be at least 1, got 0$"):
        asked(ScriptedModel([]), attempts=0)
