"""A copy of the original's repository as a user has it, with texts of ours in the places of its own."""

from __future__ import annotations

import json
from pathlib import Path

SYSTEM = "Rules of the copy.\nTask description: {task_description}"
USER = "\n{input_description}\nGo!\n"
TASK = "What the copy says of tasks.\nTools of the copy:\n"
DIVERSITY = "The copy shows {previous_candidate}and wants another."
FORMER = "before that: "
RANKING = "{task_description}|{intersect_trice}|{candidate_A}|{candidate_B}"
RANKING_USER = "The copy asks: A or B?"
FINISH = {
    "name": "Finish",
    "description": "The copy's way to end.",
    "parameters": {
        "type": "object",
        "properties": {
            "return_type": {"type": "string", "enum": ["give_answer", "give_up_and_restart"]},
            "final_answer": {"type": "string", "description": "The copy's answer."},
        },
        "required": ["return_type"],
    },
}


def write_repository(folder: Path, *, without: str = "") -> Path:
    """Write the copy; running any of its files would fail.

    Args:
        folder: Where to.
        without: Name of a constant to leave out.
    """
    constants = {
        "FORMAT_INSTRUCTIONS_SYSTEM_FUNCTION": SYSTEM,
        "FORMAT_INSTRUCTIONS_USER_FUNCTION": USER,
        "DIVERSITY_PROMPT": DIVERSITY,
        "LLM_PAIRWISE_RANK_SUBFIX_SYSTEM_PROMPT": RANKING,
        "LLM_PAIRWISE_RANK_USER_PROMPT": RANKING_USER,
    }
    lines = [f"{name} = {text!r}" for name, text in constants.items() if name != without]
    half, rest = TASK[:20], TASK[20:]
    files = {
        "inference/Prompts/texts.py": [*lines, "raise SystemExit('this file is read, never run')"],
        "inference/environment.py": [
            "class Environment:",
            "    def __init__(self, tools):",
            f"        self.task_description = f{half!r} + {rest!r}",
            "        for tool in tools:",
            "            self.task_description += f'{tool}'",
            f"        finish_func = {json.dumps(FINISH)}",
        ],
        "inference/search.py": [
            "def search(node):",
            "    shown = 'x'",
            "    if node.observation != '':",
            f"        shown += f{FORMER!r}f'{{node.observation}}\\n'",
            "    return DIVERSITY_PROMPT.replace('{previous_candidate}', shown)",
        ],
        "inference/no_python.py": ["print 'of another Python'"],
    }
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(content) + "\n", encoding="utf-8")
    return folder
