"""TRL trains on what ``stb-env export`` writes, and its masks cover what ours say the assistant wrote."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from stb_env.formats.spans import Span, spoken
from stb_env.formats.template_messages import template_messages
from stb_env.integrations.trl import PreferenceCollator
from stb_env.runs import Run
from stb_env.saved_episodes import read_trajectories
from tests.command import reported
from tests.integrations.scripted import page_script

REASON = "training on exports needs torch, transformers, trl and datasets"
torch, transformers, trl, datasets = (
    pytest.importorskip(package, reason=REASON) for package in ("torch", "transformers", "trl", "datasets")
)

END = "<|end|>"
ROLES = ("system", "user", "assistant", "tool")
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>"
    "{% if message.role == 'assistant' %}{% generation %}{{ message.content or '' }}"
    "{% for call in message.tool_calls or [] %}{{ call.function.name }}{{ call.function.arguments | tojson }}"
    "{% endfor %}<|end|>{% endgeneration %}"
    "{% else %}{{ message.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module", autouse=True)
def apart(tmp_path_factory):
    """Nothing is looked for on the network, and caches are this test's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path_factory.mktemp("cache"))
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run that solves its tasks, and one that gives them up."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("gold", "give_up"):
        reported("run", "stb/Sandbox-v1", "--agent", agent, "--episodes", 4, "--out", folder / agent)
    return folder / "gold", folder / "give_up"


@pytest.fixture(scope="module")
def tokenizer(runs):
    """A byte-level tokenizer of these very conversations."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<|pad|>", END, *(f"<|{role}|>" for role in ROLES)]
    texts = [json.dumps(list(episode.messages)) for run in runs for episode in read_trajectories(run)]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=600, special_tokens=special, initial_alphabet=alphabet)
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<|pad|>", eos_token=END, chat_template=TEMPLATE
    )


@pytest.fixture
def model(tokenizer):
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=8,
            intermediate_size=8,
            num_hidden_layers=1,
            num_attention_heads=1,
            max_position_embeddings=4096,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


LONG = {"max_position_embeddings": 16384}


def steps(folder, **settings):
    return {
        "output_dir": str(folder),
        "max_steps": 2,
        "per_device_train_batch_size": 2,
        "learning_rate": 0.01,
        "use_cpu": True,
        "bf16": False,
        "report_to": "none",
        "disable_tqdm": True,
        "save_strategy": "no",
        "max_length": 4096,
        **settings,
    }


def weights(model):
    return torch.cat([each.detach().flatten().clone() for each in model.parameters()])


def written(line):
    """What the assistant wrote by our mask, as the template puts it."""
    parts = {}
    for place in line["mask"]:
        span = Span(**place)
        parts.setdefault(span.message, []).append(spoken(line["messages"], span))
    return ["".join(texts) + END for texts in parts.values()]


@pytest.mark.parametrize("container", ["jsonl", "parquet"])
def test_sft_trains_on_exactly_what_the_mask_says_the_assistant_wrote(
    container, runs, tokenizer, model, tmp_path
):
    report = reported("export", runs[0], "--format", "sft", "--as", container, "--out", tmp_path / "sft")
    loader = "json" if container == "jsonl" else "parquet"
    data = datasets.load_dataset(loader, data_files=str(tmp_path / "sft" / report["files"][0]), split="train")
    assert len(data) == 4
    trainer = trl.SFTTrainer(
        model,
        args=trl.SFTConfig(**steps(tmp_path / "out", assistant_only_loss=True)),
        train_dataset=data.select_columns(["messages", "tools"]),
        processing_class=tokenizer,
    )
    batch = trainer.data_collator([trainer.train_dataset[index] for index in range(4)])
    for ids, labels, line in zip(batch["input_ids"], batch["labels"], data, strict=True):
        learnt = tokenizer.decode(ids[labels != -100])
        assert learnt == "".join(written(line))
        assert 0 < (labels != -100).sum() < (ids != tokenizer.pad_token_id).sum()
    before = weights(model)
    assert trainer.train().training_loss > 0
    assert not torch.equal(before, weights(model))


def test_exports_of_two_runs_are_two_data_sets_to_a_cache(runs, tmp_path):
    for run in runs:
        reported("export", run, "--format", "sft", "--only", "valid", "--out", tmp_path / run.name / "sft")
    # Both folders have one name, as those of `RUN/exports/sft` have.
    loaded = [datasets.load_dataset(str(tmp_path / run.name / "sft"), split="train") for run in runs]
    assert [set(each["verdict"]) for each in loaded] == [{"solved"}, {"unsolved"}]


@pytest.mark.parametrize("extra", [[], ["--first-turn"]])
def test_dpo_trains_on_pairs_of_solved_and_given_up_episodes(extra, runs, tokenizer, model, tmp_path):
    reported("export", *runs, "--format", "preferences", *extra, "--out", tmp_path / "pairs")
    data = datasets.load_dataset(str(tmp_path / "pairs"), split="train")
    assert len(data) == 4
    assert all(way[0]["role"] == "assistant" for line in data for way in (line["chosen"], line["rejected"]))
    columns = data.select_columns(["prompt", "chosen", "rejected", "tools"])
    arguments = trl.DPOConfig(**steps(tmp_path / "out"))
    trainer = trl.DPOTrainer(
        model, deepcopy(model), args=arguments, train_dataset=columns, processing_class=tokenizer
    )
    before = weights(model)
    assert trainer.train().training_loss > 0
    assert not torch.equal(before, weights(model))


@pytest.mark.parametrize("container", ["jsonl", "parquet"])
def test_a_batch_of_pairs_counts_the_models_turns_alone(container, runs, tokenizer, model, tmp_path):
    words = ("--format", "preferences", "--as", container, "--out", tmp_path / "pairs")
    reported("export", *runs, *words)
    data = datasets.load_dataset(str(tmp_path / "pairs"), split="train")
    trainer = trl.DPOTrainer(
        model,
        deepcopy(model),
        args=trl.DPOConfig(**steps(tmp_path / "out", remove_unused_columns=False)),
        train_dataset=data,
        processing_class=tokenizer,
        data_collator=PreferenceCollator(tokenizer, max_length=4096),
    )
    examples = [trainer.train_dataset[index] for index in range(len(data))]
    batch = trainer.data_collator(examples)
    usual = trl.trainer.dpo_trainer.DataCollatorForPreference(tokenizer.pad_token_id)(examples)
    lines = [
        {"messages": line[way], "mask": line[f"{way}_mask"]}
        for way in ("chosen", "rejected")
        for line in data
    ]
    for ids, mask, line in zip(batch["input_ids"], batch["completion_mask"], lines, strict=True):
        assert tokenizer.decode(ids[mask == 1]) == "".join(written(line))
    assert batch["completion_mask"].sum() < usual["completion_mask"].sum()
    assert trainer.train().training_loss > 0


@pytest.mark.parametrize(
    ("name", "page", "config"),
    [
        ("sft", "training.md", "SFTConfig"),
        ("kto", "training.md", "KTOConfig"),
        ("dpo", "training.md", "DPOConfig"),
    ],
)
def test_the_scripts_of_the_page_train_on_every_row(
    name, page, config, runs, tokenizer, model, tmp_path, monkeypatch
):
    format = "preferences" if name == "dpo" else name
    exported = reported("export", *runs, "--format", format, "--out", tmp_path / "rows")
    # Longer than what TRL keeps by default, as the export says.
    assert exported["longest"] > 4 * 1024
    shown = deepcopy(tokenizer)
    shown.chat_template = "{% for tool in tools or [] %}{{ tool | tojson }}{% endfor %}" + TEMPLATE
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**model.config.to_dict() | LONG))
    for each in (shown, model):
        each.save_pretrained(tmp_path / "model")
    settings = getattr(trl, config)
    usual = steps(tmp_path / "out")
    # As it is printed: how long rows may be is what the page says.
    del usual["max_length"]
    monkeypatch.setattr(f"trl.{config}", lambda **given: settings(**usual, **given))
    script = page_script(name, page).replace("Qwen/Qwen3-0.6B", str(tmp_path / "model"))
    names = {}
    for run in ("gold", "mixed"):
        script = script.replace(f"runs/{run}/exports/{format}", str(tmp_path / "rows"))
    exec(script, names)
    assert names["trainer"].state.global_step == 2
    assert len(names["trainer"].train_dataset) == exported["records"]


def engine(tokenizer, messages, index):
    """What a server that plays with this tokenizer gives with one reply."""
    before, after = (
        tokenizer.apply_chat_template(
            messages[:end], add_generation_prompt=prompt, tokenize=True, return_dict=False
        )
        for end, prompt in ((index, True), (index + 1, False))
    )
    ids = after[len(before) :]
    return {
        "prompt_token_ids": before,
        "token_ids": ids,
        "logprobs": {"content": [{"token": "", "logprob": -0.5} for _ in ids]},
        "finish_reason": "stop",
    }


def test_rl_records_mask_exactly_the_tokens_that_the_policy_wrote(runs, tokenizer, tmp_path):
    played = Run(tmp_path / "run", {"judge": "exact"})
    episodes = read_trajectories(runs[0])
    for episode in episodes:
        said = [i for i, message in enumerate(episode.messages) if message["role"] == "assistant"]
        messages = template_messages(episode.messages)
        engines = [engine(tokenizer, messages, index) for index in said]
        pairs = zip(episode.steps, engines, strict=True)
        played.add(replace(episode, steps=[step | {"engine": given} for step, given in pairs]), 0.0)
    played.close()
    reported("export", tmp_path / "run", "--format", "rl", "--as", "datasets", "--out", tmp_path / "rl")
    reported("export", tmp_path / "run", "--format", "sft", "--out", tmp_path / "sft")
    lines = [json.loads(line) for line in (tmp_path / "sft" / "sft.jsonl").read_text().splitlines()]
    (data,) = datasets.load_from_disk(tmp_path / "rl").values()
    assert len(data) == len(episodes)
    for record, line in zip(data, lines, strict=True):
        both = zip(record["completion_ids"], record["completion_mask"], strict=True)
        assert tokenizer.decode([token for token, own in both if own]) == "".join(written(line))
        assert [value != 0 for value in record["logprobs"]] == [own == 1 for own in record["completion_mask"]]
        (tokens,) = line["tokens"]
        assert tokens["input_ids"] == record["prompt_ids"] + record["completion_ids"]
        whole = tokenizer.apply_chat_template(line["messages"], tokenize=False)
        # Nobody read what the last call answered.
        assert whole.startswith(tokenizer.decode(tokens["input_ids"]))
