"""The declaration of SambaNova's ToolBench."""

from __future__ import annotations

from stb_env.suite import Maker, Suite
from stb_env.suites.sambanova import tasks

SUITE = Suite(
    name="sambanova",
    description="SambaNova's ToolBench: eight tasks whose answer is a program or a sequence of actions",
    environments={task.env_id: Maker(task.env) for task in tasks.SUITE.values()},
    replaced={task.env_id.replace("-v1", "-v0"): task.env_id for task in tasks.SUITE.values()},
    splits=("test", "train"),
    needs={"stb/GoogleSheets-v1": "extra sheets: data frames"},
    protocols=("stb_env.suites.sambanova:protocols/sambanova.toml",),
    prompts="stb_env.suites.sambanova",
    demonstrations="stb_env.suites.sambanova.materials:examples",
    tables="stb_env.suites.sambanova.published:published_row",
    agents={
        "few_shot": "stb_env.suites.sambanova.few_shot_agent:FewShotAgent",
        "zero_shot": "stb_env.suites.sambanova.few_shot_agent:ZeroShotAgent",
        "system_prompt": "stb_env.suites.sambanova.few_shot_agent:SystemPromptAgent",
        "system_few_shot": "stb_env.suites.sambanova.few_shot_agent:SystemFewShotAgent",
        "nested": "stb_env.suites.sambanova.tabletop.nested_agent:NestedAgent",
    },
    commands="stb_env.suites.sambanova.commands:app",
)
