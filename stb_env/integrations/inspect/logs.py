"""A run of ours as a log of Inspect's, which ``inspect view`` opens, and back."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    read_eval_log,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.model import ModelOutput, ModelUsage

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.integrations.inspect.messages import chat
from stb_env.integrations.inspect.scorer import MANIFEST, STORED, score_of
from stb_env.trajectory import Trajectory

SCORER = "verdict"


def log_of(manifest: Mapping[str, object], episodes: Sequence[Trajectory], created: datetime) -> EvalLog:
    """Return a run as a log; failures of the infrastructure are samples without a score.

    Args:
        manifest: The run's.
        episodes: Its episodes; trials of a task become epochs.
        created: When it was played.
    """
    model = _model(manifest)
    seen: Counter[str] = Counter()
    samples = []
    for episode in episodes:
        seen[episode.task_id] += 1
        samples.append(_sample(episode, seen[episode.task_id], model))
    digest = hashlib.sha256("".join(episode.to_json() for episode in episodes).encode()).hexdigest()
    # By its name in Inspect's registry, so that figures can be made anew there.
    metrics = [{"name": "inspect_ai/mean"}, {"name": "inspect_ai/stderr"}]
    scorer = {"name": SCORER, "metrics": metrics}
    spec = EvalSpec(
        eval_id=digest[:22],
        run_id=digest[:22],
        task_id=digest[22:44],
        created=created.astimezone(UTC),
        task=str(manifest.get("env") or "stb_env"),
        dataset=EvalDataset(name=manifest.get("env"), samples=len(seen), sample_ids=list(seen)),
        model=model,
        config=EvalConfig(epochs=max(seen.values(), default=1)),
        packages={"stb-env": str(manifest.get("package", ""))},
        metadata={MANIFEST: dict(manifest)},
        scorers=[scorer],
    )
    log = EvalLog(status="success", eval=spec, samples=samples)
    recompute_metrics(log)
    return log


def log_text(log: EvalLog) -> str:
    """Return a log as the text of a JSON file; equal logs give equal texts."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "log.json"
        write_eval_log(log, file, format="json")
        return file.read_text(encoding="utf-8")


def log_name(log: EvalLog) -> str:
    """Return the name of its file: Inspect finds a log in JSON by the time that its name begins with."""
    time = datetime.fromisoformat(str(log.eval.created)).strftime("%Y-%m-%dT%H-%M-%S-00-00")
    return f"{time}_{log.eval.task.rpartition('/')[2]}_{log.eval.eval_id}.json"


def read_log(file: Path) -> tuple[dict[str, object], list[Trajectory]]:
    """Return the manifest and the episodes that a log holds, of our own runs and of Inspect's evaluations.

    Raises:
        DataError: It is no log, or it has a sample that no environment of this package played.
    """
    try:
        log = read_eval_log(file)
    except (ValueError, OSError, KeyError) as error:
        raise DataError(
            f"{file} is no log of Inspect's ({error}); give a .eval file or one in JSON"
        ) from error
    return _manifest(log), list(_episodes(file, log.samples or []))


def _episodes(file: Path, samples: Iterable[EvalSample]) -> Iterable[Trajectory]:
    for sample in samples:
        stored = sample.store.get(STORED)
        if stored is None:
            raise DataError(
                f"{file}: sample {sample.id!r} has no episode of this package; "
                "read logs of its tasks (inspect eval stb_env/...), whose samples began"
            )
        yield Trajectory.from_dict(stored)


def _manifest(log: EvalLog) -> dict[str, object]:
    """Return the manifest that a log has of us; the model of an evaluation is known to Inspect alone."""
    known = (log.eval.metadata or {}).get(MANIFEST) or {"version": 1, "env": log.eval.dataset.name}
    return {"agent": log.eval.solver, "agent_settings": {"model": log.eval.model}, **known}


def _model(manifest: JsonMapping) -> str:
    settings = manifest.get("agent_settings") or {}
    return f"stb_env/{settings.get('model') or manifest.get('agent') or 'unknown'}"


def _sample(episode: Trajectory, epoch: int, model: str) -> EvalSample:
    messages = chat(episode.messages)
    identity = hashlib.sha256("\0".join(map(str, (episode.suite, *episode.key))).encode()).hexdigest()[:16]
    for number, message in enumerate(messages):
        # Otherwise drawn, and the file would be another each time.
        message.id = f"{identity}-{number}"
    used = {name: int(episode.usage.get(f"{name}_tokens", 0)) for name in ("prompt", "completion")}
    usage = ModelUsage(
        input_tokens=used["prompt"], output_tokens=used["completion"], total_tokens=sum(used.values())
    )
    first = next((n for n, message in enumerate(messages) if message.role == "assistant"), len(messages))
    return EvalSample(
        id=episode.task_id,
        epoch=epoch,
        uuid=f"{identity}-{epoch}",
        input=messages[:first],
        target="",
        messages=messages,
        output=ModelOutput(model=model, completion=episode.text),
        scores={SCORER: score_of(episode.to_dict())},
        metadata={"suite": episode.suite, "group": episode.group, "task_id": episode.task_id},
        store={STORED: episode.to_dict()},
        model_usage={model: usage} if usage.total_tokens else {},
    )
