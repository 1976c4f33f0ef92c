"""The tables of a report, as text cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stb_env.evaluation.tables import Table
from stb_env.runs.metrics.rates import SIMULATED
from stb_env.runs.metrics.sopr import GroupRate
from stb_env.show.report.document.latex import latex
from stb_env.show.report.document.report import Pair, Report
from stb_env.show.report.document.reported_run import ReportedRun
from stb_env.show.report.document.spread import Spread

MEASURES = {
    "turns": "Turns an episode",
    "calls": "Calls an episode",
    "tokens": "Tokens an episode",
    "dollars": "Dollars an episode",
    "seconds": "Seconds an episode",
}
"""Titles of what is measured of each episode."""

WHOLE = ("turns", "calls", "tokens")
"""Those that are whole numbers."""

_SHOWN = 160
_SOURCES = ("cache", SIMULATED, "simulator", "real", "world")


def tables(report: Report) -> list[Table]:
    """Return the tables that there are figures for, single tasks left out.

    Args:
        report: The report.

    Examples:
        >>> tables(Report("nothing", [], [], {}, []))
        []
    """
    if not report.runs:
        return []
    found = [summary_table(report.runs), outcome_table(report.runs), cost_table(report.runs)]
    found += [failure_table(report.runs), source_table(report.runs)]
    found += [spread_table(report.runs, name) for name in MEASURES]
    found += [
        role_table(report.runs),
        vote_table(report.runs),
        judge_table(report.runs),
        pair_table(report.pairs),
    ]
    return [table for table in found if table.rows]


def markdown_tables(report: Report) -> str:
    """Return the tables as one Markdown document.

    Examples:
        >>> markdown_tables(Report("Nothing", [], [], {}, []))
        '# Nothing'
    """
    return "\n\n".join([f"# {report.title}", *(table.markdown() for table in tables(report))])


def latex_tables(report: Report) -> str:
    r"""Return the tables as LaTeX, to be put into a document.

    Examples:
        >>> latex_tables(Report("Nothing", [], [], {}, []))
        '% needs \\usepackage{booktabs,graphicx}'
    """
    found = [latex(table, f"tab:{'-'.join(table.title.lower().split())}") for table in tables(report)]
    return "\n\n".join([r"% needs \usepackage{booktabs,graphicx}", *found])


def summary_table(runs: Sequence[ReportedRun]) -> Table:
    """Return what each run scored."""
    rows = [
        (
            run.name,
            f"{run.agent} (incomplete)" if run.unscored else run.agent,
            *_rates(run),
        )
        for run in runs
    ]
    judges = ", ".join(dict.fromkeys(run.judged.judge for run in runs))
    columns = (
        "run",
        "agent",
        "solved of valid",
        "95 %",
        "solved of all",
        "score of all",
        "invalid",
        "mean reward of valid",
        "95 % of it",
    )
    notes = (
        "Intervals are 95 % bootstrap intervals over tasks. Of all: of every planned episode, those that "
        "failed or were not played included; score: per cent, mean ± standard deviation over votes.",
        f"Judged by {judges}; invalid: of the episodes that do not wait for a verdict.",
        _reward_note(runs),
    )
    return Table("Summary", columns, rows, notes)


def _rates(run: ReportedRun) -> tuple[str, ...]:
    invalid = _share(run.invalid_share)
    if not run.measured:
        return ("-", "-", "-", "-", invalid, "-", "-")
    return (
        percent(run.summary["solved_valid"]),
        interval(run.solved_interval),
        percent(run.summary["solved_all"]),
        _score(run.rate),
        invalid,
        f"{run.summary['mean']:.3f}",
        "{:.3f} to {:.3f}".format(*run.summary["interval"]),
    )


def _reward_note(runs: Sequence[ReportedRun]) -> str:
    modes = {run.name: run.reward_mode or "-" for run in runs}
    if len(set(modes.values())) == 1:
        return f"Rewards are {runs[0].reward_mode or 'unknown'}."
    told = ", ".join(f"{name} {mode}" for name, mode in modes.items())
    return f"Rewards differ in mode, so that their means do not compare: {told}."


def _score(rate: GroupRate | None) -> str:
    return "-" if rate is None else f"{100 * rate.mean:.1f} ± {100 * rate.std:.1f}"


def outcome_table(runs: Sequence[ReportedRun]) -> Table:
    """Return how the episodes of each run ended."""
    rows = [
        (run.name, *(f"{count:,}" for count in run.outcomes.values()), f"{run.summary['planned']:,}")
        for run in runs
    ]
    names = list(runs[0].outcomes) if runs else []
    notes = ("Waiting: played, and without a verdict so far.",)
    return Table("Outcomes", ("run", *names, "planned"), rows, notes)


def failure_table(runs: Sequence[ReportedRun]) -> Table:
    """Return what ended the invalid episodes of each run."""
    rows = [
        (run.name, failure.kind, failure.stage, f"{failure.episodes:,}", cut(failure.message, 90))
        for run in runs
        for failure in run.failures
    ]
    notes = ("An invalid episode has no verdict: the infrastructure failed, or nothing could be judged.",)
    return Table("Failures", ("run", "kind", "stage", "episodes", "the first says"), rows, notes)


def source_table(runs: Sequence[ReportedRun]) -> Table:
    """Return who answered the calls of each run."""
    there = {source for run in runs for source in run.summary["sources"]}
    known = [source for source in _SOURCES if source in there]
    names = [*known, *sorted(there - set(known))]
    rows = [(run.name, *(f"{run.summary['sources'].get(name, 0):,}" for name in names)) for run in runs]
    notes = ("Replies of the environment itself, such as to arguments it refused, are left out.",)
    return Table("Calls by source", ("run", *names), rows if names else (), notes)


def tool_table(run: ReportedRun) -> Table:
    """Return the calls of one run by tool."""
    names = sorted({source for tool in run.tools for source in tool.sources})
    rows = [
        (
            cut(tool.tool, 80),
            f"{tool.calls:,}",
            f"{tool.failed:,}",
            *(f"{tool.sources.get(name, 0):,}" for name in names),
        )
        for tool in run.tools
    ]
    notes = (
        "Failed: the tool's errors, refused arguments and unknown tools.",
        "env: refused before any tool was asked.",
    )
    return Table(f"Tools of {run.name}", ("tool", "calls", "failed", *names), rows, notes)


def spread_table(runs: Sequence[ReportedRun], measure: str) -> Table:
    """Return how a measure is spread over the episodes of each run; without rows where all is 0."""
    if not any(any(run.measures[measure]) for run in runs):
        return Table(MEASURES[measure], (), ())
    digits = 0 if measure in WHOLE else 4
    rows = []
    for run in runs:
        if not run.measures[measure]:
            rows.append((run.name, *["-"] * 6))
            continue
        one = Spread.of(run.measures[measure])
        shown = (one.least, one.median, one.most_of, one.largest)
        rows.append(
            (
                run.name,
                f"{one.mean:,.{max(1, digits)}f}",
                *(f"{value:,.{digits}f}" for value in shown),
                f"{one.total:,.{digits}f}",
            )
        )
    return Table(MEASURES[measure], ("run", "mean", "least", "median", "90 %", "largest", "together"), rows)


def cost_table(runs: Sequence[ReportedRun]) -> Table:
    """Return what a solved task cost; without rows where no model was asked."""
    rows = [
        (
            run.name,
            f"{run.cost.usage.calls:,}",
            f"{run.cost.usage.total_tokens:,}",
            run.cost.usage.price_tag,
            _each(run.cost.tokens_per_solved, ",.0f"),
            "unknown" if run.cost.usage.unpriced else _each(run.cost.dollars_per_solved, ".4f"),
        )
        for run in runs
    ]
    columns = ("run", "model calls", "tokens", "cost", "tokens a solved task", "$ a solved task")
    return Table("Cost", columns, rows if any(run.cost.usage.calls for run in runs) else ())


def role_table(runs: Sequence[ReportedRun]) -> Table:
    """Return what each role used."""
    rows = [
        (run.name, role, f"{usage.calls:,}", f"{usage.total_tokens:,}", usage.price_tag)
        for run in runs
        for role, usage in run.roles.items()
    ]
    return Table("Cost by role", ("run", "role", "calls", "tokens", "cost"), rows)


def vote_table(runs: Sequence[ReportedRun]) -> Table:
    """Return how far the votes on episodes agree, of runs that were voted on."""
    rows = [
        (
            run.name,
            run.judged.judge,
            f"{run.votes.episodes:,}",
            f"{run.votes.unanimous:,}",
            f"{run.votes.missing:,}",
            _share(run.votes.observed),
            _number(run.votes.alpha),
        )
        for run in runs
        if run.votes.episodes or run.votes.missing
    ]
    columns = (
        "run",
        "judge",
        "episodes",
        "unanimous",
        "votes missing",
        "equal pairs",
        "Krippendorff's alpha",
    )
    notes = ("Equal pairs: of two votes on an episode. Alpha has no value where every vote is the same.",)
    return Table("Agreement of votes", columns, rows, notes)


def judge_table(runs: Sequence[ReportedRun]) -> Table:
    """Return how far other judges agree with the one whose verdicts count."""
    rows = [
        (
            run.name,
            run.judged.judge,
            other.judge,
            f"{other.episodes:,}",
            f"{other.same:,}",
            _number(other.kappa),
        )
        for run in runs
        for other in run.judges
    ]
    columns = ("run", "judge", "other judge", "episodes", "same verdict", "Cohen's kappa")
    return Table("Agreement of judges", columns, rows)


def pair_table(pairs: Sequence[Pair]) -> Table:
    """Return how runs compare, two and two."""
    columns = (
        "A",
        "B",
        "tasks",
        "A solved",
        "B solved",
        "B - A",
        "95 %",
        "lost",
        "gained",
        "p, McNemar",
        "p, sign flips",
    )
    rows = [row for pair in pairs for row in _pair_rows(pair)]
    notes = (
        "Solved shares on the tasks that both runs have a valid episode of, with paired bootstrap intervals. "
        "Gained: solved by B in most trials and by A in no more than half; lost: the other way round. "
        "McNemar's test is exact, on these two counts; sign flips are of scores. "
        "No p is corrected for the number of pairs.",
    )
    return Table("Comparisons", columns, rows, notes)


def _pair_rows(pair: Pair) -> Iterator[tuple[str, ...]]:
    found = pair.comparison
    if found is None:
        yield pair.first, pair.second, *["-"] * 9
        return
    low, high = found.solved_interval
    yield (
        pair.first,
        pair.second,
        f"{found.score.tasks:,}",
        percent(found.solved[0]),
        percent(found.solved[1]),
        # What the comparison has as A minus B.
        f"{0.0 - 100 * found.solved_difference:+.1f}",
        f"{0.0 - 100 * high:+.1f} to {0.0 - 100 * low:+.1f}",
        f"{len(found.only_first):,}",
        f"{len(found.only_second):,}",
        f"{found.score.mcnemar:.2g}",
        f"{found.score.p_value:.2g}",
    )


def percent(share: float) -> str:
    """Return a share as per cent.

    Examples:
        >>> percent(0.125)
        '12.5%'
    """
    return f"{share:.1%}"


def interval(limits: tuple[float, float]) -> str:
    """Return the limits of an interval of shares as per cent.

    Examples:
        >>> interval((0.1, 0.25))
        '10.0 to 25.0'
    """
    return "{:.1f} to {:.1f}".format(*(100 * limit for limit in limits))


def cut(text: str, most: int = _SHOWN) -> str:
    """Return a text as one line, with an ellipsis where it is longer than may be shown.

    Examples:
        >>> cut("one  two three", 8)
        'one two…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _share(value: float | None) -> str:
    return "-" if value is None else percent(value)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _each(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
