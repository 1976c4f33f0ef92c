"""Counter-based randomness: a number follows from what it is for, never from when it was drawn.

No generator object travels with an episode: a snapshot copies one counter, and the order in which
threads or processes run changes nothing.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_MASK = (1 << 64) - 1


def mix(seed: int, counter: int) -> int:
    """Return a 64-bit number that follows from (seed, counter) alone (SplitMix64).

    Examples:
        >>> mix(0, 1) == mix(0, 1), mix(0, 1) == mix(1, 0)
        (True, False)
    """
    z = (seed * 0xD1342543DE82EF95 + (counter + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def mix_each(seeds: ArrayLike, counters: ArrayLike) -> NDArray[np.uint64]:
    """Return ``mix(seed, counter)`` of many seeds and counters at once, paired as numpy pairs arrays.

    Examples:
        >>> mix_each([3, 4], 7).tolist() == [mix(3, 7), mix(4, 7)]
        True
    """
    import numpy as np  # takes a while

    # Arrays wrap around in silence, where numpy's single numbers warn.
    seed, counter = (np.atleast_1d(np.asarray(value, dtype=np.uint64)) for value in (seeds, counters))
    z = seed * np.uint64(0xD1342543DE82EF95) + (counter + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def derive(*parts: Hashable) -> int:
    """Return a 63-bit seed that follows from the text of its parts, the same in every process.

    Examples:
        >>> derive("task", 3) == derive("task", 3), derive("ab", "c") == derive("a", "bc")
        (True, False)
    """
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()) >> 1


def derive_each(parts: Iterable[Hashable], lasts: Iterable[Hashable]) -> Iterator[int]:
    """Yield ``derive(*parts, last)`` for every last part, in a third of the time: the others are hashed once.

    Examples:
        >>> list(derive_each(("task", "a"), [3, 4])) == [derive("task", "a", 3), derive("task", "a", 4)]
        True
    """
    shared = hashlib.blake2b(digest_size=8)
    for part in parts:
        shared.update(f"{part}\x1f".encode("utf-8", "surrogatepass"))
    for last in lasts:
        digest = shared.copy()
        digest.update(str(last).encode("utf-8", "surrogatepass"))
        yield int.from_bytes(digest.digest()) >> 1


def rng(*parts: Hashable) -> random.Random:
    """Return a fresh generator seeded by `derive`.

    Examples:
        >>> rng("film", 7).randint(0, 99) == rng("film", 7).randint(0, 99)
        True
    """
    return random.Random(derive(*parts))


def draw(generator: np.random.Generator) -> int:
    """Return ``int(generator.integers(2**63))`` at a sixth of the cost.

    Examples:
        >>> import numpy as np
        >>> draw(np.random.default_rng(3)) == int(np.random.default_rng(3).integers(2**63))
        True
    """
    bits = generator.bit_generator
    # Of a power of two that many numbers are the highest bits; others than Gymnasium's may give 32 at a time.
    return bits.random_raw() >> 1 if type(bits).__name__ == "PCG64" else int(generator.integers(2**63))
