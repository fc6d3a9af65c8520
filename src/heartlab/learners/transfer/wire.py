"""Figures 3 to 7 over the wire: the learner and the paper's opponents as players behind HTTP, a manager with clocks.

Learning happens as in the compiled loop, but every move is a message, legal moves come from the rules that the manager
sends, and the learner is not told who its opponent is. A match takes more than ten thousand times as long, so there
are few.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from heartlab.ggp.gdl.terms import Term
from heartlab.ggp.machine.base import State
from heartlab.ggp.machine.load import load_game, read_game
from heartlab.ggp.players.base import GamePlayer
from heartlab.ggp.protocol import Agent, Clocks, Manager, PlayerServer, RemoteSeat
from heartlab.learners.transfer.player import Knowledge, TdPlayer
from heartlab.learners.transfer.series import (
    CONTROL,
    FIGURES,
    HEADLINE,
    SHORT,
    difference,
    gain_claim,
    series,
    spread,
    transfer,
)
from heartlab.learners.transfer.settings import Opponent, Reading, Settings
from heartlab.reproduction.claims import Claim
from heartlab.reproduction.kept import Unit
from heartlab.reproduction.parts import Workshop
from heartlab.reproduction.registry import Experiment, Findings, Table
from heartlab.reproduction.series import run_seed
from heartlab.reproduction.units import run_units
from heartlab.util.statistics import Estimate, FloatArray, estimate

CLOCKS = Clocks(start=30, play=15)
PATIENT = Clocks(start=600, play=600)
"""For a first match, in which kernels may have to be compiled."""
WIRE_MATCHES, WIRE_RUNS = 40, 20


COMPILED = {
    "terminal-only": CONTROL,
    "transfer": transfer(HEADLINE),
    "transfer, look-up": transfer(Reading.LOOK_UP),
}
"""The learners, as they are in the compiled loop."""


class PaperOpponent(GamePlayer):
    """The paper's opponents as players of matches: what they know is which of their moves win or lose at once."""

    name = "paper-opponent"

    def __init__(self, kind: Opponent, seed: int = 0) -> None:
        super().__init__(seed)
        self.kind = kind

    def successor(self, seed: int) -> GamePlayer:
        return PaperOpponent(self.kind, seed)

    def choose(self, state: State, seconds: float) -> Term:
        options = self.machine.legal_moves(state)
        own = options[self.player]
        if len(own) == 1 or self.kind is Opponent.RANDOM or self.dice.random() < Settings().opponent_epsilon:
            return self.dice.choice(own)
        worth = []
        for move in own:
            joint = [move if number == self.player else moves[0] for number, moves in enumerate(options)]
            after = self.machine.next(state, joint)
            goal = float(self.machine.goal(after, self.player)) if self.machine.is_terminal(after) else 50.0
            worth.append(-goal if self.kind is Opponent.WEAK else goal)
        best = max(worth)
        return self.dice.choice([move for move, value in zip(own, worth, strict=True) if value == best])


def wire_matches(
    game: str, kind: Opponent, knowledge: Knowledge, matches: int, seed: int, clocks: Clocks = CLOCKS
) -> tuple[list[float], int]:
    """The learner's rewards in matches over HTTP, and how often anything went wrong."""
    manager = Manager(read_game(game), load_game(game), clocks)
    learner = Agent(lambda number: TdPlayer(number, knowledge=knowledge))
    opponent = Agent(lambda number: PaperOpponent(kind, seed * 7919 + number))
    rewards, troubles = [], 0
    with PlayerServer(learner) as ours, PlayerServer(opponent) as theirs:
        for match in range(matches):
            record = manager.play([RemoteSeat(ours.url), RemoteSeat(theirs.url)], match, seed)
            rewards.append(float(record.goals[0] or 0))
            troubles += len(record.troubles)
    learner.close()
    opponent.close()
    return rewards, troubles


def over_the_wire(shop: Workshop) -> Findings:
    """Transfer and its control in the five figures, through a manager with clocks."""
    matches = shop.size(WIRE_MATCHES, 3)
    models = SHORT.models(shop)

    def work(shop: Workshop, run: int) -> Unit:
        found: Unit = {"troubles": 0}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "features.json"
            models[run % len(models)].save(path)
            wire_matches("tictactoe", Opponent.RANDOM, Knowledge(path), 1, 0, PATIENT)
            for name, (game, kind) in FIGURES.items():
                arms = {
                    "transfer": Knowledge(path, reading=Reading.TERMINAL_CHECK),
                    "transfer, look-up": Knowledge(path),
                    "terminal-only": Knowledge(reading=Reading.TERMINAL_CHECK),
                }
                for arm, knowledge in arms.items():
                    rewards, troubles = wire_matches(game, kind, knowledge, matches, run_seed(shop, run))
                    found[f"{name}, {arm}"] = float(np.mean(rewards))
                    found["troubles"] += troubles
        return found

    settings = {"matches": matches, "clocks": [CLOCKS.start, CLOCKS.play]}
    units = run_units(shop, "over the wire", settings, shop.size(WIRE_RUNS, 2), work)
    findings, rows = Findings(), []
    for name, (game, kind) in FIGURES.items():
        values = {arm: np.array([unit[f"{name}, {arm}"] for unit in units]) for arm in COMPILED}
        loop = {arm: series(shop, game, kind, one) for arm, one in COMPILED.items()}
        without = values["terminal-only"]
        for ending, arm, words in (
            ("-terminal-check", "transfer", "features add to knowing ended games"),
            ("", "transfer, look-up", "features that are looked up add to knowing ended games"),
        ):
            there = difference(loop[arm], loop["terminal-only"], 1, matches)
            findings.claims.append(
                gain_claim(f"control/wire/{name}{ending}", f"{name}: {words}", estimate(values[arm] - without),
                           f"mean reward of the first {matches} matches, {game} against {kind.text}; in the compiled "
                           f"loop {spread(there, True)}{_alike(values[arm], without)}")
            )  # fmt: skip
        rows.append(
            [name, game, kind.text,
             *(f"{_text(estimate(one))} ({loop[arm].means(1, matches).mean():.1f})" for arm, one in values.items())]
        )  # fmt: skip
    troubles = sum(unit["troubles"] for unit in units)
    findings.claims.append(
        Claim("control/wire/no-troubles", "no move was late or illegal", 0, troubles, None,
              15 * matches * len(units), "holds" if troubles == 0 else "fails", "over all matches")
    )  # fmt: skip
    head = ["figure", "game", "opponent", *COMPILED]
    title = f"Mean reward of the first {matches} matches (± s.e.), {len(units)} runs; clocks {CLOCKS.start:g} and "
    findings.tables.append(Table(f"{title}{CLOCKS.play:g} s", head, rows))
    findings.notes.append(
        "Players behind HTTP, as in a tournament. The learner has the paper's reading (terminal check: moves by the "
        "table, and those that end the game) or looks features up for every move. A match takes some 50 ms, more "
        "than ten thousand times as long as in the compiled loop, so these are the first matches only, where features "
        "matter most. In brackets the same matches in the compiled loop, in many more runs; there the learner is told "
        "who its opponent is, here it has to find out."
    )
    return findings


def _alike(one: FloatArray, other: FloatArray) -> str:
    """A word where two learners earned the same in every run, so that an interval has no width."""
    return "; the same rewards in every run" if np.array_equal(one, other) else ""


def _text(value: Estimate) -> str:
    return f"{value.mean:.1f} ± {value.se:.1f}"


WIRE = [Experiment("wire", "figures 3 to 7 through a manager with clocks", over_the_wire)]
