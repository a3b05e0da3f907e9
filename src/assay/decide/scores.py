"""Scores: labels and scores from every classifier, cost-weighted maximum, ranking, the sign of a score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.seeds import random_state_of
from assay.decide.decision import TIE, Decision
from assay.errors import DataError, ParameterError
from assay.tables.row_names import row_name
from assay.types import Label, Labels, RandomState, Scores, TableLike

__all__ = ["class_scores", "decide_sign", "rank", "weighted_maximum"]


def class_scores(classifier: Any, X: TableLike) -> tuple[np.ndarray, bool]:
    """One score per row and class from any fitted classifier, and whether rows can be compared by them.

    Posteriors if the classifier has them, else its decision function (for two classes minus and plus the one
    number), else 1 for the predicted class and 0 for the others. Posteriors of different rows are comparable;
    other scores are so only if the learner made them so, hence False.

    The plain maximum of the scores is the label: ``classifier.classes_[scores.argmax(axis=1)]``.

    Returns
    -------
    scores : (n, K) in the order of ``classifier.classes_``
    comparable : bool

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.decide import class_scores
    >>> model = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> scores, comparable = class_scores(model, [[3.0]])
    >>> scores.round(6), comparable
    (array([[0.5, 0.5]]), True)
    """
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(X), dtype=np.float64), True
    if hasattr(classifier, "decision_function"):
        scores = np.asarray(classifier.decision_function(X), dtype=np.float64)
        return (np.column_stack([-scores, scores]) if scores.ndim == 1 else scores), False
    predicted = np.asarray(classifier.predict(X))
    return (predicted[:, None] == np.asarray(classifier.classes_)[None, :]).astype(np.float64), False


def weighted_maximum(scores: Scores, costs: ArrayLike, classes: Labels | None = None) -> np.ndarray:
    r"""Label by cost-weighted maximum: :math:`\arg\max_k c_k s_k(x)`, ties to the first class.

    Equal costs give the plain maximum. With posteriors and costs that depend on the true class alone
    (missing class k costs :math:`c_k`, whatever is predicted instead) this is the rule of least risk.

    Parameters
    ----------
    scores : (n, K) none negative
    costs : (K,) or dict from class to cost, above 0; classes that the dict leaves out cost 1
    classes : (K,) labels to return, default the numbers 0 to K - 1

    Examples
    --------
    >>> from assay.decide import weighted_maximum
    >>> weighted_maximum([[0.8, 0.2], [0.95, 0.05]], {"fraud": 10}, ["fair", "fraud"])
    array(['fraud', 'fair'], dtype='<U5')
    """
    S = _scores(scores, "weighted_maximum")
    if (S < 0).any():
        raise DataError(
            "weighted_maximum: scores must not be negative, or a higher cost would make a class less likely. "
            "Use posteriors, or calibrate the scores first."
        )
    names = np.arange(S.shape[1]) if classes is None else np.asarray(classes)
    if len(names) != S.shape[1]:
        raise ParameterError(f"weighted_maximum: {S.shape[1]} columns of scores, but {len(names)} classes.")
    if isinstance(costs, Mapping):
        strange = [label for label in costs if label not in names.tolist()]
        if strange:
            raise ParameterError(
                f"weighted_maximum: costs names {strange[0]!r}, which is not among classes {names.tolist()}."
            )
        costs = [costs.get(label, 1.0) for label in names.tolist()]
    c = np.asarray(costs, dtype=np.float64)
    if c.shape != (S.shape[1],) or not np.isfinite(c).all() or not (c > 0).all():
        raise ParameterError(
            f"weighted_maximum: costs must be {S.shape[1]} finite numbers above 0, one per class, got {c.tolist()}."
        )
    labels: np.ndarray = names[np.argmax(S * c, axis=1)]
    return labels


def rank(classifier: Any, X: TableLike, target_class: Label) -> np.ndarray:
    """Row numbers of X from the most to the least likely member of one class.

    Ranks by the posterior, which is normalised over the classes and so comparable between rows. A classifier
    that has only unnormalised scores is ranked by the difference between the class's score and the best of
    the others. Equal rows keep their order.

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.decide import rank
    >>> model = GaussianNB().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> rank(model, [[1.0], [5.0], [3.0]], "b")
    array([1, 2, 0])
    """
    labels = np.asarray(classifier.classes_).tolist()
    if target_class not in labels:
        raise ParameterError(f"rank: {target_class!r} is not among classes {labels}.")
    k = labels.index(target_class)
    log_posterior = getattr(classifier, "predict_log_proba", None)
    if log_posterior is not None and len(labels) > 1:
        # log odds of the class: exact where the posterior itself rounds to 0 or 1
        with np.errstate(divide="ignore"):
            logs = np.asarray(log_posterior(X), dtype=np.float64)
        others = np.delete(logs, k, axis=1)
        top = others.max(axis=1, keepdims=True)
        safe = np.where(np.isneginf(top), 0.0, top)
        with np.errstate(divide="ignore"):
            others_together = safe[:, 0] + np.log(np.exp(others - safe).sum(axis=1))
        propensity = logs[:, k] - others_together
    else:
        scores, comparable = class_scores(classifier, X)
        propensity = scores[:, k]
        if not comparable and len(labels) > 1:
            propensity = propensity - np.delete(scores, k, axis=1).max(axis=1)
    if np.isnan(propensity).any():
        raise DataError(f"rank: the score of {row_name(int(np.argmax(np.isnan(propensity))))} is NaN.")
    return np.argsort(-propensity, kind="stable")


def decide_sign(
    score: Scores,
    classes: Any = (0, 1),
    *,
    tie: str = "positive",
    reject_label: Label = "reject",
    random_state: RandomState = None,
) -> Decision:
    r"""Decide between two classes by the sign of a linear score :math:`w^Tx + w_0`.

    Above 0 the second class of ``classes`` (the positive one, as ``decision_function`` has it), below 0 the
    first. At 0, to rounding (1e-12 of the largest score), ``tie`` says: "positive", "random", or "reject".

    Returns
    -------
    Decision, with ``risks`` of minus and plus the score: the larger margin is the smaller risk; it has no
    posterior

    Examples
    --------
    >>> from assay.decide import decide_sign
    >>> decide_sign([1.5, 0.0, -0.2], ["no", "yes"], tie="reject").labels
    array(['yes', 'reject', 'no'], dtype='<U6')
    """
    if tie not in ("positive", "random", "reject"):
        raise ParameterError(f"decide_sign: tie must be 'positive', 'random' or 'reject', got {tie!r}.")
    names = tuple(v.item() if isinstance(v, np.generic) else v for v in classes)
    if len(names) != 2:
        raise ParameterError(f"decide_sign: a sign tells two classes apart, got {len(names)}.")
    s = np.asarray(score, dtype=np.float64)
    if s.ndim != 1 or np.isnan(s).any():
        raise DataError(f"decide_sign: expected (n,) scores, none NaN, got shape {s.shape}.")
    finite = np.abs(s[np.isfinite(s)])
    zero = np.abs(s) <= TIE * finite.max(initial=0.0)
    chosen = (s > 0).astype(np.intp)
    chosen[zero] = 1 if tie == "positive" else -1
    if tie == "random":
        chosen[zero] = random_state_of(random_state).randint(2, size=int(zero.sum()))
    best = np.column_stack([zero | (s < 0), zero | (s > 0)])
    return Decision(
        names,
        chosen,
        np.column_stack([s, -s]),
        best,
        np.empty((len(s), 0)),
        None,
        reject_label,
        tie == "reject",
    )


def _scores(scores: Any, who: str) -> np.ndarray:
    S = np.asarray(scores, dtype=np.float64)
    if S.ndim != 2 or S.shape[1] == 0 or np.isnan(S).any():
        raise DataError(f"{who}: expected (n, K) scores, none NaN, got shape {S.shape}.")
    return S
