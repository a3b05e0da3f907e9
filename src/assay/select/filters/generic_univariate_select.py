"""Keep columns by their scores, in a way that is a parameter."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Range
from assay.errors import warn_user
from assay.select.filters.univariate_filter import (
    SCORE_FUNC,
    UnivariateFilter,
    best_k,
    best_share,
    by_false_discovery_rate,
    by_false_positive_rate,
    by_family_wise_error,
)

__all__ = ["GenericUnivariateSelect"]


class GenericUnivariateSelect(UnivariateFilter):
    r"""Keep columns by their scores, the way of choosing being a parameter, so that it can be tuned.

    As :class:`SelectPercentile`, :class:`SelectKBest`, :class:`SelectFpr`, :class:`SelectFdr` or :class:`SelectFwe`.
    Cost: fit O(n d) for scores of sums, O(n d log n) with bins or neighbours; transform O(d) a row; memory
    O(n d).

    Parameters
    ----------
    score_func : function or str, default "f_classif"
        A function of (X, y) that returns scores, or scores and p-values; or the name of a score: "f", "fisher", "gini",
        "entropy", "gain ratio", "chi-squared", "symmetrical uncertainty", "mutual information", "relieff", "chi2",
        "correlation" (see :func:`feature_scores`), or of scikit-learn's functions. A model with a name can be saved.
    mode : "percentile", "k_best", "fpr", "fdr" or "fwe", default "percentile"
    param : number or "all", default 1e-5
        What that way of choosing takes: a percentage, k, or alpha.

    Attributes
    ----------
    scores_ : (d,) the scores      pvalues_ : (d,) or None where there is no test
    n_features_in_ : int      feature_names_in_ : (d,) if the table had names

    Examples
    --------
    >>> from assay.select import GenericUnivariateSelect
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> GenericUnivariateSelect(mode="k_best", param=1).fit(iris.X, iris.y).selected_
    ['petal length (cm)']


    See Also
    --------
    SelectKBest, SelectPercentile, SelectFpr, SelectFdr, SelectFwe

    References
    ----------
    - Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection. Journal of Machine Learning
      Research 3, 1157-1182.
    """

    card = Card("columns by scores", "columns by their scores, in a way that is a parameter")
    accepts = {
        "score_func": SCORE_FUNC,
        "mode": Choice("percentile", "k_best", "fpr", "fdr", "fwe"),
        "param": Range(0) | Choice("all"),
    }

    def __init__(self, score_func: Any = "f_classif", *, mode: str = "percentile", param: Any = 1e-5):
        self.score_func = score_func
        self.mode = mode
        self.param = param

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check_width(self, d: int) -> None:
        if self.mode == "k_best" and not isinstance(self.param, str) and self.param > d:
            warn_user(
                f"k={self.param} is greater than n_features={d}. All the features will be returned.",
                UserWarning,
            )

    def _support(self) -> np.ndarray:
        if self.mode == "k_best":
            return best_k(self._strength, self.param)
        if self.mode == "percentile":
            return best_share(self._strength, self.param)
        chosen = {"fpr": by_false_positive_rate, "fdr": by_false_discovery_rate, "fwe": by_family_wise_error}
        return chosen[self.mode](self._p_values(), self.param)
