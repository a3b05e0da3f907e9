"""Ordered classes against statsmodels."""

from __future__ import annotations

import warnings

import numpy as np
from statsmodels.miscmodels.ordinal_model import OrderedModel

from assay.linear import OrdinalLogisticRegression
from benchmarks.harness import Race

warnings.filterwarnings("ignore", message="Maximum Likelihood optimization failed")  # statsmodels' own


def races() -> list[Race]:
    return [ordered(200, 20), ordered(10_000, 3), ordered(200_000, 1)]


def ordered(n: int, repeat: int) -> Race:
    """Five classes, five columns; statsmodels with the quickest of its optimisers."""
    random = np.random.default_rng(n)
    X = random.normal(size=(n, 5))
    y = np.digitize(X @ np.linspace(-1, 1, 5) + random.logistic(size=n), [-2, -0.5, 0.5, 2])
    return Race(
        "OrdinalLogisticRegression fit",
        f"{n} x 5, 5 classes",
        lambda: OrdinalLogisticRegression().fit(X, y),
        lambda: OrderedModel(y, X, distr="logit").fit(method="bfgs", disp=0, maxiter=200),
        repeat,
    )
