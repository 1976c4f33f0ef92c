"""Preference pairs in TRL's conversational form: one prompt, and a better and a worse way on from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import takewhile

from stb_env.formats.branches import branches, children, final_node, path, played_branch, tree_of
from stb_env.formats.sft import shown
from stb_env.trajectory import Trajectory

Pair = tuple[Trajectory, Trajectory]
"""The better episode, and the worse one."""


def preference(pair: Pair, source: str, *, first_turn: bool = False) -> dict[str, object] | None:
    """Return a pair as ``prompt``, ``chosen``, ``rejected`` and ``tools``, or None where the two do not part.

    The prompt is all that they have in common up to a reply of the assistant, so both ways on begin with one.

    Args:
        pair: Two episodes of one task.
        source: What prefers the one: ``verdicts``, ``branches`` or ``sowr``.
        first_turn: Whether the two ways on are the first reply alone, in which a loss on every token is one
            on the assistant's own; later turns also hold what tools answered.

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
    better, worse = (shown(played_branch(episode)) for episode in pair)
    common = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(better, worse, strict=False)))
    while common and not all(_speaks(chat, common) for chat in (better, worse)):
        common -= 1
    ways = [chat[common : common + 1] if first_turn else chat[common:] for chat in (better, worse)]
    if not common or ways[0] == ways[1]:
        return None
    first, second = pair
    return {
        "prompt": better[:common],
        "chosen": ways[0],
        "rejected": ways[1],
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
