"""Parts of the coach's sentences: shares of the deals, points, suits."""

from __future__ import annotations

from heartlab.util.said import Said


def percent(share: float) -> int:
    """A share that is neither none nor all, so that it is never told as such."""
    return min(99, max(1, round(100 * share)))


def of_100(share: float) -> Said:
    """A share of the deals in words."""
    if share in (0, 1):
        return Said("in all 100 deals") if share else Said("in none of 100 deals")
    return Said("in {n} of 100 deals", n=percent(share))


def so_many(share: float) -> Said:
    """A second share of the deals: "in 12", "in none"."""
    if share in (0, 1):
        return Said("in all") if share else Said("in none")
    return Said("in {n}", n=percent(share))


def told_suit(suit: int) -> Said:
    """The name of a suit."""
    return [Said("clubs"), Said("diamonds"), Said("spades"), Said("hearts")][suit]


def so_many_points(number: int) -> Said:
    """A number of points: "1 point", "2 points"."""
    return Said("1 point") if number == 1 else Said("{n} points", n=number)


def mean_points(mean: float) -> Said:
    """A mean of points: "1.3 points", and never "0.0 points"."""
    if mean < 0.05:
        return Said("hardly any points") if mean else Said("no points")
    return Said("{mean:.1f} points", mean=mean)


def price_of_trick(mean: float) -> Said:
    """What a cheap trick costs whoever takes it."""
    return mean_points(mean) if mean < 0.05 else Said("{mean:.1f} points on average", mean=mean)


def either(names: list[str]) -> str:
    """One of some names."""
    return names[0] if len(names) == 1 else Said("{one} or {others}", one=names[0], others=either(names[1:]))


def every(names: list[str]) -> str:
    """All of some names."""
    if len(names) > 2:
        return Said("{one}, {others}", one=names[0], others=every(names[1:]))
    return names[0] if len(names) == 1 else Said("{one} and {others}", one=names[0], others=names[1])
