"""Checks a call against its tool's JSON Schema, and repairs what can be repaired without loss.

A valid call passes a compiled validator and nothing else. Only where that fails are arguments coerced, and
only where they stay invalid does a second, slower validator say what is wrong.
"""

from stb_env.actions.validation.check import Checked, check_call, validate_call
from stb_env.actions.validation.violation import Violation, ViolationKind

__all__ = ["Checked", "Violation", "ViolationKind", "check_call", "validate_call"]
