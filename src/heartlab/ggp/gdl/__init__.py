"""GDL, the game description language: from text to rules that machines can run.

| module | what lives there |
|---|---|
| `terms` | names, variables and compound terms as plain Python values; `GdlError` |
| `parse` | text to expressions that know their place, and on to the rules of a game |
| `graph` | strongly connected components |
| `validate` | all errors and warnings about a game, each with its place |
| `normal` | rules without `or`, with flat bodies |
| `scramble` | a game with all its words replaced |
"""

from heartlab.ggp.gdl.normal import normalise
from heartlab.ggp.gdl.parse import Description, parse_game, parse_term
from heartlab.ggp.gdl.scramble import Scrambler
from heartlab.ggp.gdl.terms import GdlError, Term, show
from heartlab.ggp.gdl.validate import Finding, validate

__all__ = [
    "Description",
    "Finding",
    "GdlError",
    "Scrambler",
    "Term",
    "normalise",
    "parse_game",
    "parse_term",
    "show",
    "validate",
]
