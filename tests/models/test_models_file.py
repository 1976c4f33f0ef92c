"""Models files: who plays which role."""

from __future__ import annotations

from stb_env.models import load_models


def test_a_part_of_the_synthesis_is_the_agent_but_for_what_is_set_for_it(tmp_path):
    file = tmp_path / "models.toml"
    file.write_text('[models.agent]\nmodel = "big"\nmax_tokens = 9\n[models.tester]\nmodel = "strict"\n')
    models = load_models(file, env={"STB_QUERY_TEMPERATURE": "0.9"})
    assert (models["tester"].model, models["tester"].max_tokens) == ("strict", 9)
    assert (models["query"].model, models["query"].temperature) == ("big", 0.9)
    assert "caller" not in models
