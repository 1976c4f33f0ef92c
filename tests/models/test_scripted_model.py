"""The shipped double, and accounting on top of it."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core.request import adrive, drive
from stb_env.errors import ConfigError
from stb_env.models import (
    BudgetedModel,
    ChatReply,
    ChatRequest,
    Meter,
    ModelError,
    ScriptedModel,
    Usage,
    ask,
)

QUESTION = ChatRequest.of("Is it?")

usages = st.builds(Usage, *[st.integers(0, 10**6)] * 4, st.integers(0, 100).map(float), st.integers(0, 9))


@pytest.mark.parametrize(
    ("reply", "message", "reason"),
    [
        ("yes", {"role": "assistant", "content": "yes"}, "stop"),
        ({"content": "yes", "tool_calls": None}, {"role": "assistant", "content": "yes"}, "stop"),
        ({"tool_calls": [{"id": "1"}]}, {"role": "assistant", "tool_calls": [{"id": "1"}]}, "tool_calls"),
        (ChatReply({"content": "x"}, "length"), {"content": "x"}, "length"),
    ],
)
def test_a_reply_may_be_text_a_message_or_the_whole_reply(reply, message, reason):
    answer = ScriptedModel([reply]).complete(QUESTION)
    assert (answer.message, answer.finish_reason) == (message, reason)


def test_a_scripted_exception_is_raised():
    model = ScriptedModel([ModelError("down", kind="transport"), "up"])
    with pytest.raises(ModelError, match=r"^down$"):
        model.complete(QUESTION)
    assert model.complete(QUESTION).text == "up"


def test_a_function_answers_from_the_request():
    model = ScriptedModel(lambda request: request.messages[-1]["content"].upper())
    assert asyncio.run(model.acomplete(QUESTION)).text == "IS IT?"


def test_a_script_that_ran_out_says_how_long_it_was():
    model = ScriptedModel(["yes"], name="short")
    model.complete(QUESTION)
    with pytest.raises(ConfigError, match="script of model 'short' has 1 replies and all are used; add more"):
        model.complete(QUESTION)


def test_a_bare_text_is_no_script():
    with pytest.raises(
        ConfigError, match="replies must be a list or a function, got the text 'yes'; wrap it"
    ):
        ScriptedModel("yes")


def test_requests_are_kept_in_order():
    model = ScriptedModel(["a", "b"])
    requests = [ChatRequest.of("first"), ChatRequest.of("second")]
    for request in requests:
        model.complete(request)
    assert model.requests == requests


def test_threads_share_a_script_without_losing_a_reply():
    model = ScriptedModel([str(number) for number in range(200)])
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda _: model.complete(QUESTION).text, range(200)))
    assert sorted(texts, key=int) == [str(number) for number in range(200)]


def test_a_pickled_script_goes_on_where_it_was():
    model = ScriptedModel(["a", "b"])
    model.complete(QUESTION)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.complete(QUESTION).text == "b"


def test_a_question_runs_in_threads_and_on_the_event_loop():
    def question():
        reply = yield ask(model, QUESTION)
        return reply.text

    model = ScriptedModel(["in thread", "on loop"])
    assert (drive(question()), asyncio.run(adrive(question()))) == ("in thread", "on loop")


@given(st.lists(usages, max_size=5))
def test_usage_adds_up_member_by_member(parts):
    total = sum(parts, Usage())
    for name, value in total.to_dict().items():
        assert value == sum(getattr(part, name) for part in parts)


@given(usages)
def test_the_numbers_of_a_usage_have_fixed_types(usage):
    assert [type(value) for value in (usage + Usage()).to_dict().values()] == [int, int, int, int, float, int]


def test_one_meter_counts_several_models():
    meter = Meter()
    reply = ChatReply({"content": "x"}, usage=Usage(3, 1, 4, calls=1, cost=0.25))
    for model in (BudgetedModel(ScriptedModel([reply]), meter), BudgetedModel(ScriptedModel([reply]), meter)):
        model.complete(QUESTION)
    assert meter.total == Usage(6, 2, 8, calls=2, cost=0.5)


@pytest.mark.parametrize(
    ("caps", "message"),
    [
        ({"max_calls": 2}, r"the budget of 2 calls is used up \(2 used\); raise max_calls to go on"),
        ({"max_tokens": 7}, r"the budget of 7 tokens is used up \(8 used\); raise max_tokens to go on"),
        ({"max_cost": 0.5}, r"the budget of \$0.5 is used up \(\$0.5000 used\); raise max_cost to go on"),
    ],
)
def test_a_cap_stops_the_call_after_the_one_that_reached_it(caps, message):
    reply = ChatReply({"content": "x"}, usage=Usage(3, 1, 4, calls=1, cost=0.25))
    inner = ScriptedModel(lambda request: reply)
    model = BudgetedModel(inner, Meter(**caps))
    for _ in range(2):
        model.complete(QUESTION)
    with pytest.raises(ModelError, match=message) as caught:
        model.complete(QUESTION)
    assert (caught.value.kind, caught.value.retryable, len(inner.requests)) == ("budget", False, 2)


def test_a_cap_on_cost_stops_a_model_without_a_price():
    reply = ChatReply({"content": "x"}, usage=Usage(3, 1, 4, calls=1, unpriced=1))
    model = BudgetedModel(ScriptedModel([reply, reply]), Meter(max_cost=9.0))
    model.complete(QUESTION)
    with pytest.raises(ModelError, match="a model has no configured price; add one under"):
        model.complete(QUESTION)


def test_a_cap_on_calls_is_exact_under_threads():
    model = BudgetedModel(ScriptedModel(lambda request: "ok"), Meter(max_calls=10))

    def answered(_: int) -> bool:
        try:
            return bool(model.complete(QUESTION))
        except ModelError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(answered, range(50))) == 10


def test_what_a_refused_answer_cost_is_counted_too():
    model = BudgetedModel(ScriptedModel([ModelError("refused", usage=Usage(1, 1, 2, calls=1))]), Meter())
    with pytest.raises(ModelError):
        model.complete(QUESTION)
    assert model.meter.total.total_tokens == 2


@pytest.mark.parametrize("name", ["max_cost", "max_calls", "max_tokens"])
def test_a_negative_cap_is_refused(name):
    with pytest.raises(ConfigError, match=f"{name} must not be negative, got -1"):
        Meter(**{name: -1})
