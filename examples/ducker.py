"""A player in ten lines, and a match that measures it: `python examples/ducker.py`."""

from heartlab import Player, Rules, make_player
from heartlab.arena import Match, result_dict, run_match


class Ducker(Player):
    """Plays the highest card that does not win, else the lowest."""

    def play(self, obs):
        under = [c for c in obs.legal if obs.winning and c // 13 == obs.led and c < obs.winning[1]]
        return max(under) if under else min(obs.legal, key=lambda c: c % 13)


match = Match([Ducker(), make_player("random")], Rules.parse("standard"), units=100, seed=1)
gap = result_dict(run_match(match))["difference"]
low, high = gap["ci95"]
print(f"ducker − random = {gap['mean']:+.2f} points per deal, 95 % interval {low:+.2f} to {high:+.2f}")
