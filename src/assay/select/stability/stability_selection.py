"""Stability selection: columns that are chosen from most halves of the rows, with a bound on false ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from assay.core import Card
from assay.core.complaints import missing_message
from assay.core.meta_estimator import fit_to
from assay.core.model_view import Part, TextBlock
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Choice, Count, Instance, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.core.stored import FloatArray, Scalar
from assay.core.targets import EncodedLabels
from assay.errors import DataError
from assay.evaluate.target import Target
from assay.select.embedded.select_by_lasso_path import lasso_entries
from assay.select.embedded.standard_block import StandardBlock, outputs_of, read_aim
from assay.select.selector import Selector
from assay.select.stability.resamples import complementary_halves
from assay.tables import Table
from assay.types import RandomState, TableLike

__all__ = ["StabilitySelection", "expected_false_bound"]

FEWEST_ROWS = 8  # of which halves can be made that say anything


def expected_false_bound(
    q: float, d: int, threshold: float, pairs: int, assumption: str = "unimodal"
) -> float:
    r"""How many useless columns stability selection keeps in expectation, at most.

    Useless are columns that are chosen from half of the rows no more often than at random, with probability q/d. With
    B pairs of halves and the threshold :math:`\pi`

    .. math:: E \le C(\pi, B)\,\frac{q^2}d,\qquad
              C = \frac1{2\pi-1}\ \text{without assumptions, and}\quad
              C = \begin{cases}\dfrac1{2(2\pi-1-1/2B)} & \pi\le\tfrac34\\[2ex]
              \dfrac{4(1-\pi+1/2B)}{1+1/B} & \pi>\tfrac34\end{cases}                                 \quad (1)

    if the shares of the pairs in which both halves choose a column have a distribution with one peak.

    Parameters
    ----------
    q : columns chosen from each half, on average      d : columns      threshold : above 0.5      pairs : B
    assumption : "none" or "unimodal"

    Examples
    --------
    >>> from assay.select import expected_false_bound
    >>> expected_false_bound(10, 100, 0.9, 50, "none"), round(expected_false_bound(10, 100, 0.9, 50), 3)
    (1.25, 0.431)

    References
    ----------
    - Shah, R. D. and Samworth, R. J. (2013). Variable selection with error control: another look at stability
      selection. Journal of the Royal Statistical Society B 75(1), 55-80. doi:10.1111/j.1467-9868.2011.01034.x
    """
    plain = 1 / (2 * threshold - 1)
    if assumption == "unimodal" and _one_peak_applies(q / d, threshold, pairs):
        half = 1 / (2 * pairs)
        low = threshold <= 0.75
        peaked = 1 / (2 * (2 * threshold - 1 - half)) if low else 4 * (1 - threshold + half) / (1 + 2 * half)
        plain = min(plain, peaked)
    return plain * q * q / d


def _one_peak_applies(share: float, threshold: float, pairs: int) -> bool:
    """The range of thresholds for which the sharper bound was proved."""
    half = 1 / (2 * pairs)
    least = min(0.5 + share**2, 0.5 + half + 0.75 * share**2)
    return share <= 1 / np.sqrt(3) and threshold > max(least, 0.5 + half)


class StabilitySelection(Selector):
    r"""Keep the columns that are chosen again and again from random halves of the rows.

    The rows are split at random into two halves, B times, and columns are chosen from each half: the first q that enter
    the lasso, or those that a selector of yours chooses. Kept are columns chosen from at least a share
    ``threshold`` of the 2B halves. Whatever the columns and the selector, a bound on the expected number of useless
    columns among them holds (see :func:`expected_false_bound`), and q is as large as ``expected_false`` allows. On pure
    noise next to nothing is kept; what is kept depends far less on the sample than a single choice does.

    Cost: fit 2B times the lasso path to q columns, O(n D q) each, or the selector; transform O(1) a kept column; memory
    O(n D), D columns with indicators.

    Parameters
    ----------
    selector : a selector, default None
        What chooses columns from a half; None takes the first q that enter the lasso (see :class:`SelectByLassoPath`).
    expected_false : float, default 1
        The expected number of useless columns that are kept, at most; it determines q.
    threshold : float above 0.5, default 0.75
        The share of halves from which on a column is kept.
    n_features : int or None, default None
        q itself, in place of ``expected_false``.
    n_pairs : int, default 50
        B.
    assumption : "unimodal" or "none", default "unimodal"
        Of the bound: one peak is a mild assumption that halves it.
    task : "classification", "regression" or None, which goes by the target
    random_state : int, generator or None
    n_jobs : int or None, threads

    Attributes
    ----------
    frequencies_ : (d,) the share of halves from which each column was chosen
    chosen_mean_ : float, how many columns were chosen from a half on average
    bound_ : float, how many useless columns are kept in expectation, at most

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import StabilitySelection
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 40))
    >>> selector = StabilitySelection(random_state=0).fit(X, 2 * X[:, 3] - 2 * X[:, 8] + rng.normal(size=100))
    >>> selector.selected_, round(selector.bound_, 2)
    (['x3', 'x8'], 0.92)

    See Also
    --------
    selection_frequency, AllRelevantSelection, SelectByLassoPath

    References
    ----------
    - Meinshausen, N. and Buehlmann, P. (2010). Stability selection. Journal of the Royal Statistical Society B 72(4),
      417-473. doi:10.1111/j.1467-9868.2010.00740.x
    - Shah, R. D. and Samworth, R. J. (2013). Variable selection with error control: another look at stability
      selection. Journal of the Royal Statistical Society B 75(1), 55-80. doi:10.1111/j.1467-9868.2011.01034.x
    """

    card = Card("stability selection", "columns chosen from most halves of the rows, with an error bound")
    takes = frozenset({"nominal", "missing"})  # missing values if the selector takes them
    accepts = {
        "selector": Instance(having="get_support") | None,
        "expected_false": Range(0, open="low"),
        "threshold": Range(0.5, 1, open="low"),
        "n_features": Count(1) | None,
        "n_pairs": Count(1),
        "assumption": Choice("unimodal", "none"),
        "task": Choice("classification", "regression") | None,
        "random_state": Seed(),
        "n_jobs": Any_(),
    }
    stored = {
        "frequencies_": FloatArray("d", low=0, high=1),
        "chosen_mean_": Scalar(low=0),
        "bound_": Scalar(low=0),
    }
    frequencies_: np.ndarray
    chosen_mean_: float
    bound_: float

    def __init__(
        self,
        selector: Any = None,
        *,
        expected_false: float = 1.0,
        threshold: float = 0.75,
        n_features: int | None = None,
        n_pairs: int = 50,
        assumption: str = "unimodal",
        task: str | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ):
        self.selector = selector
        self.expected_false = expected_false
        self.threshold = threshold
        self.n_features = n_features
        self.n_pairs = n_pairs
        self.assumption = assumption
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.selector is not None and get_tags(self.selector).input_tags.allow_nan
        return tags

    def _read_target(self, y: Any, n: int) -> Target:
        who = type(self).__name__
        aim = read_aim(y, n, who, self.task)
        if n < FEWEST_ROWS:
            raise DataError(f"n_samples = {n} is too few for halves. Bring {FEWEST_ROWS} rows.", who=who)
        return aim

    def _choose(self, table: Table, target: Target, weights: np.ndarray | None) -> np.ndarray:
        if not get_tags(self).input_tags.allow_nan:
            self._refuse_missing(table)
        d = table.shape[1]
        rng = as_generator(self.random_state, type(self).__name__)
        halves = complementary_halves(target.codes, self.n_pairs, rng)
        chosen = (
            self._by_lasso(table, target, weights)
            if self.selector is None
            else self._by_selector(table, target, weights)
        )
        with progress(len(halves), type(self).__name__) as bar:

            def one(rows: np.ndarray) -> np.ndarray:
                mask = chosen(rows)
                bar.advance()
                return mask

            selections = np.array(in_threads(one, halves, self.n_jobs))
        self.frequencies_ = selections.mean(axis=0)
        self.chosen_mean_ = float(selections.sum(axis=1).mean())
        self.bound_ = expected_false_bound(
            self.chosen_mean_, d, self.threshold, self.n_pairs, self.assumption
        )
        return self.frequencies_ >= self.threshold - 1e-12

    def _by_lasso(self, table: Table, target: Target, w: np.ndarray | None) -> Any:
        """The first q columns that enter the lasso."""
        block, Y = StandardBlock.of(table, w), outputs_of(target)
        q = self._size(table.shape[1])
        return lambda rows: lasso_entries(block.rows(rows), Y[rows], q)

    def transform(self, X: TableLike) -> Any:
        """The kept columns of X, as they are."""
        if not get_tags(self).input_tags.allow_nan:
            self._refuse_missing(self._read(X))
        return super().transform(X)

    def _refuse_missing(self, table: Table) -> None:
        if not table.complete:
            raise DataError(missing_message(type(self).__name__, table, self._missing_remedy()))

    def _by_selector(self, table: Table, target: Target, w: np.ndarray | None) -> Any:
        """What a clone of the selector chooses."""
        y = EncodedLabels(target.codes, target.labels) if target.numbers is None else target.numbers

        def chosen(rows: np.ndarray) -> np.ndarray:
            part = None if w is None else w[rows]
            return fit_to(clone(self.selector), table[rows], y[rows], part, type(self).__name__).get_support()

        return chosen

    def _size(self, d: int) -> int:
        """q: the most columns for which the bound keeps to ``expected_false``; at least 1."""
        if self.n_features is not None:
            return min(self.n_features, d)
        bounds = [
            expected_false_bound(q, d, self.threshold, self.n_pairs, self.assumption) for q in range(1, d + 1)
        ]
        allowed = np.flatnonzero(np.array(bounds) <= self.expected_false)
        return int(allowed[-1]) + 1 if len(allowed) else 1

    def _why(self, j: int) -> str:
        word = "at least" if self.support_[j] else "less than"
        return f"chosen from {self.frequencies_[j]:.0%} of the halves, {word} {self.threshold:.0%}"

    def _model_parts(self) -> list[Part]:
        text = (
            f"{self.chosen_mean_:.3g} columns were chosen from each of {2 * self.n_pairs} halves. At most "
            f"{self.bound_:.2g} useless columns are kept in expectation (useless: chosen from a half no more often "
            f"than at random{'' if self.assumption == 'none' else '; shares with one peak assumed'})."
        )
        return [*super()._model_parts(), TextBlock("Error bound", text)]
