"""Columns that a learner misses when they are torn from their rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.seeds import as_seed
from assay.core.stored import FloatArray
from assay.errors import DataError
from assay.evaluate.candidates import task_of_learners
from assay.evaluate.importance import permutation_importance
from assay.evaluate.target import Target
from assay.select.embedded.standard_block import read_aim
from assay.select.selector import Selector
from assay.stats.significance.test_result import shown_p
from assay.tables import Table
from assay.types import Estimator

__all__ = ["SelectByPermutation"]

FEWEST_ROWS = 4


class SelectByPermutation(Selector):
    """Keep the columns whose permutation importance on held-out rows is significantly above zero.

    The learner is fitted to the training rows of each split; on its test rows each column's values are exchanged among
    the rows, and what the measure loses is the column's importance. Its test over the splits, corrected for
    splits that share rows and for the number of columns (Holm), must reach ``alpha``. Of columns that
    tell the same neither is missed, and both may go: use :class:`AllRelevantSelection` to find all that matter.

    Cost: fit splits times the learner, and d times ``n_repeats`` predictions of every row; transform O(1) a kept
    column; memory O(n d).

    Parameters
    ----------
    estimator : a learner or its short name, prepared as in ``compare``; default "forest"
    scoring : name of a measure, or a Measure; default None: the error of classes, the RMSE of numbers
    design : how rows are split, as in ``compare``, default "5-fold"
    n_repeats : int, default 5
        Exchanges of each column on each split.
    alpha : float, default 0.05
    task : "classification", "regression" or None, which goes by the learner and the target
    random_state : int or None, default None
        None is 0.

    Attributes
    ----------
    importances_ : (d,) the mean loss of the measure      low_, high_ : (d,) its interval
    p_values_ : (d,) adjusted

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import SelectByPermutation
    >>> X = np.random.default_rng(0).normal(size=(120, 4))
    >>> SelectByPermutation("lda").fit(X, X[:, 0] > X[:, 3]).selected_
    ['x0', 'x3']

    See Also
    --------
    SelectFromModel, AllRelevantSelection, permutation_importance

    References
    ----------
    - Breiman, L. (2001). Random forests. Machine Learning 45, 5-32. doi:10.1023/A:1010933404324
    """

    card = Card("select by permutation", "columns that a learner misses on held-out rows")
    takes = frozenset({"nominal", "missing"})
    accepts = {
        "estimator": Any_(),
        "scoring": Any_(),
        "design": Any_(),
        "n_repeats": Count(1),
        "alpha": Range(0, 1, open="both"),
        "task": Choice("classification", "regression") | None,
        "random_state": Seed(),
    }
    stored = {
        "importances_": FloatArray("d"),
        "low_": FloatArray("d"),
        "high_": FloatArray("d"),
        "p_values_": FloatArray("d"),
    }
    importances_: np.ndarray
    p_values_: np.ndarray

    def __init__(
        self,
        estimator: Estimator | str = "forest",
        *,
        scoring: Any = None,
        design: Any = "5-fold",
        n_repeats: int = 5,
        alpha: float = 0.05,
        task: str | None = None,
        random_state: int | None = None,
    ):
        self.estimator = estimator
        self.scoring = scoring
        self.design = design
        self.n_repeats = n_repeats
        self.alpha = alpha
        self.task = task
        self.random_state = random_state

    def _read_target(self, y: Any, n: int) -> Target:
        who = type(self).__name__
        if n < FEWEST_ROWS:
            raise DataError(f"n_samples = {n} is too few to be split. Bring {FEWEST_ROWS} rows.", who=who)
        return read_aim(y, n, who, self.task, task_of_learners([self.estimator]))

    def _choose(self, table: Table, target: Target, weights: np.ndarray | None) -> np.ndarray:
        seed = 0 if self.random_state is None else as_seed(self.random_state, type(self).__name__)
        y = target.labels[target.codes] if target.numbers is None else target.numbers
        result = permutation_importance(
            self.estimator,
            table,
            y,
            scoring=self.scoring,
            n_repeats=self.n_repeats,
            design=self.design,
            alpha=self.alpha,
            random_state=seed,
            sample_weight=weights,
        )
        self.importances_, self.p_values_ = result.importances_mean, result.p
        self.low_, self.high_ = result.low, result.high
        return result.p <= self.alpha

    def _why(self, j: int) -> str:
        return (
            f"importance {self.importances_[j]:.4g} ({self.low_[j]:.4g} to {self.high_[j]:.4g}), "
            f"{shown_p(float(self.p_values_[j]))}"
        )
