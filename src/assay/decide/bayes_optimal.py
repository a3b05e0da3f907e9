"""The best possible rule: classes whose densities and priors are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.decide.decision import Decision, decide
from assay.decide.losses import as_loss
from assay.decide.priors import check_priors
from assay.decide.regions import Region, decision_regions
from assay.errors import DataError, ParameterError
from assay.stats import log_posterior
from assay.types import Floats, Losses, Priors

__all__ = ["BayesOptimal"]


class BayesOptimal:
    r"""Decide between K classes whose likelihoods are known; no rule has a smaller risk.

    .. math:: P(C_k|x) = \frac{p(x|C_k)P(C_k)}{\sum_j p(x|C_j)P(C_j)}                         \quad (1)

    computed from logarithms, so that products of many small factors do not vanish. As discriminant functions,
    with :math:`\lambda` the loss of action i under truth k,

    .. math:: g_i(x) = -\sum_k\lambda_{ik}P(C_k|x), \qquad\text{under 0/1 loss also}\qquad
              g_k(x) = \log p(x|C_k) + \log P(C_k)                                            \quad (2)

    and the answer is the largest. Two classes need one function,

    .. math:: g(x) = \log\frac{p(x|C_1)}{p(x|C_2)} + \log\frac{P(C_1)}{P(C_2)},               \quad (3)

    class 1 where it is above 0 (its exponential, the likelihood-ratio form, above 1).

    Parameters
    ----------
    densities : K objects with ``logpdf``, such as those of ``assay.stats`` and ``scipy.stats``
    priors : (K,) default None, all alike
    classes : K labels, default 0 to K - 1

    Examples
    --------
    Two Gaussians at -2 and 2. With equal losses the boundary is 0; losses of 10 and 5 move it to where the
    posterior is 2/3; a reject cost of 1 opens a gap:

    >>> from assay.decide import BayesOptimal
    >>> from assay.stats import Gaussian
    >>> rule = BayesOptimal([Gaussian(-2, 1), Gaussian(2, 1)], classes=["left", "right"])
    >>> [(r.action, round(r.low, 7), round(r.high, 7)) for r in rule.regions(-9, 9)]
    [('left', -9.0, 0.0), ('right', 0.0, 9.0)]
    >>> rule.boundaries(-9, 9, loss=[[0, 10], [5, 0]]).round(7)
    array([-0.1732868])
    >>> rule.boundaries(-9, 9, loss=[[0, 10], [5, 0]], reject=1).round(7)
    array([-0.5493061,  0.3465736])
    """

    def __init__(
        self, densities: Sequence[Any], priors: Priors | None = None, classes: Iterable[Any] | None = None
    ):
        K = len(densities)
        for k, density in enumerate(densities):
            if not hasattr(density, "logpdf"):
                raise ParameterError(
                    f"BayesOptimal: density {k} has no logpdf, got {type(density).__name__}. Use the "
                    "distributions of assay.stats or scipy.stats."
                )
        if K == 0:
            raise ParameterError("BayesOptimal: expected the density of at least one class.")
        self.densities = list(densities)
        self.priors = np.full(K, 1 / K) if priors is None else check_priors(priors, K, "BayesOptimal: priors")
        self.classes = tuple(range(K)) if classes is None else tuple(classes)
        if len(self.classes) != K:
            raise ParameterError(f"BayesOptimal: {K} densities, but {len(self.classes)} classes.")

    def log_joint(self, x: ArrayLike) -> np.ndarray:
        """(n, K) log p(x|C_k) + log P(C_k), the discriminants (2) under 0/1 loss."""
        x = np.asarray(x, dtype=np.float64)
        x = x[None] if x.ndim == 0 else x
        likelihood = np.column_stack(
            [np.asarray(density.logpdf(x), dtype=np.float64) for density in self.densities]
        )
        if np.isnan(likelihood).any() or len(likelihood) != len(x):
            raise DataError("BayesOptimal: a density must give one log density (not NaN) for each row.")
        with np.errstate(divide="ignore"):
            joint: Floats = likelihood + np.log(self.priors)
            return joint

    def log_evidence(self, x: ArrayLike) -> np.ndarray:
        """(n,) log p(x)."""
        return log_posterior(self.log_joint(x), zero_evidence="raw")[1]

    def posterior(self, x: ArrayLike) -> np.ndarray:
        """(n, K) posterior (1); where every class has density 0, the priors."""
        return log_posterior(self.log_joint(x), zero_evidence="prior", priors=self.priors)[0]

    def decide(
        self, x: ArrayLike, loss: Losses | None = None, reject: ArrayLike | str | None = None, **options: Any
    ) -> Decision:
        """The decisions of least risk; see :func:`assay.decide.decide`."""
        return decide(self.posterior(x), loss, reject, classes=self.classes, **options)

    def predict(self, x: ArrayLike) -> np.ndarray:
        """(n,) the most probable class."""
        return self.decide(x).labels

    def discriminants(self, x: ArrayLike, loss: Losses | None = None) -> np.ndarray:
        """(n, A) the functions (2): minus the risks, or under 0/1 loss the log joint."""
        if loss is None:
            return self.log_joint(x)
        scores: Floats = -self.posterior(x) @ as_loss(loss, self.classes, who="BayesOptimal").costs.T
        return scores

    def dichotomizer(self, x: ArrayLike, ratio: bool = False) -> np.ndarray:
        """(n,) the one function (3) of two classes: the first where it is above 0; with ``ratio``, above 1."""
        if len(self.classes) != 2:
            raise ParameterError(
                f"BayesOptimal: a dichotomizer separates two classes, here are {len(self.classes)}."
            )
        joint = self.log_joint(x)
        if np.isneginf(joint).all(axis=1).any():
            raise DataError("BayesOptimal: a row has density 0 in both classes, so their ratio is 0/0.")
        g = joint[:, 0] - joint[:, 1]  # (3)
        values: Floats = np.exp(g) if ratio else g
        return values

    def regions(
        self,
        low: float,
        high: float,
        loss: Losses | None = None,
        reject: ArrayLike | str | None = None,
        *,
        points: int = 2001,
        **options: Any,
    ) -> list[Region]:
        """Which action is taken where, for one variable from ``low`` to ``high``."""
        return decision_regions(
            lambda x: self.decide(x, loss, reject, **options).labels, low, high, points=points
        )

    def boundaries(
        self,
        low: float,
        high: float,
        loss: Losses | None = None,
        reject: ArrayLike | str | None = None,
        *,
        points: int = 2001,
        **options: Any,
    ) -> np.ndarray:
        """The places between ``low`` and ``high`` where the decision changes."""
        regions = self.regions(low, high, loss, reject, points=points, **options)
        return np.array([region.high for region in regions[:-1]])

    def __repr__(self) -> str:
        return (
            f"BayesOptimal({self.densities!r}, priors={self.priors.tolist()}, classes={list(self.classes)})"
        )
