"""Players that search: open ones see all hands, closed ones search sampled worlds.

| name | player |
|---|---|
| `pie` | open: max^n to the end of the trick over the hand-tuned evaluation |
| `sage` | open: the same over a stronger hand-tuned evaluation |
| `iie` | closed: `pie` in 20 worlds |
| `maxn:`, `paranoid:`, `softmaxn:`, `probmaxn:` | closed with `worlds=20`; open with `worlds=0` |
| `uct:` | closed with `worlds=100,sims=100`; open with `worlds=0` |
| `ismcts:` | closed: trees over the observation itself |
| `pimc:search=KIND,...` | another way to write `KIND:...` |

The text of a name is parsed into :class:`heartlab.search.options.SearchOptions`; :class:`heartlab.search.pimc.Search`
does the rest. docs/search.md lists the options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from heartlab.players.base import CardArray, MaskArray, Observations, Player
from heartlab.players.registry import make_player, parse_options, register
from heartlab.search.evaluators.base import Evaluator
from heartlab.search.options import THESIS, SearchOptions, parse
from heartlab.search.passing import thesis_passes
from heartlab.search.pimc import Search
from heartlab.search.weights import Weight, uniform


class SearchPlayer(Player):
    """A player by search; `worlds=0` makes it an open one.

    >>> SearchPlayer("maxn", {"eval": "sage", "worlds": "10"}).search.options.worlds
    10
    """

    def __init__(
        self,
        options: SearchOptions | str,
        texts: Mapping[str, str] | None = None,
        *,
        evaluator: Evaluator | None = None,
        weigh: Weight = uniform,
        others: Sequence[str] = (),
    ) -> None:
        """
        :param options: typed options; or the kind of search, with other options as in a player's name in `texts`.
        :param evaluator: instead of the one that the options name.
        :param weigh: the weights of worlds.
        :param others: options that the maker of the player has read, to be listed when one is wrong.
        """
        if isinstance(options, str):
            options = parse(options, texts or {}, others=others, without=["eval"] if evaluator else [])
        super().__init__(options.kind.name.lower())
        self.search = Search(options, evaluator=evaluator, weigh=weigh)
        self.is_open = options.is_open
        self._passer = None if options.passer == THESIS else make_player(options.passer)

    def choose_cards(self, batch: Observations) -> CardArray:
        return self.search.choose(batch)

    def choose_passes(self, batch: Observations) -> MaskArray:
        if self._passer is not None:
            return self._passer.choose_passes(batch)
        masks = np.empty(len(batch), np.uint64)
        thesis_passes(batch.compiled, batch.records, masks)
        return masks


InformationSetPlayer = SearchPlayer
"""The name that version 0.1 had for a player by `ismcts`."""


@register(
    "pie", summary="open: max^n to the end of the trick over the papers' hand-tuned evaluation; tricks=2 looks further"
)
def make_pie(argument: str = "") -> Player:
    """The perfect-information expert."""
    return SearchPlayer("maxn", {"eval": "pie", "worlds": "0", **parse_options(argument)})


@register("sage", summary="open: max^n to the end of the trick over a stronger hand-tuned evaluation")
def make_sage(argument: str = "") -> Player:
    """The stronger expert; with worlds=20 it is closed."""
    return SearchPlayer("maxn", {"eval": "sage", "worlds": "0", **parse_options(argument)})


@register("iie", summary="closed: pie in 20 sampled worlds")
def make_iie(argument: str = "") -> Player:
    """The imperfect-information expert."""
    return SearchPlayer("maxn", {"eval": "pie", **parse_options(argument)})


@register("pimc", summary="closed: any open search in sampled worlds, as in pimc:search=maxn,eval=pie,worlds=20")
def make_pimc(argument: str = "") -> Player:
    """A closed player by the kind of its search."""
    options = parse_options(argument)
    return SearchPlayer(options.pop("search", "maxn"), options, others=("search",))


def _register_kind(kind: str, summary: str) -> None:
    register(kind, summary=summary)(lambda argument="": SearchPlayer(kind, parse_options(argument)))


_register_kind("maxn", "max^n search in sampled worlds (open with worlds=0): maxn:eval=pie,tricks=1,worlds=20")
_register_kind("paranoid", "paranoid search in sampled worlds: paranoid:eval=pie,tricks=2")
_register_kind("softmaxn", "soft-max^n in sampled worlds")
_register_kind("probmaxn", "prob-max^n in sampled worlds")
_register_kind("ismcts", "information-set tree search: ismcts:sims=10000,playout=gnome,c=0.4,trees=1")
_register_kind("uct", "UCT in sampled worlds: uct:worlds=100,sims=100,playout=gnome,c=0.5,also=td")
