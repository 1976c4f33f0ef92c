"""Write docs/laboratory.md: play the laboratory at real size and set its tables beside the paper's claims.

Usage: python docs/laboratory.py SOLVABLE_QUERIES [OUT]

SOLVABLE_QUERIES is the folder of that name in StableToolBench's data. OUT keeps what was played and the
policy that was trained; what is there is taken as it is, and failing tools on real queries go on there. Run
it from the checkout.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple

from stb_env.show.cli import app

PAGE = Path(__file__).with_suffix(".md")

QUERIES = "SOLVABLE_QUERIES"
POLICY = "policy.npz"
TRAINING = ("examples/policy_gradient.py", "6500")
PER_GROUP = "50"


class Section(NamedTuple):
    """One run of the laboratory.

    Attributes:
        title: Heading of the section.
        words: The command, behind ``stb-env lab``; `QUERIES` stands for the folder.
        about: What a reader should know first.
        agent: Who plays, in a word.
    """

    title: str
    words: tuple[str, ...]
    about: str
    agent: str = "reader"

    @property
    def command(self) -> str:
        """The command as a person would type it."""
        return shlex.join(["stb-env", "lab", *self.words])


SANDBOX = Section(
    "Failing tools in the Sandbox: a reader",
    ("failures",),
    "The reader follows gold's plan and answers with what came. It solves every task while all tools work, "
    "so whatever is lost is lost to the tools that are down.",
)
TRAINED = Section(
    "Failing tools in the Sandbox: a policy trained elsewhere",
    ("failures", "--agent", f'examples/policy_gradient.py:Trained(policy="{POLICY}")'),
    "The agent learnt from reward alone, by the exact verifier, to choose among calls and quotes on eleven "
    f"templates of split train (`python {' '.join(TRAINING)} policy.json` writes `{POLICY}`); most templates "
    "here it has never seen. It met neither a failing tool nor the open judge, and nobody told it what a "
    "judge likes to read. Beside the reader it shows what a curve of an open judge is worth where an agent "
    "hardly ever is right.",
    "trained policy",
)
REAL = Section(
    "Failing tools on real queries",
    (
        *("failures", "--data", QUERIES, "--agent", "reader", "--agent", "keyword", "--judge", "heuristic"),
        *("--episodes", PER_GROUP, "--set", "tools=none"),
    ),
    f"{PER_GROUP} queries of each group that the data has. Nobody knows their true answers, no model plays, "
    "and with neither a cache nor a real API every answer is simulated. The reader has no plan here: it "
    "calls the tools that the data marks as relevant with their documented defaults.",
)
SEARCH = Section(
    "Searches at equal calls of the agent",
    ("search", "--episodes", "150", "--set", "budgets=[6,12]"),
    "The agent errs on a quarter of its steps and does not know it.",
)
SECTIONS = (SANDBOX, TRAINED, REAL, SEARCH)

OPENING = """# The laboratory at real size

What `stb-env lab` finds about failing tools and about searches, with the tests behind every sentence, and
what that says of StableToolBench (Guo et al., 2024). One command writes this page, in about two minutes on
two cores and without network:

```sh
python docs/laboratory.py SOLVABLE_QUERIES
```

`SOLVABLE_QUERIES` is the folder of that name in StableToolBench's data. Every seed is 0. A difference is
tested in pairs, each task with itself: its interval is a 95 % bootstrap over tasks, and a score is said to
stay only where that interval lies within a margin, 2 points unless `--set margin=` says otherwise.

Any agent can play. A policy of your own is a class with `act`, and whatever it needs of a file is a setting;
the one here is trained, then played, by

```sh
python examples/policy_gradient.py 6500 policy.json
stb-env lab failures --agent 'examples/policy_gradient.py:Trained(policy="policy.npz")'
```
"""

LIMITS = """What none of this can support:

- **Levels.** The heuristic judge's rates compare with nothing but its own, and no model played: the paper's
  49 to 77 % are out of reach here. `--agent dfs --judge pass --models FILE` plays what it played.
- **The paper's simulator.** Here a template invents values in the documented form. A good model invents
  better ones; neither can know what a real API would have said of data that only it has.
- **Figure 7 and Table 12 on real queries.** With neither cache nor real API, tools that work are simulated
  as well, and the curve with the system is flat by construction. `--set cache=DIR`, or `--set mode=live` with
  `--set real=URL`, makes it a finding.
- **Other tools.** Intervals are over tasks, given the choices of tools that were down. The column by outage
  shows how far these differ among themselves, often by more than the interval; `--set outages=20` draws more.
- **Real outages** are not drawn at random: a provider's tools fail together, and the worst kept ones first.
"""


def main(data: str, out: str | None = None) -> None:
    """Play every section and write the page."""
    with tempfile.TemporaryDirectory(prefix="stb_laboratory_") as scratch:
        root = Path(out or scratch)
        played = {section: play(section, data, root / str(n)) for n, section in enumerate(SECTIONS)}
        parts = [OPENING, *conclusions(played), LIMITS]
        parts += [part for section, folder in played.items() for part in shown(section, folder)]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


def play(section: Section, data: str, out: Path) -> Path:
    """Run a section's command, unless that was done, and return the folder with its results."""
    if (out / f"{section.words[0]}.md").exists():
        return out
    policy = out.with_name(POLICY)
    policy.parent.mkdir(parents=True, exist_ok=True)
    if section is TRAINED and not policy.exists():
        file, episodes = TRAINING
        run_path(file)["main"](int(episodes), str(policy.with_suffix(".json")))
    words = [data if word == QUERIES else word.replace(POLICY, str(policy)) for word in section.words]
    with redirect_stdout(StringIO()):
        app(["lab", *words, "--out", str(out)], standalone_mode=False)
    return out


def shown(section: Section, folder: Path) -> Iterator[str]:
    """Yield a section of the page."""
    text = (folder / f"{section.words[0]}.md").read_text(encoding="utf-8")
    title, measured, tables = text.split("\n\n", 2)
    # The line before a further table is its title.
    tables = re.sub(r"\n([^\n|]+)\n\n(?=\|)", r"\n### \1\n\n", tables)
    yield (
        f"## {section.title}\n\n{section.about}\n\n```sh\n{section.command}\n```\n\n"
        f"### {title}\n\n{measured}\n\n{tables}"
    )


def conclusions(played: Mapping[Section, Path]) -> Iterator[str]:
    """Yield what the tests say of each of the paper's claims."""
    yield "## What this says of the paper\n"
    yield "| claim | by | finding |\n| --- | --- | --- |"
    for claim, verdict, before, after in CLAIMS:
        for section in (SANDBOX, TRAINED):
            row = found(played[section], verdict=verdict, **{"from": before, "to": after})
            yield f"| {claim} | {section.agent}, {judge(verdict)} | {row['reads']} |"
    for name in ("reader", "keyword"):
        row = found(played[REAL], method=name, **{"from": "0% without", "to": "50% without"})
        yield f"| {CLAIMS[0][0]} | {name}, real queries, heuristic judge | {row['reads']} |"
    for first, second in (("DFS", "CoT"), ("DFS", "CoT@n")):
        row = found(played[SEARCH], search=first, against=second, **{"calls allowed": 12})
        yield f"| Table 3: {first} above {second}, 12 calls | stumbling oracle, truth | {row['reads']} |"
    yield ""


CLAIMS = (
    ("Figure 4: without the system the score falls, 0 to 50 % down", "exact", "0% without", "50% without"),
    ("Figure 4: without the system the score falls, 0 to 50 % down", "open", "0% without", "50% without"),
    ("Figure 7, Table 12: with it the score stays, 0 to 50 % down", "open", "0% with", "50% with"),
    ("Figure 7, Table 12: with it the score stays, 0 to 50 % down", "exact", "0% with", "50% with"),
    ("so the system takes back what 50 % down cost", "open", "50% without", "50% with"),
    ("so the system takes back what 50 % down cost", "exact", "50% without", "50% with"),
)


def judge(verdict: str) -> str:
    """Return whose verdict it is, in words."""
    return "truth" if verdict == "exact" else "heuristic judge"


def found(folder: Path, **cells: Any) -> dict[str, Any]:
    """Return the row of the table of changes with these cells."""
    (file,) = (file for file in folder.glob("*.json") if not file.name.endswith(".manifest.json"))
    changes = json.loads(file.read_text(encoding="utf-8"))["further"][0]["rows"]
    (row,) = (row for row in changes if cells.items() <= row.items())
    result: dict[str, Any] = row
    return result


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
