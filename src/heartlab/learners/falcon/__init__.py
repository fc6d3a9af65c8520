"""FALCON for Hearts (Nimoto, Takahashi & Inaba 2016): a network that learns rules, and what lies beyond the paper.

| module | what it holds |
|---|---|
| `settings` | how an agent perceives and learns: typed readings of the paper, and their texts |
| `percepts`, `actions` | the ten percepts and 29 actions of the paper |
| `more_percepts`, `sensing`, `more_actions` | richer percepts with their meanings, computed; 30 richer actions |
| `art` | fusion ART in general: any fields, complement coding, vigilance, match tracking |
| `categories` | the paper's networks: categories found by their percept vector |
| `boxes` | networks beyond the paper: categories that demand some percepts only |
| `montecarlo`, `partners` | the searching opponent of the paper, and all that an agent can train with |
| `kernels` | the compiled loop: percepts, applicable actions, choice, play, learning |
| `agent` | an agent as Python sees it |
| `experience`, `growth` | paired playouts, and networks of boxes grown from them |
| `player` | the players `falcon:MODEL` |
| `trainer` | the recipes |
| `words`, `order`, `explain` | conditions in words, the order of actions, categories as rules |
| `parts` | training runs that the experiments share |
| `claims`, `games` | the paper's claims: its ideas and levels; opponents, ranks, training partners |
| `readings`, `beyond` | what it leaves open, and steps beyond it |
"""

from heartlab.learners.falcon.agent import FalconAgent
from heartlab.learners.falcon.art import Field, FusionArt
from heartlab.learners.falcon.boxes import Boxes
from heartlab.learners.falcon.settings import FalconSettings

__all__ = ["Boxes", "FalconAgent", "FalconSettings", "Field", "FusionArt"]
