"""Linear-chain conditional random field: labels of rows, from sparse features."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.parallel import one_blas_thread
from assay.core.parameters import Count, Flag, Range
from assay.core.stored import AnyArray, Boolean, Each, FloatArray, Scalar, Text
from assay.errors import DataError, warn_user
from assay.optimize.lbfgs import lbfgs
from assay.optimize.objective import Objective, Record
from assay.optimize.orthantwise import orthantwise
from assay.sequences import _features
from assay.sequences.chain import Chain, Frames, pad, padded
from assay.sequences.features import FeatureRows, features_of
from assay.sequences.sequence_labeler import SequenceLabeler, flat_labels
from assay.types import SequencesLike, Target, Weights

__all__ = ["ConditionalRandomField"]

PERIOD = 10  # steps over which the objective must still fall
MEMORY = 6  # steps that L-BFGS remembers


class ConditionalRandomField(SequenceLabeler):
    r"""Label each row of a sequence by its features and the label before: a linear chain, trained discriminatively.

    .. math:: P(y \mid x) = \frac{1}{Z(x)} \exp \Big( \sum_t w_{y_t}^T f(x_t) + \sum_{t > 1} v_{y_{t-1} y_t} \Big)
              \quad (1)

    The penalised likelihood :math:`-\sum \log P(y \mid x) + c_1 (|w|_1 + |v|_1) + c_2 (\|w\|^2 + \|v\|^2)` is convex;
    L-BFGS minimises it, orthant by orthant if :math:`c_1 > 0`, with its gradient from the forward and backward passes:
    expected minus observed features. Names and objective are CRFsuite's, and so are the weights it converges to.

    Rows are dicts (feature to number, text, truth value, or list of texts), lists of features, or columns of a table: a
    number is a feature with that value, a category one of its own. Only pairs of feature and label, and of labels, that
    training has get a weight unless ``all_possible_states`` and ``all_possible_transitions`` are set.

    Cost: fit O(m L + n L^2) a step for m features in all rows and L labels; memory O(F L) for F features.

    Parameters
    ----------
    c2 : float, default 1
        Strength of the quadratic penalty.
    c1 : float, default 0
        Strength of the penalty on absolute values: weights that help little become 0.
    max_iter : int, default 1000
        Steps at most.
    tol : float, default 1e-5
        Stop when the objective falls by less than this share over ten steps.
    all_possible_states, all_possible_transitions : bool, default False
        Whether pairs that training does not have get a weight, too: negative ones, mostly.

    Attributes
    ----------
    classes_ : (L,)      features_ : list of str      coef_ : (F, L)      transitions_ : (L, L)
    n_iter_ : int      converged_ : bool      objective_ : float      history_ : list of dict

    Examples
    --------
    >>> from assay.sequences import ConditionalRandomField
    >>> def rows(sentence):
    ...     return [{"word": word.lower(), "title": word.istitle()} for word in sentence.split()]
    >>> X = [rows("Ann met Bob"), rows("we met Ann Lee"), rows("The dog met us")]
    >>> y = [["name", "-", "name"], ["-", "-", "name", "name"], ["-", "-", "-", "-"]]
    >>> model = ConditionalRandomField(c2=0.01).fit(X, y)
    >>> model.predict([rows("Ann Lee met the dog")])
    array(['name', 'name', '-', '-', '-'], dtype='<U4')

    See Also
    --------
    HybridHMM, CategoricalHMM, SequenceClassifier

    References
    ----------
    - Lafferty, J., McCallum, A. and Pereira, F. (2001). Conditional random fields: probabilistic models for segmenting
      and labeling sequence data. International Conference on Machine Learning, 282-289.
    - Sutton, C. and McCallum, A. (2012). An introduction to conditional random fields. Foundations and Trends in
      Machine Learning 4(4), 267-373. doi:10.1561/2200000013
    """

    card = Card(
        "crf", "labels of rows, by sparse features and the label before", also=("conditional random field",)
    )
    accepts = {
        "c2": Range(0),
        "c1": Range(0),
        "max_iter": Count(1),
        "tol": Range(0),
        "all_possible_states": Flag(),
        "all_possible_transitions": Flag(),
    }
    stored = {
        "classes_": AnyArray("L"),
        "features_": Each(Text()),
        "coef_": FloatArray("*", "L", finite=True),
        "transitions_": FloatArray("L", "L", finite=True),
        "converged_": Boolean(),
        "objective_": Scalar(),
    }
    takes = frozenset({"nominal", "missing"})

    def __init__(
        self,
        c2: float = 1.0,
        *,
        c1: float = 0.0,
        max_iter: int = 1000,
        tol: float = 1e-5,
        all_possible_states: bool = False,
        all_possible_transitions: bool = False,
    ):
        self.c2 = c2
        self.c1 = c1
        self.max_iter = max_iter
        self.tol = tol
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions

    @all_or_nothing
    def fit(
        self,
        X: SequencesLike,
        y: Target,
        lengths: ArrayLike | None = None,
        *,
        sample_weight: Weights | None = None,
    ) -> Self:
        """Learn weights from sequences whose rows have labels.

        Parameters
        ----------
        X : lists of rows as dicts or lists of features, or whatever `Sequences.of` takes
        y : a label for each row: one vector, or a list for each sequence
        lengths : (S,) rows of each sequence, if X is one array
        sample_weight : (S,) how much each sequence counts
        """
        self._check_parameters()
        who = type(self).__name__
        rows, names, schema = features_of(X, lengths, who=who)
        if schema is not None:
            self._remember(schema)
        if not rows.offsets[-1]:
            raise DataError("there is no row to learn from.", who=who)
        self.classes_, codes = flat_labels(y, rows.offsets, who)
        self.features_ = names
        weights = None
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=np.float64)
            if (
                weights.shape != (len(rows.offsets) - 1,)
                or not np.isfinite(weights).all()
                or (weights < 0).any()
            ):
                raise DataError(
                    f"sample_weight must be {len(rows.offsets) - 1} numbers from 0 up, one a sequence.",
                    who=who,
                )
        loss = _Loss(rows, codes, len(self.classes_), len(names), weights, self)
        values: list[float] = []

        def watch(record: Record) -> bool:
            values.append(record.value)
            if len(values) <= PERIOD:
                return False
            return values[-1 - PERIOD] - values[-1] < self.tol * abs(values[-1])

        start = np.zeros(loss.size)
        how: dict[str, Any] = {"tol": 1e-10, "max_iter": self.max_iter, "memory": MEMORY, "watch": watch}
        with one_blas_thread():  # sums of some ten thousand products, thousands of them: no work to share
            if self.c1 > 0:
                best = orthantwise(cast(Objective, loss), start, self.c1, **how)
            else:
                best = lbfgs(cast(Objective, loss), start, **how)
        self.converged_ = best.reason != "iterations"
        if not self.converged_:
            warn_user(
                f"{who} stopped after {self.max_iter} steps while the objective was still falling. Raise max_iter, "
                "c1 or c2.",
                ConvergenceWarning,
            )
        coef, self.transitions_ = loss.spread_out(best.w)
        self.coef_ = coef[:, : len(self.classes_)].copy()
        self.n_iter_, self.objective_ = best.n_iter, float(best.value)
        self.history_ = [{"iteration": i, "objective": float(v)} for i, v in enumerate(values)]
        return self

    def _potentials(self, X: Any, lengths: Any) -> tuple[np.ndarray, Frames, np.ndarray, np.ndarray]:
        rows = features_of(X, lengths, self.features_, vars(self).get("schema_"), type(self).__name__)[0]
        L = len(self.classes_)
        S = np.empty((len(rows.begin) - 1, padded(L)))
        _features.scores(rows.begin, rows.feature, rows.value, pad(self.coef_), S)
        top = self.transitions_.max()  # a constant for each step, which no answer shows
        return rows.offsets, Frames(L, S), np.ones(L), np.exp(self.transitions_ - top)

    def log_likelihoods(self, X: SequencesLike, y: Target, lengths: ArrayLike | None = None) -> np.ndarray:
        """(S,) the log probability of the labels of each sequence, given its rows."""
        offsets, frames, start, steps = self._potentials(X, lengths)
        classes, codes = flat_labels(y, offsets, type(self).__name__)
        index = {label: k for k, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in classes.tolist() if label not in index]
        if unknown:
            raise DataError(f"the label {unknown[0]!r} was not there in training.", who=type(self).__name__)
        path = np.array([index[label] for label in classes.tolist()])[codes]
        evidence = Chain(start, steps).filter(frames, offsets).log_likelihoods
        points = frames.logs()[np.arange(len(path)), path]
        within = np.ones(len(path), dtype=bool)
        within[offsets[:-1][offsets[:-1] < len(path)]] = False
        points[1:] += np.where(within[1:], np.log(steps)[path[:-1], path[1:]], 0.0)
        return np.array([part.sum() for part in np.split(points, offsets[1:-1])]) - evidence


class _Loss:
    """Penalised minus log likelihood; its parameters are the weights of pairs that count."""

    def __init__(
        self, rows: FeatureRows, codes: np.ndarray, L: int, F: int, weights: np.ndarray | None,
        model: ConditionalRandomField,
    ):  # fmt: skip
        self.rows, self.c2, self.L, self.F = rows, model.c2, L, F
        self.P = padded(L)
        n, lengths = len(codes), np.diff(rows.offsets)
        self.weights = weights
        w = np.ones(n) if weights is None else np.repeat(weights, lengths)
        target = np.zeros((n, self.P))
        target[np.arange(n), codes] = w
        counts = np.zeros((F, self.P))
        _features.gradient(rows.begin, rows.feature, rows.value, target, counts)
        same = np.ones(n, dtype=bool)  # whether the row before is of the same sequence
        same[rows.offsets[:-1][rows.offsets[:-1] < n]] = False
        later = np.flatnonzero(same)
        moves = np.zeros((L, L))
        np.add.at(moves, (codes[later - 1], codes[later]), w[later])
        kept = np.zeros((F, self.P), dtype=bool)
        if model.all_possible_states:
            kept[:, :L] = True
        else:
            features = np.repeat(np.arange(n), np.diff(rows.begin))
            kept[rows.feature, codes[features]] = True
        self.at = np.flatnonzero(kept)
        self.steps_at = np.flatnonzero(np.ones(L * L) if model.all_possible_transitions else moves)
        self.observed = np.concatenate([counts.ravel()[self.at], moves.ravel()[self.steps_at]])
        self.size, self.n_steps = len(self.observed), float(w[later].sum())
        self._coef, self._gradient = np.zeros((F, self.P)), np.zeros((F, self.P))
        self._scores = np.empty((n, self.P))

    def spread_out(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(F, P) weights of features and (L, L) weights of steps, 0 where a pair has none."""
        m = len(self.at)
        self._coef.ravel()[self.at] = w[:m]
        steps = np.zeros(self.L * self.L)
        steps[self.steps_at] = w[m:]
        return self._coef, steps.reshape(self.L, self.L)

    def value_gradient(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        coef, steps = self.spread_out(w)
        rows, top = self.rows, float(steps.max())
        _features.scores(rows.begin, rows.feature, rows.value, coef, self._scores)
        chain = Chain(np.ones(self.L), np.exp(steps - top))
        expected = chain.expect(Frames(self.L, self._scores), rows.offsets, self.weights)
        logs = expected.log_likelihoods
        evidence = float(logs.sum() if self.weights is None else self.weights @ logs) + self.n_steps * top
        gradient = self._gradient
        gradient.fill(0.0)
        _features.gradient(rows.begin, rows.feature, rows.value, expected.gamma_padded, gradient)
        expectation = np.concatenate([gradient.ravel()[self.at], expected.transitions.ravel()[self.steps_at]])
        value = evidence - float(self.observed @ w) + self.c2 * float(w @ w)
        return value, expectation - self.observed + 2 * self.c2 * w
