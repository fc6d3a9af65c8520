"""Train a small agent with a page of NumPy and play it in the arena: `python examples/train_vector.py --deals 25600`.

A network with one hidden layer predicts, for each card, how many points the seat will have at the end of the deal. All
four seats play the card with the lowest prediction, or sometimes a random one, and the network learns from the results.
The deals come from the vectorised environment (the PettingZoo environment has the same observations, a deal at a time).

This takes about three minutes (182 s on two busy cores, 115 s of processor time); `--deals 2560` takes half a minute.
The first run also compiles, for up to a minute or two.
"""

import argparse

import numpy as np

from heartlab import Player, Rules, make_player
from heartlab.arena import Match, result_dict, run_match
from heartlab.envs.encoding import encode_batch
from heartlab.envs.vector import VectorHearts

ROWS, HIDDEN, RATE, CURIOSITY = 256, 64, 2e-3, 0.1
RULES = "standard,passing=hold"


class Network:
    """Expected points for each card: ReLU between two layers, trained by Adam on the squared error."""

    def __init__(self, inputs, dice):
        self.weights = [
            (dice.standard_normal((inputs, HIDDEN)) * np.sqrt(2 / 60)).astype(np.float32),
            np.zeros(HIDDEN, np.float32),
            (dice.standard_normal((HIDDEN, 52)) * np.sqrt(1 / HIDDEN)).astype(np.float32),
            np.full(52, 6.5, np.float32),
        ]
        self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in self.weights]
        self.steps = 0

    def guess(self, x):
        first, first_bias, second, second_bias = self.weights
        hidden = np.maximum(x @ first + first_bias, 0.0)
        return hidden @ second + second_bias, hidden

    def learn(self, x, cards, points):
        guess, hidden = self.guess(x)
        error = np.zeros_like(guess)
        rows = np.arange(len(cards))
        error[rows, cards] = (guess[rows, cards] - points) / len(cards)
        back = (error @ self.weights[2].T) * (hidden > 0)
        self.steps += 1
        for w, (mean, square), slope in zip(
            self.weights, self.moments, (x.T @ back, back.sum(0), hidden.T @ error, error.sum(0)), strict=True
        ):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            scale = RATE * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
            w -= scale * mean / (np.sqrt(square) + 1e-8)


def choose(network, x, masks):
    return np.where(masks, network.guess(x)[0], np.inf).argmin(axis=1)


def train(deals, seed):
    env = VectorHearts(RULES, ROWS, seed=seed, encoding="bits")
    dice = np.random.default_rng(seed)
    network = Network(env.observation_size, dice)
    bits, legal = env.reset()
    for _ in range(deals // ROWS):
        seen, done = [], np.zeros(ROWS, bool)
        while not done.all():  # without passing all rows end their deals together
            x = env.unpack(bits)
            masks = (legal[:, None] >> np.arange(52, dtype=np.uint64)) & np.uint64(1)
            cards = choose(network, x, masks)
            curious = dice.random(ROWS) < CURIOSITY
            cards[curious] = env.random_actions()[curious]
            seen.append((x, cards, env.seats.copy()))
            bits, legal, rewards, done = env.step(cards)
        x, cards, seats = (np.concatenate(parts) for parts in zip(*seen, strict=True))
        points = -rewards[np.tile(np.arange(ROWS), len(seen)), seats]
        for part in np.array_split(dice.permutation(len(cards)), len(cards) // 512):
            network.learn(x[part], cards[part], points[part])
    return network


class Learned(Player):
    """Plays the card with the fewest expected points."""

    def __init__(self, network):
        super().__init__("learned")
        self.network = network

    def choose_cards(self, batch):
        masks = (batch.records["legal"][:, None] >> np.arange(52, dtype=np.uint64)) & np.uint64(1)
        return choose(self.network, encode_batch(batch), masks).astype(np.int8)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=25_600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test", type=int, default=200, help="deals of the match, each in all 14 seatings")
    options = parser.parse_args()
    player = Learned(train(options.deals, options.seed))
    for rival in ("random", "gnome"):
        match = Match([player, make_player(rival)], Rules.parse(RULES), options.test, seed=99)
        gap = result_dict(run_match(match))["difference"]
        low, high = gap["ci95"]
        print(
            f"learned − {rival} = {gap['mean']:+.2f} points per deal, 95 % interval {low:+.2f} to {high:+.2f} "
            f"({options.test} deals × 14 seatings, seed 99; trained on {options.deals} deals, seed {options.seed})"
        )
