"""The discriminant metric: large across classes, small within them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.distances.mahalanobis import Mahalanobis, inverse_of, mean_of, root_of
from assay.distances.metric import Metric
from assay.errors import DataError
from assay.types import TableLike

__all__ = ["DiscriminantMetric"]


@dataclass(frozen=True, eq=False)
class DiscriminantMetric(Mahalanobis):
    r"""A supervised distance: neighbourhoods stretch along directions that do not separate the classes.

    With shares :math:`p_k`, means :math:`\mu_k` and covariances :math:`\Sigma_k` (divisor :math:`n_k`) of the classes,

    .. math:: D(a, b) = \sqrt{(a-b)^T A (a-b)}, \quad A = S_w^{-1} S_b S_w^{-1} + \epsilon S_w^{-1}     \quad (1)
    .. math:: S_w = \sum_k p_k \Sigma_k, \quad S_b = \sum_k p_k (\mu_k - \mu)(\mu_k - \mu)^T          \quad (2)

    The first term has rank K - 1 at the most, so two classes are compared along Fisher's direction alone; the second
    lets the other directions break ties.

    Parameters
    ----------
    epsilon : float
        The weight of the second term of (1); 0 leaves it out.

    Attributes
    ----------
    L_ : (r, d) with :math:`L^T L = A`, after ``learn``

    Examples
    --------
    The second column tells nothing, so neighbours may lie far along it:

    >>> import numpy as np
    >>> from assay.distances import DiscriminantMetric
    >>> X = np.array([[0.0, 0.0], [1.0, 9.0], [1.0, 0.0], [0.0, 9.0], [4.0, 0.0], [5.0, 9.0], [5.0, 0.0], [4.0, 9.0]])
    >>> metric = DiscriminantMetric(epsilon=0.0).learn(X, np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    >>> metric.between([[0.0, 0.0]], [[1.0, 0.0], [0.0, 9.0]]).round(12)
    array([[8., 0.]])
    """

    epsilon: float = 1e-6

    @property
    def name(self) -> str:
        return "discriminant"

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Metric:
        if self.L_ is not None:
            return self
        if y is None:
            raise DataError(
                "discriminant: this metric looks at the classes, but there are none. Use 'mahalanobis'."
            )
        X = self._dense(X)
        y = np.unique(np.asarray(y), return_inverse=True)[1].ravel()
        w = np.ones(len(X)) if w is None else w
        share = np.bincount(y, weights=w) / w.sum()
        means = np.array([mean_of(X[y == k], w[y == k]) for k in range(len(share))])
        inside = X - means[y]
        Sw = (inside * (w / w.sum())[:, None]).T @ inside  # (2)
        away = means - share @ means
        Sb = (away * share[:, None]).T @ away
        inverse = inverse_of(Sw)
        A = inverse @ Sb @ inverse + self.epsilon * inverse  # (1)
        return replace(self, L_=root_of(A, "discriminant"))
