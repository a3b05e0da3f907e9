"""What is believed of a mixture beforehand: Dirichlet weights, normal-inverse-Wishart components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import FloatArray, Object, Scalar, Text
from assay.errors import DegenerateError, ParameterError
from assay.mixture.components import CovarianceForm, Estimates
from assay.stats.bayesian.normal_inverse_wishart import NormalInverseWishart

__all__ = ["MixturePrior"]

KEPT_CORRELATION = 0.99  # of the rows' own, in the default scale
MEAN_STRENGTH = 0.01  # rows that the guess of a mean is worth by default, as Fraley and Raftery have it


class MixturePrior:
    r"""Prior of a Gaussian mixture for MAP-EM: Dirichlet weights, and one normal-inverse-Wishart for every component.

    With expected counts :math:`N_k`, means :math:`\bar x_k` and scatters :math:`C_k` of a step, the joint mode is

    .. math::
       \pi_k &= \frac{\alpha_k + N_k - 1}{\sum_j\alpha_j + N - K}, \qquad
       \mu_k = \frac{\kappa m + N_k\bar x_k}{\kappa + N_k}                                      \quad (1) \\
       \Sigma_k &= \frac{\Psi + C_k + \frac{\kappa N_k}{\kappa + N_k}(\bar x_k - m)(\bar x_k - m)^T}
                        {\nu + N_k + d + 2}                                                     \quad (2)

    :math:`\alpha_k = 1` leaves the weights at maximum likelihood. The divisor of (2) belongs to the mode of mean and
    covariance; the mode of mean and precision has :math:`\nu + N_k - d` instead. Other forms of covariance have the
    mode of the same density among covariances of their form: the diagonal of (2); its mean; and, tied, one sum over
    all components with the divisor :math:`\nu + N + d + 1 + K`.

    Below 1, :math:`\alpha_k` can make a weight negative. Such a component has too few rows to stay, and is dropped or,
    if you prefer, refused; between two drops the objective still never falls.

    Parameters
    ----------
    concentration : float or (K,), default 1
        :math:`\alpha`.
    component : NormalInverseWishart, default None
        :math:`m, \Psi, \kappa, \nu`. None makes one of the training rows: their mean worth 0.01 rows, d + 2 degrees of
        freedom, and their covariance divided by :math:`K^{2/d}`, so that it fits a K-th part of their volume, with
        correlations a hundredth smaller, so that it has an inverse.
    mode : "covariance" or "precision", default "covariance"
        Which joint mode (2) is.
    too_few : "drop" or "refuse", default "drop"
        What becomes of a component whose weight (1) is not above 0.

    Examples
    --------
    Three rows on a line have no covariance of rank two; with a prior they have:

    >>> from assay.mixture import GaussianMixture, MixturePrior
    >>> from assay.stats import NormalInverseWishart
    >>> prior = MixturePrior(component=NormalInverseWishart([0, 0], [[1, 0], [0, 1]], nu=4))
    >>> GaussianMixture(prior=prior).fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).covariances_[0].round(4)
    array([[0.3409, 0.25  ],
           [0.25  , 0.3409]])

    See Also
    --------
    GaussianMixture, BayesianGaussianMixture, NormalInverseWishart

    References
    ----------
    - Fraley, C. and Raftery, A. E. (2007). Bayesian regularization for normal mixture estimation and model-based
      clustering. Journal of Classification 24, 155-181. doi:10.1007/s00357-007-0004-5
    - Figueiredo, M. A. T. and Jain, A. K. (2002). Unsupervised learning of finite mixture models. IEEE Transactions on
      Pattern Analysis and Machine Intelligence 24(3), 381-396. doi:10.1109/34.990138
    """

    storable = True
    stored = {
        "concentration": Scalar(low=0) | FloatArray("*", low=0),
        "component": Object(NormalInverseWishart) | None,
        "mode": Text(),
        "too_few": Text(),
    }

    def __init__(
        self,
        concentration: float | ArrayLike = 1.0,
        component: NormalInverseWishart | None = None,
        *,
        mode: str = "covariance",
        too_few: str = "drop",
    ):
        who = "MixturePrior"
        alpha = np.asarray(concentration, dtype=np.float64)
        if alpha.ndim > 1 or not (np.isfinite(alpha) & (alpha > 0)).all():
            raise ParameterError(
                f"concentration must be a number above 0, or one for each component, got {concentration!r}.",
                who=who,
            )
        if component is not None and not isinstance(component, NormalInverseWishart):
            raise ParameterError(
                f"component must be a NormalInverseWishart or None, got {type(component).__name__}.", who=who
            )
        if mode not in ("covariance", "precision") or too_few not in ("drop", "refuse"):
            raise ParameterError(
                "mode must be 'covariance' or 'precision', too_few 'drop' or 'refuse', "
                f"got {mode!r} and {too_few!r}.",
                who=who,
            )
        self.concentration: Any = float(alpha) if alpha.ndim == 0 else alpha
        self.component, self.mode, self.too_few = component, mode, too_few

    def __repr__(self) -> str:
        return f"MixturePrior(concentration={self.concentration}, component={self.component})"

    def filled(self, mean: np.ndarray, covariance: np.ndarray, K: int) -> MixturePrior:
        """The same prior with a component made of the rows' mean and covariance, where it has none."""
        if self.component is not None:
            return self
        d = len(mean)
        scale = covariance / K ** (2 / d)
        scale = KEPT_CORRELATION * scale + (1 - KEPT_CORRELATION) * np.diag(np.diag(scale))
        lacking = np.diag(scale) <= 0
        if lacking.any():  # a constant column spreads by nothing, and so does any part of it
            scale = scale + np.diag(np.where(lacking, 1.0, 0.0))
        component = NormalInverseWishart(mean, scale, kappa=MEAN_STRENGTH, nu=d + 2)
        return MixturePrior(self.concentration, component, mode=self.mode, too_few=self.too_few)

    def alphas(self, K: int, who: str) -> np.ndarray:
        """(K,) the concentration of each component."""
        alpha = np.asarray(self.concentration)
        if alpha.ndim and len(alpha) != K:
            raise ParameterError(
                f"the prior has {len(alpha)} concentrations, expected one for each of {K} components.",
                who=who,
            )
        return np.broadcast_to(alpha, K).astype(np.float64)

    def weights(self, counts: np.ndarray, alphas: np.ndarray, who: str) -> tuple[np.ndarray, np.ndarray]:
        """The weights (1) of the components that stay, and which those are."""
        mass = alphas + counts - 1
        kept = mass > 0
        if not kept.all() and self.too_few == "refuse":
            raise DegenerateError(
                f"{who}: component {int(np.argmin(mass))} has {counts[np.argmin(mass)]:.3g} rows, and so a weight "
                "that is not above 0. Use fewer components, a concentration of at least 1, or too_few='drop'."
            )
        if not kept.any():
            kept[np.argmax(mass)] = True
        mass = np.where(mass > 0, mass, 1.0)
        return mass[kept] / mass[kept].sum(), kept  # (1)

    def mode_of(self, form: CovarianceForm, estimates: Estimates) -> tuple[np.ndarray, np.ndarray]:
        """Means (1) and covariances (2)."""
        assert self.component is not None
        m, kappa = self.component.mean, self.component.kappa
        counts, centers = estimates.counts, estimates.means
        means = (kappa * m + counts[:, None] * centers) / (kappa + counts)[:, None]
        pull = (kappa * counts / (kappa + counts))[:, None]
        gaps = centers - m
        scatter = form.with_prior(form.of_matrix(self.component.scale), estimates.scatter, pull, gaps)
        return means, scatter / self._divisors(form, counts)  # (2)

    def _divisors(self, form: CovarianceForm, counts: np.ndarray) -> np.ndarray | float:
        assert self.component is not None
        nu, d, K = self.component.nu, len(self.component.mean), len(counts)
        if form.name == "tied":
            divisor = nu + counts.sum() + K + (d + 1 if self.mode == "covariance" else -d - 1)
        else:
            divisor = nu + counts + (d + 2 if self.mode == "covariance" else -d)
        if np.min(divisor) <= 0:
            raise DegenerateError(
                f"MixturePrior: no mode with nu = {nu:g}; raise nu, or use mode='covariance'."
            )
        return np.reshape(divisor, (-1, *(1,) * (form.rank - 1))) if form.name != "tied" else float(divisor)

    def log_density(
        self,
        form: CovarianceForm,
        weights: np.ndarray,
        means: np.ndarray,
        roots: np.ndarray,
        alphas: Any,
    ) -> float:
        """The logarithm of the prior density of a mixture, up to a constant."""
        assert self.component is not None
        K, d = means.shape
        nu, kappa = self.component.nu, self.component.kappa
        of_weights = float((alphas - 1) @ np.log(weights))
        power = nu + d + 2 if self.mode == "covariance" else nu - d
        log_det = np.broadcast_to(
            form.log_det(roots, d), K
        )  # of the roots: minus half that of the covariance
        of_shape = power * log_det.sum()
        if form.name == "tied":  # one covariance, K means
            of_shape = (nu + d + 1 if self.mode == "covariance" else nu - d - 1) * log_det[0] + log_det.sum()
        precisions = form.precisions(roots)
        traces = 0.0
        for k in range(K):
            precision = form.of_component(precisions, k, d)
            gap = means[k] - self.component.mean
            if k == 0 or form.name != "tied":
                traces += np.sum(self.component.scale * precision)
            traces += kappa * gap @ precision @ gap
        return of_weights + float(of_shape) - 0.5 * traces
