"""Two versions of the player `uct` against each other at equal processor time: figures of `docs/ggp.md`.

Run it as `python docs/make_ggp_versions.py OLD NEW GAME 20 0.04 1`: two folders with a package (`git worktree add` or
`git archive COMMIT src`), a game, matches, seconds of processor time for each move, and a seed. Each version runs in a
process of its own, in which the clock of the players is the processor's: a busy machine makes the match longer and
changes nothing else. Every match has new trees and no start clock; the versions change sides after each match.
"""

import json
import os
import random
import subprocess
import sys
import time
from typing import Any

WARM_UP = 0.5
"""Seconds of processor time for a first search, in which everything is compiled."""


def serve() -> None:
    """Answer lines of JSON as a player: a new match, or the moves since the last answer and a wish for the next."""
    from heartlab.ggp import load_game, make_game_player
    from heartlab.ggp.gdl.terms import show

    time.monotonic = time.process_time
    machine = load_game(sys.argv[2], "network")
    spec = sys.argv[3]
    player, number, state = make_game_player(spec), 0, machine.initial
    for _ in range(2):
        player.begin(machine, 0, 1.0)
        player.choose(machine.initial, WARM_UP)
    print(json.dumps({"ready": len(machine.roles)}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "seed" in asked:
            player, number, state = make_game_player(spec, asked["seed"]), asked["number"], machine.initial
            player.begin(machine, number, 0.0)
        if asked.get("moves"):
            legal = [{show(move): move for move in own} for own in machine.legal_moves(state)]
            state = machine.next(state, [own[text] for own, text in zip(legal, asked["moves"], strict=True)])
        over = machine.is_terminal(state)
        answer: dict[str, Any] = {"goals": machine.goals(state) if over else None}
        if not over:
            answer["move"] = show(player.choose(state, asked["seconds"]))
        print(json.dumps(answer), flush=True)


class Version:
    """A process that plays."""

    def __init__(self, folder: str, game: str, spec: str) -> None:
        command = [sys.executable, __file__, "--serve", game, spec]
        environment = {**os.environ, "PYTHONPATH": folder}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.read()

    def read(self) -> dict[str, Any]:
        """The next answer."""
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def ask(self, **told: Any) -> dict[str, Any]:
        """Send a line, and wait for the answer."""
        assert self.process.stdin is not None
        print(json.dumps(told), file=self.process.stdin, flush=True)
        return self.read()


def main() -> None:
    """Play the series and print the points of the new version."""
    old, new, game, matches, seconds, seed = sys.argv[1:]
    versions = [Version(old, game, "uct"), Version(new, game, "uct:threads=1")]
    points, dice = [], random.Random(int(seed))
    for match in range(int(matches)):
        order = [versions[(match + place) % 2] for place in (0, 1)]
        told: list[dict[str, Any]] = [{"seed": dice.getrandbits(32), "number": number} for number in (0, 1)]
        while True:
            answers = [one.ask(**what, seconds=float(seconds)) for one, what in zip(order, told, strict=True)]
            if answers[0]["goals"] is not None:
                break
            told = [{"moves": [answer["move"] for answer in answers]}] * 2
        points.append(answers[0]["goals"][order.index(versions[1])])
        print(f"match {match + 1}: {points[-1]}", file=sys.stderr, flush=True)
    mean = sum(points) / len(points)
    print(
        f"{game}: {len(points)} matches, {seconds} s of processor time a move, new version {mean:.1f} % of the points"
    )
    for one in versions:
        one.process.terminate()


if __name__ == "__main__":
    serve() if sys.argv[1] == "--serve" else main()
