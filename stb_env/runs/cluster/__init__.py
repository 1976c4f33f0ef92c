"""One run on many machines: who plays there, what they are given, and what comes back."""

from stb_env.runs.cluster.ray_cluster import RayCluster
from stb_env.runs.cluster.worker_setup import RunLink

__all__ = ["RayCluster", "RunLink"]
