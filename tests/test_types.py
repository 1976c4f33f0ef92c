"""Share of the package's signatures that switch the type checker off: by `Any`, or by a name for JSON."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import stb_env

PACKAGE = Path(stb_env.__file__).parent
UNKNOWN = frozenset({"Any", "Json", "JsonObject", "JsonMapping", "JsonArray"})
LIMIT = 0.1


def annotations(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    taken = function.args
    named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
    for parameter in (*named, taken.vararg, taken.kwarg):
        if parameter is not None and parameter.annotation is not None:
            yield parameter.annotation
    if function.returns is not None:
        yield function.returns


def names(annotation: ast.expr) -> Iterator[str]:
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def signatures(source: str) -> Iterator[frozenset[str]]:
    """Yield the names in each function's annotations."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield frozenset(name for annotation in annotations(node) for name in names(annotation))


def bare_aliases(source: str) -> list[str]:
    """Return the names that stand for `Any` itself."""
    found = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Name):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if node.value.id == "Any" and isinstance(target, ast.Name):
                found.append(target.id)
    return found


@pytest.mark.parametrize(
    "signature",
    [
        "def f(a: Any): ...",
        "def f(a, /, b, *, c: dict[str, Any] | None = None): ...",
        "def f(*args: Any): ...",
        "def f(**settings: Any): ...",
        "async def f() -> tuple[int, Any]: ...",
        "def f(a: typing.Any): ...",
        "class C:\n    def f(self) -> Callable[..., Any]: ...",
        "def f(a: object) -> Json: ...",
        "def f(a: JsonMapping | None): ...",
    ],
)
def test_a_signature_counts_wherever_it_mentions_any(signature: str):
    assert [bool(UNKNOWN & mentioned) for mentioned in signatures(signature)] == [True]


@pytest.mark.parametrize(
    "signature", ["def f(a: object) -> str: ...", "def f(a):\n    b: Any = a", "def f(Any): ..."]
)
def test_a_signature_without_any_does_not_count(signature: str):
    assert [bool(UNKNOWN & mentioned) for mentioned in signatures(signature)] == [False]


@pytest.mark.heavy
def test_any_stands_in_less_than_a_tenth_of_all_signatures():
    found = [mentioned for file in PACKAGE.rglob("*.py") for mentioned in signatures(file.read_text("utf-8"))]
    unknown = sum(bool(UNKNOWN & mentioned) for mentioned in found) / len(found)
    print(f"{unknown:.1%} of {len(found)} signatures")  # noqa: T201 (pytest -rP shows it)
    assert unknown < LIMIT


def test_no_name_but_json_stands_for_any_itself():
    texts = [file.read_text("utf-8") for file in sorted(PACKAGE.rglob("*.py"))]
    # Reading the others takes seconds.
    aliases = [name for text in texts if "= Any" in text for name in bare_aliases(text)]
    assert aliases == ["Json"]
