"""The search of one trick against the general max^n, which shallow pruning still asks for."""

import numpy as np
import pytest
from support.searching import RULES, root_table

from heartlab import Deal, Rules


@pytest.mark.parametrize("rules", RULES)
def test_one_trick_has_the_values_of_the_general_search(rules):
    dice = np.random.default_rng(len(rules))
    for number in range(6):
        deal = Deal(Rules.parse(f"{rules},passing=hold"), seed=number)
        for _ in range(int(dice.integers(0, 30))):
            deal.play(int(dice.choice(sorted(deal.legal))))
        quick, *_ = root_table(deal, "maxn", "low-cards", tricks=1)
        general, *_ = root_table(deal, "maxn", "low-cards", tricks=1, prune="shallow")
        assert list(quick) == list(general)
        assert quick == general
