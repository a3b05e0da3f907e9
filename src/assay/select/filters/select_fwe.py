"""Keep columns such that probably none of them is a false discovery."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.select.filters.univariate_filter import SCORE_FUNC, UnivariateFilter, by_family_wise_error

__all__ = ["SelectFwe"]


class SelectFwe(UnivariateFilter):
    r"""Keep columns such that with probability 1 - alpha none of them is without use: p < alpha / d (Bonferroni).

    Cost: fit O(n d) for scores of sums, O(n d log n) with bins or neighbours; transform O(d) a row; memory
    O(n d).

    Parameters
    ----------
    score_func : function or str, default "f_classif"
        A function of (X, y) that returns scores, or scores and p-values; or the name of a score: "f", "fisher", "gini",
        "entropy", "gain ratio", "chi-squared", "symmetrical uncertainty", "mutual information", "relieff", "chi2",
        "correlation" (see :func:`feature_scores`), or of scikit-learn's functions. A model with a name can be saved.
    alpha : float from 0 to 1, default 0.05
        The probability of keeping any useless column, at most.

    Attributes
    ----------
    scores_ : (d,) the scores      pvalues_ : (d,) or None where there is no test
    n_features_in_ : int      feature_names_in_ : (d,) if the table had names

    Examples
    --------
    >>> from assay.select import SelectFwe
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> SelectFwe(alpha=1e-20).fit(iris.X, iris.y).selected_
    ['sepal length (cm)', 'petal length (cm)', 'petal width (cm)']


    See Also
    --------
    SelectFpr, SelectFdr, SelectKBest

    References
    ----------
    - Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical Association 56(293),
      52-64.
    """

    card = Card("columns by family-wise error", "no column kept is a false discovery, probably")
    accepts = {"score_func": SCORE_FUNC, "alpha": Range(0, 1)}

    def __init__(self, score_func: Any = "f_classif", *, alpha: float = 5e-2):
        self.score_func = score_func
        self.alpha = alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _support(self) -> np.ndarray:
        return by_family_wise_error(self._p_values(), self.alpha)
