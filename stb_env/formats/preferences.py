"""Preferences in TRL's conversational forms.

A pair is one prompt with a better and a worse way on from it (DPO). A labelled episode is a prompt, the way
on from it, and whether that is good (KTO). Ways on end with what the model itself wrote last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from stb_env.core.jsontypes import JsonObject
from stb_env.formats.branches import branches, children, final_node, path, played_branch, tree_of
from stb_env.formats.sft import shown
from stb_env.formats.spans import Span, spans
from stb_env.formats.template_messages import template_messages
from stb_env.trajectory import Trajectory

Pair = tuple[Trajectory, Trajectory]
"""The better episode, and the worse one."""


def preference(pair: Pair, source: str, *, first_turn: bool = False) -> dict[str, object] | None:
    """Return a pair as ``prompt``, ``chosen``, ``rejected`` and ``tools``, or None where the two do not part.

    The prompt is all that they have in common up to a reply of the assistant, so both ways on begin with one.
    ``chosen_mask`` and ``rejected_mask`` list the characters of each way on that the assistant wrote, as the
    mask of `stb_env.formats.sft` does: a loss on the rest would be one on the environment's words.

    Args:
        pair: Two episodes of one task.
        source: What prefers the one: ``verdicts``, ``branches`` or ``sowr``.
        first_turn: Whether the two ways on are the first reply alone.

    Raises:
        ArgumentsError: The arguments of a call are no JSON object.

    Examples:
        >>> def episode(answer):
        ...     chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": answer}]
        ...     return Trajectory("", "", "7", 0, 0, "?", [], chat, [], None, "", None, 0.0, True, None, {})
        >>> pair = preference((episode("yes"), episode("no")), "verdicts")
        >>> [message["content"] for name in ("prompt", "chosen", "rejected") for message in pair[name]]
        ['?', 'yes', 'no']
        >>> preference((episode("yes"), episode("yes")), "verdicts") is None
        True
    """
    chats = [_Chat.of(episode) for episode in pair]
    better, worse = (chat.messages for chat in chats)
    common = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(better, worse, strict=False)))
    while common and not all(_speaks(chat, common) for chat in (better, worse)):
        common -= 1
    ends = [common + 1 if first_turn else len(chat) for chat in (better, worse)]
    if not common or better[common : ends[0]] == worse[common : ends[1]]:
        return None
    (chosen, chosen_mask), (rejected, rejected_mask) = (
        chat.part(common, end) for chat, end in zip(chats, ends, strict=True)
    )
    first, second = pair
    return {
        "prompt": better[:common],
        "chosen": chosen,
        "rejected": rejected,
        "chosen_mask": chosen_mask,
        "rejected_mask": rejected_mask,
        "tools": list(first.tools),
        "source": source,
        "suite": first.suite,
        "group": first.group,
        "task_id": first.task_id,
        "chosen_trial": first.trial,
        "rejected_trial": second.trial,
        "chosen_reward": first.reward,
        "rejected_reward": second.reward,
    }


def labelled(episode: Trajectory) -> dict[str, object] | None:
    """Return an episode as ``prompt``, ``completion`` and ``label``, or None where there is nothing to label.

    The label is whether the verdict is solved. What a judge was unsure of has none, and neither has an
    episode in which the assistant wrote nothing.

    Raises:
        ArgumentsError: The arguments of a call are no JSON object.

    Examples:
        >>> chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]
        >>> solved = {"status": "solved", "score": 1.0, "votes": [], "judge": "exact"}
        >>> episode = Trajectory("", "", "7", 0, 0, "?", [], chat, [], None, "", solved, 1.0, True, None, {})
        >>> record = labelled(episode)
        >>> record["completion"], record["label"]
        ([{'role': 'assistant', 'content': '!'}], True)
    """
    chat = _Chat.of(episode)
    begin = next((i for i in range(len(chat.messages)) if _speaks(chat.messages, i)), 0)
    if not begin or _status(episode) not in _OTHER:
        return None
    completion, mask = chat.part(begin, len(chat.messages))
    return {
        "prompt": chat.messages[:begin],
        "completion": completion,
        "label": episode.solved,
        "mask": mask,
        "tools": list(episode.tools),
        "suite": episode.suite,
        "group": episode.group,
        "task_id": episode.task_id,
        "trial": episode.trial,
        "seed": episode.seed,
        "reward": episode.reward,
    }


class _Chat(NamedTuple):
    """The messages of an episode up to the last that its assistant wrote, and what of them it wrote."""

    messages: list[JsonObject]
    spans: list[Span]

    @classmethod
    def of(cls, episode: Trajectory) -> _Chat:
        played = played_branch(episode)
        said = template_messages(shown(played))
        own = spans(said, played.steps)
        while said and not _speaks(said, len(said) - 1):
            said.pop()
        return cls(said, own)

    def part(self, begin: int, end: int) -> tuple[list[JsonObject], list[JsonObject]]:
        """Return some messages, and the spans in them, whose messages count from the first of these."""
        own = [span._replace(message=span.message - begin) for span in self.spans]
        mask = [span._asdict() for span in own if 0 <= span.message < end - begin]
        return self.messages[begin:end], mask


def verdict_pairs(episodes: Iterable[Trajectory]) -> Iterator[Pair]:
    """Yield solved with unsolved episodes of one task, each episode once, in the order in which they come.

    What a judge was unsure of is in no pair.

    Args:
        episodes: Judged episodes, which are read twice: only those whose partner will come are kept until
            then.
    """
    counts = Counter((_task(episode), _status(episode)) for episode in episodes)
    waiting: dict[tuple[object, str], list[Trajectory]] = defaultdict(list)
    left = Counter({key: min(counts[key, "solved"], counts[key, "unsolved"]) for key, _ in counts})
    taken: Counter[tuple[object, str]] = Counter()
    for episode in episodes:
        key, status = _task(episode), _status(episode)
        if status not in _OTHER or taken[key, status] >= left[key]:
            continue
        taken[key, status] += 1
        if partners := waiting[key, _OTHER[status]]:
            partner = partners.pop(0)
            yield (episode, partner) if status == "solved" else (partner, episode)
        else:
            waiting[key, status].append(episode)


def branch_pairs(episode: Trajectory) -> Iterator[Pair]:
    """Yield the path that a search solved its task by, with one failed branch for each way not taken.

    A branch that ended in an answer which was never judged may be as good, so it is in no pair.

    Args:
        episode: An episode; one that is not solved, or without a search, has no pairs.
    """
    if episode.tree is None or not episode.solved:
        return
    tree = tree_of(episode)
    below, chosen = children(tree), path(tree, final_node(tree))
    leaves = [index for index in range(1, len(tree["nodes"])) if index not in below]
    by_leaf = dict(zip(leaves, branches(episode), strict=True))
    best = played_branch(episode)
    seen: set[int] = set()
    for leaf in leaves:
        way = path(tree, leaf)
        parting = next((node for node in way if node not in chosen), None)
        if parting is None or parting in seen or tree["nodes"][leaf]["outcome"] == "answer":
            continue
        seen.add(parting)
        yield best, by_leaf[leaf]


_OTHER = {"solved": "unsolved", "unsolved": "solved"}


def _task(episode: Trajectory) -> object:
    return episode.suite, episode.task_id, episode.query


def _status(episode: Trajectory) -> str:
    return str(episode.verdict["status"]) if episode.verdict else ""


def _speaks(chat: list[dict[str, object]], index: int) -> bool:
    return index < len(chat) and chat[index]["role"] == "assistant"
