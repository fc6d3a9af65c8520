"""Doors to the world: other people's agents walk in, ours walk out.

| module | what |
|---|---|
| `uhi` | the line protocol for bots in any language: `exec:COMMAND`, `heartlab uhi`, `heartlab uhi-check` |
| `encoding` | observations as arrays of numbers, for learners |
| `pettingzoo` | Hearts as a PettingZoo environment |
| `vector` | many deals at once on the table kernel, for people who train networks |
| `openspiel` | our players as OpenSpiel bots; its cards and rules in our words |
| `openspiel_player` | OpenSpiel's bots as players of ours |

A leaf: only `cli` and `benchmarks` import it. Its players are in the registry by the name of their module, which is
loaded when one of them is named. PettingZoo and OpenSpiel come with `pip install 'heartlab[envs]'`; UHI needs nothing.
"""
