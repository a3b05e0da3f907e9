"""Keep the columns whose p-value lies below a level."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.select.filters.univariate_filter import SCORE_FUNC, UnivariateFilter, by_false_positive_rate

__all__ = ["SelectFpr"]


class SelectFpr(UnivariateFilter):
    r"""Keep the columns whose test rejects at level alpha, each by itself.

    Of columns without use a share of alpha is kept, however many there are: of many columns use :class:`SelectFdr` or
    :class:`SelectFwe`.
    Cost: fit O(n d) for scores of sums, O(n d log n) with bins or neighbours; transform O(d) a row; memory
    O(n d).

    Parameters
    ----------
    score_func : function or str, default "f_classif"
        A function of (X, y) that returns scores, or scores and p-values; or the name of a score: "f", "fisher", "gini",
        "entropy", "gain ratio", "chi-squared", "symmetrical uncertainty", "mutual information", "relieff", "chi2",
        "correlation" (see :func:`feature_scores`), or of scikit-learn's functions. A model with a name can be saved.
    alpha : float from 0 to 1, default 0.05
        Columns with p < alpha are kept.

    Attributes
    ----------
    scores_ : (d,) the scores      pvalues_ : (d,) or None where there is no test
    n_features_in_ : int      feature_names_in_ : (d,) if the table had names

    Examples
    --------
    >>> from assay.select import SelectFpr
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> SelectFpr(alpha=1e-20).fit(iris.X, iris.y).selected_
    ['sepal length (cm)', 'petal length (cm)', 'petal width (cm)']


    See Also
    --------
    SelectFdr, SelectFwe, SelectKBest

    References
    ----------
    - Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection. Journal of Machine Learning
      Research 3, 1157-1182.
    """

    card = Card("columns by p-value", "the columns whose test rejects")
    accepts = {"score_func": SCORE_FUNC, "alpha": Range(0, 1)}

    def __init__(self, score_func: Any = "f_classif", *, alpha: float = 5e-2):
        self.score_func = score_func
        self.alpha = alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _support(self) -> np.ndarray:
        return by_false_positive_rate(self._p_values(), self.alpha)
