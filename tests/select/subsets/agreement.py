"""Quick scores of subsets against refitting: the same numbers, the same columns chosen."""

import warnings

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import subset_scores
from assay.tables import Table


def both(estimator, X, y, scoring=None, weights=None, cv=2):
    """The quick scores and those by refitting, on the same folds."""
    ours = type(estimator).__module__.startswith("assay")
    table = Table.of(X) if ours and not isinstance(X, Table) else X
    quick = subset_scores(estimator, table, y, cv, scoring, weights)
    assert not isinstance(quick, Refit), f"no quick scores for {estimator}"
    return quick, subset_scores(estimator, table, y, cv, scoring, weights, fast=False)


def assert_same_scores(estimator, X, y, scoring=None, weights=None, cv=2, trials=3, rtol=1e-9, largest=8):
    """Additions to, removals from and scores of bases drawn at random equal refitting; gives the quick scores."""
    quick, slow = both(estimator, X, y, scoring, weights, cv)
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # degenerate columns speak in refits alone
        for trial in range(trials):
            size = int(rng.integers(1, min(quick.d, largest))) if trial else 0
            base = sorted(rng.permutation(quick.d)[:size].tolist())
            others = [j for j in range(quick.d) if j not in base]
            pairs = [(quick.additions(base, others), slow.additions(base, others))]
            if size > 1:
                pairs.append((quick.removals(base, base), slow.removals(base, base)))
            if size:
                pairs.append((quick.scores([base]), slow.scores([base])))
            for a, b in pairs:
                assert_allclose(a, b, rtol=rtol, atol=1e-9)
    return quick


def assert_same_choice(estimator, X, y, scoring=None, weights=None, cv=2, steps=3):
    """Forward and backward choose the same columns by quick scores as by refitting."""
    quick, slow = both(estimator, X, y, scoring, weights, cv)
    assert_array_equal(forward(quick, steps), forward(slow, steps))
    size = max(quick.d - steps, 1)
    assert_array_equal(backward(quick, size), backward(slow, size))


def forward(scores, size):
    base = []
    while len(base) < size:
        others = [j for j in range(scores.d) if j not in base]
        values = scores.additions(base, others).mean(axis=1)
        base = sorted([*base, others[_best(values)]])
    return base


def backward(scores, size):
    base = list(range(scores.d))
    while len(base) > size:
        base.remove(base[_best(scores.removals(base, base).mean(axis=1))])
    return base


def _best(values):
    """The first of the best, where sums in another order are the same."""
    return int(np.argmax(np.round(np.nan_to_num(values, nan=-np.inf), 9)))
