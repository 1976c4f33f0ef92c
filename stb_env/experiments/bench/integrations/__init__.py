"""Cost of a turn in each installed framework, beside our own loop; the model takes no time."""

from stb_env.experiments.bench.integrations.turn_cost import TurnCost, turn_costs

__all__ = ["TurnCost", "turn_costs"]
