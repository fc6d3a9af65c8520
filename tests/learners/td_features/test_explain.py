"""What networks say about themselves: the largest weights, and the reasons for a card."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from heartlab import Deal
from heartlab.cli import app
from heartlab.learners.td_features.conjunctions import Conjunctions
from heartlab.learners.td_features.explain import census, largest, reasons
from heartlab.learners.td_features.network import Network
from heartlab.learners.td_features.player import to_model
from heartlab.players.analysis import analyse
from heartlab.players.search import SearchPlayer
from heartlab.training import save_model

LEAD = 36
TOOK_NONE = 64


def small_network():
    """Dislikes the lead, likes having taken no hearts."""
    chosen = Conjunctions.of([[LEAD], [TOOK_NONE], [0, 5], [LEAD, TOOK_NONE]])
    network = Network(chosen)
    for atoms, weight in (([LEAD], 2.0), ([TOOK_NONE], -1.5), ([0, 5], 0.5), ([LEAD, TOOK_NONE], -0.25)):
        network.weights[chosen.find(atoms)] = weight
    return network


@pytest.fixture
def files(tmp_path):
    deal = Deal("seed", seed=3)
    deal.play_randomly(3)
    (tmp_path / "deal.txt").write_text(deal.to_text())
    save_model(tmp_path / "small.npz", to_model(small_network(), "seed"))
    return tmp_path / "deal.txt", tmp_path / "small.npz"


def test_the_largest_weights_by_sign_and_by_atom():
    network = small_network()
    assert [one.atoms for one in largest(network, 1, 9)] == [(LEAD,), (0, 5)]
    assert [one.atoms for one in largest(network, -1, 9)] == [(TOOK_NONE,), (LEAD, TOOK_NONE)]
    only = largest(network, -1, 9, frozenset({LEAD}))
    assert [(one.rank, one.atoms) for one in only] == [(2, (LEAD, TOOK_NONE))]
    found = census(network, frozenset({LEAD}))
    assert (found.among, found.lowering, found.raising) == (4, 1, 1)
    assert census(network, frozenset({LEAD}), among=1).raising == 1


def test_reasons_add_up_to_the_difference_of_the_cards():
    """Open, few features, no cut: the effects of all reasons make the whole difference between two cards."""
    network = small_network()
    network.weights[network.conjunctions.find([TOOK_NONE])] = 6.0
    mind = SearchPlayer("maxn", {"worlds": "0"}, evaluator=network.evaluator())
    compared = 0
    for seed in range(12):
        deal = Deal("seed-nomoon", seed=seed)
        deal.play(min(deal.legal))
        analysis = analyse(deal, mind, lines=False)
        for one in analysis.cards[1:]:
            why = reasons(network, mind, deal, analysis, one.card, seed=0)
            gap = one.expected - analysis.cards[0].expected
            if abs(gap) > 1e-9:
                assert sum(reason.effect for reason in why) == pytest.approx(gap, abs=1e-5)
                assert {reason.after_card for reason in why} <= {0.0, 1.0}
                compared += 1
    assert compared > 5


def test_the_commands_speak_words_and_json(files):
    record, model = files
    words = CliRunner().invoke(app, ["features", str(model), "--contains", "we lead"])
    assert "we have the lead: in 2 of the 4 largest weights, lowering in 1, raising in 1" in words.stdout
    found = json.loads(CliRunner().invoke(app, ["features", str(model), "--json"]).stdout)
    assert found["raising"][0]["conjunction"] == "we lead"
    assert found["raising"][0]["words"] == "we have the lead"
    shares, texts = [], []
    for at in range(5, 30, 4):
        question = ["explain", str(record), "--at", str(at), "-m", str(model), "--worlds", "8"]
        explained = CliRunner().invoke(app, question)
        assert explained.exit_code == 0
        assert "expecting" in explained.stdout
        texts.append(explained.stdout)
        values = json.loads(CliRunner().invoke(app, [*question, "--json"]).stdout)
        assert values["cards"][0]["reasons"] == [], "the choice needs none"
        shares += [reason["after_card"] for card in values["cards"][1:] for reason in card["reasons"]]
    assert len(shares) > 5
    assert all(np.isclose(8 * share, round(8 * share)) for share in shares)
    assert "we have the lead (weight +2.00, in " in "".join(texts)


def test_what_is_not_shown_is_summed_up(files):
    """The reasons that are shown and the line about the others make up all of them."""
    record, model = files
    question = ["explain", str(record), "--at", "9", "-m", str(model), "--worlds", "8", "--json", "--top"]
    one, all_of_them = (json.loads(CliRunner().invoke(app, [*question, top]).stdout)["cards"] for top in ("1", "99"))
    more = 0
    for short, long in zip(one, all_of_them, strict=True):
        assert long["other_reasons"] == {"count": 0, "effect": 0}
        assert len(short["reasons"]) + short["other_reasons"]["count"] == len(long["reasons"])
        effects = [reason["effect"] for reason in long["reasons"]]
        assert short["other_reasons"]["effect"] == pytest.approx(sum(effects[1:]))
        more += short["other_reasons"]["count"]
    assert more > 0


def test_atoms_are_listed_and_found_by_a_part_of_their_words(files):
    words = CliRunner().invoke(app, ["features", "--atoms"]).stdout
    for line in (
        "we have an exit in hearts",
        "the Q♠ player has no other spade below Q♠",
        "we have taken 1 heart point",
    ):
        assert line in words
    listed = json.loads(CliRunner().invoke(app, ["features", "--atoms", "--json"]).stdout)
    assert {"number": 36, "name": "we lead", "sentence": "we have the lead"} in listed
    assert len(listed) >= 102 + 9
    question = ["features", str(files[1]), "--contains", "have the lead"]
    assert "we have the lead: in 2 of the 4 largest" in CliRunner().invoke(app, question).stdout
    several = CliRunner().invoke(app, ["features", str(files[1]), "--contains", "spade"])
    assert "some that contain it" in str(several.exception)
