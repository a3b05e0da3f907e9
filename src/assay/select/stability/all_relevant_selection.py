"""All-relevant selection: columns that a forest finds more important than the best of columns made of noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import bdtr, bdtrc
from sklearn.base import clone

from assay.core import Card
from assay.core.meta_estimator import fit_to
from assay.core.parameters import Choice, Count, Instance, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import as_generator, with_seed
from assay.core.stored import BoolArray, FloatArray, IntArray, Integer
from assay.core.targets import EncodedLabels
from assay.ensembles import RandomForestClassifier, RandomForestRegressor
from assay.ensembles.importances import permutation_importances
from assay.errors import ParameterError
from assay.evaluate.candidates import task_of_learners
from assay.evaluate.target import Target
from assay.select.embedded.column_importances import column_importances
from assay.select.embedded.standard_block import read_aim
from assay.select.selector import Selector
from assay.tables import Column, Schema, Table
from assay.types import Estimator, RandomState

__all__ = ["AllRelevantSelection"]

FEWEST_SHADOWS = 5  # as in the original
TREES, DEPTH = 100, 7  # of the default forest


class AllRelevantSelection(Selector):
    r"""Find every column that carries information on the target, not just enough of them to predict it.

    In each round every column gets a shadow: a copy with its values exchanged at random among the rows, which tells
    nothing. A forest is grown on columns and shadows, and a column scores a hit if it is more important than the
    best shadow. A column that tells nothing itself is as good as any shadow, so that the share of rounds without a hit
    is a permutation test of it that allows for the number of columns (the largest of all shadows is to be beaten):
    after t rounds with h hits

    .. math:: p = \frac{1 + t - h}{1 + t},                                                              \quad (1)

    and the column is confirmed once :math:`p \le \alpha`, which takes 19 rounds without a miss for 0.05, and rejected
    as soon as the rounds left cannot bring p down to it. On pure noise nothing is kept, but for a probability of
    about alpha. Columns that tell the same are all kept, unlike in searches for the smallest subset.

    With ``test="coin"`` hits are compared with heads of a fair coin, as in the original (Boruta): a column is confirmed
    or rejected when its hits are more, or fewer, than chance allows at level alpha / 2d, and only columns in play
    have shadows. That finds weaker columns, and with few columns often confirms one that is associated with
    the target by chance.

    Cost: fit rounds times the forest with twice the columns; transform O(1) a kept column; memory O(n d), and the
    forest.

    Parameters
    ----------
    estimator : a learner with ``feature_importances_`` or ``coef_``, default None
        None is a random forest of 100 trees of depth 7, for classes or numbers.
    n_rounds : int, default 100
        At most.
    alpha : float, default 0.05
        The probability of keeping anything where nothing tells.
    quantile : float, default 1
        Which of the shadows' importances is to be beaten: 1 the largest; less finds more columns, and more false ones.
    importance : "gain" or "permutation", default "gain"
        "gain" is the learner's own importance; "permutation", of a forest of this library, what the rows outside of
        each tree's bag lose, in units of its standard error, as in the original.
    test : "permutation" or "coin", default "permutation"
    task : "classification", "regression" or None, which goes by the learner and the target
    random_state : int, generator or None

    Attributes
    ----------
    hits_ : (d,) rounds in which the column beat the shadows      rounds_ : (d,) rounds in which it took part
    tentative_ : (d,) bool, undecided columns      n_rounds_ : int, rounds made
    importances_ : (d,) mean importance over the rounds in which the column took part

    Examples
    --------
    The third column is a noisy copy of the first; both are relevant:

    >>> import numpy as np
    >>> from assay.select import AllRelevantSelection
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 6))
    >>> X[:, 2] = X[:, 0] + 0.3 * rng.normal(size=200)
    >>> AllRelevantSelection(random_state=0).fit(X, X[:, 0] > 0).selected_
    ['x0', 'x2']

    See Also
    --------
    StabilitySelection, SelectByPermutation, SelectFromModel

    References
    ----------
    - Kursa, M. B. and Rudnicki, W. R. (2010). Feature selection with the Boruta package. Journal of Statistical
      Software 36(11), 1-13. doi:10.18637/jss.v036.i11
    """

    card = Card("all relevant", "columns that beat shadows made of noise", also=("boruta", "shadow columns"))
    accepts = {
        "estimator": Instance(having="fit") | None,
        "n_rounds": Count(1),
        "alpha": Range(0, 1, open="both"),
        "quantile": Range(0, 1),
        "importance": Choice("gain", "permutation"),
        "test": Choice("permutation", "coin"),
        "task": Choice("classification", "regression") | None,
        "random_state": Seed(),
    }
    stored = {
        "hits_": IntArray("d", low=0),
        "rounds_": IntArray("d", low=0),
        "tentative_": BoolArray("d"),
        "n_rounds_": Integer(low=0),
        "importances_": FloatArray("d"),
    }
    hits_: np.ndarray
    rounds_: np.ndarray
    tentative_: np.ndarray
    n_rounds_: int
    importances_: np.ndarray

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        n_rounds: int = 100,
        alpha: float = 0.05,
        quantile: float = 1.0,
        importance: str = "gain",
        test: str = "permutation",
        task: str | None = None,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_rounds = n_rounds
        self.alpha = alpha
        self.quantile = quantile
        self.importance = importance
        self.test = test
        self.task = task
        self.random_state = random_state

    def _read_target(self, y: Any, n: int) -> Target:
        of_learner = None if self.estimator is None else task_of_learners([self.estimator])
        return read_aim(y, n, type(self).__name__, self.task, of_learner)

    def _choose(self, table: Table, target: Target, weights: np.ndarray | None) -> np.ndarray:
        d = table.shape[1]
        rng = as_generator(self.random_state, type(self).__name__)
        template = self._forest(target.numbers is None)
        y = EncodedLabels(target.codes, target.labels) if target.numbers is None else target.numbers
        confirmed, rejected = np.zeros(d, bool), np.zeros(d, bool)
        self.hits_, self.rounds_ = np.zeros(d, np.int64), np.zeros(d, np.int64)
        total, self.n_rounds_ = np.zeros(d), 0
        with progress(self.n_rounds, type(self).__name__) as bar:
            for _ in range(self.n_rounds):
                playing = np.flatnonzero(~rejected)
                seed = int(rng.integers(2**31))
                model = with_seed(clone(template), seed)
                sizes, shadows = self._round(model, table, y, weights, playing, rng, seed)
                self.n_rounds_ += 1
                self.rounds_[playing] += 1
                total[playing] += sizes
                self.hits_[playing] += sizes > np.quantile(shadows, self.quantile)
                undecided = ~(confirmed | rejected)
                yes, no = self._verdicts()
                confirmed |= undecided & yes
                rejected |= undecided & no
                left = int((~(confirmed | rejected)).sum())
                bar.advance(note=f"{left} undecided")
                if not left:
                    break
        self.tentative_ = ~(confirmed | rejected)
        self.importances_ = total / np.maximum(self.rounds_, 1)
        return confirmed

    def _verdicts(self) -> tuple[np.ndarray, np.ndarray]:
        """(d,) and (d,) bool: the columns that the rounds so far confirm, and those that they reject."""
        h, t = self.hits_.astype(np.float64), self.rounds_
        if self.test == "permutation":
            return (1 + t - h) <= self.alpha * (1 + t), (1 + t - h) > self.alpha * (1 + self.n_rounds)  # (1)
        limit = self.alpha / (2 * len(h))
        return (h > 0) & (bdtrc(h - 1, t, 0.5) < limit), bdtr(h, t, 0.5) < limit

    def _forest(self, classes: bool) -> Any:
        if self.estimator is not None:
            if self.importance == "permutation" and not hasattr(self.estimator, "bootstrap"):
                raise ParameterError(
                    'importance="permutation" needs a forest of this library with bootstrap=True, got '
                    f"{self.estimator!r}.",
                    who=type(self).__name__,
                )
            return self.estimator
        return (RandomForestClassifier if classes else RandomForestRegressor)(TREES, max_depth=DEPTH)

    def _round(
        self,
        model: Any,
        table: Table,
        y: Any,
        w: Any,
        playing: np.ndarray,
        rng: np.random.Generator,
        seed: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The importances of the columns in play, and of their shadows."""
        shadowed = playing if self.test == "coin" else np.arange(table.shape[1])
        copies = np.resize(shadowed, max(len(shadowed), FEWEST_SHADOWS))
        order = rng.permutation(
            len(playing) + len(copies)
        )  # else ties between splits would favour first columns
        extended = with_shadows(table, playing, copies, rng).select(order)
        fit_to(model, extended, y, w, type(self).__name__)
        if self.importance == "permutation":
            mean, error = permutation_importances(model, extended, y, random_state=seed)
            drawn = np.divide(mean, error, out=np.zeros_like(mean), where=error > 0)
        else:
            drawn = column_importances(model, who=type(self).__name__)
        sizes = np.empty(len(order))
        sizes[order] = drawn
        return sizes[: len(playing)], sizes[len(playing) :]

    def _why(self, j: int) -> str:
        outcome = "undecided" if self.tentative_[j] else "confirmed" if self.support_[j] else "rejected"
        return f"{outcome}: beat the best shadow in {self.hits_[j]} of {self.rounds_[j]} rounds"


def with_shadows(table: Table, columns: np.ndarray, copies: np.ndarray, rng: np.random.Generator) -> Table:
    """Some columns of a table, followed by copies of columns whose values are exchanged among the rows.

    >>> import numpy as np
    >>> from assay.select.stability.all_relevant_selection import with_shadows
    >>> from assay.tables import Table
    >>> table = Table.of({"age": [1.0, 2.0, 3.0], "kind": ["a", "b", "a"]})
    >>> both = with_shadows(table, np.array([0, 1]), np.array([0, 1]), np.random.default_rng(0))
    >>> both.schema.names, np.sort(both.values[:, 2])
    (['age', 'kind', 'shadow 1 of age', 'shadow 2 of kind'], array([1., 2., 3.]))
    """
    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    shadows = rng.permuted(values[:, copies], axis=0)
    names = [table.schema[int(j)] for j in columns]
    names += [
        Column(f"shadow {i} of {c.name}", c.kind, c.categories, c.date)
        for i, c in enumerate((table.schema[int(j)] for j in copies), 1)
    ]
    block = np.ascontiguousarray(np.hstack([values[:, columns], shadows]))
    return Table(block, Schema(names, table.schema.named), table.complete)
