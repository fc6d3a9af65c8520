"""German from the server: every sentence that the coach or a table can say has one, and a page that asks gets it."""

from __future__ import annotations

import ast
import json
import re

import pytest

pytest.importorskip("starlette", reason="needs the extra web")
pytest.importorskip("msgspec", reason="needs the extra web")

from support import ROOT
from support.web_client import serving

from heartlab.coach.phrases import of_100
from heartlab.coach.values import MoonRisk
from heartlab.learners.advice.registry import CUSTOM, known_pieces
from heartlab.learners.td_features.features import ATOMS, MOON_ATOMS
from heartlab.learners.td_features.moon import place_moon
from heartlab.rules import Rules, RulesError
from heartlab.util.said import Said, in_a_row, sentence_of
from heartlab.web.german import GERMAN
from heartlab.web.german_rules import said_of_rules
from heartlab.web.messages import encode

SOURCES = [
    *(ROOT / "src/heartlab/coach").glob("*.py"),
    *(ROOT / "src/heartlab/web").glob("*.py"),
    ROOT / "src/heartlab/deal_text.py",
]


OURS = [*range(60), *range(64, 106), *MOON_ATOMS]
"""The numbers of our features."""


def templates() -> set[str]:
    """The templates that the sources write out."""
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Said":
                for part in ast.walk(node.args[0]):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        found.add(part.value)
    return found


def places(template: str) -> set[str]:
    """The places of a template with their formats."""
    return set(re.findall(r"\{[^}]*\}", template))


def test_every_sentence_has_a_german_one():
    place_moon()
    pieces = {one.sentence for one in known_pieces().values() if one.number < CUSTOM}  # other tests add their own
    learned = pieces | {ATOMS[number].sentence for number in OURS}
    assert len(templates()) > 150
    assert templates() | learned <= set(GERMAN.texts), (templates() | learned) - set(GERMAN.texts)


def test_no_answer_is_made_of_a_plain_text():
    """Failures and progress have a sentence that can be translated; so have the errors that become failures."""
    told = ("Failed", "Progress", "SessionError", "KeyRefused", "TooMuch")
    plain = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())) if not path.name.startswith("gdl_") else ():
            name = getattr(node, "func", None) and getattr(node.func, "id", getattr(node.func, "attr", ""))
            if isinstance(node, ast.Call) and name in told and node.args:
                text = node.args[-1]
                if isinstance(text, ast.JoinedStr) or (isinstance(text, ast.Constant) and isinstance(text.value, str)):
                    plain.append(f"{path.name}:{node.lineno}")
    assert not plain


def test_german_sentences_have_the_same_places():
    wrong = {english: german for english, german in GERMAN.texts.items() if places(english) != places(german)}
    assert not wrong


def test_parts_and_numbers_are_translated():
    said = Said("Duck: {card} leaves {points} to somebody else.", card="3♣", points=Said("1 point"))
    assert said == "Duck: 3♣ leaves 1 point to somebody else."
    assert GERMAN.tell(said) == "Bleib darunter: 3♣ lässt 1 Punkt einem anderen."
    price = Said("{mean:.1f} points on average", mean=0.25)
    cheap = Said("Taking this trick is cheap: {price}.", price=price)
    assert GERMAN.tell(in_a_row([cheap, Said("Well played.")])) == (
        "Diesen Stich zu nehmen ist billig: im Mittel 0,2 Punkte. Gut gespielt."
    )
    assert [GERMAN.tell(of_100(share)) for share in (0, 0.5, 1)] == [
        "in keinem von 100 Fällen", "in 50 von 100 Fällen", "in allen 100 Fällen",
    ]  # fmt: skip
    assert GERMAN.tell("as it is") == "as it is"


def test_an_error_keeps_its_sentence():
    assert GERMAN.tell(sentence_of(ValueError(Said("the game is over")))) == "Das Spiel ist vorbei."
    assert sentence_of(ValueError("x" * 400)) == "x" * 300


def errors_of_rules() -> list[str]:
    """Every error about rules, with something in the place of each value."""
    found = []
    for node in ast.walk(ast.parse((ROOT / "src/heartlab/rules.py").read_text())):
        name = getattr(node, "func", None) and getattr(node.func, "id", "")
        if name in ("RulesError", "refuse") and not isinstance(node.args[-1], ast.Name):
            parts = getattr(node.args[-1], "values", [node.args[-1]])
            texts = (str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts)
            found.append("".join(texts))
    return found


def test_every_error_about_rules_has_a_german_one():
    assert len(errors_of_rules()) > 35
    plain = [text for text in errors_of_rules() if not isinstance(said_of_rules(text), Said)]
    assert not plain
    for text in errors_of_rules():
        assert said_of_rules(text) == text
    told = {
        "standard,players=9": "players=9: Hearts spielt man zu 3 bis 6",
        "standard,moon=blue": "moon=blue gibt es nicht; zur Wahl stehen off, others, self, best, choice",
        "standard,bonus=XX": "bonus=XX: 'XX' ist keine Karte: schreib Wert (23456789TJQKA) und Farbe (CDSH)",
        "standard,pas=hold": "Eine Regel namens 'pas' gibt es nicht; bekannt sind players, removed",
        "standard,passing=across,players=5": "passing=across braucht eine gerade Zahl von Spielern, nicht 5",
    }
    for rules, german in told.items():
        with pytest.raises(RulesError) as error:
            Rules.parse(rules)
        assert GERMAN.tell(said_of_rules(str(error.value))).startswith(german)


def test_messages_are_written_in_the_language():
    risk = MoonRisk(3, 1, 0.5, Said("No moon in sight."))
    assert json.loads(encode(risk))["text"] == "No moon in sight."
    assert json.loads(encode(risk, "de"))["text"] == "Dass jemand alle Punkte holt, ist nicht in Sicht."
    with pytest.raises(NotImplementedError, match="cannot be sent"):
        encode(MoonRisk(3, 1, 0.5, object()))


def test_a_page_that_speaks_german_is_answered_so():
    with serving() as served, served.client() as client:
        view = client.create(served.key, seed=1)
        assert client.ask("undo", "failed")["text"] == "cards can be taken back in practice only"
        assert client.ask("speak", "ready", language="de")["done"] >= 0
        assert client.ask("undo", "failed")["text"] == "Karten lassen sich nur beim Üben zurücknehmen."
        client.say("pass", cards=view["may_pass"][:3])
        turn = client.my_turn()
        wrong = next(card for card in turn["hand"] if card not in turn["legal"])
        told = client.ask("play", "refused", card=wrong, at=turn["plays"])["rule"]
        assert told in GERMAN.texts.values() or told.startswith("zuerst muss")
        wrong = client.ask("describe", "failed", house=served.key, rules="standard,pas=hold", language="de")["text"]
        assert wrong.startswith("Eine Regel namens 'pas' gibt es nicht")
        assert wrong.endswith("ties")
        assert client.ask("speak", "failed", language="xx")["code"] == "message"
