"""Keep columns such that few of them are false discoveries."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Range
from assay.select.filters.univariate_filter import SCORE_FUNC, UnivariateFilter, by_false_discovery_rate

__all__ = ["SelectFdr"]


class SelectFdr(UnivariateFilter):
    r"""Keep columns such that at most a share alpha of them is expected to be without use (Benjamini and Hochberg).

    With ordered p-values :math:`p_{(1)} \le p_{(2)} \le \dots` all columns up to the last i with
    :math:`p_{(i)} \le \alpha i / d` are kept.
    Cost: fit O(n d) for scores of sums, O(n d log n) with bins or neighbours; transform O(d) a row; memory
    O(n d).

    Parameters
    ----------
    score_func : function or str, default "f_classif"
        A function of (X, y) that returns scores, or scores and p-values; or the name of a score: "f", "fisher", "gini",
        "entropy", "gain ratio", "chi-squared", "symmetrical uncertainty", "mutual information", "relieff", "chi2",
        "correlation" (see :func:`feature_scores`), or of scikit-learn's functions. A model with a name can be saved.
    alpha : float from 0 to 1, default 0.05
        The expected share of useless columns among those kept.

    Attributes
    ----------
    scores_ : (d,) the scores      pvalues_ : (d,) or None where there is no test
    n_features_in_ : int      feature_names_in_ : (d,) if the table had names

    Examples
    --------
    >>> from assay.select import SelectFdr
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> SelectFdr(alpha=1e-20).fit(iris.X, iris.y).selected_
    ['sepal length (cm)', 'petal length (cm)', 'petal width (cm)']


    See Also
    --------
    SelectFpr, SelectFwe, SelectKBest

    References
    ----------
    - Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate: a practical and powerful approach to
      multiple testing. Journal of the Royal Statistical Society B 57(1), 289-300.
    """

    card = Card("columns by false discovery rate", "few of the columns kept are false discoveries")
    accepts = {"score_func": SCORE_FUNC, "alpha": Range(0, 1)}

    def __init__(self, score_func: Any = "f_classif", *, alpha: float = 5e-2):
        self.score_func = score_func
        self.alpha = alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _support(self) -> np.ndarray:
        return by_false_discovery_rate(self._p_values(), self.alpha)
