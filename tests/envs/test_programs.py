"""Programs as actions: what they can do, what stops them, and that equal ones do the same."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import stb_env
from stb_env import ToolEnv, load_agent, play
from stb_env.core.request import Request
from stb_env.envs.functions import functions_of
from stb_env.errors import BackendError, ConfigError
from stb_env.formats.sft import sft_lines
from stb_env.runs.driven import DrivenEpisode
from stb_env.testing.notes import TASKS, Notebook, NotesJudge, notes
from stb_env.tools import Tool
from stb_env.wrappers import CallBudget, ChainOfThought, DepthFirstSearch, DiscreteActions

pytest.importorskip("pydantic_monty", reason="programs need the extra stb-env[code]")

from stb_env.envs.interpreter import Interpreter
from stb_env.envs.program_session import MODULES, ProgramLimits
from stb_env.envs.programs import Programs
from tests.conftest import ROOT
from tests.docs.page import blocks
from tests.docs.reader import run as run_block

FIND = "find_notes(word='dentist')['response']['notes']"


def made(**limits) -> ToolEnv:
    env = notes(actions="code", max_turns=100)
    if limits:
        env.rules = replace(env.rules, programs=Programs(Interpreter(ProgramLimits(**limits))))
    env.reset(seed=0, options={"task_id": "day"})
    return env


def run(env: ToolEnv, code: str):
    observation, *_, info = env.step({"name": "python", "arguments": {"code": code}})
    result = json.loads(observation["result"])
    return result["error"], result["response"], [call["name"] for call in info["calls"]], info


def test_prints_and_the_last_value_are_the_observation():
    assert run(made(), f"print('found')\n{FIND}")[:3] == (
        "",
        "found\n{'note-001': 'Dentist on Tuesday'}\n",
        ["find_notes"],
    )


def test_variables_live_on_in_the_episode_and_end_with_it():
    env = made()
    run(env, "x = 5\ndef double(n):\n    return 2 * n")
    assert run(env, "double(x)")[1] == "10\n"
    env.reset(seed=0)
    assert run(env, "x")[0] == "NameError: name 'x' is not defined (line 1: x)"


def test_a_program_costs_one_turn_whatever_it_calls():
    env = made()
    assert len(run(env, "for word in ('a', 'b', 'c'):\n    find_notes(word)")[2]) == 3
    assert env.snapshot().turn == 1


def test_finish_ends_episode_and_program():
    code = f"""
day = list({FIND}.values())[0].split()[-1]
try:
    Finish(final_answer=day)
except BaseException:
    print("caught")
add_note("after")
"""
    env = made()
    observation, reward, terminated, _, info = env.step(f"```python\n{code}\n```")
    assert (reward, terminated) == (1.0, True)
    assert [call["name"] for call in info["calls"]] == ["find_notes", "Finish"]
    assert json.loads(observation["result"]) == {"error": "", "response": ""}


def test_an_invalid_finish_raises_and_ends_nothing():
    env = made()
    error, _, calls, _ = run(env, "Finish()")
    assert error.startswith("TypeError: Finish needs final_answer")
    assert (calls, env.snapshot().over) == (["Finish"], False)


def test_finish_alone_is_an_action_and_other_calls_are_not():
    env = made()
    observation, *_, info = env.step({"name": "find_notes", "arguments": {"word": "a"}})
    assert "write print(find_notes(word='a')) in a ```python block" in info["calls"][0]["error"]
    assert observation["status"] == 3
    assert env.step({"name": "Finish", "arguments": {"final_answer": "Tuesday"}})[1] == 1.0


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("print", "'print' is no tool; no program found; write one in a ```python block"),
        ("Python", "no tool is named 'Python'; the tool that runs a program is 'python', and takes code"),
    ],
)
def test_what_only_looks_like_a_program_is_told_where_one_stands(name, error):
    *_, info = made().step({"name": name, "arguments": {"code": "print(1)"}})
    assert info["calls"][0]["error"].startswith(error)


def test_a_reply_with_a_program_and_another_call_does_neither():
    env = made()
    program = {"name": "python", "arguments": {"code": "add_note('a')"}}
    _, reward, ended, _, info = env.step(
        [program, {"name": "Finish", "arguments": {"final_answer": "Tuesday"}}]
    )
    assert (reward, ended, [call["status"] for call in info["calls"]]) == (0.0, False, [2, 2])
    assert "one program, or one Finish alone, got 2 calls" in info["calls"][1]["error"]
    assert env.snapshot().backend == made().snapshot().backend


@pytest.mark.parametrize(
    "code",
    [
        "def Finish(**given):\n    pass",
        "find_notes = 5",
        "for Finish in [1]:\n    pass",
        "Finish = find_notes",
    ],
)
def test_a_tool_keeps_its_name_for_the_whole_episode(code):
    env = made()
    error, *_ = run(env, f"add_note('a')\n{code}")
    assert "is a tool, and a program gives its name to nothing else" in error
    assert env.snapshot().backend == made().snapshot().backend
    assert run(env, "def f(Finish):\n    find_notes = Finish\n    return find_notes\nf(1)")[:2] == ("", "1\n")
    assert env.step({"name": "python", "arguments": {"code": "Finish('Tuesday')"}})[1] == 1.0


def test_a_generator_expression_is_an_iterator_and_calls_no_tool():
    code = "it = (n for n in [1, 2, 3] if n > 1)\nnext(it), next(it), next((n for n in [1] if n > 1), 0)"
    env = made()
    assert run(env, f"# für\nx = 'für', [n for n in 'für']\n{code}")[:2] == ("", "(2, 3, 0)\n")
    assert run(env, "sum(len(word) for word in list(find_notes('d')))")[0] == ""
    error, _, calls, _ = run(env, "ok = any(\n    add_note(text=t)['error'] == ''\n    for t in 'abc')")
    assert error.startswith(
        "SyntaxError: add_note() cannot be called in a generator expression, all of which"
    )
    assert calls == []
    error, *_ = run(env, "1 / next(n - 1 for n in [1])")
    assert error == "ZeroDivisionError: division by zero (line 1: 1 / next(n - 1 for n in [1]))"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("next(map(str, [1]))", "TypeError: next() takes an iterator; write next(iter(...)): map, zip"),
        ("raise ValueError(3)", "NotImplementedError: an exception takes one text here, as in ValueError("),
        ("import statistics", "ModuleNotFoundError: No module named 'statistics'; there are base64, bisect,"),
    ],
)
def test_what_the_interpreter_lacks_is_told_with_what_to_write(code, error):
    assert run(made(), code)[0].startswith(error)


def test_every_module_that_the_system_message_names_is_there():
    env = made()
    assert ", ".join(MODULES) in env.messages[0]["content"]
    assert run(env, "import " + ", ".join(MODULES))[0] == ""
    assert list(functions_of((Tool("json", "", {}), Tool("print", "", {})))) == ["json_", "print_"]


def test_text_without_a_program_costs_a_turn():
    observation, *_ = made().step("It is Tuesday.")
    assert observation["status"] == 4
    assert "```python" in json.loads(observation["result"])["error"]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("add_note()", "TypeError: invalid arguments: missing required parameter 'text' (string)"),
        ("add_note({1, 2})", "TypeError: invalid arguments: 'text' is a set, which is no JSON data"),
        ("add_note('a', text='b')", "TypeError: invalid arguments: 'text' is given twice"),
        ("add_note('a', 'b')", "TypeError: invalid arguments: add_note() takes at most 1 arguments, got 2"),
        ("find_note('a')", "NameError: no tool is named 'find_note'. Did you mean 'find_notes'?"),
    ],
)
def test_a_bad_call_raises_what_the_engine_says_of_it(code, error):
    got, _, calls, info = run(made(), f"print('first')\n{code}")
    assert got == f"{error} (line 2: {code})"
    assert info["calls"][0]["error"] in error
    assert len(calls) == 1
    assert run(made(), f"try:\n    {code}\nexcept Exception as error:\n    print(error)")[:2] == (
        "",
        error.partition(": ")[2] + "\n",
    )


def test_an_application_error_is_data():
    error, printed, _, info = run(made(), "delete_note('note-9')['error']")
    assert (error, printed) == ("", f"{info['calls'][0]['error']!r}\n")
    assert info["calls"][0]["status"] == 1


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("1/0", "ZeroDivisionError: division by zero (line 1: 1/0)"),
        ("def h():\n    return 1/0\nh()", "ZeroDivisionError: division by zero (line 2: return 1/0)"),
        ("x = = 1", "SyntaxError: Expected an expression (line 1: x = = 1)"),
        ("[0] * 10**9", "the program needs more than 64 MiB of memory"),
        ("def f():\n    f()\nf()", "RecursionError: maximum recursion depth exceeded"),
        ("(" * 100_000, "SyntaxError: Source is too deeply nested"),
        ("open('/etc/passwd')", "PermissionError"),
        ("__import__('os')", "NameError"),
        ("().__class__.__mro__", "AttributeError"),
        ("getattr(print, '__self__')", "AttributeError"),
        ("import subprocess", "ModuleNotFoundError"),
        ("for n in range(10_000):\n    find_notes('a')", "the program made 1,000 calls"),
        (
            "while True:\n    try:\n        find_notes('a')\n    except BaseException:\n        pass",
            "the program made 1,000 calls",
        ),
        ("a = [1]\nfor _ in range(60):\n    a = [a, a]\nadd_note(a)", "TypeError: invalid arguments"),
        ("find_notes(10**5000)", "TypeError: invalid arguments: 'word' is a number that is too large"),
        (
            "for _ in range(10**6):\n    try:\n        nothing\n    except NameError:\n        pass",
            "RuntimeError",
        ),
        ("raise SystemExit", "SystemExit"),
        (f"x = {'1+' * 100_000}1", "SyntaxError: Source is too deeply nested"),
        (f"f = find_notes\nx = {'-' * 100_000}1", "SyntaxError: Source is too deeply nested"),
        (
            "sorted(['a'], key=lambda word: find_notes(word))",
            "NotImplementedError: find_notes() cannot be called",
        ),
        (
            "x = 1\ndel x",
            "NotImplementedError: not available in programs: the 'del' statement (line 2: del x)",
        ),
    ],
)
def test_hostile_programs_are_the_agents_fault_and_end_alike(code, error):
    first, second = run(made(), code), run(made(), code)
    assert first[0].startswith(error)
    assert first == second
    assert first[3]["valid"]


@pytest.mark.heavy
@pytest.mark.parametrize(
    "code",
    [
        "while True:\n    pass",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "while True:\n    print('x' * 100)",
        "a = [1]\nfor _ in range(60):\n    a = [a, a]\nstr(a)",
    ],
)
def test_what_the_time_limit_cuts_says_so_and_leaves_variables_alone(code):
    env = made(seconds=0.3)
    run(env, "x = 1")
    error, printed, _, info = run(env, f"x = 2\n{code}")
    assert error.startswith("the program computes for longer than 0.3 s (how far it comes")
    assert info["valid"]
    assert len(printed) <= 65_536
    assert run(env, "x")[1] == "1\n"


@pytest.mark.heavy
def test_what_is_stopped_writes_nothing_to_the_terminal():
    script = (
        "from stb_env.testing.notes import notes\n"
        "env = notes(actions='code')\n"
        "env.reset()\n"
        "code = 't = list(range(10**6))\\nsorted([t, t] * 9, key=str)'\n"
        "print(env.step({'name': 'python', 'arguments': {'code': code}})[0]['result'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert "the program needs more than 64 MiB of memory" in done.stdout
    assert done.stderr == ""


def test_long_output_is_cut_where_it_still_parses():
    for code in ("print('x' * 10**7)", "'x' * 10**6", "for n in range(10**5):\n    print(n)"):
        error, printed, *_ = run(made(), code)
        assert error == ""
        assert "...[cut]" in printed
        assert len(printed) <= 65_536


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("{'b', 'a', 'c'}", "{'a', 'b', 'c'}"),
        ("(1,), [None], {'a': 1.5}", "((1,), [None], {'a': 1.5})"),
        ("10**5000", "<int of 16610 bits>"),
        ("a = []\na.append(a)\na", "['[...]']"),
        ("import time\ntime.sleep(1000)\ntime.time()", "1767225600.0"),
        ("print('\ud800')", "?"),
    ],
)
def test_values_as_text(code, text):
    assert run(made(), code)[:2] == ("", f"{text}\n")


def test_random_numbers_follow_from_the_episode():
    code = "import random\n[random.random() for _ in range(3)]"
    env, other = made(), made()
    assert run(env, code)[1] == run(other, code)[1]
    assert run(env, code)[1] == run(other, code)[1]
    other.reset(seed=1)
    assert run(env, code)[1] != run(other, code)[1]


def test_a_fork_and_a_pickled_snapshot_go_on_alike():
    env = made()
    run(env, f"import random\nrandom.random()\nfound = {FIND}\nadd_note('one')")
    branch, other = env.fork(), notes(actions="code", max_turns=100)
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    code = "found['x'] = random.random()\nadd_note('two')\nfound"
    results = [run(each, code) for each in (env, branch, other)]
    assert results[0] == results[1] == results[2]
    assert "'x'" not in run(made(), FIND)[1]


@pytest.mark.heavy
def test_episodes_are_byte_equal_in_every_process():
    script = (
        "from stb_env import load_agent, play\n"
        "from stb_env.testing.notes import notes\n"
        "for task in ('day', 'write', 'move'):\n"
        "    env = notes(actions='code')\n"
        "    print(play(env, load_agent('gold')(), task_id=task, seed=3).to_json())\n"
    )
    texts = {
        subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env=environ).stdout
        for environ in ({**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2"))
    }
    assert len(texts) == 1
    assert all(json.loads(line)["verdict"]["status"] == "solved" for line in texts.pop().splitlines())


class SlowNotebook(Notebook):
    """Every call has to wait; one word fails."""

    def answer(self, state, tool, call):
        if call.arguments.get("word") == "fail":
            raise BackendError("the notebook is closed", kind="transport", stage="world", retryable=True)
        yield Request(run=lambda: None, arun=lambda: asyncio.sleep(0))
        return (yield from super().answer(state, tool, call))


def test_calls_that_wait_give_the_worker_back_and_change_nothing():
    code = """
total = 0
for word in ("dentist", "a", "b"):
    print(word)
    total += len(find_notes(word)["response"]["notes"])
total
"""
    slow = ToolEnv(TASKS, SlowNotebook(), NotesJudge(), actions="code")
    slow.reset(seed=0, options={"task_id": "day"})
    assert run(slow, code)[:3] == run(made(), code)[:3]

    async def many():
        envs = [ToolEnv(TASKS, SlowNotebook(), NotesJudge(), actions="code") for _ in range(40)]
        for env in envs:
            await env.areset(seed=0, options={"task_id": "day"})
        action = {"name": "python", "arguments": {"code": code}}
        return await asyncio.gather(*(env.astep(action) for env in envs))

    results = {transition[0]["result"] for transition in asyncio.run(many())}
    assert results == {slow.snapshot().result}


def test_a_failure_of_the_infrastructure_ends_the_episode_as_invalid():
    env = ToolEnv(TASKS, SlowNotebook(), NotesJudge(), actions="code")
    env.reset(seed=0, options={"task_id": "day"})
    code = "try:\n    find_notes('fail')\nexcept BaseException:\n    pass\nFinish(final_answer='Tuesday')"
    *_, truncated, info = env.step({"name": "python", "arguments": {"code": code}})
    assert truncated
    assert (info["valid"], info["failure"]["kind"]) == (False, "transport")


def test_a_worker_that_dies_is_replaced_and_the_program_gets_the_same_answers():
    env = ToolEnv(TASKS, KillingNotebook(), NotesJudge(), actions="code")
    env.reset(seed=0, options={"task_id": "day"})
    code = "print('first')\nadd_note('kept')\nfind_notes('kill')\nfind_notes('kept')['response']"
    error, printed, calls, _ = run(env, code)
    assert (error, printed) == ("", "first\n{'notes': {'note-003': 'kept'}}\n")
    assert calls == ["add_note", "find_notes", "find_notes"]
    error, printed, _, info = run(env, "find_notes('kill')\nfind_notes('kill again')")
    assert error.startswith("the program brought the interpreter down; it was stopped")
    assert info["valid"]


class KillingNotebook(Notebook):
    """Ends the interpreter's workers at some words."""

    def answer(self, state, tool, call):
        if call.arguments.get("word", "").startswith("kill"):
            for worker in workers():
                os.kill(worker, signal.SIGKILL)
        return (yield from super().answer(state, tool, call))


def workers():
    """Return the workers of the interpreter that children of this process have."""
    if not Path("/proc/self/task").is_dir():
        pytest.skip("finds the workers in /proc")
    found, left = [], [os.getpid()]
    while left:
        process = left.pop()
        with suppress(OSError):
            for thread in Path(f"/proc/{process}/task").iterdir():
                left += map(int, (thread / "children").read_text().split())
            if Path(f"/proc/{process}/comm").read_text().strip() == "monty":
                found.append(process)
    return found


def test_a_process_forked_after_a_program_runs_programs_of_its_own():
    run(made(), "1")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            os.write(writer, run(made(), "1 + 1")[1].encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1000).decode() == "2\n"
    assert run(made(), "1 + 2")[1] == "3\n"


@pytest.mark.heavy
@pytest.mark.parametrize("end", ["{t: 1}", "{t}", "add_note(text={t: 1})", "find_nothing({t})"])
def test_a_value_that_takes_for_ever_to_read_costs_the_program_alone(end):
    env = made()
    run(env, "x = 1")
    error, _, _, info = run(env, f"t = (1,)\nfor _ in range(60):\n    t = (t, t)\nx = 2\n{end}")
    assert error.startswith(
        "a value of the program takes too long, or too much memory, to read; it was stopped"
    )
    assert info["valid"]
    assert run(env, "x")[1] == "1\n"


def test_a_budget_counts_the_calls_of_a_program():
    env = CallBudget(notes(actions="code"), calls=2)
    env.reset(seed=0)
    observation, *_, info = env.step(
        "```python\nfor _ in range(3):\n    print(find_notes('a')['error'])\n```"
    )
    assert observation["calls_left"] == 0
    assert "budget of 2 calls" in info["calls"][2]["error"]


@pytest.mark.parametrize("wrapper", [DiscreteActions, ChainOfThought, DepthFirstSearch])
def test_wrappers_that_play_calls_refuse_programs(wrapper):
    with pytest.raises(ConfigError, match="actions='code'"):
        wrapper(notes(actions="code"))


def test_what_has_a_syntax_of_its_own_refuses_programs():
    for env_id, settings in (("stb/Tabletop-v1", {}), ("stb/Sandbox-v1", {"compat": "original"})):
        with pytest.raises(ConfigError, match="actions='code'"):
            stb_env.make(env_id, actions="code", **settings)
    with pytest.raises(ConfigError, match="actions must be 'calls' or 'code', got 'python'"):
        notes(actions="python")


@pytest.mark.parametrize(
    "env_id", ["stb/Sandbox-v1", "stb/APIBankCall-v1", "stb/APIBankPlan-v1", "stb/I1Instruction-v0"]
)
def test_gold_makes_the_same_calls_in_programs(env_id):
    settings = {"judge": "heuristic"} if "I1" in env_id else {}
    calls, code = (stb_env.make(env_id, **settings, actions=actions) for actions in ("calls", "code"))
    task_id = calls.tasks.at(0).id
    plain, played = (play(env, load_agent("gold")(), task_id=task_id, seed=0) for env in (calls, code))
    assert played.solved
    assert all("program" in step for step in played.steps if step["calls"] and not ends(step))
    assert calls_of(plain) == calls_of(played)


def ends(step):
    return step["calls"][-1]["name"] == "Finish"


def calls_of(episode):
    calls = [call for step in episode.steps for call in step["calls"]]
    return [(call["name"], call["arguments"], call["response"]) for call in calls]


def test_a_cheat_that_recites_earns_nothing():
    env = stb_env.make("stb/APIBankCall-v1", actions="code")
    env.reset(seed=0)
    answer = env.task.goal["calls"]
    over, reward = False, 0.0
    while not over:
        action = f"```python\nprint({answer!r})\nFinish(final_answer={str(answer)!r})\n```"
        _, reward, terminated, truncated, _ = env.step(action)
        over = terminated or truncated
    assert reward == 0.0


def test_a_chat_model_plays_with_fences_and_with_native_calls():
    code = f"{FIND}"
    native = {"name": "python", "arguments": {"code": "Finish(final_answer='Tuesday')"}}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "one",
                "type": "function",
                "function": {"name": "python", "arguments": json.dumps(native["arguments"])},
            }
        ],
    }
    model = stb_env.ScriptedModel([f"```python\n{code}\n```", "It is Tuesday.", message])
    episode = play(notes(actions="code"), stb_env.ChatAgent(model), task_id="day", seed=0)
    assert episode.solved
    assert [step.get("program", {}).get("code", "").strip() for step in episode.steps] == [
        code,
        "",
        "Finish(final_answer='Tuesday')",
    ]


def test_what_is_saved_is_exported_and_played_again(tmp_path):
    env = notes(actions="code")
    episode = play(env, load_agent("gold")(), task_id="move", seed=0)
    said = next(iter(sft_lines(episode)))["messages"]
    assert said[2]["tool_calls"][0]["function"]["name"] == "python"
    assert said[3]["role"] == "tool"
    assert "'note-001'" in said[3]["content"]
    (tmp_path / "trajectories.jsonl").write_text(episode.to_json() + "\n")
    again = play(env, load_agent(f"replay:{tmp_path}")(), task_id="move", seed=0)
    assert again.steps == episode.steps


def test_a_driven_episode_runs_programs():
    driven = DrivenEpisode(notes(actions="code"))
    driven.start(task_id="day", seed=0)
    assert [tool["function"]["name"] for tool in driven.tools] == ["python", "Finish"]
    assert "Dentist on Tuesday" in driven.call("python", {"code": FIND}).text
    assert driven.say("```python\nFinish(final_answer='Tuesday')\n```").over


def test_the_system_message_shows_tools_as_python():
    schema = {
        "type": "object",
        "properties": {
            "in": {"type": "string", "description": "Where."},
            "days": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            "unit": {"enum": ["C", "F"]},
            "place": {"type": "object", "properties": {"lat": {"type": "number", "description": "North."}}},
        },
        "required": ["unit"],
    }
    functions = functions_of((Tool("get-weather", "Says 'the' weather.", schema),))
    assert functions["get_weather"].signature.splitlines() == [
        "def get_weather(unit: Literal['C', 'F'], in_: str = ..., days: list[int] = ..., "
        "place: dict = ...) -> dict:",
        "    '''Says 'the' weather.",
        "",
        "    Args:",
        "        in_: Where.",
        "        days: (minItems: 1)",
        "        place:",
        "            lat (float, optional): North.",
        "    '''",
    ]
    assert "def find_notes(word: str) -> dict:" in made().messages[0]["content"]


def test_the_page_works_as_it_stands(tmp_path):
    first, second = (
        block for block in blocks(ROOT / "docs" / "programs.md") if block.language in ("python", "sh")
    )
    assert run_block(first, tmp_path).splitlines()[-1] == "solved Tuesday"
    run_block(second, tmp_path)
