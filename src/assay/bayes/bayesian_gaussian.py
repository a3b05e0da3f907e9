"""Bayesian Gaussian classifier: class densities that know how little they know of their means and covariances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from assay.bayes.gaussian_classifier import by_rows, check_overflow, class_priors, log_of
from assay.bayes.own_covariances import OwnCovariances
from assay.core import Card
from assay.core.moments import ClassMoments, ClassScatter, class_moments, class_scatter
from assay.core.parameters import Any_, Choice, Range, Simplex
from assay.core.stored import FloatArray, Object
from assay.errors import DegenerateError, ParameterError
from assay.stats.bayesian.normal_update import updated_mean
from assay.stats.checks import is_number
from assay.types import Priors

FACTORS = 8  # of a product whose logarithm is taken

_NUMBERS = Any_("a number, or one for each column", lambda v: is_number(v) or np.ndim(v) in (1, 2))


class BayesianGaussianClassifier(OwnCovariances):
    r"""Gaussian classes with conjugate priors, their parameters integrated out.

    A plug-in classifier acts as if the estimated means and covariances were the true ones. This one averages the
    density of a row over all of them: with the belief of class k after its :math:`n_k` rows, normal-inverse-Wishart
    :math:`(m_k, \kappa_k, \nu_k, \Psi_k)`, the next row of the class is multivariate t,

    .. math:: p(x|k) = t_{\nu_k-d+1}\left(x;\ m_k,\ \frac{\kappa_k+1}{\kappa_k(\nu_k-d+1)}\Psi_k\right)   \quad (1)

    .. math:: \kappa_k = \kappa + n_k, \quad \nu_k = \nu + n_k, \quad m_k = \frac{\kappa m_0 + n_k\bar x_k}{\kappa_k},
              \quad \Psi_k = \nu C_0 + S_k
              + \frac{\kappa n_k}{\kappa_k}(\bar x_k-m_0)(\bar x_k-m_0)^T                          \quad (2)

    wide for a class of few rows, and Gaussian in the limit of many. A class of one row has a density too. With
    ``covariance="diag"`` the columns are independent within a class and each is Student's t (normal-gamma); with
    "known" the covariance is :math:`C_0` and only the means are uncertain: :math:`N(m_k, (1 + 1/\kappa_k)C_0)`.

    Cost: fit O(n d^2 + K d^3) in one pass, "diag" O(n d); predict O(K d^2) a row, "diag" O(K d); memory O(K d^2),
    "diag" O(K d).

    Parameters
    ----------
    covariance : "full", "diag" or "known", default "full"
    prior_mean : number, (d,), default None
        :math:`m_0`; None takes the mean of all training rows.
    prior_cov : number, (d,) or (d, d), default None
        :math:`C_0`, the guess of the covariance within a class, or the known one: one variance, one for each column, or
        a matrix (not for "diag"). None takes the pooled variances within the classes.
    kappa : float, not negative, default 1
        How many rows the guess of the mean is worth. With a known variance σ² and the prior :math:`N(m_0, \sigma_0^2)`
        of a class mean it is :math:`\sigma^2/\sigma_0^2`.
    nu : float, above 0, default None
        How many rows the guess of the covariance is worth; None is d + 1, or 1 for "diag".
    priors : (K,) probabilities, default None
        Class priors; None takes the class shares.

    Attributes
    ----------
    means_ : (K, d)      priors_ : (K,)      class_count_ : (K,) total weights
    dof_ : (K,) degrees of freedom of the classes' densities; infinite for "known"
    scale_ : (K, d, d), or (K, d) for "diag": their squared scales
    prior_mean_ : (d,)      prior_cov_ : (d, d), or (d,) for "diag"

    Examples
    --------
    Two rows of one class and twenty of the other: the midpoint of their means goes to the class that is less certain.

    >>> import numpy as np
    >>> from assay.bayes import BayesianGaussianClassifier
    >>> X, y = np.array([[-1.0], [1.0]] + [[3.0], [5.0]] * 10), [1] * 2 + [2] * 20
    >>> model = BayesianGaussianClassifier(covariance="known", prior_mean=2, prior_cov=1, kappa=0.25, priors=[.5, .5])
    >>> model.fit(X, y).predict_proba([[1.5], [2.0], [2.5]])[:, 0].round(4)
    array([0.8998, 0.6469, 0.2852])

    See Also
    --------
    QuadraticDiscriminantAnalysis, GaussianNB, NormalInverseWishart, NormalGamma

    References
    ----------
    - Geisser, S. (1964). Posterior odds for multivariate normal classifications. Journal of the Royal Statistical
      Society B 26(1), 69-76.
    - Gelman, A., Carlin, J. B., Stern, H. S., Dunson, D. B., Vehtari, A. and Rubin, D. B. (2013). Bayesian Data
      Analysis, third edition. CRC Press.
    """

    card = Card(
        "bayesian gaussian",
        "one Gaussian per class, its mean and covariance integrated out",
        also=("bayesian qda",),
        learns=(
            "Gaussians of each class with unknown parameters",
            "none: parameters are integrated out",
            "posterior by conjugate priors",
            "analytic",
        ),
    )
    accepts = {
        "covariance": Choice("full", "diag", "known"),
        "prior_mean": _NUMBERS | None,
        "prior_cov": _NUMBERS | None,
        "kappa": Range(0),
        "nu": Range(0, open="low") | None,
        "priors": Simplex() | None,
    }
    stored = {
        "_sums": Object(ClassScatter, ClassMoments, K="K", d="p"),
        "class_count_": FloatArray("K", low=0),
        "dof_": FloatArray("K", low=0),
        "scale_": FloatArray("K", "p", "p") | FloatArray("K", "p"),
        "prior_mean_": FloatArray("p"),
        "prior_cov_": FloatArray("p", "p") | FloatArray("p"),
    }

    _sum_of_terms = "log P(x, class)"

    def __init__(
        self,
        covariance: str = "full",
        *,
        prior_mean: ArrayLike | None = None,
        prior_cov: ArrayLike | None = None,
        kappa: float = 1.0,
        nu: float | None = None,
        priors: Priors | None = None,
    ):
        self.covariance = covariance
        self.prior_mean = prior_mean
        self.prior_cov = prior_cov
        self.kappa = kappa
        self.nu = nu
        self.priors = priors

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassScatter | ClassMoments:
        if self.covariance == "diag":
            return class_moments(X, y, w, len(self.classes_))
        return class_scatter(X, y, w, len(self.classes_), pooled=False)

    def _solve(self, sums: ClassScatter | ClassMoments) -> None:
        who, d = type(self).__name__, sums.mean.shape[1]
        check_overflow(who, sums.mean, sums.scatter)
        self.class_count_ = sums.count
        self.priors_ = class_priors(who, self.priors, sums.count, self.classes_)
        self.prior_mean_, self.prior_cov_ = self._prior_mean(sums), self._prior_cov(sums)
        n = sums.count[:, None]
        kappa, self.means_, pull = updated_mean(self.kappa, self.prior_mean_, n, sums.mean)
        kappa = np.maximum(
            kappa, np.finfo(float).tiny
        )  # a class without rows and without a prior is never chosen
        widening = (kappa + 1) / kappa
        if self.covariance == "known":
            self.dof_ = np.full(len(n), np.inf)
            self.scale_ = widening[:, :, None] * self.prior_cov_
        else:
            gap = sums.mean - self.prior_mean_
            nu = (d + 1 if self.covariance == "full" else 1) if self.nu is None else self.nu
            self.dof_ = self._positive_dof(nu + sums.count - (d - 1 if self.covariance == "full" else 0))
            if self.covariance == "diag":
                squares = nu * self.prior_cov_ + sums.scatter + pull * gap**2
                self.scale_ = widening * squares / self.dof_[:, None]
            else:
                between = pull[:, :, None] * gap[:, :, None] * gap[:, None, :]
                squares = nu * self.prior_cov_ + sums.scatter + between  # (2)
                self.scale_ = (widening / self.dof_[:, None])[:, :, None] * squares  # (1)
        if self.covariance != "diag":
            self._settle(self.scale_, 0.0, lambda k: "Give prior_cov of full rank, or drop columns.")

    def _positive_dof(self, dof: np.ndarray) -> np.ndarray:
        k = int(np.argmin(np.where(self.priors_ > 0, dof, np.inf)))
        if self.priors_[k] > 0 and dof[k] <= 0:
            raise DegenerateError(
                f"{type(self).__name__}: class {self.classes_[k]} has {dof[k]:g} degrees of freedom, so it predicts "
                f"nothing. Raise nu above {self.means_.shape[1] - 1}."
            )
        return np.maximum(dof, np.finfo(float).tiny)

    def _prior_mean(self, sums: Any) -> np.ndarray:
        d = sums.mean.shape[1]
        if self.prior_mean is None:
            return sums.count @ sums.mean / sums.count.sum()
        return self._of_columns(self.prior_mean, d, "prior_mean")

    def _prior_cov(self, sums: Any) -> np.ndarray:
        """(d,) for "diag", else (d, d)."""
        d = sums.mean.shape[1]
        if self.prior_cov is None:
            squares = sums.scatter if sums.scatter.ndim == 2 else np.diagonal(sums.scatter, axis1=1, axis2=2)
            total = sums.count.sum()
            within = squares.sum(axis=0) / total
            centre = sums.count @ sums.mean / total
            between = sums.count @ (sums.mean - centre) ** 2 / total
            guess = np.where(within > 0, within, np.where(between > 0, between, 1.0))  # 1: a constant column
            return guess if self.covariance == "diag" else np.diag(guess)
        if np.ndim(self.prior_cov) == 2:
            return self._matrix(d)
        guess = self._of_columns(self.prior_cov, d, "prior_cov")
        if not (guess > 0).all():
            raise ParameterError(
                f"{type(self).__name__}: prior_cov must have variances above 0, got {guess.min():g}."
            )
        return guess if self.covariance == "diag" else np.diag(guess)

    def _matrix(self, d: int) -> np.ndarray:
        from assay.stats.multivariate.covariance import as_covariance

        if self.covariance == "diag":
            raise ParameterError(
                f'{type(self).__name__}: a matrix prior_cov goes with covariance="full" or "known", got "diag".'
            )
        return as_covariance(self.prior_cov, d, f"{type(self).__name__}: prior_cov")

    def _of_columns(self, values: Any, d: int, name: str) -> np.ndarray:
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.shape not in ((), (d,)) or not np.isfinite(numbers).all():
            raise ParameterError(
                f"{type(self).__name__}: {name} must be a finite number or {d} of them, one for each column of the "
                f"design, got shape {numbers.shape}."
            )
        return np.broadcast_to(numbers, d).copy()

    def _scores(self, X: Any) -> np.ndarray:
        return self._log_joint(X)

    def _log_joint(self, X: Any) -> np.ndarray:
        constants = log_of(self.priors_) + self._log_norms()
        if self.covariance == "diag":

            def score(block: np.ndarray, out: np.ndarray) -> None:
                columns = np.ascontiguousarray(block.T)
                for k in range(len(constants)):
                    gap = columns - self.means_[k][:, None]
                    with np.errstate(over="ignore"):
                        gap *= gap
                    gap /= (self.dof_[k] * self.scale_[k])[:, None]
                    out[:, k] = constants[k] - (self.dof_[k] + 1) / 2 * _sum_of_logs(gap)

            return by_rows(score, X, len(constants))
        d, half = (
            X.shape[1],
            self._quadratic(X, np.zeros(len(constants))),
        )  # -1/2 squared Mahalanobis distances
        if self.covariance == "known":
            return constants + half
        return constants - (self.dof_ + d) / 2 * np.log1p(-2 * half / self.dof_)

    def _log_norms(self) -> np.ndarray:
        """(K,) the logs of the classes' densities at their centres."""
        d, nu = self.means_.shape[1], self.dof_
        if self.covariance == "known":
            return -0.5 * (d * np.log(2 * np.pi) + self._log_dets)
        if self.covariance == "diag":
            column = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
            return d * column - 0.5 * np.log(self.scale_).sum(axis=1)
        return gammaln((nu + d) / 2) - gammaln(nu / 2) - 0.5 * (d * np.log(nu * np.pi) + self._log_dets)

    def _column_terms(self, X: np.ndarray, k: int) -> np.ndarray:
        """(n, d) what each column adds to the log density of class k, for "diag"."""
        with np.errstate(over="ignore"):
            squares = (X - self.means_[k]) ** 2 / self.scale_[k]
        return -(self.dof_[k] + 1) / 2 * np.log1p(squares / self.dof_[k])

    def _terms(self, x: np.ndarray) -> tuple[list[tuple[str, np.ndarray]], np.ndarray]:
        heads = [("log prior", log_of(self.priors_)), ("log density at the centre", self._log_norms())]
        K = len(self.priors_)
        if self.covariance == "diag":
            return heads, np.column_stack([self._column_terms(x[None], k)[0] for k in range(K)])
        halves = super()._terms(x)[1]  # (d, K), the columns' parts of minus half the squared distance
        if self.covariance == "known":
            return heads, halves
        half = halves.sum(axis=0)
        whole = -(self.dof_ + len(x)) / 2 * np.log1p(-2 * half / self.dof_)
        return heads, halves * np.divide(whole, half, out=np.ones(K), where=half < 0)

    def _polynomial(self) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        if self.covariance == "known":
            return super()._polynomial()
        raise ParameterError(
            f"{type(self).__name__}: the scores are logarithms of t densities and no polynomials, except for "
            'covariance="known". Their values: decision_function.'
        )

    def _deviations(self, k: int, noise: np.ndarray) -> np.ndarray:
        return noise * np.sqrt(self.scale_[k]) if self.covariance == "diag" else super()._deviations(k, noise)

    def _stretch(self, k: int, shape: tuple[int, ...], rng: Any) -> Any:
        if self.covariance == "known":
            return 1.0
        size = shape if self.covariance == "diag" else (shape[0], 1)
        return np.sqrt(self.dof_[k] / rng.chisquare(self.dof_[k], size))


def _sum_of_logs(squares: np.ndarray) -> np.ndarray:
    """(n,) sums of log(1 + squares), (d, n), over columns: one logarithm for each product of a few of them."""
    total = np.zeros(squares.shape[1])
    for j in range(0, len(squares), FACTORS):
        with np.errstate(over="ignore"):
            product = np.multiply.reduce(1.0 + squares[j : j + FACTORS], axis=0)
        total += np.log(product)
    return total if np.isfinite(total).all() else np.log1p(squares).sum(axis=0)
