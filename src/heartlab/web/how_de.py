"""The same as :mod:`heartlab.web.how` in German."""

from __future__ import annotations

from heartlab.cards import ACE_OF_SPADES, KING_OF_SPADES, QUEEN_OF_SPADES, pretty_card
from heartlab.rules import Rules

_DIRECTIONS = {
    "hold": "gar nicht", "scatter": "je eine an jeden anderen", "pool": "in einen Topf, der neu verteilt wird",
    "random": "in eine ausgeloste Richtung", "left": "nach links", "right": "nach rechts", "across": "gegenüber",
}  # fmt: skip
_OPENINGS = {
    "2C": "Wer 2♣ hat, spielt sie zum ersten Stich aus",
    "any-club": "Wer 2♣ hat, spielt ein Kreuz zum ersten Stich aus",
    "lowest-club": "Wer das niedrigste Kreuz hat, spielt es zum ersten Stich aus",
    "left-of-dealer": "Wer links vom Geber sitzt, spielt eine beliebige Karte zum ersten Stich aus",
    "random": "Ein ausgeloster Platz spielt eine beliebige Karte zum ersten Stich aus",
}
_HEARTS = {
    "one": "jedes Herz zählt 1",
    "rank": "jedes Herz zählt seinen Rang (Bube 11 bis Ass 14)",
    "pips": "jedes Herz zählt seine Augen (Bube, Dame und König 10, Ass 11)",
    "none": "",
}
_UNLESS = "außer man hat nichts anderes"


def how_to_play_de(rules: Rules) -> list[str]:
    """Ziel, Weitergeben, Bedienen, erster Stich, Herzen brechen, Durchmarsch, Ende."""
    return [
        _aim(rules),
        _passing(rules),
        f"{_OPENINGS[rules.opening]}; danach spielt aus, wer den letzten Stich genommen hat. Wer kann, bedient die "
        "ausgespielte Farbe, sonst ist jede Karte erlaubt. Die höchste Karte dieser Farbe nimmt den Stich; Trumpf gibt "
        "es nicht.",
        _limits(rules),
        *_moon(rules),
        *_rare(rules),
        _end(rules),
    ]


def _aim(rules: Rules) -> str:
    spades = {
        QUEEN_OF_SPADES: rules.queen_points,
        KING_OF_SPADES: rules.king_points,
        ACE_OF_SPADES: rules.ace_points,
    }
    there = {pretty_card(card): points for card, points in spades.items() if points and card not in rules.removed}
    counted = [_HEARTS[rules.heart_points], *(f"{card} zählt {points}" for card, points in there.items())]
    bonus = "" if rules.bonus is None else f" {pretty_card(rules.bonus)} zieht {-rules.bonus_points} ab."
    listed = ", ".join(text for text in counted if text)
    return f"Vermeide Punkte: {listed}, für den, der die Karte im Stich nimmt.{bonus} Wer am wenigsten hat, gewinnt."


def _passing(rules: Rules) -> str:
    if set(rules.passing) == {"hold"}:
        return "Es werden keine Karten weitergegeben."
    ways = [
        _DIRECTIONS.get(way) or f"{way[1:]} Plätze nach {'links' if way[0] == '+' else 'rechts'}"
        for way in rules.passing
    ]
    spades = "" if rules.pass_high_spades else " Q♠, K♠ und A♠ dürfen nicht weitergegeben werden."
    number = "eine Karte" if rules.pass_count == 1 else f"{rules.pass_count} Karten"
    cycle = ways[0] if len(ways) == 1 else f"{', '.join(ways)}, Runde für Runde in dieser Folge"
    return f"Vor dem Spiel geben alle {number} weiter: {cycle}.{spades}"


def _limits(rules: Rules) -> str:
    first = (
        "Im ersten Stich darf alles fallen."
        if rules.first_trick_points
        else f"Im ersten Stich darf keine Karte fallen, die zählt, {_UNLESS}."
    )
    if rules.hearts == "any":
        lead = "Herz darf jederzeit ausgespielt werden."
    else:
        breaks = "ein Herz oder Q♠" if rules.queen_breaks_hearts else "ein Herz"
        lead = f"Herz darf nicht ausgespielt werden, bevor {breaks} gefallen ist (gebrochen), {_UNLESS}"
        lead += " als Q♠." if rules.hearts_before_queen else "."
    queen = f" Auch Q♠ darf vorher nicht gespielt werden, {_UNLESS}." if rules.queen_after_hearts else ""
    return f"{first} {lead}{queen}"


def _moon(rules: Rules) -> list[str]:
    if rules.moon == "off":
        return ["Einen Durchmarsch gibt es nicht."]
    need = f" und {pretty_card(rules.bonus)}" if rules.moon_needs_bonus and rules.bonus is not None else ""
    points = rules.total_points
    what = {
        "others": f"alle anderen bekommen {points}, man selbst nichts",
        "self": f"{points} gehen vom eigenen Stand ab",
        "best": f"alle anderen bekommen {points}, außer wenn das Spiel damit endet und man nicht allein gewinnt: dann "
        "gehen sie vom eigenen Stand ab",
        "choice": f"man sagt, ob alle anderen {points} bekommen oder sie vom eigenen Stand abgehen",
    }[rules.moon]
    sun = " Wer jeden Stich nimmt, bekommt das doppelt." if rules.sun else ""
    return [f"Wer alle Karten nimmt, die zählen{need}, schafft den Durchmarsch: {what}.{sun}"]


def _rare(rules: Rules) -> list[str]:
    """Was die meisten Spiele nicht haben."""
    found = []
    if rules.removed:
        names = ", ".join(pretty_card(card) for card in sorted(rules.removed))
        found.append(f"Nicht dabei: {names}.")
    if rules.kitty != "none":
        taker = {
            "first-trick": "geht an den Gewinner des ersten Stichs",
            "first-heart": "geht an den, der das erste Herz nimmt",
            "nobody": "geht an niemanden",
        }[rules.kitty]
        found.append(f"Was nach dem Geben übrig ist, liegt verdeckt und {taker}.")
    if rules.doubler is not None:
        found.append(f"{pretty_card(rules.doubler)} verdoppelt, was man genommen hat.")
    if rules.no_tricks:
        found.append(f"Wer keinen Stich nimmt, zieht {-rules.no_tricks} ab.")
    return [" ".join(found)] if found else []


def _end(rules: Rules) -> str:
    if rules.deals is not None:
        end = "Das Spiel hat eine Runde" if rules.deals == 1 else f"Das Spiel hat {rules.deals} Runden"
    else:
        end = f"Das Spiel endet, wenn jemand {rules.limit} {'überschreitet' if rules.over_limit else 'erreicht'}"
    return f"{end}{', und geht weiter, solange zwei am wenigsten haben' if rules.ties == 'play-on' else ''}."
