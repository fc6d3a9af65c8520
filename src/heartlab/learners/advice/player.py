"""Players with learned weights of advice: `learner-t:MODEL`, `learner-n:MODEL` and, for any kind, `advice:MODEL`."""

from __future__ import annotations

import numpy as np

from heartlab.kernel.layout import SEATS
from heartlab.learners.advice.games import FloatArray, Sitter
from heartlab.learners.advice.registry import find_abstractions, find_pieces
from heartlab.learners.advice.vote import KINDS
from heartlab.learners.advice.voting import VoterPlayer, make_voter
from heartlab.players.base import Player
from heartlab.players.registry import parse_options, register
from heartlab.training.model import Model, ModelError, load_model


def load_voter(name: str, kind: str = "advice-", instance: int = 0, choice: str | None = None) -> tuple[Model, Sitter]:
    """A model with one of its voters, learning turned off.

    :raises ModelError: if there is no such model, or its arrays do not fit its header.
    """
    model = load_model(name, kind)
    try:
        voter_kind = KINDS.index(model.kind.removeprefix("advice-"))
        inputs = [str(value) for value in model.extras["inputs"]]
        voters = make_voter(
            voter_kind,
            find_pieces("+".join(model.names)),
            find_abstractions("+".join(inputs), SEATS) if inputs else [],
            hidden=int(model.extras["hidden"]),
            choice=choice or str(model.extras["choice"]),
        )
        every: FloatArray = np.asarray(model.arrays["weights"], np.float64)
    except (KeyError, TypeError) as error:
        raise ModelError(f"model {name}: lacks or garbles {error}") from error
    except ValueError as error:
        raise ModelError(f"model {name}: {error}") from error
    wanted = parameter_count(voter_kind, len(model.names), len(inputs), int(model.extras["hidden"]))
    if every.ndim != 2 or every.shape[1] != wanted or not np.isfinite(every).all():
        raise ModelError(f"model {name}: needs rows of {wanted} finite weights, but has {every.shape}")
    if not 0 <= instance < len(every):
        raise ModelError(f"model {name}: has {len(every)} voters, numbered from 0, and no number {instance}")
    return model, Sitter(0, voters, np.ascontiguousarray(every[instance]))


def parameter_count(kind: int, pieces: int, inputs: int, hidden: int) -> int:
    """How many weights a voter of a kind has."""
    from heartlab.learners.advice.network import net_size

    return {
        "constant": pieces,
        "table": pieces << inputs,
        "net": net_size(inputs, hidden, pieces),
        "linear": pieces * (inputs + 1),
    }[KINDS[kind]]


def _make(argument: str, kind: str, default: str) -> Player:
    """The player of ``MODEL[,choice=heaviest][,instance=1]``."""
    name, _, rest = argument.partition(",")
    if "=" in name:
        name, rest = "", argument
    options = parse_options(rest)
    instance, choice = options.pop("instance", "0"), options.pop("choice", None)
    if options:
        raise ValueError(f"there is no option {', '.join(options)}; there are choice and instance")
    if not instance.isdecimal():
        raise ValueError(f"instance={instance}: write a whole number")
    _, voter = load_voter(name or default, kind, int(instance), choice)
    return VoterPlayer(argument, voter.voters, voter.weights)


@register(
    "learner-t", summary="LEARNER-T: weights of advice from a table: learner-t:MODEL, learner-t:MODEL,choice=heaviest"
)
def make_learner_t(argument: str = "") -> Player:
    """A table learner; without a model the one that ships."""
    return _make(argument, "advice-table", "advice-t")


@register(
    "learner-n", summary="LEARNER-N: weights of advice from a network: learner-n:MODEL, learner-n:MODEL,instance=1"
)
def make_learner_n(argument: str = "") -> Player:
    """A network learner; without a model the one that ships."""
    return _make(argument, "advice-net", "advice-n")


@register("advice", summary="any model of weighed advice: advice:MODEL; without a model the strongest that ships")
def make_advice(argument: str = "") -> Player:
    """A voter of any kind."""
    return _make(argument, "advice-", "advice-best")
