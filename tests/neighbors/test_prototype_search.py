"""PrototypeSearch: the augmented error falls at every step and no single move is left."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.neighbors.prototype_search import PrototypeSearch
from assay.neighbors.prototypes import inconsistent_rows

LINE = np.array([0, 1, 2, 2.9, 4, 6, 7.1, 8, 9, 10])[:, None]
SIDE = np.repeat([0, 1], 5)


def augmented(X, y, kept, penalty):
    return len(inconsistent_rows(X, y, sorted(kept))) + penalty * len(kept)


@pytest.mark.capability("IML-8-14")
def test_ten_points_need_two_prototypes():
    for seed in range(5):
        model = PrototypeSearch(0.5, random_state=seed).fit(LINE, SIDE)
        assert len(model.sample_indices_) == 2 and model.score(LINE, SIDE) == 1.0
        assert model.history_[-1]["objective"] == 1.0


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), penalty=st.sampled_from([0.1, 0.7, 2.5]))
def test_no_addition_drop_or_exchange_lowers_the_augmented_error(seed, penalty):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(22, 2))
    y = (X[:, 0] + 0.6 * rng.normal(size=22) > 0).astype(int)
    y[:2] = [0, 1]
    model = PrototypeSearch(penalty, random_state=seed).fit(X, y)
    kept = list(model.sample_indices_)
    least = augmented(X, y, kept, penalty)
    assert_allclose(model.history_[-1]["objective"], least)
    others = [i for i in range(22) if i not in kept]
    moves = [[*kept, a] for a in others]
    moves += [[i for i in kept if i != z] for z in kept if len(kept) > 1]
    moves += [[*(i for i in kept if i != z), a] for z in kept for a in others]
    assert min(augmented(X, y, move, penalty) for move in moves) >= least - 1e-9


def test_the_history_falls_and_a_higher_price_keeps_fewer():
    X, y = load_iris(return_X_y=True)
    sizes = []
    for penalty in (0.1, 0.9, 3.0):
        model = PrototypeSearch(penalty, random_state=0).fit(X, y)
        objective = [step["objective"] for step in model.history_]
        assert all(b < a for a, b in pairwise(objective))
        assert model.n_iter_ == max(1, len(objective) - 1)
        sizes.append(len(model.sample_indices_))
    assert sizes[0] >= sizes[1] > sizes[2] >= 3


def test_one_row_is_kept():
    assert PrototypeSearch().fit([[1.0]], ["a"]).predict([[5.0]]) == ["a"]
