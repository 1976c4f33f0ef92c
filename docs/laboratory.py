"""Write docs/laboratory.md: play the laboratory at real size and set its tables beside the paper's claims.

Usage: python docs/laboratory.py SOLVABLE_QUERIES [OUT]

SOLVABLE_QUERIES is the folder of that name in StableToolBench's data. OUT keeps what was played and the
policy that was trained; what is there is taken as it is, and failing tools on real queries go on there. Run
it from the checkout.
"""

from __future__ import annotations

import json
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
        about: A paragraph above the command.
        agent: Name of the agent in the table of claims.
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
    "The reader follows the known solution and answers with the results. It solves every task while all "
    "tools work, so every loss comes from the tools that are down.",
)
TRAINED = Section(
    "Failing tools in the Sandbox: a policy trained elsewhere",
    ("failures", "--agent", f'examples/policy_gradient.py:Trained(policy="{POLICY}")'),
    "The policy was trained with the exact verifier on eleven templates of the split "
    f"train (`python {' '.join(TRAINING)} policy.json` writes `{POLICY}`), and has never seen most templates "
    "played here, a failing tool or the open judge. It is seldom right, and the open judge does not notice.",
    "trained policy",
)
REAL = Section(
    "Failing tools on real queries",
    (
        *("failures", "--data", QUERIES, "--agent", "reader", "--agent", "keyword", "--judge", "heuristic"),
        *("--episodes", PER_GROUP, "--set", "tools=none"),
    ),
    f"{PER_GROUP} queries of each group in the data. Their true answers are unknown, no model plays, and "
    "every result is simulated. The reader calls the tools that the data marks as relevant, with documented "
    "defaults.",
)
SEARCH = Section(
    "Searches at equal calls of the agent",
    ("search", "--episodes", "150", "--set", "budgets=[6,12]"),
    "A quarter of the agent's steps are wrong, and it does not notice.",
)
SECTIONS = (SANDBOX, TRAINED, REAL, SEARCH)

OPENING = """# The laboratory at real size

Results of `stb-env lab` on failing tools and on searches, set beside the claims of StableToolBench (Guo et
al., 2024). One command writes this page, in two minutes on two cores, without a network. It needs the folder
`SOLVABLE_QUERIES` of StableToolBench's data:

```sh
python docs/laboratory.py SOLVABLE_QUERIES
```

All seeds are 0. Differences are tested in pairs of tasks; intervals are 95 % bootstraps over tasks. A score
"stays" if its interval lies within 2 points (`--set margin=`). Each command also prints the table of all
differences, with p values after Holm and McNemar's test, and the open judge's verdicts beside the true ones.

Any agent can play. This one is trained first, then played:

```sh
python examples/policy_gradient.py 6500 policy.json
stb-env lab failures --agent 'examples/policy_gradient.py:Trained(policy="policy.npz")'
```
"""

LIMITS = """Limits:

- **Levels.** The heuristic judge's rates compare only with each other, and no model played, so they
  are not the paper's 49 to 77 %. `--agent dfs --judge pass --models FILE` plays the paper's agent.
- **The simulator.** A template invents values in the documented form; a model invents better ones.
- **Real queries with the system.** Without a cache or a real API, tools that work are simulated too, so this
  curve is flat by construction. Give `--set cache=DIR`, or `--set mode=live --set real=URL`.
- **Choice of tools.** Intervals are over tasks, for the tools that were down; `--set outages=20` draws more.
- **Outages are drawn at random.** Real ones hit all tools of a provider.
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
    """Yield a section of the page: the command and its first table. The command prints the others too."""
    text = (folder / f"{section.words[0]}.md").read_text(encoding="utf-8")
    _, measured, table, *_ = text.split("\n\n")
    yield (
        f"## {section.title}\n\n{section.about}\n\n```sh\n{section.command}\n```\n\n"
        f"{measured}\n\n{shortened(table)}\n"
    )


def shortened(table: str) -> str:
    """Return a table without the columns whose cells are all equal; a line below it has these."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    names, cells = rows[0], rows[2:]
    equal = [number for number in range(len(names)) if len({row[number] for row in cells}) == 1]
    kept = [number for number in range(len(names)) if number not in equal]
    lines = [names, ["---"] * len(names), *cells]
    written = ["| " + " | ".join(line[number] for number in kept) + " |" for line in lines]
    told = ", ".join(f"{names[number]} {cells[0][number]}" for number in equal)
    return "\n".join([*written, "", f"In all rows: {told}."] if equal else written)


def conclusions(played: Mapping[Section, Path]) -> Iterator[str]:
    """Yield the tables of the paper's claims, each with the result of its test."""
    players = [(section, verdict) for section in (SANDBOX, TRAINED) for verdict in JUDGES]
    names = [f"{section.agent}, {JUDGES[verdict]}" for section, verdict in players]
    yield "## The paper's claims\n"
    yield f"| claim | {' | '.join(names)} |\n|{' --- |' * (1 + len(names))}"
    for claim, before, after in CLAIMS:
        rows = [
            found(played[section], verdict=verdict, **{"from": before, "to": after})
            for section, verdict in players
        ]
        yield f"| {claim} | {' | '.join(row['reads'] for row in rows)} |"
    yield "\n| claim | by | finding |\n| --- | --- | --- |"
    for name in ("reader", "keyword"):
        row = found(played[REAL], method=name, **{"from": "0% without", "to": "50% without"})
        yield f"| {CLAIMS[0][0]} | {name}, real queries, {JUDGES['open']} | {row['reads']} |"
    for first, second in (("DFS", "CoT"), ("DFS", "CoT@n")):
        row = found(played[SEARCH], search=first, against=second, **{"calls allowed": 12})
        yield f"| Table 3: {first} above {second}, 12 calls | stumbling oracle, truth | {row['reads']} |"
    yield ""


CLAIMS = (
    ("Figure 4: without the system the score falls, 0 to 50 % down", "0% without", "50% without"),
    ("Figure 7, Table 12: with it the score stays, 0 to 50 % down", "0% with", "50% with"),
    ("so the system takes back what 50 % down cost", "50% without", "50% with"),
)
JUDGES = {"exact": "truth", "open": "heuristic judge"}


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
