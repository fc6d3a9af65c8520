"""The computer players of gnome-hearts, written from a description of their behaviour, not from their code.

| name | what it is |
|---|---|
| `gnome`, `gnome:stock` | Stock, the default opponent: no memory, no moon; the baseline for all comparisons |
| `gnome:luis` | leads by how often a suit was led; a little better than Stock against random players |
| `gnome:jake` | remembers cards played and voids |
| `gnome:ling` | Jake, more exactly, and with a defence against the moon |
| `gnome:peter` | shoots the moon when it can, and is careful when it cannot; the strongest of them |

Each plays under any rules: "last" means the last seat of any number of players, and points are those of the rules.
Thresholds are those of the four-handed game.
"""

from __future__ import annotations

from heartlab.kernel.rows import RowKernel
from heartlab.players.base import KernelPlayer, Player
from heartlab.players.gnome.jake import jake_cards, jake_passes
from heartlab.players.gnome.ling import ling_cards
from heartlab.players.gnome.luis import luis_cards
from heartlab.players.gnome.peter import peter_cards, peter_passes
from heartlab.players.gnome.stock import stock_cards, stock_passes
from heartlab.players.registry import register
from heartlab.util.errors import quoted

VARIANTS: dict[str, tuple[RowKernel, RowKernel]] = {
    "stock": (stock_cards, stock_passes),
    "luis": (luis_cards, stock_passes),
    "jake": (jake_cards, jake_passes),
    "ling": (ling_cards, jake_passes),
    "peter": (peter_cards, peter_passes),
}
"""The row kernels of each variant: for cards, for passes."""


class GnomePlayer(KernelPlayer):
    """One of the family, by the name of its variant."""

    def __init__(self, variant: str = "stock") -> None:
        super().__init__(f"gnome:{variant}", *VARIANTS[variant])


@register("gnome", summary="rule-based, as in gnome-hearts: gnome, gnome:luis, gnome:jake, gnome:ling, gnome:peter")
def make_gnome(variant: str = "") -> Player:
    """Make a player of the family; by default Stock.

    :raises ValueError: for an unknown variant.
    """
    if (variant or "stock") not in VARIANTS:
        raise ValueError(f"no gnome player is called {quoted(variant)}; known are {', '.join(VARIANTS)}")
    return GnomePlayer(variant or "stock")
