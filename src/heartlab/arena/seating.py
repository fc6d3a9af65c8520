"""All distinct ways to seat the players of a match."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import numpy.typing as npt


def arrangements(kinds: int | list[int], seats: int) -> npt.NDArray[np.int64]:
    """All distinct seatings as an array [arrangements, seats] of kind numbers.

    With as many names as seats, these are the distinct orders of the names. With fewer, every kind sits at least once.

    >>> arrangements([0, 1, 1, 1], 4).tolist()
    [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
    >>> len(arrangements(2, 4))
    14

    :param kinds: the number of different kinds, or the kind of each named player (with repeats).
    :raises ValueError: if there are more players than seats, or fewer with a repeat.
    """
    names = list(range(kinds)) if isinstance(kinds, int) else list(kinds)
    if len(names) > seats:
        raise ValueError(f"{len(names)} players are named, but these rules have {seats} seats")
    if len(names) == seats:
        return np.array(sorted(set(permutations(names))), np.int64)
    distinct = sorted(set(names))
    if len(distinct) < len(names):
        raise ValueError("name each player once, or name one player for every seat")
    return np.array([way for way in product(distinct, repeat=seats) if len(set(way)) == len(distinct)], np.int64)
