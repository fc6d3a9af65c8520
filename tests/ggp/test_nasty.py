"""Nasty rule sheets of our own: both machines agree on them, every player plays them, every command takes them."""

import itertools
import json
import random

import pytest
from support.commands import run as run_fixture
from support.ggp_nasty import GAMES, WIDE

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.validate import errors
from heartlab.ggp.machine.grounding import Budget
from heartlab.ggp.machine.load import make_machine
from heartlab.ggp.protocol.manager import Clocks, Manager
from heartlab.ggp.protocol.matches import play_matches

run = run_fixture


@pytest.mark.parametrize("name", GAMES)
def test_sheets_are_sound_and_both_machines_agree(name):
    description = parse_game(GAMES[name], name)
    assert errors(description) == []
    network, prover = make_machine(description, "network"), make_machine(description, "prover")
    assert network.roles == prover.roles
    waiting, seen = [network.initial], {}
    while waiting and len(seen) < 200:
        state = waiting.pop(0)
        facts = network.facts(state)
        if facts in seen:
            continue
        seen[facts] = twin = prover.state_of(facts)
        assert network.is_terminal(state) == prover.is_terminal(twin)
        if network.is_terminal(state):
            assert network.goals(state) == prover.goals(twin)
            continue
        legal = network.legal_moves(state)
        assert legal == prover.legal_moves(twin)
        for joint in itertools.islice(itertools.product(*legal), 30):
            after = network.next(state, joint)
            assert network.facts(after) == prover.facts(prover.next(twin, joint))
            for player in range(len(network.roles)):
                assert network.sees(state, joint, player) == prover.sees(twin, joint, player)
            waiting.append(after)
    assert len(seen) > 1 or name == "always-over"


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_player_plays_them_to_the_end(name):
    """Three players, simultaneous moves and chance among them; scrambled, so that no word can be taken for granted."""
    description = parse_game(GAMES[name], name)
    manager = Manager(description, make_machine(description), Clocks(600, 600), scramble=True)
    kinds = itertools.cycle(["uct:sims=20", "td", "alphabeta:depth=2", "random"])
    found = play_matches(manager, [next(kinds) for _ in range(manager.seats_needed)], 3, seed=1, rotate=True)
    assert found["finished"] == 3
    assert [player["troubles"] for player in found["players"]] == [{}] * manager.seats_needed


@pytest.mark.slow
def test_a_game_that_does_not_ground_is_played_by_the_prover(monkeypatch):
    monkeypatch.setattr("heartlab.ggp.protocol.agent.MOST_GROUNDING", 1.0)
    description = parse_game(WIDE, "wide")
    assert errors(description) == []
    machine = make_machine(description, "auto", Budget(seconds=1.0))
    assert (machine.kind, machine.note[:20]) == ("prover", "played by the prover")
    assert set(machine.playout(machine.initial, random.Random(1))) <= {40, 100}
    for player in ("uct:sims=10", "alphabeta:depth=2", "td"):
        found = play_matches(Manager(description, machine, Clocks(600, 600)), [player], 1)
        assert found["players"][0]["troubles"] == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*GAMES, "wide"])
def test_commands_take_them(run, tmp_path, name, monkeypatch):
    file, budget = tmp_path / f"{name}.kif", ("--budget", "1") if name == "wide" else ()
    file.write_text({**GAMES, "wide": WIDE}[name])
    assert run("ggp", "check", file)[0] == 0
    status, out, _ = run("ggp", "info", file, "--seconds", "0.02", "--json", *budget)
    assert status == 0
    assert json.loads(out)["roles"]
    monkeypatch.setattr("sys.stdin", __import__("io").StringIO("1\n" * 40))
    status, out, _ = run("ggp", "play", file, "--opponent", "random", *budget)
    assert status == 0
    assert out.rstrip().rpartition("\n")[2].count(":") == len(parse_game(file.read_text()).roles)
    model = tmp_path / "model.json"
    status, _, err = run("ggp", "discover", file, model, "-n", 5, "--runs", 1, *budget)
    if status:
        assert err.splitlines()[-1].startswith("heartlab: ")
        assert not model.exists()
    else:
        assert run("ggp", "features", model)[0] == 0
        assert run("ggp", "learn", file, "--learner", "transfer", "--model", model, "-n", 5, "--runs", 1)[0] == 0
