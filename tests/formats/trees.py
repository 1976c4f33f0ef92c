"""Random search trees, with everything in them that an answer file can carry."""

from __future__ import annotations

import json
from itertools import count

from hypothesis import strategies as st

from stb_env.formats.branches import tree_node, tree_step
from stb_env.formats.imported import Origin, answer_in, imported
from stb_env.tools import FINISH, Status, ToolResult
from stb_env.trajectory import CallRecord

FUNCTIONS = [{"name": "ping", "parameters": {"type": "object"}}, {"name": FINISH, "parameters": {}}]
ORIGIN = Origin("7", seed=3)

texts = st.text(max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
API = st.sampled_from([Status.OK, Status.TOOL_ERROR, Status.UNKNOWN_TOOL])
ENDS = {"answer": Status.FINISHED, "give_up": Status.GAVE_UP}


class _Maker:
    """Draws a tree node by node; every call is made unlike any other, so that no two paths look the same."""

    def __init__(self, draw, chains, broken):
        self.draw, self.chains, self.broken, self.numbers = draw, chains, broken, count()
        self.nodes = [tree_node()]

    def call(self, number, status=None):
        unique = next(self.numbers)
        drawn = self.draw(API) if status is None else status
        error = "e" + self.draw(texts) if drawn is Status.TOOL_ERROR else ""
        source = "cache" if drawn in (Status.OK, Status.TOOL_ERROR) else "env"
        result = ToolResult.of(self.draw(values), error=error, source=source, status=drawn)
        if status is None:
            name = self.draw(st.sampled_from(["ping", "made_up"]))
            given = self.draw(st.dictionaries(texts, values, max_size=2)) | {"unique": unique}
            arguments = f"no object {unique}" if self.broken and self.draw(st.booleans()) else given
        else:
            kind = "give_answer" if status is Status.FINISHED else "give_up_and_restart"
            name, arguments = FINISH, {"return_type": kind, "final_answer": f"{unique}"}
        return CallRecord(f"call_{number}", name, arguments, result).to_dict()

    def step(self, number, outcome, single):
        text = self.draw(texts)
        if outcome == "failed":
            return tree_step([], text, code=-1)
        fewest, most = (1, 1) if single else (0 if outcome not in ENDS else 1, 2)
        size = self.draw(st.integers(fewest, most))
        calls = [self.call(number + i) for i in range(size)]
        if outcome in ENDS:
            calls[-1] = self.call(number + size - 1, ENDS[outcome])
        return tree_step(calls, text)

    def grow(self, parent, calls, levels, single, prompted):
        last = levels == 0 or self.draw(st.booleans())
        kinds = ["open", "depth", "answer", "failed"] + (["give_up"] if not self.chains else [])
        outcome = self.draw(st.sampled_from(kinds)) if last else "open"
        # Without a conversation, a chain does not say which calls were made in one message.
        if single and outcome == "failed":
            outcome = "depth"
        step = self.step(calls, outcome, single)
        here = len(self.nodes)
        node = tree_node(parent, here, step, outcome=outcome, answer=answer_in(step), prompted=prompted)
        self.nodes.append(node)
        if not last:
            below = 1 if self.chains else self.draw(st.integers(1, 3))
            for place in range(below):
                self.grow(here, calls + len(step["calls"]), levels - 1, single, not self.chains and place > 0)


@st.composite
def episodes(draw, chains=None, broken=True):
    """An imported episode with a random tree.

    ``chains`` chooses tries or a tree, by default either; ``broken`` says whether arguments may be no object.
    """
    chains = draw(st.booleans()) if chains is None else chains
    maker = _Maker(draw, chains, broken)
    tries = draw(st.integers(1, 3))
    for place in range(tries):
        maker.grow(0, 0, 3, chains, not chains and place > 0)
    nodes = maker.nodes
    ends = [i for i, node in enumerate(nodes) if node["outcome"] == "answer"]
    given_up = [i for i, node in enumerate(nodes) if node["outcome"] == "give_up"]
    best = draw(st.sampled_from(ends)) if ends else given_up[-1] if given_up else None
    own = {"tries": tries} if chains else {"width": 2, "max_queries": 200, "filter": False}
    tree = {
        "method": "CoT@3" if chains else "DFS_woFilter_w2",
        "settings": {"max_depth": 12, "answers": 1, **own},
        "queries": draw(st.integers(0, 200)),
        "tokens": draw(st.integers(0, 10**6)),
        "best": best,
        "current": len(nodes) - 1 if best is None else best,
        "nodes": nodes,
    }
    tools = [{"type": "function", "function": function} for function in FUNCTIONS]
    return imported(ORIGIN._replace(method=tree["method"]), draw(texts), tools, tree)


def decoded(value):
    """Return a value as a file would give it back."""
    return json.loads(json.dumps(value))
