"""One answer out of several yes or no hypotheses: shares of belief, and refusals where none or several say yes."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.types import Label

__all__ = ["answers_with_reject", "believed", "refuse_label_of_a_class"]


def believed(level: np.ndarray, shares: np.ndarray, trust: np.ndarray | None = None) -> np.ndarray:
    r"""(n, K) the posterior from how much each class's hypothesis says yes.

    .. math:: P(k|x) = \frac{\pi_k m_k(x)}{\sum_l \pi_l m_l(x)}                                     \quad (1)

    with the class shares, or another trust in each hypothesis, :math:`\pi`, and the membership :math:`m_k(x)` from 0
    (no) to 1 (yes); where all say no, the class shares.

    >>> from assay.rules.version_spaces.one_answer import believed
    >>> believed(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]), np.array([0.25, 0.75]))
    array([[1.  , 0.  ],
           [0.25, 0.75],
           [0.25, 0.75]])
    """
    joint = level * (shares if trust is None else trust)
    total = joint.sum(axis=1, keepdims=True)
    return np.where(total > 0, joint / np.where(total > 0, total, 1.0), shares)  # (1)


def answers_with_reject(classes: np.ndarray, chosen: np.ndarray, label: Label) -> np.ndarray:
    """(n,) the classes, and where ``chosen`` is -1 the label of a refusal; text or numbers if all are, else objects.

    >>> from assay.rules.version_spaces.one_answer import answers_with_reject
    >>> answers_with_reject(np.array([3, 4]), np.array([1, -1]), "reject")
    array([4, 'reject'], dtype=object)
    """
    names = [*classes.tolist(), label.item() if isinstance(label, np.generic) else label]
    kinds = {type(name) for name in names}
    if kinds == {str} or kinds == {bool} or kinds <= {int, float}:
        return np.array(names)[chosen]
    objects = np.empty(len(names), dtype=object)
    objects[:] = names
    return objects[chosen]


def refuse_label_of_a_class(who: str, classes: np.ndarray, label: Any) -> None:
    """A refusal needs a name of its own."""
    if np.ndim(label):
        raise ParameterError(f"{who}: reject_label must be one label, got {label!r}.")
    if label in classes.tolist():
        raise ParameterError(
            f"{who}: reject_label {label!r} is the name of a class, so rejected rows would look like that class. "
            "Choose another label."
        )
