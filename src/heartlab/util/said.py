"""Sentences that can be said in other languages too.

A :class:`Said` is the English text, and remembers the template and the values that it was made from. So whoever makes
a sentence knows one language only, and whoever shows it to somebody translates it at the edge, by a catalogue of
templates: see :mod:`heartlab.web.german`.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class Said(str):
    """An English sentence, or a part of one, made from a template; its values may be such parts themselves.

    >>> spades = Said("{n} spades", n=2)
    >>> said = Said("{name} has {what}, {mean:.1f} on average.", name="Ada", what=spades, mean=2.5)
    >>> said
    'Ada has 2 spades, 2.5 on average.'
    >>> german = Language({"{n} spades": "{n} Pik", "{name} has {what}, {mean:.1f} on average.":
    ...     "{name} hat {what}, im Mittel {mean:.1f}."}, ",")
    >>> german.tell(said)
    'Ada hat 2 Pik, im Mittel 2,5.'
    """

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Said:
        """
        :param template: a format string; in the catalogues its other languages are found by it.
        """
        said = super().__new__(cls, template.format(**values))
        said.template, said.values = template, values
        return said


def in_a_row(parts: Iterable[str], between: str = " ") -> Said:
    """Several sentences, or parts of one, as one.

    >>> in_a_row([Said("One."), "Two."])
    'One. Two.'
    """
    named = {f"part{number}": part for number, part in enumerate(parts)}
    return Said(between.join(f"{{{name}}}" for name in named), **named)


def sentence_of(error: Exception, longest: int = 300) -> str:
    """What an error says: a `Said` if it was made with one, otherwise its text, cut off where it is too long."""
    said = error.args[0] if error.args else ""
    return said if isinstance(said, Said) and len(said) <= longest else str(error)[:longest]


@dataclass(frozen=True)
class Language(string.Formatter):
    """A catalogue: for every English template the one of another language, and how numbers are written there."""

    texts: Mapping[str, str]
    point: str = "."
    """What stands before the decimals of a number."""

    def tell(self, said: str) -> str:
        """A sentence in this language; as it is, if it is unknown. Known parts of an unknown one are translated."""
        if not isinstance(said, Said):
            return said
        values = {name: self.tell(value) if isinstance(value, str) else value for name, value in said.values.items()}
        return self.vformat(self.texts.get(said.template, said.template), (), values)

    def format_field(self, value: Any, format_spec: str) -> str:
        """A value in its place."""
        text = str(super().format_field(value, format_spec))
        return text.replace(".", self.point) if isinstance(value, float) else text
