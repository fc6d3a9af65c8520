"""Helpers that know nothing of games. Internal: not part of the public API.

`bundle` saves arrays with a header, `toml` writes settings; `executor` runs tasks on threads or Ray, `interrupts` and
`locks` protect what they write, `progress` shows a bar; `statistics` computes intervals; `registry` finds objects by
name; `errors` shortens users' errors; `lazy` and `moved` are for imports.
"""
