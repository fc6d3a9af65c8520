"""The compiled core: free functions over uint64 masks and structured arrays, without the GIL.

| module | what lives there |
|---|---|
| `jit` | the decorator of every kernel: safe cache, and a word to the user while it compiles |
| `bits`, `rng` | popcount and friends; a small random generator whose state is passed in |
| `layout` | the records: rules, state, observation; how `Rules` becomes a record |
| `play` | legal cards, playing a card, points |
| `dealing` | dealing, passing, the first lead |
| `observe` | what one seat may know |
| `worlds` | exactly uniform sampling of full deals that fit an observation |
| `table` | the same over many deals at once, random playouts, replays |

Everything here may be called from other kernels; people use :class:`heartlab.Deal` instead. A state is changed only by
`dealing` and `play`. No kernel keeps anything between calls. The slow twin of each lives in `tests/`.
"""
