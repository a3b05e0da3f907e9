"""Pruning by leave-one-out intervals."""

import numpy as np
import pytest

from assay.errors import DataError, ParameterError
from assay.kernels import RBF
from assay.processes import GaussianProcessRegressor, prune

X, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 0.0, -1.0])


def process():
    return GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None)


def pruned_by_refits(rows, target, limit=1.959963984540054):
    """One row at a time, each time by leave-one-out of a new fit."""
    left = np.arange(len(rows))
    while len(left) > 1:
        mean, sd = process().fit(rows[left], target[left]).leave_one_out()
        score = np.abs(target[left] - mean) / sd
        if score.min() > limit:
            break
        left = np.delete(left, int(np.argmax(score <= score.min() + 1e-9)))
    return left


@pytest.mark.capability("IML-16-26")
def test_the_worked_example_keeps_one_row():
    """All four targets lie in their intervals at once, but rows go one at a time and the last one stays."""
    result = prune(process().fit(X, y))
    assert len(result.kept) == 1
    assert result.removed[0] == 2  # |r - mean| / sd is smallest there: .00185 / 1.033
    assert sorted([*result.kept, *result.removed]) == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_rows_go_as_by_refits(seed):
    random = np.random.default_rng(seed)
    rows = random.uniform(0, 8, size=(25, 1))
    target = 4 * np.sin(rows[:, 0]) + random.normal(0, 0.2, 25)
    assert prune(process().fit(rows, target)).kept.tolist() == pruned_by_refits(rows, target).tolist()


def test_what_cannot_be_pruned_is_refused():
    for level in (1.5, "wide", None):
        with pytest.raises(ParameterError, match="prune: level must lie between 0 and 1"):
            prune(process().fit(X, y), level=level)
    with pytest.raises(DataError, match="one target"):
        prune(process().fit(X, np.column_stack([y, y])))
    with pytest.raises(DataError, match="fitted"):
        prune(process())
