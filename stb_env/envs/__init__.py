"""Environments: one gymnasium.Env for every suite, and the PettingZoo ones."""
