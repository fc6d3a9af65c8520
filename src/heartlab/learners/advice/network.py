"""Networks that weigh advice: one hidden layer of sigmoid units, learned by back-propagation with momentum.

The weights of a network lie in one row: for every hidden unit its input weights and its bias, then for every output its
weights of the hidden units and its bias.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from heartlab.compiled.bits import ONE, ZERO
from heartlab.compiled.jit import kernel
from heartlab.compiled.rng import uniform


def net_size(inputs: int, hidden: int, outputs: int) -> int:
    """The number of weights of a network, biases included."""
    return hidden * (inputs + 1) + outputs * (hidden + 1)


@kernel
def random_weights(rng: npt.NDArray[np.uint64], spread: float, out: npt.NDArray[np.float64]) -> None:
    """Uniform weights within ± spread."""
    for place in range(len(out)):
        out[place] = spread * (2.0 * uniform(rng) - 1.0)


@kernel
def sigmoid(x: float) -> float:
    """From the reals to (0, 1)."""
    return 1.0 / (1.0 + math.exp(-x))


@kernel
def net_forward(voter: Any, floats: Any, thought: Any, out: Any) -> None:
    """The outputs of a network for the state of a thought."""
    inputs, hidden_count = voter["input_count"], voter["hidden_count"]
    place = voter["offset"]
    hidden, values = thought["hidden"], thought["values"]
    active, active_count = thought["active"], thought["active_count"]
    for h in range(hidden_count):
        total = floats[place + inputs]
        for k in range(active_count):
            total += floats[place + active[k]] * values[active[k]]
        hidden[h] = sigmoid(total)
        place += inputs + 1
    for i in range(voter["piece_count"]):
        total = floats[place + hidden_count]
        for h in range(hidden_count):
            total += floats[place + h] * hidden[h]
        out[i] = sigmoid(total)
        place += hidden_count + 1


@kernel
def net_learn(
    voter: Any, floats: Any, velocity: Any, thought: Any, targets: Any, credited: np.uint64, rate: float,
    momentum: float,
) -> None:  # fmt: skip
    """One step of back-propagation towards `targets` on the state of a thought, for the credited outputs only.

    The thought's `hidden` and `slopes` serve as working memory.
    """
    inputs, hidden_count, outputs = voter["input_count"], voter["hidden_count"], voter["piece_count"]
    hidden, values, errors = thought["hidden"], thought["values"], thought["slopes"]
    net_forward(voter, floats, thought, errors)
    for i in range(outputs):
        output = errors[i]
        wanted = (credited >> np.uint64(i)) & ONE != ZERO
        errors[i] = (targets[i] - output) * output * (1.0 - output) if wanted else 0.0
    second = voter["offset"] + hidden_count * (inputs + 1)
    for h in range(hidden_count):
        back = 0.0
        place = second + h
        for i in range(outputs):
            back += errors[i] * floats[place]
            place += hidden_count + 1
        back *= hidden[h] * (1.0 - hidden[h]) * rate
        place = voter["offset"] + h * (inputs + 1)
        for j in range(inputs):
            velocity[place + j] = momentum * velocity[place + j] + back * values[j]
            floats[place + j] += velocity[place + j]
        velocity[place + inputs] = momentum * velocity[place + inputs] + back
        floats[place + inputs] += velocity[place + inputs]
    place = second
    for i in range(outputs):
        step = rate * errors[i]
        for h in range(hidden_count):
            velocity[place + h] = momentum * velocity[place + h] + step * hidden[h]
            floats[place + h] += velocity[place + h]
        velocity[place + hidden_count] = momentum * velocity[place + hidden_count] + step
        floats[place + hidden_count] += velocity[place + hidden_count]
        place += hidden_count + 1
