"""The whole game, learned from observations: hidden cards, passing, the moon, the score. The papers' future work.

| module | what it holds |
|---|---|
| `features`, `words` | yes-or-no features of an observation and of a card, as numbers and in words |
| `network` | rows added up, two layers, five predictions; the sums of four seats, kept up to date |
| `policy` | the card, and the cards to pass, with the best predictions |
| `learning` | lambda- and n-step returns, back-propagation over changes, Adam |
| `strangers` | rule-based players by number, for compiled loops |
| `trees` | a stranger that searches, likewise |
| `deals` | the compiled loop: seat the players, deal, pass, play, learn |
| `trainer` | the recipe |
| `belief`, `belief_trainer` | how likely a world is: hands after a pass are no random hands; and the recipe |
| `model` | the arrays of a model, and the rules that it can play |
| `score` | the chance to win a game from any totals |
| `likely` | the worlds of a look ahead, in the order in which they are tried |
| `stakes` | what a playout is worth for the game: who takes what, and the chance to win after that |
| `lookahead` | choices tried in sampled worlds |
| `continuations`, `likelihood` | deals played on to their end; how likely a world is by what was played |
| `player`, `ace` | the players `net` and `ace` |
| `stopping` | whether a moon could have been stopped by anybody |
| `explain` | what each card leads to, and which facts decide |
"""

from heartlab.learners.whole_game.ace import AcePlayer, Plan
from heartlab.learners.whole_game.explain import Opinion
from heartlab.learners.whole_game.model import load_learned
from heartlab.learners.whole_game.player import NetPlayer
from heartlab.learners.whole_game.score import Score

__all__ = ["AcePlayer", "NetPlayer", "Opinion", "Plan", "Score", "load_learned"]
