"""The compiled rules of Hearts: functions over uint64 masks and structured arrays that run without the GIL.

In reading order:

| module | what it holds |
|---|---|
| `layout` | the records: rules, state, observation; how `Rules` becomes a record |
| `ranks` | suits and ranks over masks |
| `dealing` | dealing, passing, the first lead |
| `play` | legal cards, playing a card, points |
| `observe` | what one seat may know |
| `worlds` | uniform sampling of full deals that are consistent with an observation |
| `table` | the same over many deals side by side, random playouts, replays |
| `rows` | the loop over a batch of observations that compiled players share |

Other kernels, such as evaluators, call these functions; most programs use `heartlab.Deal` instead. They are not part of
the public API and may change in a minor version. Only `dealing` and `play` change a state. No kernel keeps
anything between calls. Each has a plain-Python twin in `tests/support`.
"""
