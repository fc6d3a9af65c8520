"""Statistics of moons against deals counted trick by trick."""

import numpy as np
import pytest

from heartlab import Rules, make_player
from heartlab.arena import Match, MoonCounter, run_match
from heartlab.arena.moons import tries_and_stops

WORTH = np.array([1.0 if card >= 39 else 13.0 if card == 36 else 0.0 for card in range(52)])


def plain(history, taken, worth):
    """Who tried and who stopped a try: trick by trick, with lists."""
    points, tried, stopped, alone = [0.0] * 4, set(), set(), None
    for trick in range(13):
        cards = history[4 * trick : 4 * trick + 4]
        winner = next(seat for seat in range(4) if taken[seat] >> cards[0] & 1)
        points[winner] += sum(worth[card] for card in cards)
        scorers = [seat for seat in range(4) if points[seat] > 0]
        if alone is not None and len(scorers) > 1:
            stopped.add(winner)
        alone = scorers[0] if len(scorers) == 1 and points[scorers[0]] >= 0.6 * sum(worth) else None
        if alone is not None:
            tried.add(alone)
    return tried, stopped


def match_of(*names, rules="standard", units=60):
    return Match([make_player(name) for name in names], Rules.parse(rules), units, seed=3)


def test_tries_and_stops_are_those_counted_trick_by_trick():
    seen = [0, 0]

    def check(deals):
        tried, stops = tries_and_stops(deals, WORTH)
        for row in range(len(deals.units)):
            taken = [int(mask) for mask in deals.final["taken"][row][:4]]
            wanted = plain(deals.histories[row].tolist(), taken, WORTH)
            assert (set(np.flatnonzero(tried[row])), set(np.flatnonzero(stops[row]))) == wanted
            seen[0] += len(wanted[0])
            seen[1] += len(wanted[1])

    run_match(match_of("gnome:peter", "gnome", "random"), listener=check, threads=1)
    assert seen[0] > seen[1] > 5


def test_the_report_adds_up():
    match = match_of("gnome:peter", "gnome")
    counter, rows = MoonCounter(match), []
    result = run_match(match, listener=lambda deals: (counter(deals), rows.append(deals)), threads=1)
    for kind, line in enumerate(counter.report()):
        assert line["made"] == pytest.approx(result.moons[:, kind].mean())
        assert line["conceded"] == pytest.approx(result.conceded[:, kind].mean())
        assert line["conceded"] == pytest.approx(sum(line["conceded_to"].values()))
        assert line["tries"] == pytest.approx(line["made"] + line["failed"])
        assert line["deals"] == result.deals * 2
    sums = {name: sum(line[name] * line["deals"] for line in counter.report()) for name in ("failed", "stopped")}
    assert sums["stopped"] == pytest.approx(sums["failed"])
    peter = counter.report()[0]
    gaps = [
        points - (sum(deal) - points) / 3
        for deals in rows
        for deal, seats, shooter in zip(deals.points.tolist(), deals.seatings.tolist(), deals.shooters, strict=True)
        for seat, points in enumerate(deal)
        if shooter == seat and seats[seat] == 0
    ]
    assert peter["points"]["made"] == pytest.approx(np.mean(gaps)) == pytest.approx(-26.0)
    assert peter["failed_cost"] == pytest.approx(peter["points"]["failed"] - peter["points"]["without"])


@pytest.mark.parametrize("rules", ["standard,players=3", "omnibus", "spot", "seed-queen", "black-maria"])
def test_other_rules_are_counted_as_well(rules):
    match = match_of("gnome", "random", rules=rules, units=4)
    counter = MoonCounter(match)
    run_match(match, listener=counter, threads=1)
    assert all(0 <= line["tries"] <= 1 for line in counter.report())


def test_nothing_tried_is_no_number():
    match = match_of("gnome", rules="standard,moon=off", units=1)
    (line,) = MoonCounter(match).report()
    assert line["points"] == {"made": None, "failed": None, "without": None}
    assert line["failed_cost"] is None
