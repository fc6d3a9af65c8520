"""`heartlab play`: the game in the browser, and the coach behind it. Only the command line uses this room.

In reading order, which is the way of a click:

| module | contents |
|---|---|
| `page/` | the page: ES modules, CSS, SVG; served as it is, typed by `protocol.d.ts`; `main.js` is the entry |
| | `store`, `state`: what it shows; `actions`, `heard`: what changes that; `render`, `views/`: how it is drawn |
| `incoming`, `messages` | the protocol: every message as a type; the coach's answers are in `heartlab.coach.values` |
| `guard` | security headers, and the names by which the server may be called |
| `server` | the page over HTTP, a connection for each browser |
| `connection`, `tokens` | one WebSocket: a method per message, a lane for the coach; limits of size and rate |
| `transport` | uvicorn with time limits, below the application |
| `gate` | how many connections there may be, and which makes way |
| `house`, `live` | the sessions in memory and who looks at them; the bots' turns on worker threads |
| `friends` | tables of several people: invitations, seats, people who are replaced and come back |
| `session` | one game as a state machine, without input or output |
| `view` | what the page may show of a session |
| `pacing` | when a bot's card is shown |
| `bots` | the players that the page offers, and their choices |
| `coaching` | the coach for sessions: glue between `heartlab.coach`, the coach's thread and the store |
| `store` | the SQLite file: sessions, deals, decisions, puzzles |
| `warmup` | what a new computer compiles behind the lobby, with progress |
| `history`, `finished`, `daily` | the results of all games; deals to step through; the deal of the day |
| `workers` | threads with a fair queue |
| `commitment` | the hash that is shown before a deal, and the check of its proof |
| `how`, `how_de` | how Hearts is played under some rules, in sentences |
| `german`, `german_coach`, `german_rules` | everything else that the server says, in German |
| `serve` | starts all of it |
| `gdl_boards`, `gdl_match`, `gdl_serve` | any general game in the browser: pictures, matches, a server (`page/gdl/`) |

A session is what the page, the protocol and the SQLite file call a table. Public: `serve.run_server`,
`commitment.run_verify`, the messages, and the file format; `docs/web-protocol.md` describes both.
"""
