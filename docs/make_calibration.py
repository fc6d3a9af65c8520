"""How far the coach's numbers can be trusted: the figures and the picture of `docs/coach.md`.

    python docs/make_calibration.py cards 2000 cards.jsonl     # predicted against realised, for the coach's card
    python docs/make_calibration.py any 2000 any.jsonl         # the same for a legal card at random
    python docs/make_calibration.py again 100 again.jsonl      # the coach's card, judged again in other deals
    python docs/make_calibration.py late 200 late.jsonl        # its card in solved late positions
    python docs/make_calibration.py passes 1000 passes.jsonl   # its pass against 30 candidates, 500 continuations
    python docs/make_calibration.py show cards.jsonl late.jsonl passes.jsonl

Each measurement goes on where its file ends; `show` prints the tables and draws `docs/pictures/calibration.png`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab import Deal, make_player
from heartlab.cards import CardSet, card_name
from heartlab.coach.judgement import OTHER_PASSERS, Judge, points_of_heads, swaps
from heartlab.coach.outcomes import count_ends
from heartlab.coach.playing_on import draw, stand_ins
from heartlab.compiled.rng import substream
from heartlab.learners.whole_game.ace import predict_passes
from heartlab.learners.whole_game.network import HEADS, new_mind
from heartlab.learners.whole_game.policy import rank_passes
from heartlab.observation import Observation
from heartlab.players import Observations
from heartlab.players.analysis import analyse
from heartlab.web.bots import Bots

SEED = 5903
STRANGERS = [
    "net", "gnome:peter", "gnome:jake", "gnome:ling", "gnome", "advice:advice-four", "uct:worlds=10,sims=60",
]  # fmt: skip
TENTHS = 10
LATE = 3
"""Cards in the hand of a late position."""
AGAIN_SEED, PASS_SEED = 4712, 6173
PASSES, TRIED = 30, 500
"""Candidates of a pass, and continuations in which they are compared."""
SIFTED, LAST = 60, 8
"""Continuations in which all candidates are tried, and how many go on from there."""
PICTURE = Path(__file__).parent / "pictures" / "calibration.png"
Row = dict[str, Any]
Masks = npt.NDArray[np.uint64]


def worth(deal: Deal) -> float:
    """The points of seat 0 in a finished deal as the coach counts them: a moon is the shooter's gain of 26."""
    return -26.0 if deal.shooter == 0 else float(deal.points[0])


def strangers(number: int, seed: int) -> tuple[list[str], int]:
    """Who sits in a deal, and after how many cards seat 0 is asked (at its next choice)."""
    dice = np.random.default_rng([seed, number])
    return [STRANGERS[int(one)] for one in dice.integers(0, len(STRANGERS), 4)], int(dice.integers(0, 48))


def begun(number: int, bots: Bots, seed: int = SEED) -> tuple[Deal, list[str], int]:
    """A deal of strangers after its pass."""
    seats, asked = strangers(number, seed)
    deal = Deal("standard", seed, number)
    for seat in deal.to_pass:
        deal.pass_cards(seat, bots.pass_cards(seats[seat], deal.observe(seat)))
    return deal, seats, asked


def any_row(number: int, judge: Judge, bots: Bots) -> Row | None:
    """As `card_row`, for a card at random: nothing was chosen by the numbers that are checked."""
    return card_row(number, judge, bots, any_card=True)


def card_row(number: int, judge: Judge, bots: Bots, *, any_card: bool = False) -> Row | None:
    """What the coach foresees of its own card, and what happens if it is played and `net` goes on for the person."""
    deal, seats, asked = begun(number, bots)
    row: Row | None = None
    while deal.to_move is not None:
        obs = deal.observe(deal.to_move)
        if row is None and deal.to_move == 0 and len(deal.history) >= asked and len(deal.legal) > 1:
            judged = judge.judge(deal, 0, None, stand_ins(seats[1:]))
            legal = sorted(deal.legal)
            card = (
                legal[int(np.random.default_rng([SEED, number, 1]).integers(len(legal)))] if any_card else judged.best
            )
            one = judged.outcomes[card]
            row = {
                "number": number, "at": len(deal.history), "seats": seats, "source": judged.source,
                "card": card_name(card), "points": one.points, "queen": one.queen, "hearts": one.hearts,
                "moon": one.moon, "own_moon": one.own_moon,
            }  # fmt: skip
            seats = ["net", *seats[1:]]
            deal.play(card)
            continue
        deal.play(bots.play(seats[deal.to_move], obs))
    if row is not None:
        row |= {"realised": worth(deal), "shooter": deal.shooter}
    return row


def again_row(number: int, judge: Judge, bots: Bots) -> Row | None:
    """What the coach says of its own card, and what it says of the same card in deals from two other random keys."""
    deal, seats, asked = begun(number, bots, AGAIN_SEED)
    while deal.to_move is not None:
        if deal.to_move == 0 and len(deal.history) >= asked and len(deal.legal) > 1:
            judged, *others = (judge.judge(deal, key, None, stand_ins(seats[1:])) for key in (0, 1, 2))
            again = float(np.mean([one.outcomes[judged.best].points for one in others]))
            said = judged.outcomes[judged.best].points
            return {"number": number, "at": len(deal.history), "said": said, "again": again}
        deal.play(bots.play(seats[deal.to_move], deal.observe(deal.to_move)))
    return None


def late_row(number: int, judge: Judge, bots: Bots) -> Row | None:
    """The coach's card in a late position, and what each card costs over worlds that are solved to the end."""
    deal, seats, _ = begun(number, bots)
    while deal.to_move is not None:
        obs = deal.observe(deal.to_move)
        if deal.to_move == 0 and len(obs.hand) <= LATE and len(obs.legal) > 1 and deal.points_open:
            break
        deal.play(bots.play(seats[deal.to_move], obs))
    else:
        return None
    solver = make_player("maxn:eval=points,tricks=all,worlds=0")
    drawn = obs.worlds(min(1500, int(6 * obs.count_worlds()) + 20), number)
    unique = {tuple(hand.mask for hand in world.hands): world for world in drawn}
    totals = np.zeros(52)
    for world in unique.values():
        for report in analyse(world, solver, lines=False).cards:
            totals[report.card] += report.expected / len(unique)
    best = min(totals[card] for card in obs.legal)
    choice = judge.judge(deal, 0, None, stand_ins(seats[1:])).best
    return {"number": number, "worlds": len(unique), "lost": totals[choice] - best}


def pass_row(number: int, judge: Judge, _: Bots) -> Row | None:
    """What the coach's pass costs against the best of 30 candidates, at a table of the network.

    The best one is chosen in one half of the continuations and compared in the other: the best of 30 in the same deals
    is partly lucky. All candidates are tried in the first `SIFTED` continuations, the best `LAST` in the rest of the
    first half.
    """
    deal = Deal("standard", PASS_SEED, number)
    if deal.phase != "pass":
        return None
    obs = deal.observe(0)
    mine = judge.passes(obs, 0)[0].cards.mask
    obs.records["random"] = substream(np.uint64(PASS_SEED), number)
    batch, playing_on = Observations.of(obs), judge.playing_on
    masks = candidates(batch, obs, judge, mine)
    worlds, keys = draw(batch, TRIED)

    def tried(passes: Masks, part: slice) -> npt.NDArray[np.float64]:
        ends = playing_on.after_passes(batch, worlds[part].copy(), keys[part], passes, ["net"] * 4)
        return count_ends(batch, 0, ends)[0]

    half = TRIED // 2
    values = tried(masks, slice(0, SIFTED))
    order = np.argsort(values.mean(axis=1), kind="stable")
    last = np.array([0, *(one for one in order if one)][:LAST])
    values = np.concatenate([values[last], tried(masks[last], slice(SIFTED, half))], axis=1).mean(axis=1)
    best, network = masks[last[int(values.argmin())]], masks[1]
    there = tried(np.array([mine, best, network], np.uint64), slice(half, TRIED)).mean(axis=1)
    return {
        "number": number, "cards": CardSet(mine).names(), "best": CardSet(int(best)).names(), "candidates": len(masks),
        "lost": float(there[0] - there[1]), "naive": float(values[0] - values.min()),
        "network": float(there[2] - there[0]),
    }  # fmt: skip


def candidates(batch: Observations, obs: Observation, judge: Judge, mine: int) -> Masks:
    """Passes to compare with the coach's: that one first, the network's own pass second (it may be the same).

    Then what the network and the rule-based players like, and the passes that differ from the coach's in one card, in
    the order of the network's prediction.
    """
    learned, weights = judge.playing_on.learned, points_of_heads(batch.rules)
    mind, found = new_mind(learned.passing), np.zeros(PASSES, np.uint64)
    count = rank_passes(batch.compiled, batch.records, learned.passing, mind, weights, found)
    near = np.array(swaps(CardSet(mine), obs.may_pass), np.uint64)
    heads = np.zeros((len(near), HEADS), np.float32)
    predict_passes(batch.compiled, batch.records, learned.passing, mind, near, heads)
    near = near[np.argsort(heads @ weights, kind="stable")]
    rules = [int(make_player(name).choose_passes(batch)[0]) for name in OTHER_PASSERS]
    more = dict.fromkeys([*found[:count].tolist(), *rules, *near.tolist()])
    return np.array(
        [mine, int(found[0]), *(mask for mask in more if mask not in (mine, int(found[0])))][:PASSES], np.uint64
    )


def measure(kind: str, count: int, file: Path) -> None:
    """Add rows to a file until it has `count`."""
    rows = read(file) if file.exists() else []
    number = rows[-1]["number"] + 1 if rows else 0
    judge, bots = Judge(), Bots(STRANGERS)
    one_row = {"cards": card_row, "any": any_row, "again": again_row, "late": late_row, "passes": pass_row}[kind]
    done = len(rows)
    with file.open("a") as out:
        while done < count:
            row = one_row(number, judge, bots)
            number += 1
            if row is not None:
                print(json.dumps(row), file=out, flush=True)
                done += 1


def read(file: Path) -> list[Row]:
    """The rows of a file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def tenths(
    said: npt.NDArray[np.float64], real: npt.NDArray[np.float64], parts: int = TENTHS
) -> list[tuple[float, float, float, int]]:
    """Predicted and realised means of equal parts in order of the prediction, with standard errors."""
    order = np.argsort(said, kind="stable")
    found = []
    for part in np.array_split(order, parts):
        error = float(real[part].std(ddof=1) / len(part) ** 0.5)
        found.append((float(said[part].mean()), float(real[part].mean()), error, len(part)))
    return found


def show_cards(rows: list[Row]) -> None:
    """Print and draw predicted against realised points and moons."""
    said, real = (np.array([row[key] for row in rows]) for key in ("points", "realised"))
    moon = np.array([row["moon"] for row in rows])
    shot = np.array([row["shooter"] not in (None, 0) for row in rows], float)
    own = np.array([row["own_moon"] for row in rows])
    mine = np.array([row["shooter"] == 0 for row in rows], float)
    gap = real - said
    print(f"{len(rows)} positions: realised - predicted {gap.mean():+.2f} ± {gap.std() / len(gap) ** 0.5:.2f} points")
    solved, early = (
        np.array(part) for part in zip(*((row["source"] == "solved", row["at"] < 12) for row in rows), strict=True)
    )
    for name, part in (("first three tricks", early), ("between", ~early & ~solved), ("solved", solved)):
        error = gap[part].std() / part.sum() ** 0.5
        print(f"  {name}: {gap[part].mean():+.2f} ± {error:.2f} ({part.sum()})")
    for name, a, b, scale in (
        ("points", said, real, 1),
        ("another's moon, %", moon, shot, 100),
        ("own moon, %", own, mine, 100),
    ):
        print(name)
        for x, y, error, n in tenths(a, b):
            print(f"  predicted {scale * x:6.2f}  realised {scale * y:6.2f} ± {scale * error:.2f}  ({n})")
    for low, high in ((0.05, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.5), (0.5, 1.01)):
        part = (moon >= low) & (moon < high)
        if part.any():
            print(f"  another's moon {low:.2f}-{high:.2f}: {part.sum()} positions, predicted {moon[part].mean():.3f}, "
                  f"realised {shot[part].mean():.3f} ± {(shot[part].var() / part.sum()) ** 0.5:.3f}")  # fmt: skip
    _draw(tenths(said, real), tenths(moon, shot), len(rows))


def _draw(points: list[tuple[float, float, float, int]], moons: list[tuple[float, float, float, int]], n: int) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), dpi=120)
    for axis, found, scale, what in (
        (axes[0], points, 1, "points of the deal"),
        (axes[1], moons, 100, "another's moon, %"),
    ):
        x, y, error = (scale * np.array(column) for column in list(zip(*found, strict=True))[:3])
        axis.errorbar(x, y, yerr=1.96 * error, fmt="o", color="#b03a48", capsize=3)
        top = max(x.max(), (y + 2 * error).max())
        low = min(0, x.min())
        axis.plot([low, top], [low, top], color="#8a8f98", linewidth=1)
        axis.set_xlabel(f"predicted: {what}")
        axis.set_ylabel("realised, 95 % interval")
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[0].set_title(f"{n:,} positions among strangers, by tenths", loc="left", fontsize=10)
    figure.tight_layout()
    figure.savefig(PICTURE)


def show(files: list[Path]) -> None:
    """Print what the files hold."""
    for file in files:
        rows = read(file)
        if "realised" in rows[0]:
            show_cards(rows)
            continue
        if "again" in rows[0]:
            gap = np.array([row["again"] - row["said"] for row in rows])
            print(f"again: {gap.mean():+.2f} ± {gap.std(ddof=1) / len(gap) ** 0.5:.2f} points, {len(gap)} positions")
            continue
        lost = np.array([row["lost"] for row in rows])
        if "worlds" in rows[0]:
            print(f"late positions: its card is optimal (within 0.05) in {(lost <= 0.05).sum()} of {len(rows)}")
            continue
        error = lost.std(ddof=1) / len(lost) ** 0.5
        naive, network = (np.mean([row[key] for row in rows]) for key in ("naive", "network"))
        print(f"passes: {lost.mean():.2f} ± {error:.2f} points behind the best of 30 candidates, {len(rows)} hands "
              f"(chosen and compared in the same continuations: {naive:.2f}); the network's own pass is worse by "
              f"{network:.2f}")  # fmt: skip


def main() -> None:
    """Measure, or show."""
    if len(sys.argv) < 3 or sys.argv[1] not in ("cards", "any", "again", "late", "passes", "show"):
        raise SystemExit(__doc__)
    if sys.argv[1] == "show":
        show([Path(name) for name in sys.argv[2:]])
    else:
        measure(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))


if __name__ == "__main__":
    main()
