"""Hybrid of a classifier and a hidden Markov model: posteriors as scaled likelihoods."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Count, Instance, Range
from assay.core.stored import AnyArray, FloatArray, Object
from assay.errors import DataError
from assay.sequences.chain import Frames, pad
from assay.sequences.families.family import shares
from assay.sequences.sequence_labeler import SequenceLabeler, flat_labels
from assay.sequences.sequences import Sequences
from assay.tables import Table
from assay.types import Estimator, SequencesLike, Target

__all__ = ["HybridHMM"]


class HybridHMM(SequenceLabeler):
    r"""Label rows by any classifier, and let a Markov chain of the labels smooth its answers.

    The classifier (a network, a forest, ...) turns a window of rows into posteriors of the labels. By Bayes' rule,

    .. math:: \frac{P(q_t \mid x_t)}{P(q_t)} = \frac{p(x_t \mid q_t)}{p(x_t)}, \quad (1)

    is the likelihood of the label up to a factor that is the same for all of them and changes no answer: the scaled
    likelihood takes the place of the emission in forward, backward and Viterbi passes.

    Cost: fit that of the estimator; predict its posteriors and O(L^2) a row for L labels; memory O(n (L + window d)).

    Parameters
    ----------
    estimator : classifier with predict_proba, default None
        None is ``assay.bayes.GaussianNB()``.
    window : int, default 0
        Rows on each side that the classifier sees beside the row itself; the ends of a sequence are repeated.
    pseudo_count : float, default 1
        Added to the counts of first labels and of steps.

    Attributes
    ----------
    classes_ : (L,)      estimator_ : the fitted classifier      priors_ : (L,) shares of the labels
    startprob_ : (L,)      transmat_ : (L, L)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import HybridHMM
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 0, 1], 50)
    >>> X = y[:, None] + 0.7 * rng.normal(size=(200, 1))
    >>> model = HybridHMM().fit(X, y)
    >>> alone = model.estimator_.predict(X)
    >>> bool(np.mean(model.predict(X) == y) > np.mean(alone == y))
    True

    See Also
    --------
    ConditionalRandomField, GaussianHMM

    References
    ----------
    - Bourlard, H. A. and Morgan, N. (1994). Connectionist Speech Recognition: A Hybrid Approach. Kluwer.
      doi:10.1007/978-1-4615-3210-1
    """

    card = Card("hybrid hmm", "a classifier's posteriors as emissions of a chain of labels")
    accepts = {
        "estimator": Instance(having="predict_proba", words="a classifier with predict_proba()") | None,
        "window": Count(0),
        "pseudo_count": Range(0),
    }
    stored = {
        "classes_": AnyArray("L"),
        "estimator_": Object(BaseEstimator),
        "priors_": FloatArray("L", low=0, high=1),
        "startprob_": FloatArray("L", low=0, high=1),
        "transmat_": FloatArray("L", "L", low=0, high=1),
    }
    takes = frozenset({"nominal", "missing"})

    def __init__(self, estimator: Estimator | None = None, *, window: int = 0, pseudo_count: float = 1.0):
        self.estimator = estimator
        self.window = window
        self.pseudo_count = pseudo_count

    @all_or_nothing
    def fit(self, X: SequencesLike, y: Target, lengths: ArrayLike | None = None) -> Self:
        """Fit the classifier to the rows, and count how labels follow each other.

        Parameters
        ----------
        X : whatever `Sequences.of` takes
        y : a label for each row: one vector, or a list for each sequence
        lengths : (S,) rows of each sequence, if X is one array
        """
        from assay.bayes import GaussianNB

        self._check_parameters()
        who = type(self).__name__
        data = Sequences.of(X, lengths, who=who)
        if not len(data.values):
            raise DataError("there is no row to learn from.", who=who)
        self._remember(data.schema)
        self.classes_, codes = flat_labels(y, data.offsets, who)
        L = len(self.classes_)
        base = GaussianNB() if self.estimator is None else self.estimator
        self.estimator_ = clone(base).fit(self._windows(data), self.classes_[codes])
        self.priors_ = np.bincount(codes, minlength=L) / len(codes)
        first = data.offsets[:-1][np.diff(data.offsets) > 0]
        starts = np.bincount(codes[first], minlength=L) + self.pseudo_count
        same = np.ones(len(codes), dtype=bool)
        same[first] = False
        later = np.flatnonzero(same)
        moves = np.full((L, L), float(self.pseudo_count))
        np.add.at(moves, (codes[later - 1], codes[later]), 1.0)
        self.startprob_ = shares(starts.astype(np.float64), np.full(L, 1 / L))
        self.transmat_ = shares(moves, np.full((L, L), 1 / L))
        return self

    def _windows(self, X: Sequences) -> Any:
        """What the classifier sees: the rows as they are, or with their neighbours beside them."""
        if not self.window:
            return Table(X.values, X.schema, None) if X.schema.coded.any() else X.values
        if X.schema.coded.any():
            raise DataError(
                "a window of rows needs numbers; some columns hold categories.", who=type(self).__name__
            )
        first, last = X.offsets[:-1], X.offsets[1:] - 1
        low, high = np.repeat(first, X.lengths), np.repeat(last, X.lengths)
        at = np.arange(len(X.values))
        shifts = range(-self.window, self.window + 1)
        return np.hstack([X.values[np.clip(at + shift, low, high)] for shift in shifts])

    def _potentials(self, X: Any, lengths: Any) -> tuple[np.ndarray, Frames, np.ndarray, np.ndarray]:
        data = Sequences.of(X, lengths, schema=self.schema_, who=type(self).__name__)
        rows = self._windows(data)
        with np.errstate(divide="ignore"):
            if hasattr(self.estimator_, "predict_log_proba"):
                logs = self.estimator_.predict_log_proba(rows)
            else:
                logs = np.log(self.estimator_.predict_proba(rows))
            scaled = np.asarray(logs, dtype=np.float64) - np.log(self.priors_)  # (1)
        return data.offsets, Frames(len(self.classes_), pad(scaled)), self.startprob_, self.transmat_
