# Every public name, where it is defined; `__init__.py` imports each from here at first use.

from stb_env.actions import Action as Action
from stb_env.backend.cache import ResponseCache as ResponseCache
from stb_env.backend.virtual import VirtualBackend as VirtualBackend
from stb_env.backend.world import World as World
from stb_env.declare import environment as environment
from stb_env.declare import task as task
from stb_env.envs.tool_env import ToolEnv as ToolEnv
from stb_env.errors import ConfigError as ConfigError
from stb_env.errors import InfrastructureError as InfrastructureError
from stb_env.judges.judge import Case as Case
from stb_env.judges.judge import Judge as Judge
from stb_env.judges.registry import load_judge as load_judge
from stb_env.models import ChatModel as ChatModel
from stb_env.models import ScriptedModel as ScriptedModel
from stb_env.runs import Agent as Agent
from stb_env.runs import Job as Job
from stb_env.runs import plan as plan
from stb_env.runs import play as play
from stb_env.runs import run_batch as run_batch
from stb_env.runs.baselines import load_agent as load_agent
from stb_env.runs.baselines.chat import ChatAgent as ChatAgent
from stb_env.runs.make import make as make
from stb_env.saved_episodes import read_trajectories as read_trajectories
from stb_env.suite import Suite as Suite
from stb_env.tasks import Task as Task
from stb_env.tasks import TaskSet as TaskSet
from stb_env.tools import Tool as Tool
from stb_env.tools import ToolCall as ToolCall
from stb_env.tools import ToolResult as ToolResult
from stb_env.trajectory import Trajectory as Trajectory
from stb_env.verdict import Verdict as Verdict
from stb_env.wrappers import ChainOfThought as ChainOfThought
from stb_env.wrappers import DepthFirstSearch as DepthFirstSearch
from stb_env.wrappers import DiscreteActions as DiscreteActions
from stb_env.wrappers import IndependentChains as IndependentChains
from stb_env.wrappers import MonteCarloTreeSearch as MonteCarloTreeSearch
from stb_env.wrappers import ToolRetrieval as ToolRetrieval
from stb_env.wrappers import ToolWrapper as ToolWrapper
from stb_env.wrappers import TreeSearch as TreeSearch

__version__: str
