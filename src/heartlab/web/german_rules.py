"""What is wrong with rules that somebody has typed, in German.

The errors of :mod:`heartlab.rules` are plain English texts, because they are told before any page is there. Here the
template of each is found again by its words, so that it is told in the language of the page.
"""

from __future__ import annotations

import re

from heartlab.util.said import Said

RULES_ERRORS = {
    "no rules are called {name}; known are {known}": "Regeln namens {name} gibt es nicht; bekannt sind {known}",
    "{word} is not a rule: write KEY=VALUE, as in moon=self": (
        "{word} ist keine Regel: schreib NAME=WERT, zum Beispiel moon=self"
    ),
    "no rule is called {name}; known are {known}": "Eine Regel namens {name} gibt es nicht; bekannt sind {known}",
    "duplicate rule {key}: the second is {word}": "Die Regel {key} steht zweimal da, das zweite Mal als {word}",
    "passing 'across' needs an even number of players, not {players}; +2 or -2 would do": (
        "passing=across braucht eine gerade Zahl von Spielern, nicht {players}; +2 oder -2 ginge"
    ),
    "{word} is not a pass direction; known are {known}, and seats as +2 or -2": (
        "{word} ist keine Richtung zum Weitergeben; bekannt sind {known} und Plätze wie +2 oder -2"
    ),
    "{key}={value} is unknown; choose from {choices}": "{key}={value} gibt es nicht; zur Wahl stehen {choices}",
    "players={n}: Hearts needs {least} to {most} players": "players={n}: Hearts spielt man zu {least} bis {most}",
    "{cards} cards do not divide among {players} players: remove {left} more, or name a kitty": (
        "{cards} Karten lassen sich nicht auf {players} verteilen: nimm noch {left} heraus (removed) oder nenne kitty"
    ),
    "kitty={kitty} but no card is left over for a kitty": "kitty={kitty}, aber dafür bleibt keine Karte übrig",
    "too many cards are removed: nobody gets a card": "Es sind zu viele Karten herausgenommen: niemand bekommt eine",
    "the pass cycle is longer than 32 deals": "Die Folge des Weitergebens ist länger als 32 Runden",
    "passing is empty; write passing=hold for no passing": (
        "passing ist leer; ohne Weitergeben schreibt man passing=hold"
    ),
    "passing=scatter gives one card to each of the others: pass_count must be {n}, not {count}": (
        "passing=scatter gibt jedem anderen eine Karte: pass_count muss {n} sein, nicht {count}"
    ),
    "pass_count={count}: a hand of {size} can always pass 1 to {most} cards": (
        "pass_count={count}: von {size} Karten kann man immer 1 bis {most} weitergeben"
    ),
    "opening={opening} but 2C is removed; use opening=lowest-club": (
        "opening={opening}, aber 2C ist herausgenommen; nimm opening=lowest-club"
    ),
    "opening={opening} but 2C may lie in the kitty; use opening=lowest-club": (
        "opening={opening}, aber 2C kann im Rest (kitty) liegen; nimm opening=lowest-club"
    ),
    "opening=lowest-club but there may be no club in any hand": (
        "opening=lowest-club, aber vielleicht hat niemand ein Kreuz"
    ),
    "no card in the pack counts any points: there is nothing to avoid": (
        "Keine Karte zählt Punkte: es gibt nichts zu vermeiden"
    ),
    "pass_count={count}: there are 52 cards": "pass_count={count}: es gibt 52 Karten",
    "penalty points cannot be negative": "Strafpunkte können nicht negativ sein",
    "{points} points are too many for one card: {most} at most": (
        "{points} Punkte sind zu viele für eine Karte: höchstens {most}"
    ),
    "limit={limit}: {most} at most": "limit={limit}: höchstens {most}",
    "{key}={card} but that card is removed": "{key}={card}, aber diese Karte ist herausgenommen",
    "bonus_points must be negative: it is a bonus": "bonus_points muss negativ sein: sie nützen",
    "bonus={card} is a penalty card at the same time": "bonus={card} ist zugleich eine Strafkarte",
    "bonus and doubler are the same card": "bonus und doubler sind dieselbe Karte",
    "moon_needs_bonus but there is no bonus card": "moon_needs_bonus, aber es gibt keine Karte mit bonus",
    "sun counts two moons, but moon=off": "sun zählt wie zwei Durchmärsche, aber moon=off",
    "no_tricks must be zero or negative: it is a bonus": "no_tricks muss null oder negativ sein: es nützt",
    "limit={limit}: the game would be over before the first deal": (
        "limit={limit}: das Spiel wäre vor der ersten Runde vorbei"
    ),
    "deals={deals}: a game needs at least one deal": "deals={deals}: ein Spiel hat mindestens eine Runde",
    "{key}={value} has the wrong type; `heartlab rules standard --json` shows valid values": (
        "{key}={value} hat die falsche Art; gültige Werte zeigt `heartlab rules standard --json`"
    ),
    "{key}={value}: write yes or no": "{key}={value}: schreib yes oder no",
    "{key}={value}: write a whole number": "{key}={value}: schreib eine ganze Zahl",
    "{key}={value}: {card} is not a card: write a rank ({ranks}) and a suit ({suits}), as in {cards}": (
        "{key}={value}: {card} ist keine Karte: schreib Wert ({ranks}) und Farbe ({suits}), zum Beispiel {cards}"
    ),
    "{value} is not a rule set: write a Rules or a text such as 'standard,moon=self'": (
        "{value} sind keine Regeln: schreib einen Text wie 'standard,moon=self'"
    ),
    "{key}={value}: {error}": "{key}={value}: {error}",
}
"""English templates, as the errors read, and their German; what fits anything stands last."""


def _pattern(template: str) -> re.Pattern[str]:
    """What finds the values of a template in a text."""
    parts = re.split(r"\{(\w+)\}", template)
    named = (f"(?P<{part}>.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts))
    return re.compile("".join(named), re.DOTALL)


_PATTERNS = {template: _pattern(template) for template in RULES_ERRORS}


def said_of_rules(text: str) -> str:
    """An error about rules as a sentence that can be told in German; as it is, if it is unknown.

    >>> said_of_rules("players=9: Hearts needs 3 to 6 players").values["n"]
    '9'
    """
    for template, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(text):
            return Said(template, **found.groupdict())
    return text
