"""A player in a package of its own. After `pip install examples/plugin`: heartlab arena cautious cautious:bold"""

from heartlab import Player
from heartlab.players import PlayerError


class Cautious(Player):
    """Plays its lowest card, or, if it is bold, its highest."""

    def __init__(self, choose):
        super().__init__("cautious")
        self.choose = choose

    def play(self, obs):
        return self.choose(obs.legal, key=lambda card: (card % 13, card))


def make(argument):
    """The function of the entry point: makes the player from the text after the colon."""
    if argument not in ("", "bold"):
        raise PlayerError(f"cautious: {argument!r} is not an option; the only one is bold")
    return Cautious(max if argument == "bold" else min)
