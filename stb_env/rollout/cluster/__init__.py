"""One run on many machines: who plays there, what they are given, and what comes back."""

from stb_env.rollout.cluster.courier import Courier
from stb_env.rollout.cluster.ray_cluster import RayCluster

__all__ = ["Courier", "RayCluster"]
