"""Operational advice: pieces that suggest cards, pieces that describe the state, and votes over the suggestions.

`pieces` are the nine of the paper (`certain` is the one that searches), `more` those it lacks, `abstractions` describe
the state, `stock` knows all of them by name and takes yours, `vote` turns weighted suggestions into a card, `voting` is
the player that trusts all pieces alike. Learned weights come from `heartlab.training`.
"""

from heartlab.learners.advice.registry import abstraction, known_abstractions, known_pieces, piece

__all__ = ["abstraction", "known_abstractions", "known_pieces", "piece"]
