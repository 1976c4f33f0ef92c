"""``stb-env eval``: agents on groups under simulators, from a plan, in one resumable command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as RichTable

from stb_env.console import options
from stb_env.console.output import FAILED, console, emit, reporting, stoppable
from stb_env.console.progress import bars
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.options import EnvironmentOptions, ProtocolName
from stb_env.core.reference import is_reference
from stb_env.errors import ConfigError
from stb_env.evaluation.estimate import Estimate
from stb_env.evaluation.plan import EvaluationPlan, is_remote
from stb_env.evaluation.plan_file import read_plan
from stb_env.evaluation.play_plan import Evaluated, Prefer, play
from stb_env.evaluation.prepared import prepared
from stb_env.evaluation.tables import Table
from stb_env.judges.registry import load_preference
from stb_env.runs.judging import prefer as compare_runs
from stb_env.runs.play_options import ClusterOptions, TimeOptions
from stb_env.runs.protocol import find_protocol
from stb_env.runs.verdict_file import manifest_of
from stb_env.show.cli.judge_outcome import tell
from stb_env.show.cli.judging_settings import (
    ComparisonOptions,
    JudgingOptions,
    JudgingSettings,
    settings_under,
)
from stb_env.show.cli.original import SCORES, OriginalJudging, OriginalOptions, compare_answers
from stb_env.show.cli.run import saved_episodes

Plan = Annotated[Path, typer.Argument(metavar="PLAN", help="The evaluation's plan (TOML).")]
Out = Annotated[Path, typer.Option("--out", help="Folder to write to; an evaluation there is resumed.")]
EstimateOnly = Annotated[bool, typer.Option("--estimate", help="Only say what it will cost.")]
Yes = Annotated[bool, typer.Option("--yes", help="Begin without asking, whatever it is estimated to cost.")]

Concurrency = Annotated[
    int | None,
    typer.Option("--concurrency", min=1, help="Episodes played at the same time; the plan's if not given."),
]


@reporting
def evaluation(
    file: Plan,
    out: Out,
    environment: EnvironmentOptions,
    times: TimeOptions,
    machines: ClusterOptions,
    protocol: ProtocolName = None,
    estimate_only: EstimateOnly = False,
    yes: Yes = False,
    concurrency: Concurrency = None,
    as_json: options.AsJson = False,
) -> None:
    """Play every agent on every group under every simulator; run again to resume.

    A budget is spent on all cells alike: each plays a part of its episodes before the next round. Exit 1
    where it ended the evaluation, an episode was not played, a run has no valid episode, or a comparison
    failed; 130 where Ctrl-C or SIGTERM ended it.

    Example: stb-env eval examples/evaluation.toml --out runs/evaluation
    """
    plan = read_plan(file, protocol=protocol, concurrency=concurrency, **environment.given())
    cluster = machines.cluster()
    with prepared(plan, out) as ready:
        expected = Estimate.of(ready)
        if estimate_only:
            emit({"estimate": expected.to_dict()}, as_json, _drawn(_estimated(expected)))
            return
        expected.check()
        if expected.calls:
            console.print(_drawn(_estimated(expected)))
            _agree(expected, yes, as_json)
        for remark in dict.fromkeys(cell.run.crowded(plan.concurrency) for cell in ready.waiting):
            if remark:
                tell(remark)
        joined = nullcontext() if cluster is None else cluster.joined()
        with stoppable(out, saved_episodes), joined, bars(as_json, ready.ledger) as progress:
            prefer = preferring(plan, out)
            done = play(ready, times, prefer=prefer, progress=progress, cluster=cluster)
    _show(done, expected, out, as_json)
    if done.results.uncompared:
        tell(f"{done.results.uncompared} comparisons have no result; the same command asks for them again")
    for name in done.results.unmeasured:
        tell(f"{name} has no valid episode, and so no rate; the same command plays or judges what may pass")
    if done.stopped or done.results.missing or done.results.uncompared or done.results.unmeasured:
        raise typer.Exit(FAILED)


def _agree(expected: Estimate, yes: bool, quiet: bool) -> None:
    # A model that costs nothing needs no one's leave, nor does one of this machine without a price.
    if yes or expected.dollars == 0 or not expected.may_cost:
        return
    if quiet or not sys.stdin.isatty():
        raise ConfigError("the evaluation asks models that cost money; look at --estimate, then give --yes")
    if not typer.confirm("Begin?", err=True):
        raise typer.Exit(FAILED)


def preferring(plan: EvaluationPlan, out: Path) -> Prefer:
    """Return what compares two runs of an evaluation: by its protocol's rules, or by ours without one.

    Without a protocol that says otherwise it is the judge's model, or verdicts alone where there is none.
    """
    chosen = _comparison_settings(plan)

    @lru_cache
    def told(remark: str) -> None:
        tell(remark)

    def as_original(folder: Path, reference: Path) -> Mapping[str, object]:
        how = OriginalJudging(
            evaluator=chosen.evaluator,
            evaluate_times=chosen.comparisons,
            options=OriginalOptions(),
            models=None if plan.models is None else Path(plan.models),
            cache=out / "votes",
            out=out / SCORES,
            seed=plan.seed,
            concurrency=plan.concurrency,
            protocol=True,
        )
        found = compare_answers(folder, reference, how, quiet=True)
        ((_, score),) = found.scores.items()
        judge = f"preference:{found.scoring.model.name}:{found.scoring.questions.label}"
        return {
            "judge": judge,
            "overall": asdict(score.rate),
            "without_answer": score.unanswered,
            "reference_without_answer": score.reference_unanswered,
            "undecided": len(found.failed),
        }

    def by_our_rules(folder: Path, reference: Path) -> Mapping[str, object]:
        manifest = manifest_of(folder)
        verdicts = str(manifest["judge"])
        judge = load_preference(
            plan.judge if is_remote(manifest["env"]) or is_reference(plan.judge or "") else None,
            verdicts,
            order=chosen.order,
            unsure=chosen.unsure,
            models=plan.models,
            cache=out / "votes",
            evaluator=chosen.evaluator,
            seed=plan.seed,
            env=os.environ,
            remark=told,
        )
        return compare_runs(
            folder,
            reference,
            judge,
            verdicts,
            comparisons=chosen.comparisons,
            concurrency=plan.concurrency,
        ).summary

    def against(folder: Path, reference: Path) -> JsonMapping:
        original = chosen.compat is not None and bool(chosen.protocol)
        summary = (as_original if original else by_our_rules)(folder, reference)
        return {**summary, "protocol": chosen.protocol or None}

    return against


def _comparison_settings(plan: EvaluationPlan) -> JudgingSettings:
    """Return how the runs of a plan are compared; a judge that its protocol names is none of one's own."""
    judge = plan.judge
    evaluator = Path(judge) if judge is not None and Path(judge).is_dir() else None
    if evaluator is not None:
        judge = None
    if plan.protocol is not None:
        named = {
            find_protocol(plan.protocol).values("environment", group).get("judge") for group in plan.groups
        }
        judge = None if judge in named else judge
    judging = JudgingOptions(
        judge=judge,
        evaluator=evaluator,
        protocol=plan.protocol,
        originals=None if plan.protocol is None else plan.originals,
    )
    return settings_under("comparison", judging, ComparisonOptions(comparisons=plan.comparisons))


def _show(done: Evaluated, expected: Estimate, out: Path, as_json: bool) -> None:
    report = {
        **done.results.to_dict(),
        "stopped": done.stopped,
        "spent": done.spent.report(),
        "estimate": expected.to_dict(),
        "out": str(out),
    }
    tables = done.results.tables()
    for table in tables[:-1] if not as_json else ():
        Console().print(_drawn(table))
    last = _drawn(tables[-1])
    last.caption = f"{last.caption or ''} Saved in {out}. Spent so far: {done.spent.price_tag}.".strip()
    emit(report, as_json, last)
    if done.stopped:
        tell(f"stopped: {done.stopped}")


def _estimated(expected: Estimate) -> Table:
    rows = [
        (
            row.name,
            str(row.episodes),
            row.basis,
            f"{row.calls:,.0f}",
            f"{row.tokens:,.0f}",
            "unknown" if row.dollars is None else f"{row.dollars:.4f}",
            "" if row.at_most is None else f"{row.at_most:.4f}",
        )
        for row in expected.cells
    ]
    total = "unknown" if expected.dollars is None else f"{expected.dollars:.4f}"
    rows.append(("total", "", "", f"{expected.calls:,.0f}", "", total, ""))
    columns = ("run", "to play", "basis", "calls", "tokens", "$", "$ at most")
    return Table("Estimate", columns, rows, tuple(_remarks(expected)))


def _remarks(expected: Estimate) -> Iterator[str]:
    assumed = "; ".join(
        f"{role} {one.calls:g} calls of {one.prompt:g} + {one.completion:g} tokens"
        for role, one in expected.assumptions.items()
    )
    yield f"Assumed wherever nothing was measured: {assumed} (the judge's for each vote)."
    if expected.unpriced:
        yield f"No price is known for the model of: {', '.join(expected.unpriced)}."
    if expected.budget is not None:
        yield f"Budget: ${expected.budget:g}, of which ${expected.spent:.4f} is spent."


def _drawn(table: Table) -> RichTable:
    drawn = RichTable(title=table.title, caption=" ".join(table.notes) or None)
    for index, column in enumerate(table.columns):
        drawn.add_column(column, justify="right" if index else "left")
    for row in table.rows:
        drawn.add_row(*row)
    return drawn
