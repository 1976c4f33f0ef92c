"""API-Bank's declaration."""

from __future__ import annotations

from stb_env.suite import Maker, Suite

_ABILITIES = ("Call", "Retrieve", "Plan")

SUITE = Suite(
    name="api_bank",
    description="API-Bank: 73 executable APIs over databases, dialogues at three levels",
    environments={
        f"stb/APIBank{ability}-v1": Maker("stb_env.suites.api_bank.env:make", {"ability": ability})
        for ability in _ABILITIES
    },
    replaced={f"stb/APIBank{ability}-v0": f"stb/APIBank{ability}-v1" for ability in _ABILITIES},
    splits=("test", "train"),
    needs={"": "--data: official dialogues"},
    data=("api-bank",),
    protocols=("stb_env.suites.api_bank:protocols/api-bank.toml",),
    exports={
        "api-bank": "stb_env.suites.api_bank.exports:dialogue_files",
        "lynx": "stb_env.suites.api_bank.exports:training_files",
    },
    inspect="stb_env.suites.api_bank.inspect:inspect",
    oracle="stb_env.suites.api_bank.oracle:oracle",
    prompts="stb_env.suites.api_bank",
    checks="stb_env.suites.api_bank.reproduction:check",
    commands="stb_env.suites.api_bank.commands:app",
)
