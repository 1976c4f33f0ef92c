"""The experiments by name; each is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping

from stb_env.errors import ConfigError, did_you_mean
from stb_env.lab.experiment import Experiment, LabSettings

Run = Callable[[LabSettings], Experiment]

EXPERIMENTS: Mapping[str, str] = {
    "failures": "stb_env.lab.failures:run",
    "cache": "stb_env.lab.cache:run",
    "status": "stb_env.lab.status:run",
    "diversity": "stb_env.lab.diversity:run",
    "turing": "stb_env.lab.turing:run",
    "judges": "stb_env.lab.judges:run",
    "search": "stb_env.lab.search:run",
    "forms": "stb_env.lab.forms:run",
    "red-team": "stb_env.lab.red_team:run",
    "injections": "stb_env.lab.injections:run",
}


def load_experiment(name: str) -> Run:
    """Return the function that runs an experiment.

    Raises:
        ConfigError: There is none of this name.

    Examples:
        >>> load_experiment("failure")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no experiment 'failure'; expected one of cache, diversity, failures, \
forms, injections, judges, red-team, search, status, turing. Did you mean 'failures'?
    """
    if name not in EXPERIMENTS:
        known = ", ".join(sorted(EXPERIMENTS))
        raise ConfigError(
            f"no experiment {name!r}; expected one of {known}.{did_you_mean(name, EXPERIMENTS)}"
        )
    module, _, attribute = EXPERIMENTS[name].partition(":")
    run: Run = getattr(importlib.import_module(module), attribute)
    return run
