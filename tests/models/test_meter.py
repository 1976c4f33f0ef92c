"""Budgets over HTTP: what a call costs at most is reserved before it and settled after it."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from stb_env.models import (
    BudgetedModel,
    ChatReply,
    ChatRequest,
    Meter,
    ModelError,
    Price,
    ScriptedModel,
    Usage,
)
from tests.fakes.openai_server import Answer, completion

QUESTION = ChatRequest.of("Is it?")
# Five tokens are written each time: half a cent.
PRICE = Price(0.0, 1000.0)
THREADS = 8


def tried(model: BudgetedModel) -> str:
    try:
        return model.complete(QUESTION).text
    except ModelError as error:
        return error.kind


@pytest.mark.parametrize(("bound", "paid"), [(5, 0.05), (10, 0.045)])
def test_a_cap_on_dollars_is_never_exceeded_however_many_ask_at_once(server, connected, bound, paid):
    meter = Meter(max_cost=0.05)
    models = [
        BudgetedModel(connected(price=PRICE, max_tokens=bound, concurrency=THREADS), meter)
        for _ in range(THREADS)
    ]
    with ThreadPoolExecutor(THREADS) as pool:
        said = list(pool.map(tried, models * 5))
    assert meter.total.cost == pytest.approx(paid)
    assert len(server.requests) == said.count("ok") == round(paid / 0.005)
    assert set(said) == {"ok", "budget"}


def test_a_cap_holds_on_an_event_loop_too(server, connected):
    meter = Meter(max_cost=0.05)
    model = BudgetedModel(connected(price=PRICE, max_tokens=5, concurrency=THREADS), meter)

    async def all_at_once() -> list[object]:
        said = await asyncio.gather(*(model.acomplete(QUESTION) for _ in range(40)), return_exceptions=True)
        await model.model.aclose()
        return said

    said = asyncio.run(all_at_once())
    assert sum(isinstance(one, ChatReply) for one in said) == len(server.requests) == 10
    assert meter.total.cost == pytest.approx(0.05)


def test_an_answer_without_a_bound_gets_one_under_a_cap_and_none_without(server, connected):
    for cap in (None, 9.0):
        BudgetedModel(connected(price=PRICE), Meter(max_cost=cap)).complete(QUESTION)
    assert [request.body.get("max_tokens") for request in server.requests] == [None, 4096]


def test_a_call_that_may_cost_more_than_is_left_is_refused_before_it_is_made(server, connected):
    model = BudgetedModel(connected(price=PRICE, max_tokens=100), Meter(max_cost=0.05))
    message = (
        r"^the budget of \$0\.05 has \$0\.0500 left and the next call may cost \$0\.1000; raise max_cost"
    )
    with pytest.raises(ModelError, match=message):
        model.complete(QUESTION)
    assert server.requests == []


def test_a_model_without_a_price_is_refused_under_a_cap_before_its_first_call(server, connected):
    with pytest.raises(ModelError, match="a model has no configured price; add one under"):
        BudgetedModel(connected(), Meter(max_cost=9.0)).complete(QUESTION)
    assert server.requests == []


@pytest.mark.parametrize(
    "counts",
    [
        None,
        {"prompt_tokens": 10},
        {"prompt_tokens": -10, "completion_tokens": 5},
        {"prompt_tokens": 10.5, "completion_tokens": 5},
        {"prompt_tokens": 10, "completion_tokens": "5"},
        {"prompt_tokens": True, "completion_tokens": 5},
        {"prompt_tokens": 0, "completion_tokens": 0},
    ],
)
@pytest.mark.parametrize("cap", ["max_cost", "max_tokens"])
def test_a_cap_stops_at_the_first_answer_whose_tokens_are_not_counted(server, connected, counts, cap):
    server.script(*[Answer(completion() | {"usage": counts})] * 3)
    meter = Meter(**{cap: 10_000})
    model = BudgetedModel(connected(price=PRICE, max_tokens=5), meter)
    assert model.complete(QUESTION).usage.unpriced == 1
    if cap == "max_cost" or not meter.total.total_tokens:
        with pytest.raises(
            ModelError, match=f"^{cap} is set, but a server gave no usable count of the tokens"
        ):
            model.complete(QUESTION)
        assert len(server.requests) == 1


def test_more_from_the_cache_than_was_read_has_no_price(server, connected):
    counts = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 1000}}
    server.script(Answer(completion() | {"usage": counts}))
    usage = connected(price=Price(2.0, 8.0, 0.2)).complete(QUESTION).usage
    assert (usage.cost, usage.unpriced) == (0.0, 1)


@pytest.mark.parametrize(
    ("counts", "cost"),
    [
        # 100 read, 90 of them from the cache, at $2, $0.2 and $8 a million.
        ({"prompt_tokens_details": {"cached_tokens": 90}}, (10 * 2 + 90 * 0.2 + 20 * 8) / 1e6),
        ({"prompt_cache_hit_tokens": 90, "prompt_cache_miss_tokens": 10}, (10 * 2 + 90 * 0.2 + 20 * 8) / 1e6),
        # 300 thought, inside of what was written and beside it.
        ({"completion_tokens_details": {"reasoning_tokens": 15}}, (100 * 2 + 20 * 8) / 1e6),
        (
            {"total_tokens": 420, "completion_tokens_details": {"reasoning_tokens": 300}},
            (100 * 2 + 320 * 8) / 1e6,
        ),
    ],
)
def test_a_cost_equals_the_bill(server, connected, counts, cost):
    server.script(Answer(completion() | {"usage": {"prompt_tokens": 100, "completion_tokens": 20, **counts}}))
    assert connected(price=Price(2.0, 8.0, 0.2)).complete(QUESTION).usage.cost == pytest.approx(cost)


def test_a_call_waits_where_its_bound_fits_only_when_another_is_settled(server, connected):
    held = threading.Event()
    server.script(Answer(completion("first"), hold=held), Answer(completion("second")))
    meter = Meter(max_tokens=200)
    model = BudgetedModel(connected(max_tokens=20), meter)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(model.complete, QUESTION)
        while not server.requests:
            pass
        second = pool.submit(model.complete, QUESTION)
        assert not second.done()
        assert len(server.requests) == 1
        held.set()
        assert (first.result().text, second.result().text) == ("first", "second")
    assert meter.total.total_tokens == 30


def test_who_gives_up_while_waiting_for_the_budget_leaves_it_as_it_was(connected):
    meter = Meter(max_tokens=10)
    most = Usage(total_tokens=8)
    granted, waiting = meter.reserve(most=most), meter.reserve(most=most)
    meter.withdraw(waiting, most)
    meter.withdraw(granted, most)
    assert meter.reserve(most=most).done()
    assert meter.total == Usage()


def test_calls_without_an_answer_are_counted():
    meter = Meter()
    model = BudgetedModel(ScriptedModel([ModelError("down"), "up"]), meter)
    with pytest.raises(ModelError, match=r"^down$"):
        model.complete(QUESTION)
    assert model.complete(QUESTION).text == "up"
    assert (meter.failed, meter.total.calls) == (1, 1)
