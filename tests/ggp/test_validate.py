"""The validator: each error and warning that GDL asks for, and silence over sound games."""

import pytest

from heartlab.ggp.gdl.parse import parse_game
from heartlab.ggp.gdl.validate import ERROR, WARNING, errors, validate
from heartlab.ggp.machine.load import known_games, read_game

SOUND = """
(role white) (role black) (init (at 0)) (succ 0 1) (succ 1 2)
(<= (legal ?r go) (role ?r))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(<= terminal (true (at 2)))
(<= (goal ?r 50) (role ?r))
"""


def found(text, severity):
    return [str(finding) for finding in validate(parse_game(SOUND + text, "g")) if finding.severity == severity]


def test_a_sound_game_passes():
    assert validate(parse_game(SOUND)) == []


@pytest.mark.parametrize("name", known_games())
def test_our_games_pass_without_warnings(name):
    assert validate(read_game(name)) == []


@pytest.mark.parametrize("missing", ["role", "terminal", "goal", "legal"])
def test_what_every_game_needs(missing):
    lines = [line for line in SOUND.splitlines() if f"({missing} " not in line and f" {missing} " not in line]
    assert any(f"the game has no {missing}" in str(one) for one in errors(parse_game("\n".join(lines))))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("(<= (p) (true))", "true takes 1 argument, not 0"),
        ("(<= p (does white))", "does takes 2 arguments, not 1"),
        ("(goal white)", "goal takes 2 arguments, not 1"),
        ("(<= (terminal) (true (at 1)))", "stands without parentheses: (terminal)"),
        ("(<= (terminal now) (true (at 1)))", "terminal takes 0 arguments, not 1: (terminal now)"),
        ("(<= p (or))", "or takes at least one sentence: (or)"),
        ("(<= p or)", "or takes at least one sentence: or"),
        ("(init (legal white))", "the keyword legal cannot be a function"),
        ("(p ?x)", "a variable outside of a rule"),
        ("(<= (p ?x) (succ ?y 1))", "nothing in the body binds ?x of the head"),
        ("(<= p (not (succ ?x 1)))", "nothing binds ?x of (not (succ ?x 1))"),
        ("(<= p (succ ?x 1) (distinct ?x ?y))", "nothing binds ?y of (distinct ?x ?y)"),
        ("(<= (p ?x) (or (succ ?x 1) (succ 1 2)))", "nothing in the body binds ?x"),
        ("(<= p (succ 1 2) (not (not q)))", "only a sentence can be negated"),
        ("(<= p (succ ?x ?y) (not (distinct ?x ?y)))", "only a sentence can be negated"),
        ("(<= p (succ ?x ?y) (not ?x))", "only a sentence can be negated"),
        ("(<= p (succ ?x ?y) ?x)", "a variable cannot stand for a sentence"),
        ("(<= p (not q)) (<= q p)", "p depends on its own negation through q"),
        ("(<= p (not p))", "p depends on its own negation"),
        ("(<= (n ?x) (n (s ?x)))", "could grow without end"),
        ("(<= (n ?x) (or (succ 1 (s ?x)) (succ 1 2)) (n (s ?x)))", "could grow without end"),
        ("(<= (n (s ?x)) (n ?x))", "could grow without end"),
        ("(<= (role red) (true (at 1)))", "role is given by the game's course"),
        ("(<= (true (at 1)) (succ 1 2))", "true is given by the game's course"),
        ("(<= (does white go) (succ 1 2))", "does is given by the game's course"),
        ("(true (at 1))", "true is given by the game's course and cannot be stated as a fact"),
        ("(does white go)", "cannot be stated as a fact"),
        ("(<= p (init (at 0)))", "init cannot stand in the body"),
        ("(<= p (next (at 0)))", "next cannot stand in the body"),
        ("(<= p (base (at 0)))", "base cannot stand in the body"),
        ("(<= p (input white go))", "input cannot stand in the body"),
        ("(<= (init (at 1)) q) (<= q (true (at 1)))", "init cannot depend on true"),
        ("(<= (base (at ?x)) (true (at ?x)))", "base cannot depend on true"),
        ("(<= (input ?r ?m) (does ?r ?m))", "input cannot depend on does"),
        ("(<= (legal ?r no) q (role ?r)) (<= q (does white go))", "legal cannot depend on does"),
        ("(<= (goal ?r 0) (does ?r go))", "goal cannot depend on does"),
        ("(<= terminal (does white go))", "terminal cannot depend on does"),
        ("(<= (not p) (succ 1 2))", "not cannot be the head"),
        ("(<= (not (distinct 1 2)) p)", "not cannot be the head"),
    ],
)
def test_errors(rule, message):
    seen = found(rule, ERROR)
    assert any(message in one for one in seen), seen


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("(succ 1)", "the relation succ has 1 arguments here but 2 elsewhere"),
        ("(init (at 1 2))", "the function at has 2 arguments here but 1 elsewhere"),
        ("(<= (goal white 50))", "a rule without a body is a fact"),
        ("(<= p (or (succ 0 1) (or (succ 1 2) (succ 0 2))))", "an `or` directly inside an `or`"),
        ("(<= terminal (true (at 1)) nowhere)", "nothing defines nowhere"),
        ("(spare 1)", "nothing uses spare"),
        ("(<= (goal white many) (true (at 1)))", "a goal should be a number from 0 to 100"),
        pytest.param(f"(<= (goal white {'9' * 5000}) (true (at 1)))", "a goal should be a number", id="long goal"),
        ("(<= open (true (at 1))) (<= (open) (true (at 1)))", "the relation open has none in parentheses"),
    ],
)
def test_warnings(rule, message):
    assert any(message in one for one in found(rule, WARNING)), found(rule, WARNING)
    assert found(rule, ERROR) == []


def test_findings_name_file_line_column_and_rule():
    (one,) = found("\n  (<= (p ?x) (role white))", ERROR)
    assert one == "g:8:7: error: nothing in the body binds ?x of the head: (<= (p ?x) (role white))"


def test_games_of_imperfect_information_pass():
    text = """
    (role random) (role guesser) (side heads) (side tails)
    (<= (legal random (toss ?s)) (side ?s) (not tossed)) (<= (legal random wait) tossed)
    (<= (legal guesser wait) (not tossed)) (<= (legal guesser (say ?s)) (side ?s) tossed)
    (<= tossed (true (lies ?s)))
    (<= (next (lies ?s)) (does random (toss ?s)))
    (<= (next (lies ?s)) (true (lies ?s)))
    (<= (next (said ?s)) (does guesser (say ?s)))
    (<= (sees guesser (does guesser ?m)) (does guesser ?m))
    (<= terminal (true (said ?s)))
    (<= (goal guesser 100) (true (said ?s)) (true (lies ?s)))
    (<= (goal guesser 0) (not (goal_reached)))
    (<= (goal_reached) (true (said ?s)) (true (lies ?s)))
    (<= (goal random 50) terminal)
    """
    assert errors(parse_game(text)) == []
