"""Draw docs/pictures/search_tree.svg: a depth-first search that really solved a task of the Sandbox.

Usage: python docs/pictures/search_tree.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path

import gymnasium as gym

from stb_env import DepthFirstSearch
from stb_env.experiments.lab.stumbling_oracle import StumblingOracle
from stb_env.wrappers.search import SearchTree

PICTURE = Path(__file__).with_suffix(".svg")

TASK, SEED, ERROR_RATE = "test-charting_live-0", 11, 0.3

WIDTH, TOP = 1000, 66
BOX, GAP, ROW, HEIGHT = 214, 34, 78, 54
"""Sizes in pixels: of a box, between boxes, from row to row, of a box again."""

LETTERS = 33
"""How many letters of the small type fit in a box."""

COLOURS = {"path": "#1a7f37", "error": "#bf3d2e", "open": "#57606a"}
STYLE = (
    "text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:10px;fill:#24292f}"
    ".head{font-weight:bold;font-size:10.5px}.query{font-family:system-ui,sans-serif;font-size:14px}"
)


def played() -> tuple[str, SearchTree]:
    """Play the search; return the query and the tree that it grew.

    Raises:
        RuntimeError: The task was not solved, so the picture would show something else than its caption says.
    """
    env = DepthFirstSearch(gym.make("stb/Sandbox-v1"), width=2)
    agent = StumblingOracle(ERROR_RATE)
    observation, info = env.reset(seed=SEED, options={"task_id": TASK})
    query = str(observation["query"])
    agent.reset(env, SEED)
    over, reward = False, 0.0
    while not over:
        observation, reward, terminated, truncated, info = env.step(agent.act(observation, info))
        over = terminated or truncated
    if reward != 1.0:
        raise RuntimeError(f"{TASK} with seed {SEED} is no longer solved; choose another")
    return query, env.tree


def picture(query: str, tree: SearchTree) -> str:
    """Return the tree as an SVG document, from left to right, a row for each leaf."""
    rows = _rows(tree)
    path = set(_path(tree))
    height = TOP + ROW * (max(rows) + 1)
    first, second = _split(query)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">',
        f"<title>{escape(query)}</title><style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>',
        f'<text class="query" x="16" y="26">{escape(first)}</text>',
        f'<text class="query" x="16" y="46">{escape(second)}</text>',
    ]
    for index in range(1, len(tree.nodes)):
        parts += _drawn(tree, index, rows, index in path)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawn(tree: SearchTree, index: int, rows: list[int], solved: bool) -> Iterator[str]:
    x, y = _place(tree, index, rows)
    head, lines, wrong = _words(tree, index)
    colour = COLOURS["path" if solved else "error" if wrong else "open"]
    parent = tree.nodes[index].parent
    if parent:
        from_x, from_y = _place(tree, parent, rows)
        begin, end, middle = from_x + BOX, y + HEIGHT // 2, from_y + HEIGHT // 2
        yield (
            f'<path d="M{begin} {middle} C{begin + GAP // 2} {middle} {x - GAP // 2} {end} {x} {end}" '
            f'fill="none" stroke="{colour}" stroke-width="2"/>'
        )
    yield (
        f'<rect x="{x}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="6" fill="{colour}" fill-opacity=".08" '
        f'stroke="{colour}" stroke-width="{2 if solved else 1}"/>'
    )
    yield f'<text class="head" x="{x + 8}" y="{y + 17}">{index}  {escape(head)}</text>'
    for number, line in enumerate(lines):
        yield f'<text x="{x + 8}" y="{y + 31 + 13 * number}">{escape(line)}</text>'


def _words(tree: SearchTree, index: int) -> tuple[str, list[str], bool]:
    node = tree.nodes[index]
    if node.outcome == "give_up":
        return "gives up", ["back to where another", "step can be taken"], False
    if node.outcome == "answer":
        return "answers: solved, reward 1", _lines(node.answer), False
    (call,) = node.step.calls if node.step else ()
    arguments = _bare(call.arguments)
    result = f"error: {call.result.error}" if call.result.error else _bare(call.result.response)
    return call.name.rsplit("_for_", 1)[0], [_cut(arguments), _cut(result)], bool(call.result.error)


def _rows(tree: SearchTree) -> list[int]:
    """Return the row of every node: its first child's, and a new one for each other branch."""
    rows, free = [0] * len(tree.nodes), 0
    waiting = [0]
    while waiting:
        index = waiting.pop()
        node = tree.nodes[index]
        if node.parent is not None and tree.nodes[node.parent].children[0] != index:
            free += 1
        rows[index] = free
        waiting += reversed(node.children)
    return rows


def _path(tree: SearchTree) -> Iterator[int]:
    index: int | None = next(i for i, node in enumerate(tree.nodes) if node.outcome == "answer")
    while index is not None:
        yield index
        index = tree.nodes[index].parent


def _place(tree: SearchTree, index: int, rows: list[int]) -> tuple[int, int]:
    return 16 + (tree.nodes[index].depth - 1) * (BOX + GAP), TOP + rows[index] * ROW


def _split(text: str) -> tuple[str, str]:
    end = text.rfind(" ", 0, 120) if len(text) > 120 else len(text)
    return text[:end], text[end:].strip()


def _bare(value: object) -> str:
    """Write JSON without the marks that only take room."""
    return json.dumps(value, ensure_ascii=False).strip("{}").replace('"', "")


def _lines(text: str) -> list[str]:
    end = text.rfind(" ", 0, LETTERS) if len(text) > LETTERS else len(text)
    return [text[:end], _cut(text[end:].strip())]


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"


if __name__ == "__main__":
    PICTURE.write_text(picture(*played()), encoding="utf-8")
