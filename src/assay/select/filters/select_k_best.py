"""Keep the k columns with the highest scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count
from assay.errors import warn_user
from assay.select.filters.univariate_filter import SCORE_FUNC, UnivariateFilter, best_k

__all__ = ["SelectKBest"]


class SelectKBest(UnivariateFilter):
    r"""Keep the k columns that score highest, each judged by itself.

    Columns are scored by what they tell of the target (lowest first for scores that are better when low, such as
    "gini"); among equal ones the later are kept. Raw tables: a nominal column is one feature, missing values are left
    out of means and are a value of their own among categories. With a score of sums ("f", "fisher", "chi2",
    "correlation", and of categories "gini", "entropy" ...) blocks, ``partial_fit`` and Dask give the same numbers, by
    name with classes as target, or "f_regression" and "correlation" with numbers.

    Cost: fit O(n d) for scores of sums, O(n d log n) with bins or neighbours; transform O(d) a row; memory
    O(n d).

    Parameters
    ----------
    score_func : function or str, default "f_classif"
        A function of (X, y) that returns scores, or scores and p-values; or the name of a score: "f", "fisher", "gini",
        "entropy", "gain ratio", "chi-squared", "symmetrical uncertainty", "mutual information", "relieff", "chi2",
        "correlation" (see :func:`feature_scores`), or of scikit-learn's functions. A model with a name can be saved.
    k : int or "all", default 10
        How many to keep.

    Attributes
    ----------
    scores_ : (d,) the scores      pvalues_ : (d,) or None where there is no test
    n_features_in_ : int      feature_names_in_ : (d,) if the table had names

    Examples
    --------
    >>> from assay.select import SelectKBest
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> SelectKBest(k=2).fit(iris.X, iris.y).selected_
    ['petal length (cm)', 'petal width (cm)']
    >>> print(SelectKBest("gini", k=1).fit(iris.X, iris.y).reasons()[3]["why"])
    gini 0.0735373: rank 1 of 4


    See Also
    --------
    SelectPercentile, GenericUnivariateSelect, feature_scores, VarianceThreshold

    References
    ----------
    - Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection. Journal of Machine Learning
      Research 3, 1157-1182.
    """

    card = Card("k best columns", "the k columns with the highest scores")
    accepts = {"score_func": SCORE_FUNC, "k": Count(0) | Choice("all")}

    def __init__(self, score_func: Any = "f_classif", *, k: int | str = 10):
        self.score_func = score_func
        self.k = k

    def _check_width(self, d: int) -> None:
        if not isinstance(self.k, str) and self.k > d:
            warn_user(
                f"k={self.k} is greater than n_features={d}. All the features will be returned.", UserWarning
            )

    def _support(self) -> np.ndarray:
        return best_k(self._strength, self.k)
