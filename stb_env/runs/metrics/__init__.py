"""Metrics: pure functions of answers, trajectories and verdicts."""
