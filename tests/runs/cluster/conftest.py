"""A local Ray that the tests of a cluster share: it takes longer to start than to play."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from stb_env.runs.cluster import RayCluster
from tests.models.end_to_end.services import ROLES, key_of


@pytest.fixture(scope="session")
def ray_folder() -> Iterator[Path]:
    """Where every Ray of the tests writes; a short path, since sockets lie in it."""
    with (
        tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("RAY_TMPDIR", folder)
        yield Path(folder)


@pytest.fixture(scope="session")
def two_workers(ray_folder: Path) -> Iterator[RayCluster]:
    ray = pytest.importorskip("ray", reason="needs Ray: pip install 'stb-env[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", os.environ.get("RAY_USAGE_STATS_ENABLED", "0"))
        # Machines of a cluster have the keys of models in their own environment.
        for role in ROLES:
            patch.setenv(*key_of(role))
        ray.init(
            address="local",
            num_cpus=4,
            object_store_memory=100_000_000,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="error",
            _temp_dir=str(ray_folder),
            _system_config={"worker_niceness": 0},
        )
    yield RayCluster(workers=2, unit=2)
    ray.shutdown()
