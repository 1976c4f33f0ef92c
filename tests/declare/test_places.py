"""A declaration is found again wherever it stands: in other processes, in files, in scripts."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec

import stb_env
from stb_env.declare.declaration import declared
from stb_env.errors import ConfigError

pytestmark = pytest.mark.usefixtures("forgotten")

FILE = '''
from dataclasses import dataclass, field

import stb_env

@dataclass
class List:
    items: list[str] = field(default_factory=list)

def add(state: List, title: str) -> int:
    """Put an item on the list."""
    state.items.append(title)
    return len(state.items)

SUITE = stb_env.environment("t/{name}-v0", tools=[add], state=List, judge={judge}, tasks=[
    stb_env.task("{query}", gold="add('x')", check=lambda answer, state: state.items == ["x"])])
'''


def written(folder: Path, name: str = "File", query: str = "Add x.", judge: str = "None") -> str:
    file = folder / "todo.py"
    file.write_text(FILE.format(name=name, query=query, judge=judge))
    return f"{file}:t/{name}-v0"


def python(code: str, *words: str, cwd: Path | None = None) -> str:
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_file_is_named_by_its_path_whatever_the_working_directory(tmp_path, monkeypatch):
    where = written(tmp_path)
    monkeypatch.chdir(tmp_path)
    env = stb_env.make("todo.py:t/File-v0")
    assert env.spec.kwargs == {"where": where}
    assert gym.make(EnvSpec.from_json(env.spec.to_json())).unwrapped.tasks.hash == env.tasks.hash


def test_a_file_that_changes_is_read_again(tmp_path):
    where = written(tmp_path)
    assert stb_env.make(where).tasks.at(0).query == "Add x."
    written(tmp_path, query="Add x, please.")
    assert stb_env.make(where).tasks.at(0).query == "Add x, please."


def test_two_files_may_declare_the_same_id(tmp_path):
    (tmp_path / "other").mkdir()
    first, second = written(tmp_path, query="First."), written(tmp_path / "other", query="Second.")
    queries = [stb_env.make(where).tasks.at(0).query for where in (first, second, first)]
    assert queries == ["First.", "Second.", "First."]


@pytest.mark.heavy
@pytest.mark.parametrize("judge", ["None", "lambda case: case.state.items == ['x']"])
def test_environment_and_snapshot_go_on_in_a_process_that_knows_nothing(tmp_path, judge):
    env = stb_env.make(written(tmp_path, judge=judge))
    env.reset(seed=0)
    env.step("add('x')")
    (tmp_path / "env").write_bytes(pickle.dumps(env))
    (tmp_path / "snapshot").write_bytes(pickle.dumps(env.snapshot()))
    finish = '{"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": ""}}'
    code = (
        "import pathlib, pickle, sys\n"
        "env, snapshot = (pickle.loads(pathlib.Path(name).read_bytes()) for name in ('env', 'snapshot'))\n"
        "print(env.fork().step(sys.argv[1])[1], snapshot.backend)\n"
        "env.restore(snapshot)\n"
        "print(env.step(\"add('y')\")[0]['result'])"
    )
    assert python(code, finish, cwd=tmp_path) == ('1.0 List(items=[\'x\'])\n{"error": "", "response": 2}\n')


def test_a_copy_shares_the_declaration():
    env = stb_env.make("tests.declare.todo:t/Todo-v0")
    env.reset(seed=0)
    again = copy.deepcopy(env)
    assert again.rules.backend._declared is env.rules.backend._declared


SCRIPT = '''
import gymnasium as gym
import stb_env

print("imported")

def add(todo: dict, title: str) -> int:
    """Put an item on the list."""
    todo[title] = True
    return len(todo)

SUITE = stb_env.environment("t/Script-v0", tools=[add], state=dict,
                            tasks=[stb_env.task("Add x.", check=lambda answer, todo: "x" in todo)])

if __name__ == "__main__":
    env = stb_env.make("t/Script-v0")
    print(env.spec.kwargs["where"])
    kwargs = {"shared_memory": False, "context": "spawn"}
    envs = gym.make_vec("t/Script-v0", num_envs=2, vectorization_mode="async", vector_kwargs=kwargs)
    envs.reset(seed=0)
    print(envs.step(["add('x')"] * 2)[0]["result"][0])
    envs.close()
'''


@pytest.mark.heavy
def test_a_script_plays_its_own_environment_in_other_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # Each worker imports the script once, as spawning does, and not once more for the environment. Two may
    # write at the same time, so it is not lines that are counted.
    assert done.stdout.count("imported") == 3
    assert f"{script}:t/Script-v0" in done.stdout
    assert '{"error": "", "response": 1}' in done.stdout


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            "todo:t/Nothing-v0",
            r"^cannot import 'todo' \(No module named 'todo'\); is it installed or on PYTHON",
        ),
        (
            "json:t/Nothing-v0",
            r"^json declares no environment 't/Nothing-v0'; call stb_env.environment\('t/Not",
        ),
        (
            "__main__:t/Typed-v0",
            r"^__main__ declares .* 't/Typed-v0'; what is typed at a prompt is known to that",
        ),
    ],
)
def test_a_place_that_declares_nothing_is_refused(where: str, message: str):
    with pytest.raises(ConfigError, match=message):
        declared(where)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def add(:", r"SyntaxError: .*todo.py"),
        ("import no_such_module", r"^cannot import '.*todo.py' \(No module named 'no_such_module'\)"),
        (
            "1 / 0",
            r"^cannot import '.*todo.py': ZeroDivisionError: division by zero \(.*todo.py, line 1\); correct",
        ),
        (
            "import stb_env\nstb_env.environment('x', tools=[], tasks=[])",
            r"^an id has the form my/Todo-v0, .* got 'x' \(todo.py, line 2\)$",
        ),
        ("", r"^unknown environment 't/File-v0' in .*todo.py; `stb-env list` shows all\."),
    ],
)
def test_a_file_that_cannot_be_used_is_a_setting_that_is_wrong(tmp_path, text: str, message: str):
    (tmp_path / "todo.py").write_text(text)
    (tmp_path / "place.py").write_text("")
    with pytest.raises(ConfigError, match=message):
        stb_env.make(f"{tmp_path / 'todo.py'}:t/File-v0")


def test_a_module_that_only_declares_a_suite_is_registered(tmp_path):
    (tmp_path / "full.py").write_text(
        "from stb_env import Suite\n"
        "from stb_env.suite import Maker\n"
        "SUITE = Suite(name='full', description='x', environments={\n"
        "    't/Full-v0': Maker('stb_env.suites.sandbox.env:make', {'split': 'val'})})\n"
    )
    assert stb_env.make(f"{tmp_path / 'full.py'}:t/Full-v0").tasks.name == "Sandbox"
