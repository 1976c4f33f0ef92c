"""verifiers: suites as tasksets that ``vf-eval`` finds, their tools served to all rollouts by one process.

A taskset of one environment is a module of its own that names a subclass of `StbTaskset` in ``__all__``, and
`StbHarness` beside it for rollouts in the process; the folder ``environments/`` of the repository has one for
each suite.
"""

from stb_env.integrations.verifiers.harness import StbHarness
from stb_env.integrations.verifiers.taskset import StbConfig, StbData, StbTask, StbTaskset
from stb_env.integrations.verifiers.toolset import StbState, StbToolset

__all__ = ["StbConfig", "StbData", "StbHarness", "StbState", "StbTask", "StbTaskset", "StbToolset"]
