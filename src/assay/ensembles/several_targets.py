r"""Forests that predict several classes at once: one tree for all targets.

With indicator columns :math:`z_{ok}` of the classes k of target o, Gini's impurity of a target is the sum of their
variances,

.. math:: G_o = \sum_k p_{ok}(1-p_{ok}) = \sum_k \mathrm{Var}(z_{ok})                    \quad (1)

so the mean of G over O targets orders cuts as the mean squared error of all q indicators does, up to the factor O/q:
such a forest grows as one for numbers, and the means at its leaves are the class shares.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from assay.core.fitting import all_or_nothing
from assay.core.targets import check_weights, encode_labels, plain_values
from assay.ensembles.class_weights import times_class_weights
from assay.errors import DataError, ParameterError

__all__ = ["SeveralTargets", "is_table"]


class SeveralTargets:
    """What a forest for classes does with a table y of several targets.

    ``classes_`` and ``n_classes_`` are lists then, ``predict`` gives (n, O) labels, and ``predict_proba`` a list of
    (n, K) posteriors.
    """

    @all_or_nothing
    def _fit_several(self, X: Any, y: Any, sample_weight: Any) -> Self:
        me: Any = self
        me._check_parameters()
        if me.criterion != "gini":
            raise ParameterError(
                f"{type(self).__name__}: y has several targets, for which criterion must be 'gini', got "
                f"{me.criterion!r}. Or fit one forest for each target."
            )
        values = me._admit(X, fitting=True)
        Y = np.asarray(plain_values(y))
        if len(Y) != values.shape[0]:
            raise DataError(f"{type(self).__name__}: X has {values.shape[0]} rows and y has {len(Y)}.")
        found = [encode_labels(Y[:, o], len(Y), type(self).__name__) for o in range(Y.shape[1])]
        me.classes_, codes = [labels for labels, _ in found], np.stack([c for _, c in found], axis=1)
        me.n_classes_, me.n_outputs_ = [len(labels) for labels in me.classes_], Y.shape[1]
        w = self._weigh_several(Y, check_weights(sample_weight, values))
        Z = np.concatenate([np.eye(K)[codes[:, o]] for o, K in enumerate(me.n_classes_)], axis=1)
        grown = me._grow_trees(values, Z, w, 0)
        if grown:
            q = Z.shape[1]
            scale = np.full(me.trees_.node_count, q / me.n_outputs_)  # (1)
            scale[: me.trees_.roots[len(me.trees_) - grown]] = 1.0  # trees of an earlier fit have it already
            me.trees_ = replace(me.trees_, impurity=me.trees_.impurity * scale)
        if me.oob_score and (grown or not hasattr(self, "oob_score_")):
            self._judge_several(values, codes)
        return self

    def _weigh_several(self, Y: np.ndarray, w: np.ndarray | None) -> np.ndarray | None:
        me: Any = self
        if me.class_weight is None:
            return w
        if me.class_weight == "balanced_subsample" and me.bootstrap:
            return w
        from sklearn.utils.class_weight import compute_sample_weight

        kind = "balanced" if isinstance(me.class_weight, str) else me.class_weight
        by_class = compute_sample_weight(kind, Y)
        if not (np.isfinite(by_class).all() and (by_class >= 0).all()):
            raise ParameterError(
                f"{type(self).__name__}: class_weight must hold numbers from 0 up, got {me.class_weight!r}."
            )
        return times_class_weights(w, by_class, type(self).__name__)

    def _judge_several(self, X: Any, codes: np.ndarray) -> None:
        """Out-of-bag estimates: (n, K, O), and the share of rows with all targets right."""
        me: Any = self
        if len(set(me.n_classes_)) > 1:
            raise ParameterError(
                f"{type(self).__name__}: The type of target cannot be used to compute OOB estimates: the targets have "
                f"{me.n_classes_} classes, expected as many of each."
            )
        shares, _ = me._outsiders(X)
        me.oob_decision_function_ = np.stack(np.split(shares, me.n_outputs_, axis=1), axis=2)
        answers = np.argmax(me.oob_decision_function_, axis=1)
        score = me.oob_score if callable(me.oob_score) else lambda a, b: float(np.mean((a == b).all(axis=1)))
        me.oob_score_ = score(codes, answers)

    def _posteriors(self, X: Any) -> list[np.ndarray]:
        """One (n, K) posterior for each target."""
        me: Any = self
        shares = me.trees_.grove.sums(X, n_jobs=me.n_jobs) / len(me.trees_)
        return np.split(shares, np.cumsum(me.n_classes_)[:-1], axis=1)

    def _answer_several(self, X: Any) -> np.ndarray:
        """(n, O) the most probable class of each target."""
        me: Any = self
        posteriors = self._posteriors(X)
        kinds = {labels.dtype.kind for labels in me.classes_}
        alike = len(kinds) == 1 or kinds <= set("biuf")
        kind = np.result_type(*(labels.dtype for labels in me.classes_)) if alike else np.dtype(object)
        answers = np.empty((X.shape[0], me.n_outputs_), kind)
        for o, (labels, posterior) in enumerate(zip(me.classes_, posteriors)):
            answers[:, o] = labels[np.argmax(posterior, axis=1)]
        return answers


def is_table(y: Any) -> bool:
    """Whether y has several columns."""
    if isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple, np.ndarray)):
        y = np.asarray(y)
    shape: Any = getattr(y, "shape", ())
    if hasattr(y, "tocsr"):
        raise DataError("sparse multilabel-indicator for y is not supported. Use y.toarray().")
    return len(shape) == 2 and shape[1] > 1
