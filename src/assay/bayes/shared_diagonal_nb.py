"""Gaussian naive Bayes with pooled variances."""

from __future__ import annotations

import numpy as np

from assay.bayes.gaussian_classifier import log_of
from assay.bayes.gaussian_nb import GaussianNB
from assay.core import Card
from assay.core.moments import ClassMoments


class SharedDiagonalNB(GaussianNB):
    r"""Gaussian naive Bayes with one variance per column, shared by all classes.

    The variance of a column is that of its rows about the means of their own classes,

    .. math:: s_j^2 = \frac1n\sum_i (x_{ij}-\mu_{y_i j})^2 + \varepsilon               \quad (1)

    so the squares of x cancel between classes and the boundaries are planes:

    .. math:: g_k(x) = \sum_j \frac{\mu_{kj}}{s_j^2} x_j
                       - \tfrac12\sum_j\frac{\mu_{kj}^2}{s_j^2} + \ln\pi_k             \quad (2)

    (A weighted Euclidean distance to the means.) It has d variances where `GaussianNB` has K d:
    worth having when a class has few rows. Parameters, fitted attributes and what happens in degenerate cases
    are those of `GaussianNB`; the rows of ``var_`` are equal, and :math:`\varepsilon` respects the weights.

    Cost: fit O(n d) in one pass; predict O(d K) a row; memory O(d K), blocks of rows are not kept.

    Parameters
    ----------
    priors : (K,) probabilities, default None
        Class priors; None takes the class shares of the training rows.
    var_smoothing : float, default 1e-9
        The share of the largest variance that is added to all.

    Examples
    --------
    Class a is wide and class b narrow, but the pooled variance is 1:

    >>> from assay.bayes import SharedDiagonalNB
    >>> model = SharedDiagonalNB(var_smoothing=0).fit([[-1.4], [1.4], [3.8], [4.2]], ["a", "a", "b", "b"])
    >>> model.var_
    array([[1.],
           [1.]])
    >>> model.predict([[1.9], [2.1]])
    array(['a', 'b'], dtype='<U1')

    See Also
    --------
    GaussianNB, LinearDiscriminantAnalysis, NearestMean

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "shared diagonal nb",
        "Gaussian naive Bayes with one variance per column for all classes",
        learns=(
            "independent Gaussians of each class, variances shared",
            "negative log joint likelihood",
            "moments",
            "analytic",
        ),
    )

    def _all_rows(self, sums: ClassMoments) -> ClassMoments:
        return sums.pooled()

    def _variances(self, sums: ClassMoments) -> np.ndarray:
        pooled = sums.scatter.sum(axis=0) / sums.count.sum()  # (1)
        return np.repeat(pooled[None], len(sums.count), axis=0)

    def _polynomial(self) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        w = self.theta_ / self.var_
        return None, w, -0.5 * (w * self.theta_).sum(axis=1) + log_of(self.class_prior_)  # (2)
