import pytest

from stb_env.lab.experiment import LabSettings, draw
from stb_env.lab.registry import load_experiment


@pytest.mark.parametrize("name", ["diversity", "turing", "judges"])
def test_the_plot_is_a_picture(tmp_path, name):
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    draw(load_experiment(name)(LabSettings(episodes=6)).plot, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
