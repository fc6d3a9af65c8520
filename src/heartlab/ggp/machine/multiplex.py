"""Fewer ground rules for what a move carries with it, because a role makes one move at a time.

In a chess-like game a piece stands on a square next if it is moved there from any other square:

    next(c, rook) <- does(a to c), true(a, rook)        next(c, rook) <- does(b to c), true(b, rook)   ...

That is a gate for every move and every kind of piece. Of all moves of a role at most one is made, so the rules say
the same as "some move goes to c, and what is moved is a rook":

    next(c, rook) <- goes_to(c), moves(rook)
    moves(rook) <- leaves(a), true(a, rook)             moves(rook) <- leaves(b), true(b, rook)        ...

A *term* is such a body: a move, and the literals that it is combined with. Terms belong to one *group* (`moves(rook)`)
where every move is combined with the same literals in all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from heartlab.ggp.gdl.terms import Term
from heartlab.ggp.machine.grounding import GroundGame

LEAST_GAIN = 0.8
"""A group is used if the network has at most this share of the gates with it."""

Rest = frozenset[int]
"""The literals that a move is combined with."""
Carried = dict[int, Rest]
"""For each move of a group what it is combined with."""


class _Groups:
    """The terms of a role, and the groups that they belong to."""

    def __init__(self, terms: dict[int, list[tuple[int, Rest]]]) -> None:
        """`terms` are those of each head."""
        self.group_of: dict[Rest, Carried] = {}
        for own in terms.values():
            for move, rest in own:
                self.group_of.setdefault(rest, {})[move] = rest
        for own in terms.values():
            if len({move for move, _ in own}) == len(own):
                first = own[0][1]
                for _, rest in own:
                    self._join(first, rest)
        self.parts: dict[int, list[tuple[int, list[tuple[int, Rest]]]]] = defaultdict(list)
        """For each group (by identity) the heads that use it, with their terms."""
        for head, own in terms.items():
            found: dict[int, list[tuple[int, Rest]]] = defaultdict(list)
            for move, rest in own:
                found[id(self.group_of[rest])].append((move, rest))
            for key, part in found.items():
                if len({rest for _, rest in part}) > 1:
                    self.parts[key].append((head, part))

    def _join(self, one: Rest, other: Rest) -> None:
        """Make one group of those of two rests, unless some move is combined with different literals in them."""
        small, large = sorted((self.group_of[one], self.group_of[other]), key=len)
        if small is large or any(large.get(move, rest) != rest for move, rest in small.items()):
            return
        large.update(small)
        for rest in set(small.values()):
            self.group_of[rest] = large

    def worthwhile(self) -> list[tuple[Carried, list[tuple[int, list[tuple[int, Rest]]]]]]:
        """The groups that make the network smaller, each with the heads that use it and their terms.

        Equal sets of moves are shared by all groups, so each pays its part of them.
        """
        groups = {id(group): group for group in self.group_of.values()}
        users: dict[Rest, int] = defaultdict(int)
        needs: dict[int, list[Rest]] = {}
        for key, parts in self.parts.items():
            needs[key] = [frozenset(move for move, _ in part) for _, part in parts]
            needs[key] += _moves_by_rest(groups[key]).values()
            for moves in set(needs[key]):
                users[moves] += 1
        found = []
        for key, parts in self.parts.items():
            now = sum(len(part) + len({rest for _, rest in part}) for _, part in parts)
            shared = sum(len(moves) / users[moves] for moves in set(needs[key]))
            if shared + len(needs[key]) + len(set(groups[key].values())) <= LEAST_GAIN * now:
                found.append((groups[key], parts))
        return found


def _moves_by_rest(group: Carried) -> dict[Rest, Rest]:
    """The moves that are combined with each rest of a group."""
    found: dict[Rest, set[int]] = defaultdict(set)
    for move, rest in group.items():
        found[rest].add(move)
    return {rest: frozenset(moves) for rest, moves in found.items()}


def _terms(game: GroundGame) -> dict[Term, dict[int, list[tuple[int, Rest]]]]:
    """For each role the terms of each head that has several.

    A term may only be combined with facts, except for the next state, which nothing else depends on: so no rule comes
    to depend on itself.
    """
    role_of = {number: term[1] for term, number in game.atoms.items() if term[0] == "does"}
    facts = {number for term, number in game.atoms.items() if term[0] == "true"}
    following = {number for term, number in game.atoms.items() if term[0] == "next"}
    found: dict[Term, dict[int, list[tuple[int, Rest]]]] = defaultdict(lambda: defaultdict(list))
    for head, body in game.rules:
        moves = [literal for literal in body if abs(literal) in role_of]
        if len(moves) != 1 or moves[0] < 0 or len(body) == 1:
            continue
        rest = frozenset(body) - {moves[0]}
        if head in following or all(abs(literal) in facts for literal in rest):
            found[role_of[moves[0]]][head].append((moves[0], rest))
    return {role: {head: own for head, own in by_head.items() if len(own) > 1} for role, by_head in found.items()}


def share_moves(game: GroundGame) -> GroundGame:
    """The game with fewer ground rules, if that makes its network smaller; the atoms with names stay as they are."""
    chosen = [one for terms in _terms(game).values() for one in _Groups(terms).worthwhile()]
    if not chosen:
        return game
    replaced: set[tuple[int, int, Rest]] = set()
    new_rules: list[tuple[int, list[int]]] = []
    numbers: dict[Rest, int] = {}
    last = max(max(game.atoms.values()), max(head for head, _ in game.rules))

    def some_of(moves: Iterable[int]) -> int:
        """The atom that says that some of these moves is made."""
        nonlocal last
        key = frozenset(moves)
        if key not in numbers:
            last += 1
            numbers[key] = last
            new_rules.extend((last, [move]) for move in sorted(key))
        return numbers[key]

    for group, parts in chosen:
        last += 1
        carried = last
        for rest, moves in _moves_by_rest(group).items():
            new_rules.append((carried, [some_of(moves), *sorted(rest)]))
        for head, part in parts:
            new_rules.append((head, [some_of(move for move, _ in part), carried]))
            replaced.update((head, move, rest) for move, rest in part)
    moves_of = {move for _, move, _ in replaced}
    kept = [rule for rule in game.rules if not _is_replaced(rule, moves_of, replaced)]
    return GroundGame(kept + new_rules, game.atoms, game.always)


def _is_replaced(rule: tuple[int, list[int]], moves: set[int], replaced: set[tuple[int, int, Rest]]) -> bool:
    head, body = rule
    made = [literal for literal in body if literal in moves]
    return len(made) == 1 and (head, made[0], frozenset(body) - {made[0]}) in replaced
