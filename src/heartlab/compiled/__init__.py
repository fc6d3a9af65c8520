"""What compiled functions share, in Hearts and in general games alike.

| module | what lives there |
|---|---|
| `jit` | the decorators of compiled functions, and their cache on disk, which cannot go stale |
| `files` | the files of that cache: what is damaged or cannot be written is compiled again |
| `bits` | bit tricks on 64-bit masks, by name |
| `rng` | a random generator whose state is an array that the caller owns; keys of separate streams |
| `hashing` | hashes of words, rows and sets; open-addressing hash tables in arrays |

Import from the modules: `from heartlab.compiled.jit import kernel`. Of the package this room uses
only `util`.
"""

__all__ = ["bits", "hashing", "jit", "rng"]
