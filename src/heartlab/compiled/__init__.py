"""What every compiled function needs, in Hearts and in general games alike.

`jit` is the decorator with a cache that cannot go stale, `bits` names bit tricks on 64-bit masks, `rng` is randomness
as a pure function of keys.
"""
