"""Tournaments: everybody meets everybody in every seat, ratings are right, and what was played is not lost."""

import json
import math
from collections import Counter

import numpy as np
import pytest
from support.commands import run as run_fixture

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.terms import GdlError
from heartlab.ggp.machine.load import make_machine, read_game
from heartlab.ggp.protocol import Clocks, Manager
from heartlab.ggp.protocol.ratings import PRIOR, SCALE, rate, wins_of
from heartlab.ggp.protocol.tournament import Tournament, standings_text

run = run_fixture
THREE = """(role a) (role b) (role c) (init s) (bid 1) (bid 2) (<= (legal ?r ?n) (role ?r) (bid ?n))
(<= (next (did ?r ?n)) (does ?r ?n)) (<= terminal (not (true s)))
(<= (goal ?r 100) (true (did ?r 2))) (<= (goal ?r 0) (true (did ?r 1)))"""


def manager(game="nim"):
    description = parse_game(THREE, "bids") if game == "bids" else read_game(game)
    return Manager(description, make_machine(description, "prover"), Clocks(60, 60))


def players(*names):
    return Tournament([manager("nim"), manager("bids")], names, rounds=2, seed=4)


def test_everybody_meets_everybody_in_every_seat():
    found = players("random", "alphabeta:depth=1", "uct:sims=3", "alphabeta:depth=2")
    schedule = found.schedule()
    pairs = Counter(one.players for one in schedule if one.game == 0)
    assert len(pairs) == 12
    assert set(pairs.values()) == {2}
    seats = Counter((player, seat) for one in schedule if one.game == 1 for seat, player in enumerate(one.players))
    assert len(set(seats.values())) == 1
    assert len(seats) == 12
    assert len({one.players for one in schedule if one.game == 1}) == 24, "rounds differ in who follows whom"
    found.rounds = 5
    assert found.schedule()[: len(schedule)] == schedule


def test_ratings_maximise_the_likelihood():
    dice = np.random.default_rng(1)
    results = []
    for _ in range(60):
        one, other = dice.permutation(3)[:2]
        results.append([(int(one), int(dice.integers(0, 3))), (int(other), int(dice.integers(0, 3)))])
    found = rate(results, 3)
    assert sum(one.rating for one in found) == pytest.approx(4500)

    def likelihood(skill):
        wins = wins_of(results, 3)
        total = sum(
            wins[one, other] * -math.log1p(math.exp(skill[other] - skill[one]))
            for one in range(3)
            for other in range(3)
        )
        return total - PRIOR * sum(math.log1p(math.exp(own)) + math.log1p(math.exp(-own)) for own in skill)

    skill = np.array([(one.rating - 1500) / SCALE for one in found])
    best = likelihood(skill)
    for _ in range(200):
        nudge = dice.normal(size=3)
        assert likelihood(skill + 0.01 * (nudge - nudge.mean())) < best


def test_a_winner_of_everything_has_a_finite_rating_and_more_matches_make_it_surer():
    few, many = (rate([[(0, 100), (1, 0)]] * count, 2) for count in (3, 300))
    assert few[0].rating < many[0].rating < 4000
    even = [rate([[(0, 100), (1, 0)], [(0, 0), (1, 100)]] * count, 2)[0] for count in (5, 500)]
    assert even[1].se < even[0].se / 5
    assert even[0].ci95[0] < 1500 < even[0].ci95[1]
    assert [round(one.rating) for one in rate([], 3)] == [1500] * 3


def test_a_tournament_goes_on_where_it_stopped(tmp_path):
    record = tmp_path / "kept.jsonl"
    names = ("alphabeta:depth=2", "random", "alphabeta:depth=1")
    whole = players(*names)
    whole.play()
    told = []
    first = players(*names)
    assert not first.play(record, lambda done, total, text: told.append(done), lambda: len(told) >= 7)
    assert told == list(range(1, 8))
    with record.open("a") as out:
        out.write('{"game": 0, "pla')  # killed while it wrote
    again = players(*names)
    assert again.play(record)
    assert len(again.played) == len(whole.played) == 18
    assert [one.players for one in again.played] == [one.players for one in whole.played]
    assert len(record.read_text().splitlines()) == 19
    more = players(*names)
    more.rounds = 3
    before = record.read_text()
    assert more.play(record)
    assert record.read_text().startswith(before)
    assert len(more.played) == 27
    fewer = players(*names)
    fewer.rounds = 1
    assert fewer.play(record)
    assert len(fewer.played) == 9


def test_files_of_others_are_refused_and_left_alone(tmp_path):
    names = ("random", "alphabeta:depth=1", "alphabeta:depth=2")
    record = tmp_path / "kept.jsonl"
    stopped = players(*names)
    stopped.play(record, stopped=lambda: len(stopped.played) >= 2)
    other = players(*names)
    other.seed = 5
    with pytest.raises(GdlError, match="holds a tournament with other seed"):
        other.play(record)
    lines = record.read_text().splitlines()
    for text, sentence in (
        ("hello\n", "holds no tournament"),
        ("[]\n", "holds no tournament"),
        (f"{lines[0]}\n" + '{"game": 0}\n', "2: this line is damaged"),
        (f"{lines[0]}\n{lines[2]}\n", "2: this is not match 1 of the schedule"),
    ):
        record.write_text(text)
        with pytest.raises(GdlError, match=sentence):
            players(*names).play(record)
        assert record.read_text() == text


def test_standings_count_what_was_played():
    found = Tournament([manager("nim")], ("alphabeta:depth=8", "random"), rounds=3, seed=1)
    found.play()
    standings = found.standings()
    best = standings["players"][0]
    assert best["name"] == "alphabeta:depth=8"
    assert best["won"] + best["lost"] == standings["matches"] == 6
    assert best["ci95"][0] < best["rating"] < best["ci95"][1]
    assert best["mean"] == best["games"]["nim"]["mean"] == pytest.approx(100 * best["won"] / 6, abs=0.001)
    text = standings_text(standings)
    assert text.splitlines()[1].split()[:2] == ["1", "alphabeta:depth=8"]
    assert "6 of 6 matches, seed 1" in text


def test_the_command(run, tmp_path):
    kept = tmp_path / "t.jsonl"
    command = ["ggp", "tournament", "-p", "random", "-p", "alphabeta:depth=1", "-g", "nim", "--play", "30"]
    status, out, err = run(*command, "--record", kept)
    assert status == 0
    assert "2 of 2 matches" in out
    assert "2/2" in err
    status, out, _ = run(*command, "--record", kept, "--rounds", "2", "--json")
    found = json.loads(out)
    assert (status, found["matches"], found["scheduled"]) == (0, 4, 4)
    assert {"name", "rating", "ci95", "mean", "won", "drawn", "lost", "games", "troubles"} <= set(found["players"][0])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-p", "random"], "a tournament needs two players or more, not 1"),
        (["-p", "random", "-p", "random"], "the player random is in the tournament twice"),
        (["-p", "random", "-p", "uct", "-g", "nim", "-g", "nim"], "the game nim is in the tournament twice"),
        (["-p", "random", "-p", "guru", "-g", "nim"], "no player of games is called 'guru'"),
        (["-p", "random", "-p", "uct", "-g", "nim", "--rounds", "0"], "--rounds 0: needs a number above zero"),
        (["-p", "random", "-p", "uct", "-g", "nowhere"], "nowhere: no such file"),
        (["-p", "random", "-p", "uct", "-g", "nim", "--play", "0"], "--play 0: a clock has"),
    ],
)
def test_wrong_input_gets_one_sentence(run, arguments, sentence):
    status, _, err = run("ggp", "tournament", *arguments)
    assert status == 2
    assert sentence in err
    assert err.count("\n") == 1
