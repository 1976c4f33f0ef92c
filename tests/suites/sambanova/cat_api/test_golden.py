"""The recorded verdicts of SambaNova's own evaluator."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.actions.validation import check_call
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.api import HOST, SERVICE, final_command
from stb_env.suites.sambanova.cat_api.service import respond
from stb_env.suites.sambanova.cat_api.tasks import cat_task
from stb_env.suites.sambanova.common.rest.actions import kept_line
from stb_env.suites.sambanova.common.rest.curl import Request
from stb_env.suites.sambanova.common.rest.judge import OriginalJudge
from stb_env.tasks import TaskSet
from tests.shared import task_cases
from tests.suites.sambanova.cat_api import stand_in
from tests.suites.sambanova.sent import Sent, sent_by

FIGURES = ("executable", "success", "precision", "recall", "f1")
FAVOURITES = ("q7", "aa")


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict[str, Any]]:
    return task_cases(shared_data, "the_cat_api")


def test_golden_figures_of_every_case_are_the_originals(cases: list[dict[str, Any]]):
    judge = OriginalJudge(SERVICE, stand_in.fetch, stand_in.KEY)
    for case in cases:
        expected = case["expected"]
        kept, labels, by_text = (
            kept_line(case["prediction"]),
            tuple(case["labels"]),
            case["compare_string_only"],
        )
        verdict, index = judge.rule(kept, labels, Account.of(FAVOURITES), by_text=by_text)
        assert verdict.metrics == pytest.approx({name: float(expected[name]) for name in FIGURES}), case["id"]
        assert index == expected["best_label_index"], case["id"]


def test_golden_kept_lines_and_commands_of_every_case_are_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        expected = case["expected"]
        kept = kept_line(case["prediction"])
        assert kept == expected["kept_line"], case["id"]
        if not case["compare_string_only"]:
            assert final_command(kept, stand_in.KEY) == expected["final_command"], case["id"]


def test_golden_verdicts_hold_in_the_environment(cases: list[dict[str, Any]]):
    for case in cases:
        figures = played(case, "original")["metrics"]
        for name in ("executable", "success"):
            assert figures[name] == case["expected"][name], case["id"]


def test_golden_verdicts_of_the_default_follow_from_what_is_sent(cases: list[dict[str, Any]]):
    for case in cases:
        figures = played(case, None)["metrics"]
        asked = is_asked(case)
        assert figures["success"] == asked, case["id"]
        assert figures["executable"] or not asked, case["id"]
        if not case["compare_string_only"] and is_documented(case["prediction"]):
            # Deletions apart, the original knows whether a command runs (spec toolbench-tasks 4.2).
            assert figures["executable"] == case["expected"]["executable"], case["id"]


def is_asked(case: dict[str, Any]) -> bool:
    """Whether the prediction does, or finds out, what a label does.

    That departs from the original (spec toolbench-tasks 4.2, 15) where it compares texts of deletions, so
    that quotes of the other kind, a semicolon or a header are a failure, and where it compares the answers
    to additions, which are the same for every image.
    """
    got = sent_by(kept_line(case["prediction"]))
    if got is None:
        return False
    wanted = [sent for label in case["labels"] if (sent := sent_by(label)) is not None]
    if got.method == "GET":
        return any(listed(got) == listed(sent) is not None for sent in wanted if sent.method == "GET")
    return any(got == sent for sent in wanted)


def listed(sent: Sent) -> Any:
    """What the embedded service lists; None where it refuses."""
    answer, _ = respond(
        Request(sent.method, HOST, urlsplit(sent.address).path, sent.params), Account.of(account_of([]))
    )
    return answer.body if answer.code == 200 else None


def is_documented(prediction: str) -> bool:
    """Whether all parameters are those of spec 4.1; the recorded stand-in passes over others."""
    call = SERVICE.typed_label(kept_line(prediction))
    return call.name == "curl" or not check_call(call, SERVICE.tools[call.name]).violations


def account_of(labels: list[str]) -> list[str]:
    """The favourites of the recorded service, and what the labels delete."""
    deleted = [sent.address for label in labels if (sent := sent_by(label)) and sent.method == "DELETE"]
    return list(dict.fromkeys([*FAVOURITES, *(address.rpartition("/")[2] for address in deleted)]))


def played(case: dict[str, Any], compat: str | None) -> dict[str, Any]:
    call = SERVICE.typed_label(case["labels"][0])
    by_text, favourites = case["compare_string_only"], account_of(case["labels"])
    task = cat_task("1", "test", "goal", call, tuple(case["labels"]), favourites, by_text=by_text)
    env = gym.make("stb/CatAPI-v1", data=TaskSet([task]), compat=compat, program=True)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(case["prediction"])
    assert terminated
    assert reward == float(info["verdict"]["metrics"]["success"])
    return info["verdict"]
