"""The template simulator: deterministic answers from documentation, without model, key or network."""

from stb_env.backend.simulator.template.simulator import TemplateSimulator

__all__ = ["TemplateSimulator"]
