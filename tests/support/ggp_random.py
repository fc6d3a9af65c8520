"""Random games in GDL: stratified, safe and finite, with everything that real sheets do oddly.

Relations are in strata; a rule may use its own stratum positively, lower ones in any way, below nested `or` and `not`.
Facts of a state and moves are names, numbers or terms with functions, some of whose names are numbers.
"""

from __future__ import annotations

import random
from typing import Any

CONSTANTS = ["a", "b", "1", "2", "03"]
STRATA = 3


class _Maker:
    """Makes one game; all its choices come from one generator of random numbers."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.roles = ["p", "q"][: dice.randint(1, 2)]
        self.fluents = [("on", 1), ("at", 2), ("over", 0), ("7", 1)][: dice.randint(2, 4)]
        self.views = [[(f"v{stratum}{number}", dice.randint(0, 2)) for number in range(dice.randint(1, 2))]
                      for stratum in range(STRATA)]  # fmt: skip
        self.dynamic = True

    def term(self, name: str, args: list[str]) -> str:
        return f"({name} {' '.join(args)})" if args else name

    def argument(self, names: list[str]) -> str:
        """A variable, a constant, rarely a term of a function."""
        kind = self.dice.random()
        if kind < 0.6 and names:
            return self.dice.choice(names)
        if kind < 0.9 or not names:
            return self.dice.choice(CONSTANTS)
        return f"(f {self.dice.choice(names)})"

    def sentence(self, stratum: int, moves: bool, names: list[str]) -> str:
        """A sentence that a rule of a stratum may use positively."""
        kind = self.dice.random()
        if kind < 0.3:
            return self.term("d", [self.argument(names)])
        if kind < 0.45:
            return self.term("e", [self.argument(names), self.argument(names)])
        if kind < 0.7 and self.dynamic:
            inner = [name for name in names if name in ("?y", "?z")]
            if self.dice.random() < 0.1 and inner:  # never a name of the head: facts would grow without end
                return f"(true {self.dice.choice(inner)})"
            name, arity = self.dice.choice(self.fluents)
            return f"(true {self.term(name, [self.argument(names) for _ in range(arity)])})"
        if kind < 0.8 and moves:
            role = self.dice.choice(self.roles)
            return f"(does {role} {self.dice.choice(['noop', f'(go {self.argument(names)})'])})"
        usable = [view for views in self.views[: stratum + 1] for view in views]
        name, arity = self.dice.choice(usable)
        return self.term(name, [self.argument(names) for _ in range(arity)])

    def test(self, stratum: int, moves: bool, names: list[str], depth: int) -> str:
        """A goal that binds nothing: over names that other goals bind."""
        kind = self.dice.random()
        if kind < 0.25:
            same = f"(distinct {self.argument(names)} {self.argument(names)})"
            return same if self.dice.random() < 0.7 else f"(not {same})"
        if stratum == 0:
            inner = self.term("e", [self.argument(names), self.argument(names)])
        else:
            inner = self.sentence(stratum - 1, moves, names)
        if depth and kind < 0.5:
            parts = [self.test(stratum, moves, names, depth - 1) for _ in range(self.dice.randint(1, 3))]
            inner = f"(or {inner} {' '.join(parts)})"
            return inner if self.dice.random() < 0.4 else f"(not {inner})"
        if depth and kind < 0.6:
            return f"(not {self.test(stratum, moves, names, depth - 1)})"
        return f"(not {inner})"

    def body(self, stratum: int, moves: bool, needed: list[str]) -> str:
        """Goals that bind the needed names, in any order with tests among them."""
        names = [*needed, *self.dice.sample(["?y", "?z"], self.dice.randint(0, 1))]
        goals = [self.sentence(stratum, moves, names) for _ in range(self.dice.randint(1, 2))]
        for name in names:
            if self.dice.random() < 0.2 or not any(name in goal for goal in goals):
                goals.append(f"(d {name})")
        for _ in range(self.dice.randint(0, 2)):
            goals.append(self.test(stratum, moves, names, 2))
        if self.dice.random() < 0.3:
            branches = [self.sentence(stratum, moves, names) for _ in range(self.dice.randint(1, 3))]
            goals.append(f"(or {' '.join(branches)})")
        self.dice.shuffle(goals)
        return " ".join(goals)

    def head(self, name: str, arity: int, flat: bool) -> tuple[str, list[str]]:
        args = []
        for place in range(arity):
            kind = self.dice.random()
            variable = ["?x", "?w"][place]
            if kind < 0.75:
                args.append(variable if self.dice.random() < 0.85 else "?x")
            elif kind < 0.95 or flat:
                args.append(self.dice.choice(CONSTANTS))
            else:
                args.append(f"(f {variable})")
        needed = sorted({word.strip("()") for arg in args for word in arg.split() if "?" in word})
        return self.term(name, args), needed

    def rule(self, head: str, needed: list[str], stratum: int, moves: bool) -> str:
        return f"(<= {head} {self.body(stratum, moves, needed)})"

    def game(self) -> str:
        dice = self.dice
        lines = [f"(role {role})" for role in self.roles]
        lines += [f"(d {name})" for name in CONSTANTS] + ["(d (f a))"]
        lines += [f"(e {dice.choice(CONSTANTS)} {dice.choice(CONSTANTS)})" for _ in range(5)]
        for stratum, views in enumerate(self.views):
            for name, arity in views:
                for _ in range(dice.randint(1, 3)):
                    lines.append(self.rule(*self.head(name, arity, flat=True), stratum, moves=False))
        for name, arity in self.fluents:
            for _ in range(dice.randint(0, 2)):
                lines.append(f"(init {self.term(name, [dice.choice(CONSTANTS) for _ in range(arity)])})")
            for _ in range(dice.randint(1, 2)):
                fluent, needed = self.head(name, arity, flat=True)
                lines.append(self.rule(f"(next {fluent})", needed, STRATA - 1, moves=True))
        lines += self._play()
        dice.shuffle(lines)
        return "\n".join(lines)

    def _play(self) -> list[str]:
        """The rules of moves, ends and goals."""
        found = []
        for role in self.roles:
            found.append(f"(legal {role} noop)")
            found.append(self.rule(f"(legal {role} (go ?x))", ["?x"], STRATA - 1, moves=False))
            value = self.dice.choice(["0", "50", "100"])
            found.append(self.rule(f"(goal {role} {value})", [], STRATA - 1, moves=False))
            found.append(self.rule(f"(sees {role} (s ?x))", ["?x"], STRATA - 1, moves=True))
        found.append(f"(<= terminal {self.body(STRATA - 1, False, [])} (true (on b)))")
        return found


def random_game(seed: int) -> str:
    """The text of a random game."""
    return _Maker(random.Random(seed)).game()


def differences(text: str, machines: list[Any], naive: Any, dice: random.Random, steps: int) -> list[str]:
    """Where machines differ from the naive one along a random walk; empty if nowhere."""
    found: list[str] = []
    truth = naive.initial
    states = [machine.initial for machine in machines]
    for _ in range(steps):
        wanted = naive.look(truth)
        for machine, state in zip(machines, states, strict=True):
            got = {
                "facts": machine.facts(state) == truth,
                "terminal": machine.is_terminal(state) == wanted["terminal"],
                "legal": [set(machine.legal(state, n)) for n in range(len(machine.roles))] == wanted["legal"],
                "goals": [machine.goal_values(state, n) for n in range(len(machine.roles))] == wanted["goals"],
            }
            found += [f"{machine.kind}: {what}\n{text}" for what, equal in got.items() if not equal]
        if found:
            break
        moves = [dice.choice(sorted(own, key=repr)) for own in wanted["legal"]]
        truth, seen = naive.step(truth, moves)
        for number, (machine, state) in enumerate(zip(machines, states, strict=True)):
            percepts = [set(machine.sees(state, moves, n)) for n in range(len(machine.roles))]
            if percepts != seen:
                found.append(f"{machine.kind}: percepts\n{text}")
            states[number] = machine.next(state, moves)
    return found


def walk_together(one: Any, other: Any, dice: random.Random, steps: int) -> list[str]:
    """Where two machines differ along a random walk that begins anew where a game is over; empty if nowhere."""
    states = [one.initial, other.initial]
    for _ in range(steps):
        looks = []
        for machine, state in zip((one, other), states, strict=True):
            players = range(len(machine.roles))
            looks.append(
                {
                    "facts": machine.facts(state),
                    "terminal": machine.is_terminal(state),
                    "legal": [set(machine.legal(state, player)) for player in players],
                    "goals": [machine.goal_values(state, player) for player in players],
                }
            )
        found = [what for what in looks[0] if looks[0][what] != looks[1][what]]
        if found:
            return found
        legal = [sorted(own, key=repr) for own in looks[0]["legal"]]
        if looks[0]["terminal"] or not all(legal):
            states = [one.initial, other.initial]
            continue
        joint = [dice.choice(own) for own in legal]
        pairs = list(zip((one, other), states, strict=True))
        roles = range(len(joint))
        seen = [[machine.sees(state, joint, player) for player in roles] for machine, state in pairs]
        if seen[0] != seen[1]:
            return ["percepts"]
        states = [machine.next(state, joint) for machine, state in pairs]
    return []
