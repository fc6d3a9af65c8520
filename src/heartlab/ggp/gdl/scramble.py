"""Scrambling: a game with all its words replaced, so that players cannot rely on their meaning.

Keywords, numbers and the role `random`, which has a meaning in the language, stay. Every match has its own words; the
manager translates moves in both directions.
"""

from __future__ import annotations

import random

from heartlab.ggp.gdl.parse import Description
from heartlab.ggp.gdl.terms import KEYWORD_ARITIES, RANDOM_ROLE, GdlError, Term, show

KEPT = {*KEYWORD_ARITIES, RANDOM_ROLE}
SOUNDS = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


class Scrambler:
    """A one-to-one renaming of the words and variables of a game.

    >>> from heartlab.ggp.gdl import parse_game
    >>> scrambler = Scrambler(parse_game("(role white) (<= (legal white (push ?x)) (true (at ?x)))"), seed=1)
    >>> scrambler.rules
    '(role dutuso) (<= (legal dutuso (gimume ?ratade)) (true (betoma ?ratade)))'
    >>> scrambler.unscramble(("gimume", "dutuso"))
    ('push', 'white')
    """

    def __init__(self, description: Description, seed: int) -> None:
        self.dice = random.Random(seed)
        self.names: dict[str, str] = {}
        self.taken = set(KEPT)
        rules: list[Term] = []
        for rule in description.rules:
            literals = (rule.head.term, *(literal.term for literal in rule.body))
            rules.append(literals[0] if rule.is_fact else ("<=", *literals))
        self.rules = " ".join(show(self.scramble(rule)) for rule in rules)
        """The text of the scrambled rules."""
        self.originals = {new: old for old, new in self.names.items()}

    def scramble(self, term: Term) -> Term:
        """A term in the words of the match."""
        if isinstance(term, str):
            return self._word(term)
        return tuple(self.scramble(part) for part in term)

    def unscramble(self, term: Term) -> Term:
        """A term of the match in the words of the game.

        Raises:
            GdlError: it contains a word that is unknown in this match.
        """
        if not isinstance(term, str):
            return tuple(self.unscramble(part) for part in term)
        if term in KEPT or term.isdecimal():
            return term
        if term not in self.originals:
            raise GdlError(f"{term} is not a word of this match")
        return self.originals[term]

    def _word(self, word: str) -> str:
        if word in KEPT or word.isdecimal():
            return word
        if word not in self.names:
            prefix = "?" if word.startswith("?") else ""
            new = prefix + "".join(self.dice.choices(SOUNDS, k=3))
            while new in self.taken:
                new += self.dice.choice(SOUNDS)
            self.taken.add(new)
            self.names[word] = new
        return self.names[word]


class Plain:
    """The same interface without any renaming."""

    def __init__(self, description: Description) -> None:
        self.rules = " ".join(str(rule) for rule in description.rules)

    def scramble(self, term: Term) -> Term:
        """The term itself."""
        return term

    def unscramble(self, term: Term) -> Term:
        """The term itself."""
        return term
