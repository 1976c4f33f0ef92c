"""StableToolBench's declaration."""

from __future__ import annotations

from stb_env.suite import Maker, Suite

_GROUPS = ("I1-Instruction", "I1-Category", "I1-Tool", "I2-Instruction", "I2-Category", "I3-Instruction")

SUITE = Suite(
    name="stabletoolbench",
    description="StableToolBench: solvable queries over thousands of RapidAPI tools, in six groups",
    environments={
        f"stb/{group.replace('-', '')}-v0": Maker("stb_env.suites.stabletoolbench.env:make", {"group": group})
        for group in _GROUPS
    },
    needs={"": "--data: official queries"},
    data=("stabletoolbench",),
    inspect="stb_env.suites.stabletoolbench.inspect:inspect",
    protocols=(
        "stb_env.suites.stabletoolbench:protocols/stabletoolbench.toml",
        "stb_env.suites.stabletoolbench:protocols/toolllm.toml",
    ),
    exact=False,
    tables="stb_env.suites.stabletoolbench.leaderboard:published",
    commands="stb_env.suites.stabletoolbench.commands:app",
    exports={
        "stabletoolbench": "stb_env.suites.stabletoolbench.export:answer_files",
        "converted": "stb_env.suites.stabletoolbench.export:converted_files",
        "passrate": "stb_env.suites.stabletoolbench.original_scores.verdicts:pass_files",
    },
    standing={"judge": "heuristic"},
)
