"""Columns whose numbers a mixture cannot tell apart are named: refused without squares, warned of below a floor."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from assay.core.sums import Block
from assay.errors import DataError, DegenerateWarning
from assay.mixture import (
    BayesianGaussianMixture,
    FactorAnalyzerMixture,
    GaussianMixture,
    MixturePrior,
)
from assay.mixture.column_ranges import ColumnRanges

MODELS = {
    "GaussianMixture": GaussianMixture(2, random_state=0),
    "BayesianGaussianMixture": BayesianGaussianMixture(n_components=2, random_state=0),
    "FactorAnalyzerMixture": FactorAnalyzerMixture(2, random_state=0),
}


def two_groups(scale):
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(size=(40, 2)), random.normal(size=(40, 2)) + 9.0])
    return pd.DataFrame({"length": X[:, 0], "width": scale * X[:, 1]})


@pytest.mark.parametrize(
    ("scale", "size"), [(1e-160, "small"), (1e-200, "small"), (1e153, "large"), (1e200, "large")]
)
@pytest.mark.parametrize("name", list(MODELS))
def test_columns_without_squares_are_refused_by_name(name, scale, size):
    with pytest.raises(DataError, match=f"{name}: column width has numbers too {size} to be squared. Scale"):
        MODELS[name].fit(two_groups(scale))


@pytest.mark.parametrize("scale", [1e-100, 1e-10])
@pytest.mark.parametrize("name", list(MODELS))
def test_columns_that_the_least_variance_hides_are_warned_of(name, scale):
    """Groups 1e-100 apart were answered as one, in silence."""
    parameter = "floor" if name.startswith("Factor") else "reg_covar"
    with pytest.warns(DegenerateWarning, match=f"column width lie within .*: {parameter}=1e-06 is more than"):
        MODELS[name].fit(two_groups(scale))
    lowered = MODELS[name].__class__(**MODELS[name].get_params() | {parameter: (scale / 1e3) ** 2})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X = two_groups(scale)
        lowered.fit(X)
        MODELS[name].fit(X.assign(width=1.0))  # of one value alone nothing is hidden
    sizes = np.bincount(lowered.predict(X))
    assert_array_equal(sizes, [40, 40])


def test_a_prior_needs_no_floor_and_a_high_one_was_chosen():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GaussianMixture(2, prior=MixturePrior(), random_state=0).fit(two_groups(1e-20))
        GaussianMixture(2, reg_covar=0.1, random_state=0).fit(two_groups(1e-3))
    assert_array_equal(np.bincount(model.predict(two_groups(1e-20))), [40, 40])


def test_ranges_of_blocks_add_and_rows_without_weight_have_no_say():
    X = np.array([[1.0, np.nan], [5.0, np.nan], [9.0, 2.0]])
    parts = ColumnRanges.of_block(Block(X[:2], None, np.array([1.0, 1.0])))
    both = parts + ColumnRanges.of_block(Block(X[2:], None, np.array([0.0])))
    assert_array_equal(both.widths(), [4.0, np.nan])
    assert_array_equal((parts + ColumnRanges.of_block(Block(X[2:], None, None))).widths(), [8.0, 0.0])
