"""Reading GDL: what a text means, where an error is, and that nothing but a clear error comes of garbage."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heartlab.ggp.gdl.normal import DISTINCT, FAILS, HOLDS, SAME, Literal, normalise
from heartlab.ggp.gdl.parse import parse_expressions, parse_game, parse_term
from heartlab.ggp.gdl.terms import GdlError, is_ground, number_of, show, sort_key, variables

NAMES = st.from_regex(r"\??[a-z0-9_+*<>-]{1,6}", fullmatch=True).filter(lambda name: name != "?")
TERMS = st.recursive(
    NAMES,
    lambda inner: st.tuples(NAMES, st.lists(inner, max_size=3)).map(lambda pair: (pair[0], *pair[1])),
    max_leaves=8,
)


@settings(max_examples=60)
@given(TERMS)
def test_terms_round_trip(term):
    assert parse_term(show(term)) == term
    assert parse_term(f" ; a comment (\n{show(term).upper()}  ") == term
    assert is_ground(term) == (not list(variables(term)))


@given(st.lists(st.from_regex(r"[0-9]{1,6}", fullmatch=True)))
def test_numbers_come_by_size(numbers):
    found = sorted(numbers, key=sort_key)
    assert found == sorted(numbers, key=lambda text: (int(text), len(text)))
    assert [number_of(text) for text in found] == sorted(map(int, numbers))


def test_numbers_of_any_length_have_their_place():
    long = ("9" * 5000, "1" + "0" * 5000)
    zeros = ("0" * 5000, "0" * 5000 + "7")
    assert sorted([*long, *zeros, "8", "b", ("f", "1"), "٣"], key=sort_key) == [
        *zeros, "8", *long, "b", "٣", ("f", "1")
    ]  # fmt: skip
    assert [number_of(term) for term in (*zeros, "999999999", "1000000000", long[0], "b", "٣", ("f", "1"))] == [
        0, 7, 999999999, None, None, None, None, None
    ]  # fmt: skip


@given(st.text(alphabet="()?; abC\n\t<=\x00é", max_size=60))
def test_garbage_gives_a_game_or_a_clear_error(text):
    try:
        message = "text:" if parse_game(text) else ""
    except GdlError as error:
        message = str(error)
    assert message.startswith("text:")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(role x", "file.kif:1:1: this ( is never closed"),
        ("(role x)\n  (init (p 1)", "file.kif:2:3: this ( is never closed"),
        ("(role x)\r\n\r\n  )", "file.kif:3:3: this ) closes nothing"),
        ("(<=)", "file.kif:1:1: a rule needs a head"),
        ("(p ())", "file.kif:1:4: () is not a sentence"),
        ("((p) q)", "file.kif:1:1: ((p) q) is not a sentence"),
        ("(" * 5000, "file.kif:1:501: parentheses nest deeper"),
    ],
)
def test_errors_know_their_place(text, place):
    with pytest.raises(GdlError) as caught:
        parse_game(text, "file.kif")
    assert str(caught.value).startswith(place)


def test_names_are_folded_and_empty_lists_differ_from_names():
    game = parse_game("(ROLE White) (<= OPEN (True (Cell ?X)))")
    assert str(game) == "(role white)\n(<= open (true (cell ?x)))"
    assert game.roles == ("white",)
    assert [expression.term for expression in parse_expressions("open (open)")] == ["open", ("open",)]


@pytest.mark.parametrize("text", ["", "a b", "(a", "()", "(a ())"])
def test_a_move_is_exactly_one_term(text):
    with pytest.raises(GdlError):
        parse_term(text)


def test_or_becomes_rules_and_tests_wait_for_their_variables():
    game = parse_game("(<= (h ?x) (not (q ?x)) (distinct ?x ?y) (or (p ?x) (r ?x)) (s ?y))")
    first, second = normalise(game)
    assert first.body == (
        Literal(HOLDS, ("p", "?x")),
        Literal(FAILS, ("q", "?x")),
        Literal(HOLDS, ("s", "?y")),
        Literal(DISTINCT, ("?x", "?y")),
    )
    assert second.body[0] == Literal(HOLDS, ("r", "?x"))
    assert normalise(parse_game("(<= h (not (not p)))"))[0].body == (Literal(HOLDS, "p"),)
    (both,) = normalise(parse_game("(<= h (not (or p (not q) (distinct a b))))"))
    assert both.body == (Literal(FAILS, "p"), Literal(SAME, ("a", "b")), Literal(HOLDS, "q"))
    with pytest.raises(GdlError, match="only a sentence can be negated"):
        normalise(parse_game("(<= h (not ?p))"))


def test_many_combinations_become_relations():
    rules = normalise(parse_game("(<= (h ?x) (p ?x) " + "(or a b (not (q ?x)) (r ?x)) " * 12 + ")"))
    assert len(rules) == 1 + 4 * 12
    assert all(len(rule.body) <= 13 for rule in rules)
    unsafe_alone = next(rule for rule in rules if Literal(FAILS, ("q", "?x")) in rule.body)
    assert Literal(HOLDS, ("p", "?x")) in unsafe_alone.body


def test_spellings_that_differ_in_capitals_are_different_names():
    game = parse_game("(role Red) (<= (p ?X) (q ?X ?x) (Kind ?X big) (kind ?x Big)) (INIT Red)")
    assert str(game.rules[1]) == "(<= (p ?X) (q ?X ?x) (Kind ?X big) (kind ?x Big))"
    assert game.roles == ("red",), "where all are spelled alike they are folded"
    assert game.rules[2].head.term == ("init", "red"), "keywords are folded"
