"""Keep some percent of the columns, those with the highest scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.select.filters.univariate_filter import SCORE_FUNC, UnivariateFilter, best_share

__all__ = ["SelectPercentile"]


class SelectPercentile(UnivariateFilter):
    r"""Keep some percent of the columns, those that score highest, each judged by itself.

    As :class:`SelectKBest`, with :math:`\lfloor d \cdot \text{percentile} / 100 \rfloor` columns; among equal ones the
    earlier are kept.
    Cost: fit O(n d) for scores of sums, O(n d log n) with bins or neighbours; transform O(d) a row; memory
    O(n d).

    Parameters
    ----------
    score_func : function or str, default "f_classif"
        A function of (X, y) that returns scores, or scores and p-values; or the name of a score: "f", "fisher", "gini",
        "entropy", "gain ratio", "chi-squared", "symmetrical uncertainty", "mutual information", "relieff", "chi2",
        "correlation" (see :func:`feature_scores`), or of scikit-learn's functions. A model with a name can be saved.
    percentile : float from 0 to 100, default 10
        How many percent to keep.

    Attributes
    ----------
    scores_ : (d,) the scores      pvalues_ : (d,) or None where there is no test
    n_features_in_ : int      feature_names_in_ : (d,) if the table had names

    Examples
    --------
    >>> from assay.select import SelectPercentile
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> SelectPercentile(percentile=50).fit(iris.X, iris.y).selected_
    ['petal length (cm)', 'petal width (cm)']


    See Also
    --------
    SelectKBest, GenericUnivariateSelect, feature_scores

    References
    ----------
    - Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection. Journal of Machine Learning
      Research 3, 1157-1182.
    """

    card = Card("best percent of columns", "the columns with the highest scores, some percent of all")
    accepts = {"score_func": SCORE_FUNC, "percentile": Range(0, 100)}

    def __init__(self, score_func: Any = "f_classif", *, percentile: float = 10):
        self.score_func = score_func
        self.percentile = percentile

    def _support(self) -> np.ndarray:
        return best_share(self._strength, self.percentile)
