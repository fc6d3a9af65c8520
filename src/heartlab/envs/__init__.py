"""Adapters for other people's tools: PettingZoo, a vectorised environment, and OpenSpiel in both directions.

In reading order:

- `encoding`: observations as arrays of numbers;
- `vector`: `VectorHearts`, many deals stepped together in compiled code, for training networks;
- `pettingzoo`: Hearts as a PettingZoo environment;
- `openspiel`: our players as OpenSpiel bots, and the translation of cards, rules and deals;
- `openspiel_player`: OpenSpiel's bots as our players (`openspiel:ismcts`).

PettingZoo and OpenSpiel come with `pip install 'heartlab[envs]'`, so modules are imported only when they are used:
`from heartlab.envs import pettingzoo`. Bots in any language use UHI (`heartlab.uhi`) instead.
"""

__all__ = ["encoding", "openspiel", "openspiel_player", "pettingzoo", "vector"]
