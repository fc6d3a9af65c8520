"""An and-inverter graph: a store of and-gates in which equal gates are built once.

A node is an input or the conjunction of two literals; a literal is twice a node's number, plus one for its negation.
So `or` is an `and` of negations, and constants are folded while building. Rules with a common condition are factored:
(a and b) or (a and c) becomes a and (b or c), which makes the networks of most games much smaller.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import combinations

MOST_CONJUNCTS = 60
"""Largest conjunction that is looked into."""
MOST_MERGED = 4
"""Conjunctions of more gates are not searched for pairs that ask whose turn it is."""
FALSE, TRUE = 0, 1
"""The literals of node 0, which is always false."""


class Gates:
    """Nodes by number: node 0 is the constant, then inputs, then gates in the order of building."""

    def __init__(self, inputs: int, deadline: float = float("inf")) -> None:
        """Gates over some inputs; building beyond the deadline (of the monotonic clock) raises a `TimeoutError`."""
        self.inputs, self.deadline = inputs, deadline
        self.pairs: list[tuple[int, int]] = []
        self.level: list[int] = [0] * (inputs + 1)
        self.known: dict[tuple[int, int], int] = {}
        """Gates that may be shared, by their inputs; a section that is evaluated at another time has its own."""
        self.choices: dict[int, list[int]] = {}
        """For inputs of which exactly one holds, such as the moves of a role: the literals of all of them."""
        self.alias: dict[int, int] = {}
        """Inputs that are always equal to a literal: a move that is the only one in another player's turn."""
        self.implies: dict[int, int] = {}
        """Inputs that only hold where a literal does: a move, and whose turn it is."""

    @property
    def first_gate(self) -> int:
        """The node number of the first gate."""
        return self.inputs + 1

    @property
    def next_node(self) -> int:
        """The number that the next gate will get."""
        return self.inputs + 1 + len(self.pairs)

    def both(self, left: int, right: int) -> int:
        """The literal of left and right."""
        if left > right:
            left, right = right, left
        if left == FALSE or left ^ 1 == right:
            return FALSE
        if left == TRUE or left == right:
            return right
        known = self.known.get((left, right))
        if known is None:
            known = 2 * self.next_node
            self.pairs.append((left, right))
            self.level.append(1 + max(self.level[left >> 1], self.level[right >> 1]))
            self.known[left, right] = known
        return known

    def all_of(self, literals: Iterable[int]) -> int:
        """The conjunction of some literals as a balanced tree, which has fewer dependent steps than a chain."""
        found = self._complemented(set(literals)) if self.choices else set(literals)
        waiting = sorted(self._without_turns(found) if self.implies else found)
        while len(waiting) > 1:
            pairs = [self.both(left, right) for left, right in zip(waiting[::2], waiting[1::2], strict=False)]
            waiting = pairs + waiting[2 * len(pairs) :]
        return waiting[0] if waiting else TRUE

    def _complemented(self, literals: set[int]) -> set[int]:
        """Literals that say "none of most of these" say "one of the others" instead, where exactly one holds."""
        negated: dict[int, list[int]] = {}
        for literal in literals:
            if literal & 1 and literal ^ 1 in self.choices:
                negated.setdefault(self.choices[literal ^ 1][0], []).append(literal)
        for found in negated.values():
            group = self.choices[found[0] ^ 1]
            if 2 * len(found) > len(group) + 1:
                none_of = {literal ^ 1 for literal in found}
                literals = literals - set(found)
                others = [self.alias.get(literal, literal) for literal in group if literal not in none_of]
                literals.add(self.any_of(others))
        return literals

    def any_of(self, literals: Iterable[int]) -> int:
        """The disjunction of some literals."""
        return self.all_of(literal ^ 1 for literal in literals) ^ 1

    def _without_turns(self, literals: set[int]) -> set[int]:
        """A conjunction in which two negated gates that ask whose turn it is are replaced by one that does not."""
        negated = [literal for literal in literals if literal & 1 and literal >> 1 >= self.first_gate]
        if not 2 <= len(negated) <= MOST_MERGED:
            return literals
        for left, right in combinations(sorted(negated), 2):
            merged = self._without_turn(left ^ 1, right ^ 1)
            if merged is not None:
                return literals - {left, right} | {merged ^ 1}
        return literals

    def _without_turn(self, left: int, right: int) -> int | None:
        """ "My turn and I did none of these, or yours and you did none of those" is "nobody did any of these or those".

        Moves imply whose turn it is, so the turn need not be asked for; it would change the gate in every turn.
        """
        one, other = self._conjuncts(left), self._conjuncts(right)
        for turn in one:
            if turn ^ 1 in other:
                mine, yours = one - {turn}, other - {turn ^ 1}
                if all(literal & 1 and self.implies.get(literal ^ 1) == turn for literal in mine) and all(
                    literal & 1 and self.implies.get(literal ^ 1) == turn ^ 1 for literal in yours
                ):
                    return self.all_of(mine | yours)
        return None

    def _conjuncts(self, literal: int) -> set[int]:
        """The literals that all have to hold for a literal, as far as gates say so; none where they are many."""
        found, waiting = set[int](), [literal]
        while waiting:
            one = waiting.pop()
            gate = (one >> 1) - self.first_gate
            if one & 1 == 0 and gate >= 0:
                waiting += self.pairs[gate]
            else:
                found.add(one)
            if len(found) > MOST_CONJUNCTS:
                return set()
        return found

    def conjuncts(self, literal: int) -> set[int]:
        """The literals that all have to hold for a literal; itself where they are many."""
        return self._conjuncts(literal) or {literal}

    def any_of_all(self, terms: list[frozenset[int]]) -> int:
        """A disjunction of conjunctions, factored by its most common literal again and again."""
        if time.monotonic() > self.deadline:
            raise TimeoutError
        terms = list(dict.fromkeys(terms))
        holders: dict[int, list[int]] = {}
        for number, term in enumerate(terms):
            for literal in term:
                holders.setdefault(literal, []).append(number)
        counts = {literal: len(found) for literal, found in holders.items()}
        waiting = [(-count, literal) for literal, count in counts.items() if count > 1]
        heapify(waiting)
        left = dict.fromkeys(range(len(terms)))
        done: list[int] = []
        while waiting:
            count, literal = heappop(waiting)
            if -count != counts[literal]:
                if counts[literal] > 1:
                    heappush(waiting, (-counts[literal], literal))
                continue
            taken = [number for number in holders[literal] if number in left]
            for number in taken:
                del left[number]
                for other in terms[number]:
                    counts[other] -= 1
            inner = self.any_of_all([terms[number] - {literal} for number in taken])
            done.append(self.both(literal, inner))
        return self.any_of([*done, *(self.all_of(terms[number]) for number in left)])
