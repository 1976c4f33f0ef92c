"""Training dialogues written by five agents, or by one (API-Bank, section 4)."""

from __future__ import annotations

from stb_env.experiments.synthesis.ability import Ability
from stb_env.experiments.synthesis.api import Api
from stb_env.experiments.synthesis.author import Author, ModelAuthor
from stb_env.experiments.synthesis.dialogue import Dialogue
from stb_env.experiments.synthesis.pipeline import Pipeline, Settings
from stb_env.experiments.synthesis.roles import MULTI, SINGLE
from stb_env.experiments.synthesis.run import Synthesis, synthesize
from stb_env.experiments.synthesis.sandbox_author import SandboxAuthor

__all__ = [
    "MULTI",
    "SINGLE",
    "Ability",
    "Api",
    "Author",
    "Dialogue",
    "ModelAuthor",
    "Pipeline",
    "SandboxAuthor",
    "Settings",
    "Synthesis",
    "synthesize",
]
