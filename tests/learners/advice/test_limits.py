"""Advice that cannot be meant as it was said gets a sentence: parameters, abstractions, names, situations."""

from __future__ import annotations

import re

import numpy as np
import pytest

from heartlab.learners.advice.games import AdviceTable, Sitter
from heartlab.learners.advice.player import load_voter
from heartlab.learners.advice.registry import AdviceError, abstraction, find_abstractions, find_pieces, piece
from heartlab.learners.advice.trainer import AdviceParameters, AdviceTrainer
from heartlab.learners.advice.vote import LINEAR, TABULAR, make_voter
from heartlab.players import make_player
from heartlab.rules import Rules
from heartlab.training.model import save_model
from heartlab.training.recipes import find_recipe
from heartlab.training.run import begin, train


@pytest.mark.parametrize(
    ("recipe", "change", "sentence"),
    [
        ("advice-n", "rule=joint", "rule=joint is for tabular and linear weights"),
        ("advice-n", "hidden=0", "hidden=0: a network needs at least one hidden unit"),
        ("advice-n", "hidden=-3", "hidden=-3: a network needs at least one hidden unit"),
        ("advice-n", "hidden=70", "70 hidden units are too many"),
        ("advice-n", "momentum=9", "momentum=9.0 needs a number from 0 to less than 1"),
        ("advice-n", "initial=0.5", "initial=0.5 makes no difference to a network"),
        ("advice-n", "spread=inf", "spread=inf needs a finite number"),
        ("advice-t", "initial=nan", "initial=nan needs a finite number"),
        ("advice-t", "rate=-1", "rate=-1.0 needs a number from 0 to 1"),
        ("advice-t", "rate=nan", "rate=nan needs a number from 0 to 1"),
        ("advice-t", "hidden=70", "hidden=70 makes no difference to tabular weights"),
        ("advice-t", "momentum=0.5", "momentum=0.5 makes no difference to tabular weights"),
        ("advice-joint", "everybody=yes", "everybody=yes does not go with it"),
        ("advice-linear", "spread=0.1", "spread=0.1 makes no difference to linear weights"),
        ("advice-vote", "choice=wild", "has no parameter 'choice'"),
        ("advice-vote", "hidden=5", "has no parameter 'hidden'"),
        ("advice-vote", "testers=random", "testers needs 2 names"),
        ("advice-vote", "testers=fred+random", "nobody called 'fred'"),
        ("advice-vote", "partners=random", "2 sitters for the 3 seats"),
        ("advice-vote", "test=-5", "test=-5 needs a number of games"),
        ("advice-vote", "scale=nan", "scale=nan needs a finite number"),
        ("advice-vote", "scale=0", "scale=0.0 needs a number above zero"),
        ("advice-vote", "rate=-1", "rate=-1.0 needs a number above zero"),
        ("advice-t", "state=void-3-clubs", "void-3-clubs: with 3 players there is no opponent 3"),
        ("advice-vote", "state=leading+showed-void-5-hearts", "with 3 players there is no opponent 5"),
    ],
)
def test_parameters_that_cannot_be_meant_are_refused_before_anything_is_written(tmp_path, recipe, change, sentence):
    key, _, value = change.partition("=")
    with pytest.raises(ValueError, match="^[^\n]*" + sentence):
        train(begin(recipe, tmp_path / "run", games=1000, changes={key: value}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("recipe", ["advice-t", "advice-n", "advice-joint", "advice-linear", "advice-vote"])
def test_what_each_recipe_says_of_itself_is_accepted(recipe):
    found = find_recipe(recipe)
    assert found.make(found.settings(), 1).model().kind.startswith("advice-")


def test_a_model_about_four_players_is_refused_at_a_table_of_three(tmp_path):
    settings = AdviceParameters(
        rules="standard", state="queen-out+void-3-clubs", partners="random+random+random", testers="voting+voting+gnome"
    )
    save_model(tmp_path / "four.npz", AdviceTrainer(TABULAR, settings, 1).model())
    player = make_player(f"learner-t:{tmp_path / 'four.npz'}")
    player.check_rules(Rules.parse("standard"))
    with pytest.raises(ValueError, match="void-3-clubs: with 3 players there is no opponent 3"):
        player.check_rules(Rules.parse("advice"))
    _, voter = load_voter(str(tmp_path / "four.npz"))
    with pytest.raises(ValueError, match="void-3-clubs: with 3 players there is no opponent 3"):
        AdviceTable(Rules.parse("advice"), [voter, voter, voter])


def test_every_opponent_of_a_table_may_be_looked_at():
    for players in (3, 4, 5, 6):
        for kind in ("void", "showed-void"):
            last = f"{kind}-{players - 1}-spades"
            assert find_abstractions(last, players)[0].name == last
            with pytest.raises(AdviceError, match=f"with {players - 1} players there is no opponent {players - 1}"):
                find_abstractions(last, players - 1)
    sitter = Sitter(0, make_voter(LINEAR, find_pieces("paper"), find_abstractions("void-2-clubs", 3)), np.zeros(18))
    assert len(AdviceTable(Rules.parse("advice"), [sitter] * 3).floats) == 55


@pytest.mark.parametrize("name", ["x+y", "a,b", "a=1", "a/b", "a b", "a:b", ""])
@pytest.mark.parametrize("kind", [piece, abstraction])
def test_advice_that_could_never_be_asked_for_gets_no_name(kind, name):
    with pytest.raises(AdviceError, match=re.escape("has no spaces and none of + , = / :")):
        kind(name, "Never heard.")(lambda rules, obs: obs["legal"])


@pytest.mark.parametrize(
    ("kind", "name"),
    [*((piece, name) for name in ("paper", "pilot", "all")), (abstraction, "table"), (abstraction, "none")],
)
def test_names_of_lists_are_taken(kind, name):
    with pytest.raises(AdviceError, match=f"'{name}': a list of pieces has this name"):
        kind(name, "Never heard.")(lambda rules, obs: obs["legal"])


def test_lists_and_names_are_joined_and_nothing_is_heard_twice():
    names = [one.name for one in find_pieces("paper+keep-bonus")]
    assert names == [*(one.name for one in find_pieces("paper")), "keep-bonus"]
    assert [one.name for one in find_abstractions("queen-out+play", 3)][:2] == ["queen-out", "leading"]
    assert find_abstractions("none", 3) == []
    with pytest.raises(AdviceError, match=re.escape("paper+get-lead: get-lead is named twice")):
        find_pieces("paper+get-lead")
    with pytest.raises(AdviceError, match="queen-out is named twice"):
        find_abstractions("table+queen-out", 3)
