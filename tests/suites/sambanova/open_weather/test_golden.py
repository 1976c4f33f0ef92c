"""The recorded verdicts of SambaNova's own evaluator."""

from __future__ import annotations

from collections.abc import Set
from contextlib import suppress
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.rest.actions import kept_line
from stb_env.suites.sambanova.common.rest.judge import OriginalJudge
from stb_env.suites.sambanova.open_weather.api import SERVICE
from stb_env.suites.sambanova.open_weather.original import final_command
from stb_env.suites.sambanova.open_weather.report import language_code
from stb_env.suites.sambanova.open_weather.tasks import weather_task
from stb_env.tasks import TaskSet
from tests.shared import task_cases
from tests.suites.sambanova.open_weather import stand_in
from tests.suites.sambanova.sent import Sent, sent_by

FIGURES = ("executable", "success", "precision", "recall", "f1")


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict[str, Any]]:
    return task_cases(shared_data, "open_weather")


def test_golden_figures_of_every_case_are_the_originals(cases: list[dict[str, Any]]):
    judge = OriginalJudge(SERVICE, stand_in.fetch, stand_in.KEY)
    for case in cases:
        expected = case["expected"]
        verdict, index = judge.rule(kept_line(case["prediction"]), case["labels"], ())
        assert verdict.metrics == pytest.approx({name: float(expected[name]) for name in FIGURES}), case["id"]
        assert index == expected["best_label_index"], case["id"]


def test_golden_kept_lines_and_commands_of_every_case_are_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        expected = case["expected"]
        kept = kept_line(case["prediction"])
        assert kept == expected["kept_line"], case["id"]
        if expected["final_command"] is None:
            with pytest.raises(CrashError) as caught:
                final_command(kept, stand_in.KEY)
            assert f"Task execution error: {caught.value}" == expected["error_text"], case["id"]
        else:
            assert final_command(kept, stand_in.KEY) == expected["final_command"], case["id"]


def test_golden_verdicts_hold_in_the_environment(cases: list[dict[str, Any]]):
    for case in cases:
        figures, got = played(case, "original")["metrics"], sent_by(kept_line(case["prediction"]))
        if got is not None and got.method != "GET":
            # The recorded stand-in does not look at the method, the embedded service does.
            continue
        assert figures["executable"] == case["expected"]["executable"], case["id"]
        # The recorded stand-in compares texts, the embedded service what they mean (spec toolbench-tasks 14).
        wanted = case["expected"]["success"] or (figures["executable"] and is_asked(case, judged=OPEN))
        assert figures["success"] == wanted, case["id"]


def test_golden_verdicts_of_the_default_follow_from_what_is_sent(cases: list[dict[str, Any]]):
    for case in cases:
        figures, asked = played(case, None)["metrics"], is_asked(case)
        assert figures["success"] == asked, case["id"]
        assert figures["executable"] or not asked, case["id"]
        if not is_hidden(case["prediction"]):
            assert asked or not case["expected"]["success"], case["id"]
            assert figures["executable"] == case["expected"]["executable"], case["id"]


def test_golden_commands_that_only_the_original_refuses_are_judged_as_if_written_its_way(
    cases: list[dict[str, Any]],
):
    for case in cases:
        got = sent_by(kept_line(case["prediction"]))
        if is_hidden(case["prediction"]) and got is not None and got.method == "GET":
            query = "&".join(f"{name}={value}" for name, value in got.params.items() if value != "xml")
            plain = case | {"prediction": f"curl -X GET '{got.address}?{query}'"}
            figures = played(plain, None)["metrics"]
            assert played(case, None)["metrics"]["executable"] == figures["executable"], case["id"]


def is_hidden(prediction: str) -> bool:
    """Whether the original's verdict says nothing of what is sent (spec toolbench-tasks 3.1, 3.2).

    Whatever does not end with a single quote crashes there, an answer in XML cannot be read, and the recorded
    stand-in answers other methods than GET as well.
    """
    got = sent_by(kept_line(prediction))
    is_plain = got is not None and got.method == "GET" and got.params.get("mode") != "xml"
    return got is not None and not (is_plain and kept_line(prediction).endswith("'"))


OPEN = frozenset({"units", "mode", "limit"})


def is_asked(case: dict[str, Any], judged: frozenset[str] = frozenset()) -> bool:
    """Whether the prediction sends what a label does, defaults filled in (spec 3.1).

    Units, format and number of places count where the label names them, or are among those judged anyway.
    """
    got = sent_by(kept_line(case["prediction"]))
    wanted = [sent for label in case["labels"] if (sent := sent_by(label)) is not None]
    return got is not None and any(
        meaning(got, OPEN - sent.params.keys() - judged) == meaning(sent, OPEN - sent.params.keys() - judged)
        for sent in wanted
    )


def meaning(sent: Sent, left_out: Set[str]) -> Any:
    """What a request comes to: numbers as numbers, languages as codes, cities without their letters' case."""
    params = {"lang": "en", "units": "standard", "mode": "json", "limit": "1"} | sent.params
    params["lang"] = language_code(params["lang"])
    if "air_pollution" in sent.address:
        params = {name: params.get(name) for name in ("lat", "lon", "appid")}
    for name in left_out:
        params.pop(name, None)
    for name in ("lat", "lon", "limit"):
        with suppress(TypeError, ValueError):
            params |= {name: float(params[name])} if name in params else {}
    return sent.method, sent.address, params | {"q": " ".join(params.get("q", "").lower().split())}


def played(case: dict[str, Any], compat: str | None) -> dict[str, Any]:
    call = SERVICE.typed_label(case["labels"][0])
    task = weather_task("1", "test", "goal", call, tuple(case["labels"]))
    env = gym.make("stb/OpenWeather-v1", data=TaskSet([task]), compat=compat, program=True)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(case["prediction"])
    assert terminated
    assert reward == float(info["verdict"]["metrics"]["success"])
    return info["verdict"]
