"""Search: open search over any evaluator, and closed play by searching sampled worlds.

| module | what lives there |
|---|---|
| `evaluators` | functions from an open state to expected points, and what is known about their values |
| `pie`, `sage` | the papers' hand-tuned expert; a stronger one |
| `ordering` | candidate cards: order, equivalent cards |
| `maxn` | max^n and paranoid search, pruning |
| `soft` | soft-max^n and prob-max^n |
| `transpositions` | what was found between two tricks, for when it comes up again |
| `endgame` | exact solutions of the last tricks |
| `playouts`, `uct` | playout policies; UCT for several players |
| `ismcts` | information-set trees: UCT over the observation itself |
| `closed`, `weights` | sampled worlds, any open search in each; weights of worlds |
| `passing` | the passing rule of the thesis program |
| `spec` | the options of a search as a record |

Kernels here know states and observations, never players: the players built from them live in `heartlab.players.search`.
"""
