"""OR and negation: clauses, atomic features that are made of others.

A clause is written with names of atoms, `or` and `not`: ``we have A♠ or we have K♠``, ``not exit ♥``. It is an atom
like any other, so that conjunctions of clauses say whatever logic can say. A model that uses clauses names them so, and
whoever loads it gets them made again.
"""

from __future__ import annotations

from heartlab.learners.td_features.features import ATOMS, Atom, find_atom, place_atom

OR, NOT = " or ", "not "
USEFUL = (
    "we have A♠ or we have K♠",
    "not we have A♠",
    "not we have K♠",
    "3 low spades or 4 low spades or ≥5 low spades",
    "0 low spades or 1 low spade",
    "Q♠ player has 0 backers or Q♠ player has 1 backers",
    "Q♠ player short in 1 or Q♠ player short in 2 or Q♠ player short in 3",
    "not exit ♦",
    "not exit ♣",
    "not exit ♥",
    "exit ♦ or exit ♣ or exit ♥",
    "short ♦ or short ♣ or short ♥",
    "forced high ♦ or forced high ♣ or forced high ♥",
    "we took 0 ♥ or we took 1 ♥ or we took 2 ♥",
    "not we took 0 ♥",
    "not others took 0 ♥",
    "left: 0 ♥ or left: 1 ♥ or left: 2 ♥ or left: 3 ♥",
)
"""Clauses that seemed worth a try: ranges of counts, and what it means that something is not so. There is room for
these beside the features about the moon."""


def clause(text: str) -> Atom:
    """The clause with this text, made if it is new; a single atom stands for itself.

    :raises AtomError: if a part of it is no atomic feature, or there is no place left.
    """
    for known in ATOMS.values():
        if text.strip() == known.name:
            return known
    literals = []
    for part in text.split(OR):
        wanted = not part.strip().startswith(NOT)
        literals.append((find_atom(part.strip() if wanted else part.strip().removeprefix(NOT)).number, wanted))
    names = [(("" if wanted else NOT) + ATOMS[number].name) for number, wanted in literals]
    sentences = [
        ATOMS[number].sentence if wanted else f"it is not so that {ATOMS[number].sentence}"
        for number, wanted in literals
    ]
    return place_atom(OR.join(names), OR.join(sentences), literals=tuple(literals))
