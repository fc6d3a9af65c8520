"""How Hearts is played under some rules, in a few sentences for the page's help."""

from __future__ import annotations

from heartlab.cards import ACE_OF_SPADES, KING_OF_SPADES, QUEEN_OF_SPADES, pretty_card
from heartlab.rules import Rules
from heartlab.web.how_de import how_to_play_de

_DIRECTIONS = {
    "hold": "not at all", "scatter": "one to each of the others", "pool": "into a pool that is dealt out again",
    "random": "a direction drawn by lot", "left": "left", "right": "right", "across": "across",
}  # fmt: skip
_OPENINGS = {
    "2C": "Whoever holds 2♣ leads it to the first trick",
    "any-club": "Whoever holds 2♣ leads a club to the first trick",
    "lowest-club": "Whoever holds the lowest club leads it to the first trick",
    "left-of-dealer": "The seat to the left of the dealer leads any card to the first trick",
    "random": "A seat drawn by lot leads any card to the first trick",
}
_HEARTS = {
    "one": "each heart counts 1",
    "rank": "each heart counts its rank (jack 11 to ace 14)",
    "pips": "each heart counts its pips (jack, queen and king 10, ace 11)",
    "none": "",
}


def how_to_play_in(language: str, rules: Rules) -> list[str]:
    """How Hearts is played, in a language that the page speaks."""
    return how_to_play_de(rules) if language == "de" else how_to_play(rules)


def how_to_play(rules: Rules) -> list[str]:
    """Aim, passing, following suit, the first trick, breaking hearts, moon, end of the game."""
    return [
        _aim(rules),
        _passing(rules),
        f"{_OPENINGS[rules.opening]}; later the winner of a trick leads to the next. Follow the suit that was led if "
        "you can, otherwise play any card. The highest card of that suit takes the trick; there are no trumps.",
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
    counted = [_HEARTS[rules.heart_points], *(f"{card} counts {points}" for card, points in there.items())]
    bonus = "" if rules.bonus is None else f" {pretty_card(rules.bonus)} takes {-rules.bonus_points} off."
    listed = ", ".join(text for text in counted if text)
    return f"Avoid points: {listed}, for whoever takes the card in a trick.{bonus} The lowest total wins."


def _passing(rules: Rules) -> str:
    if set(rules.passing) == {"hold"}:
        return "No cards are passed."
    ways = [_DIRECTIONS.get(way) or f"{way[1:]} to the {'left' if way[0] == '+' else 'right'}" for way in rules.passing]
    spades = "" if rules.pass_high_spades else " Q♠, K♠ and A♠ may not be passed."
    number = f"{rules.pass_count} card{'s' if rules.pass_count > 1 else ''}"
    cycle = ways[0] if len(ways) == 1 else f"{', '.join(ways)}, deal after deal in this order"
    return f"Before play everybody passes {number}: {cycle}.{spades}"


def _limits(rules: Rules) -> str:
    first = (
        "On the first trick anything may fall."
        if rules.first_trick_points
        else "On the first trick no card that counts may fall, unless you have nothing else."
    )
    if rules.hearts == "any":
        lead = "Hearts may be led at any time."
    else:
        breaks = "a heart or Q♠" if rules.queen_breaks_hearts else "a heart"
        lead = (
            f"Hearts may not be led before {breaks} has been played (hearts are broken), unless you have nothing else"
        )
        lead += " but Q♠." if rules.hearts_before_queen else "."
    queen = " Nor may Q♠ be played before, unless you have nothing else." if rules.queen_after_hearts else ""
    return f"{first} {lead}{queen}"


def _moon(rules: Rules) -> list[str]:
    if rules.moon == "off":
        return ["There is no shooting the moon."]
    need = f" and {pretty_card(rules.bonus)}" if rules.moon_needs_bonus and rules.bonus is not None else ""
    points = rules.total_points
    what = {
        "others": f"everybody else gets {points}, the shooter nothing",
        "self": f"{points} come off the shooter's total",
        "best": f"everybody else gets {points}, unless that ends the game and the shooter does not win it alone: then "
        "they come off the shooter's total",
        "choice": f"the shooter says whether everybody else gets {points} or they come off the own total",
    }[rules.moon]
    sun = " Whoever takes every trick gets that twice." if rules.sun else ""
    return [f"Whoever takes all cards that count{need} shoots the moon: {what}.{sun}"]


def _rare(rules: Rules) -> list[str]:
    """What most games do not have."""
    found = []
    if rules.removed:
        names = ", ".join(pretty_card(card) for card in sorted(rules.removed))
        found.append(f"Not in the pack: {names}.")
    if rules.kitty != "none":
        taker = {
            "first-trick": "goes to the winner of the first trick",
            "first-heart": "goes to the winner of the first heart",
            "nobody": "goes to nobody",
        }[rules.kitty]
        found.append(f"What is left over after dealing lies face down and {taker}.")
    if rules.doubler is not None:
        found.append(f"{pretty_card(rules.doubler)} doubles what its taker took.")
    if rules.no_tricks:
        found.append(f"Whoever takes no trick gets {-rules.no_tricks} off.")
    return [" ".join(found)] if found else []


def _end(rules: Rules) -> str:
    if rules.deals is not None:
        end = f"The game has {rules.deals} deal{'s' if rules.deals > 1 else ''}"
    else:
        end = f"The game ends when a total {'passes' if rules.over_limit else 'reaches'} {rules.limit}"
    return f"{end}{', and goes on while the lowest total is shared' if rules.ties == 'play-on' else ''}."
