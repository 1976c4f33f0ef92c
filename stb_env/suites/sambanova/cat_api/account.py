"""The account of an episode: favourites and votes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

_FIRST_ID = 101


@dataclass(frozen=True, slots=True)
class Account:
    """Favourites and votes of one user; immutable, copied on write.

    Attributes:
        favourites: Image ids by the id of the favourite, oldest first.
        votes: The user's vote, 1, 0 or -1, by image id.
        next_id: The id that the next favourite or vote gets.

    Examples:
        >>> account = Account.of(["zx1"])
        >>> account.with_favourite("zx2").favourites, account.favourites
        ({101: 'zx1', 102: 'zx2'}, {101: 'zx1'})
    """

    favourites: Mapping[int, str] = field(default_factory=dict)
    votes: Mapping[str, int] = field(default_factory=dict)
    next_id: int = _FIRST_ID

    @classmethod
    def of(cls, image_ids: Iterable[str]) -> Account:
        """Return an account with these favourites and no votes."""
        favourites = dict(enumerate(image_ids, _FIRST_ID))
        return cls(favourites, {}, _FIRST_ID + len(favourites))

    def favourite_of(self, image_id: str) -> int | None:
        """Return the id of the favourite that holds an image, or None."""
        return next((key for key, image in self.favourites.items() if image == image_id), None)

    def with_favourite(self, image_id: str) -> Account:
        """Return an account that has the image among its favourites, once."""
        if self.favourite_of(image_id) is not None:
            return self
        favourites = {**self.favourites, self.next_id: image_id}
        return replace(self, favourites=favourites, next_id=self.next_id + 1)

    def without_favourite(self, key: int) -> Account:
        """Return an account without a favourite."""
        return replace(self, favourites={k: image for k, image in self.favourites.items() if k != key})

    def with_vote(self, image_id: str, value: int) -> Account:
        """Return an account in which this is the vote for the image."""
        return replace(self, votes={**self.votes, image_id: value}, next_id=self.next_id + 1)

    def changes(self, later: Account) -> dict[Hashable, int]:
        """Return what is different in a later account: images added and removed, votes cast.

        Examples:
            >>> Account.of(["a"]).changes(Account.of(["b"]).with_vote("a", 1))
            {('removed', 'a'): True, ('added', 'b'): True, ('vote', 'a'): 1}
        """
        before, after = list(self.favourites.values()), list(later.favourites.values())
        return {
            **{("removed", image): True for image in before if image not in after},
            **{("added", image): True for image in after if image not in before},
            **{("vote", image): vote for image, vote in later.votes.items() if self.votes.get(image) != vote},
        }
