"""The table in the browser, and the coach. A leaf: only the command line uses it.

| module | what lives there |
|---|---|
| `messages` | the protocol: every message as a type |
| `commitment` | the hash that is shown before a deal, and its proof afterwards |
| `store` | the SQLite file: tables, deals, decisions, puzzles |
| `table` | one game as a state machine, without input or output |
| `view` | what the page may show of it |
| `bots` | the players that may sit down, and their choices |
| `house` | live tables; drives the bots on worker threads |
| `limits`, `server` | size and rate limits; HTTP and WebSocket |
| `judge` | expected points over worlds, and what happens in them |
| `ideas`, `words` | reasons in a player's words; what learned models say |
| `counting`, `puzzles`, `levels` | the counting panel; puzzles from mistakes; the level estimate |
| `coaching` | the coach at the tables |
| `command` | `heartlab play`, `heartlab verify` |
| `page/` | the page: ES modules, CSS, SVG; served as it is |
"""
