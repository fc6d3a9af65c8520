"""UHI, the universal Hearts interface: a line protocol over standard input and output, in the spirit of UCI.

`lines` holds the texts of both sides, `process` a bot's process with its clocks, `player` the player `exec:COMMAND`,
`view` what a bot knows from the lines it got, `server` our own players as bots, `check` the conformance tester.
The specification is docs/uhi.md.
"""
