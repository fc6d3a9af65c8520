"""Fusion ART against artlib and a plain twin; and the two ways of direct access against its search."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.falcon_positions import random_boxes
from support.falcon_twin import PlainArt
from support.strategies import examples

from heartlab.learners.falcon.art import Channels, Field, FusionArt, Weights, adapt, choose_all, match
from heartlab.learners.falcon.boxes import LEAF, Boxes, find_box
from heartlab.learners.falcon.categories import Categories, add, find
from heartlab.learners.falcon.more_actions import COUNT
from heartlab.learners.falcon.more_percepts import KINDS, PERCEPTS
from heartlab.training.model import Model, ModelError, load_model, save_model

artlib = pytest.importorskip("artlib", reason="the oracle of fuzzy ART comes with the extra `test`")
EIGHTHS = st.integers(0, 8).map(lambda n: n / 8)  # exact in binary: sums agree to the last bit
FIELDS = [
    Field(10, choice=0.5, vigilance=0.8, complement=True),
    Field(29, choice=0.3, rate=0.5, vigilance=0.9, complement=True),
    Field(1, choice=0.2, rate=0.25, vigilance=0.3, complement=True),
]


def coded(values):
    return np.concatenate([values, 1.0 - values], axis=-1)


def patterns(seed, count):
    dice = np.random.default_rng(seed)
    states = (dice.random((count, 10)) < 0.3).astype(float)
    actions = np.eye(29)[dice.integers(0, 29, count)]
    rewards = dice.integers(0, 9, (count, 1)) / 8
    return states, actions, rewards


# --- artlib ---


@given(
    st.lists(EIGHTHS, min_size=4, max_size=4), st.lists(EIGHTHS, min_size=8, max_size=8), st.sampled_from([0.25, 1.0])
)
@examples(40)
def test_operations_are_those_of_artlib(x, w, rate):
    theirs = artlib.FuzzyART(0.5, 0.001, rate)
    i, w = coded(np.array(x)), np.array(w)
    theirs.check_dimensions(i[None, :])
    net = Weights(w[:, None].copy(), np.array([[w.sum()]]), np.empty(1), np.empty(1))
    fields = Channels(
        np.array([0, 8]), np.ones(1), np.array([0.001]), np.zeros(1), np.zeros(1, np.int64), np.full(8, rate), False
    )
    choose_all(net, fields, 1, i)
    assert net.choices[0] == theirs.category_choice(i, w, theirs.params)[0]
    assert match(net, fields, 0, i, 0) == theirs.match_criterion(i, w, theirs.params)[0]
    adapt(net, fields, 0, i)
    assert net.weights[:, 0] == pytest.approx(theirs.update(i, w, theirs.params), abs=1e-15)
    assert net.norms[0, 0] == net.weights.sum()


def test_falcon_learns_the_same_categories_as_artlib():
    states, actions, rewards = patterns(1, 120)
    modules = [artlib.FuzzyART(f.vigilance, f.alpha, f.rate) for f in FIELDS]
    theirs = artlib.FALCON(*modules, [f.choice for f in FIELDS], [f.width for f in FIELDS])
    theirs.partial_fit(coded(states), coded(actions), coded(rewards))
    ours = FusionArt(FIELDS, track=True)
    labels = ours.learn_patterns(np.concatenate([coded(states), coded(actions), coded(rewards)], axis=1))
    assert ours.count > 32  # it had to grow
    assert labels.tolist() == theirs.fusion_art.labels_.tolist()
    assert ours.weights == pytest.approx(np.array([np.concatenate(w) for w in theirs.fusion_art.W]), abs=1e-12)
    # direct access without the feedback field
    known = theirs.fusion_art.join_channel_data([coded(states), coded(actions)], skip_channels=[2])
    expected = theirs.fusion_art.predict(known, skip_channels=[2])
    found = [ours.choose([s, a, None]) for s, a in zip(states, actions, strict=True)]
    assert found == expected.tolist()


# --- the plain twin ---


@given(
    st.lists(st.tuples(st.lists(EIGHTHS, min_size=3, max_size=3), EIGHTHS), min_size=1, max_size=30),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 0.9, 1.0]),
)
@examples(60)
def test_search_and_learning_agree_with_the_twin(rows, complement, by_weights, track, vigilance):
    fields = [
        Field(3, rate=0.5, vigilance=vigilance, complement=complement, by_weights=by_weights),
        Field(1, choice=0.5, vigilance=0.25, complement=True),
    ]
    ours = FusionArt(fields, track=track)
    ours.rates[:] = np.linspace(0.25, 1.0, len(ours.rates))
    twin = PlainArt(fields, list(ours.rates), track)
    for vector, value in rows:
        x = ours.code([vector, [value]])
        assert ours.learn([vector, [value]]) == twin.learn([float(v) for v in x])
    assert ours.weights == pytest.approx(np.array(twin.weights), abs=1e-12)


def test_a_network_is_kept_as_a_model(tmp_path):
    ours = FusionArt(FIELDS, track=True)
    states, actions, rewards = patterns(2, 40)
    for row in zip(states, actions, rewards, strict=True):
        ours.learn(row)
    save_model(tmp_path / "art.npz", ours.to_model())
    again = FusionArt.of(load_model(tmp_path / "art.npz", "fusion-art"))
    assert (again.weights == ours.weights).all()
    assert [again.search(row) for row in zip(states, actions, rewards, strict=True)] == [
        ours.search(row) for row in zip(states, actions, rewards, strict=True)
    ]
    fresh = [states[0] * 0 + 1, actions[0], rewards[0]]
    assert again.search(fresh) is None
    assert again.learn(fresh) == ours.learn(fresh) == again.count - 1
    assert (again.weights == ours.weights).all()
    with pytest.raises(ModelError, match="lacks or garbles"):
        FusionArt.of(Model("fusion-art", {}, extras={}))


@pytest.mark.parametrize("vector", [[0.5], [0.5, 2.0, 0.0], "abc"])
def test_patterns_that_are_none(vector):
    with pytest.raises(ValueError):
        FusionArt([Field(3)]).learn([vector])


@pytest.mark.parametrize("rows", [[[0.5] * 4], [[0.5, 0.5]], [0.5] * 3, [[2.0, 0.0, 0.0]], [[math.nan, 0.0, 0.0]]])
def test_rows_that_would_be_read_beyond_their_end_or_are_none(rows):
    """Kernels do not check: without this, a long row writes into memory that is not ours."""
    art = FusionArt([Field(3)])
    with pytest.raises(ValueError, match=r"rows of 3 numbers|from 0 to 1"):
        art.learn_patterns(np.array(rows))
    with pytest.raises(ValueError, match=r"rows of 3 numbers|from 0 to 1"):
        art.add(rows[0])
    assert art.count == 0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (dict(size=0), "at least one element"),
        (dict(size=3, rate=5.0), "rate of a field is a number from 0 to 1"),
        (dict(size=3, vigilance=math.nan), "vigilance of a field is a number from 0 to 1"),
        (dict(size=3, choice=-1.0), "choice of a field is a number from 0 on"),
        (dict(size=3, alpha=0.0), "alpha of a field is above 0"),
    ],
)
def test_fields_that_are_none(values, words):
    with pytest.raises(ValueError, match=words):
        Field(**values)
    good = FusionArt([Field(3)]).to_model()
    with pytest.raises(ModelError, match=words):
        FusionArt.of(replace(good, extras={"fields": [values], "track": False}))


def test_models_with_weights_or_rates_that_are_none():
    art = FusionArt([Field(3)])
    art.learn([[0.1, 0.2, 0.3]])
    good = art.to_model()
    for name, words in (("weights", "patterns and weights"), ("rates", "learning rates")):
        with pytest.raises(ModelError, match=f"{words} are numbers from 0 to 1"):
            FusionArt.of(replace(good, arrays={**good.arrays, name: good.arrays[name] * np.nan}))


# --- direct access ---


def test_exact_categories_are_what_the_search_finds():
    """With complement coding and vigilance 1 the hash finds what resonance finds, and new categories come alike."""
    dice = np.random.default_rng(3)
    art = FusionArt([Field(10, vigilance=1.0, complement=True)])
    store = Categories(capacity=64)
    for code in dice.integers(0, 200, 400):
        row = find(store.compiled, 0, np.uint64(code))
        if row < 0:
            if store.count == store.capacity:
                store.grow()
            row = store.count
            add(store.compiled, 0, np.uint64(code), row)
            store.compiled.counts[0] += 1
        assert art.learn([[(int(code) >> place) & 1 for place in range(10)]]) == row
    assert store.count == art.count > 128
    again = Categories.of(store.arrays())
    assert all(find(again.compiled, 0, code) == row for row, code in enumerate(again.codes[:99]))


def test_the_tree_leads_to_the_winner_of_the_choice_function():
    net = random_boxes(4, 60)
    dice = np.random.default_rng(5)
    for kind in range(len(KINDS)):
        art, rows = net.to_art(kind)
        size = len(PERCEPTS[kind])
        plain = FusionArt([Field(size, vigilance=1.0, complement=True), Field(COUNT, choice=0.0)])
        for weights in art.weights:
            plain.add(weights)
        anything = np.zeros(COUNT)
        for code in dice.integers(0, 1 << size, 50):
            vector = [(int(code) >> place) & 1 for place in range(size)]
            found = find_box(net.tree, kind, np.uint64(code))
            assert rows[art.choose([vector, None])] == found
            assert rows[art.search([vector, anything])] == found  # with vigilance 1 and the match divided by |w|
            assert plain.search([vector, anything]) is None  # divided by |x| no box reaches it


@pytest.mark.parametrize(
    ("name", "value"),
    [("tests", 63), ("branches", 10_000), ("branches", 0), ("weights", np.nan)],
)
def test_networks_whose_questions_lead_nowhere(name, value):
    arrays = {key: array.copy() for key, array in random_boxes(6, 40).arrays().items()}
    arrays[name][0 if name == "weights" else np.flatnonzero(arrays["tests"] != LEAF)[0]] = value
    with pytest.raises(ValueError):
        Boxes.of(arrays)
