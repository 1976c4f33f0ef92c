"""Evaluations: agents on groups under simulators, and whether two runs may be compared."""

from stb_env.evaluation.comparison import Comparison, compare_folders
from stb_env.evaluation.estimate import Estimate, estimate
from stb_env.evaluation.plan import AgentPlan, EvaluationPlan, SimulatorPlan
from stb_env.evaluation.plan_file import parse_plan, read_plan
from stb_env.evaluation.play_plan import Evaluated, evaluate, play, read_results
from stb_env.evaluation.play_run import play_run
from stb_env.evaluation.prepared import Prepared, prepared
from stb_env.evaluation.resolved import Resolved, RunSpec, resolve

__all__ = [
    "AgentPlan",
    "Comparison",
    "Estimate",
    "Evaluated",
    "EvaluationPlan",
    "Prepared",
    "Resolved",
    "RunSpec",
    "SimulatorPlan",
    "compare_folders",
    "estimate",
    "evaluate",
    "parse_plan",
    "play",
    "play_run",
    "prepared",
    "read_plan",
    "read_results",
    "resolve",
]
