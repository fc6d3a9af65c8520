"""Helpers that know nothing of games. Internal: not part of the public API.

`bundle` saves arrays with a header and reads those of strangers, `files` replaces files all at once, `toml` writes
settings; `executor` runs tasks on threads or Ray, `interrupts` and `locks` protect what they write, `progress` shows a
bar, `console` prints where characters are missing; `statistics` computes intervals; `registry` finds objects by name;
`errors` shortens users' errors and quotations, `userfile` runs files of `--use`, `said` keeps what a translation of a
sentence needs; `lazy` and `moved` are for imports.
"""
