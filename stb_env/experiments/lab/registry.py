"""The experiments by name; the function ``run`` of each module is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from stb_env import ConfigError
from stb_env.errors import did_you_mean
from stb_env.experiments.lab.experiment import About, Experiment, LabSettings

Run = Callable[[LabSettings], Experiment]

_TEXTS = ("data", "judge", "models")
"""Options that mean the same in every experiment that takes them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An experiment that can be asked for.

    Attributes:
        about: Meaning of its numbers with the Sandbox as the real API.
        with_data: The same for the files that ``data`` names; None where it takes none.
        refuses: Why a common option cannot apply, and the option to use in its place.
    """

    about: About
    with_data: About | None = None
    refuses: Mapping[str, str] = field(default_factory=dict)


_NO_EPISODES = "no episode is played; `stb-env lab failures` and `stb-env lab search` play agents"
_NO_VERDICTS = "nothing is judged; `stb-env lab judges` and `stb-env lab failures` ask judges"
_NO_MODEL = "no model is asked; `stb-env lab failures` and `stb-env lab judges` take a models file"
_SCALE = "`stb-env run ID --ray ADDRESS` plays real ones"

EXPERIMENTS: Mapping[str, Entry] = {
    "failures": Entry(
        About(
            "scores of one agent on the same Sandbox tasks with an exact share of the tools they need down, "
            "by the exact verifier and by an open judge on the same episodes, differences in pairs of tasks",
            "the Sandbox is the real API and a template the simulator, the tools that fail are drawn at "
            "random, and intervals are over tasks, given those draws",
        ),
        About(
            "scores of agents on the same real queries with an exact share of the tools in use down, by one "
            "judge, differences in pairs of queries",
            "the judge is right, since nobody knows the true answers, and whatever answers in a working "
            "tool's place (cache, real API or, with neither, the simulator) is that tool",
        ),
    ),
    "cache": Entry(
        About(
            "the share of calls that a frozen cache answers, by its age and by who calls, and what the "
            "filter leaves of the recorded answers",
            "broken APIs are drawn at the paper's odds, and agents that err at known rates stand for methods",
        ),
        About(
            "the share of the calls of each agent on real queries that a cache holds which the other agents "
            "filled, at the beginning, half-way and at the end, and the mean over all orders",
            "the agents called stand for methods, and whatever answers in this mode is the API",
        ),
        refuses={
            "agent": "without --data its agents err at known rates; give --data QUERIES to let agents of "
            "yours fill a cache",
            "judge": "hits are counted, not verdicts; `stb-env lab judges` asks judges",
            "models": _NO_MODEL,
        },
    ),
    "status": Entry(
        About(
            "the class of each API's answer to one call, in both readings of Appendix D, beside how it is "
            "broken in truth",
            "APIs are broken at the paper's odds and in its wordings, and calls are written from "
            "documentation",
        ),
        About(
            "the class of each documented API's answer to one call, in both readings of Appendix D",
            "calls are written from documentation, and without a real API the answers are a simulator's",
        ),
        refuses={
            "agent": f"calls are written from documentation, and {_NO_EPISODES}",
            "judge": f"answers are classed by the rules of Appendix D, and {_NO_VERDICTS}",
            "models": _NO_MODEL,
        },
    ),
    "diversity": Entry(
        About(
            "how many APIs give identical answers to different calls, and how far simulated answers are "
            "from real ones",
            "the Sandbox is the real API and a template the simulator, and distance in an embedding is "
            "difference",
        ),
        About(
            "how many APIs give identical answers to different calls, and how far simulated answers are "
            "from real ones, as recorded in the files",
            "the recorded real answers are the APIs', and distance in an embedding is difference",
        ),
        refuses={
            "agent": f"calls are written or gold's, and {_NO_EPISODES}",
            "judge": f"answers are compared with each other, and {_NO_VERDICTS}",
        },
    ),
    "turing": Entry(
        About(
            "outcome, schema and wording of simulated answers beside real ones, and what annotators said",
            "the Sandbox is the real API and a template the simulator, and likeness in form is likeness",
        ),
        About(
            "outcome, schema and wording of recorded simulated answers beside recorded real ones, and what "
            "annotators said",
            "the recorded real answers are the APIs', and likeness in form is likeness",
        ),
        refuses={
            "agent": f"calls are gold's or recorded, and {_NO_EPISODES}",
            "judge": "annotators judge here; write their labels to a file and give --set labels=FILE",
            "models": _NO_MODEL,
        },
    ),
    "judges": Entry(
        About(
            "how often judges agree with the exact truth on solved and corrupted episodes, on pairs of them, "
            "and on tasks with and without their tools",
            "answers are gold's or gold's with one thing wrong, so an agent's own way of failing is not "
            "among them",
        ),
        refuses={
            "data": "it needs cases whose truth is known, and nobody knows it of open queries; "
            "`stb-env judge RUN` judges a run on them, and --set judge=A,B compares judges here",
            "agent": "the episodes are gold's and corruptions of them; `stb-env lab failures --agent A "
            "--judge J` sets a judge beside the truth on an agent's own episodes",
        },
    ),
    "search": Entry(
        About(
            "scores by the exact verifier of searches that may ask the same agent equally often, "
            "differences in pairs of tasks",
            "an agent whose steps err independently at one rate stands for a model, unless --agent names "
            "another",
        ),
        About(
            "scores by one judge of searches that may ask the same agent equally often on real queries, "
            "differences in pairs of queries",
            "the judge is right, and 'UCT, oracle' is valued by that same judge",
        ),
    ),
    "forms": Entry(
        About(
            "how many replies of a model have the form that each role asks for, and what it takes to get one",
            "a reply in the form is one that counts, whatever it says",
        ),
        refuses={
            "data": "questions come from Sandbox and API-Bank tasks; --episodes says how many",
            "agent": "the agent among the roles is chat; --set roles=agent asks it alone",
            "judge": "the judges among the roles are pass, preference, final_answer and solvability; "
            "--set roles=pass,preference asks those alone",
        },
    ),
    "red-team": Entry(
        About(
            "the mean reward of agents that deserve none, on every environment",
            "gold's calls and answers are right, so that what is made of them by cheating is not",
        ),
        refuses={
            "agent": "its agents are the cheats; `stb-env run ID --agent red:NAME` plays one of them",
            "models": "its judges ask no model; `stb-env lab injections` tries those that do",
        },
    ),
    "injections": Entry(
        About(
            "what judges that ask a model say of one wrong answer, alone and with words that address them",
            "the wrong answer is wrong, so whatever passes it was talked into that or cannot tell",
        ),
        refuses={
            "data": "answers are made for Sandbox tasks; --episodes says how many",
            "agent": f"the answers are given, and {_NO_EPISODES}",
            "judge": "the judges are pass, final_answer, preference and solvability; --set judges=pass asks "
            "one of them",
        },
    ),
    "scale": Entry(
        About(
            "how many episodes a second a run on many machines saves and what its cores cost, simulated from "
            "what an episode, a reply and a saved line cost",
            "machines are alike and none is lost, each worker has a core of its own, and models answer as "
            "fast however many ask",
        ),
        refuses={
            "data": f"episodes are simulated; {_SCALE}",
            "agent": f"episodes are simulated; {_SCALE}",
            "judge": _NO_VERDICTS,
            "models": "no model is asked; --set latency=[0.2,1] says how slow it is, and --set calls=4 how "
            "often an episode asks it",
        },
    ),
}


def load_experiment(name: str) -> Run:
    """Return the function that runs an experiment and says what it measures and assumes.

    Raises:
        ConfigError: There is none of this name.

    Examples:
        >>> load_experiment("failure")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no experiment 'failure'; expected one of cache, diversity, failures, \
forms, injections, judges, red-team, scale, search, status, turing. Did you mean 'failures'?
    """
    if name not in EXPERIMENTS:
        known = ", ".join(sorted(EXPERIMENTS))
        raise ConfigError(
            f"no experiment {name!r}; expected one of {known}.{did_you_mean(name, EXPERIMENTS)}"
        )
    entry = EXPERIMENTS[name]
    run: Run = importlib.import_module(f"stb_env.experiments.lab.{name.replace('-', '_')}").run

    def described(settings: LabSettings) -> Experiment:
        for text in _TEXTS:
            if text in settings.options:
                settings.text(text, "")
        found = run(replace(settings, refuses=entry.refuses))
        about = entry.with_data if "data" in settings.options else None
        return replace(found, about=found.about or about or entry.about)

    return described
