"""Model selection criteria: AIC, BIC, Cp, description length, structural risk, effective parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, ParameterError
from assay.stats.checks import as_points, as_sample, one_of
from assay.stats.multivariate.hat_matrix import hat_matrix

__all__ = [
    "RegressionCriteria",
    "StructuralRisk",
    "aic",
    "bic",
    "corrected_error",
    "description_length",
    "effective_parameters",
    "gaussian_log_likelihood",
    "mallows_cp",
    "optimism",
    "regression_criteria",
    "structural_risk",
]


def gaussian_log_likelihood(sse: float, n: int, var: float | None = None) -> float:
    r"""Log likelihood of n numbers that scatter around a model with Gaussian noise.

    .. math:: \mathcal L = -n\log(\sqrt{2\pi}\,\sigma) - \frac1{2\sigma^2}\sum_t [r^t - g(x^t)]^2   \quad (1)

    Parameters
    ----------
    sse : sum of squared residuals      n : number of rows
    var : σ²; None takes the maximum-likelihood estimate SSE / n, with which the second term is n/2

    Examples
    --------
    >>> from assay.stats import gaussian_log_likelihood
    >>> round(gaussian_log_likelihood(116 / 105, 6), 6)
    -3.437242
    """
    if not sse >= 0 or n < 1 or (var is not None and not var > 0):
        raise ParameterError(
            f"gaussian_log_likelihood: expected sse from 0 up, n from 1 up, var above 0; got {sse}, {n}, {var}."
        )
    if var is None:
        var = sse / n
        if var == 0:
            return float("inf")  # a perfect fit: the density has no bound
    return float(-0.5 * n * np.log(2 * np.pi * var) - sse / (2 * var))  # (1)


CONVENTIONS = ("deviance", "log")


def aic(log_likelihood: float, parameters: float, convention: str = "deviance") -> float:
    """Akaike's criterion -2 log L + 2 d; of several models the one with the smallest is expected to predict best.

    Parameters
    ----------
    log_likelihood : at its maximum
    parameters : d, the degrees of freedom that the model really uses (`effective_parameters`), not the raw count
    convention : "deviance" or "log"
        "log" is log L - d, where larger is better: the criterion times -1/2.

    >>> from assay.stats import aic
    >>> round(aic(-3.437242, 3), 4)
    12.8745
    >>> round(aic(-3.437242, 3, convention="log"), 4)
    -6.4372

    See Also
    --------
    bic, effective_parameters, corrected_error, description_length

    References
    ----------
    - Akaike, H. (1974). A new look at the statistical model identification. IEEE Transactions on Automatic Control
      19(6), 716-723. doi:10.1109/TAC.1974.1100705
    """
    return _in_convention(-2 * log_likelihood + 2 * parameters, convention, "aic")


def bic(log_likelihood: float, parameters: float, n: int, convention: str = "deviance") -> float:
    """The Bayesian criterion -2 log L + d log n; it finds the true model among the candidates, given rows enough.

    "Given rows enough" is meant: BIC and AIC hold as n grows beyond d. A regression with 13 rows whose noise variance
    is estimated too drives that variance, and with it both criteria, down without end as coefficients are added: they
    prefer the largest polynomial where the evidence finds the true one (see the guide on Bayesian estimation). With
    few rows use `log_evidence`, a known noise variance, or cross-validation.

    Parameters
    ----------
    log_likelihood : at its maximum
    parameters : d, the degrees of freedom that the model really uses (`effective_parameters`), not the raw count
    n : rows
    convention : "deviance" or "log"
        "log" is log L - (d/2) log n, where larger is better: about the log evidence, and the criterion times -1/2.

    >>> from assay.stats import bic
    >>> round(bic(-3.437242, 3, 6), 4)
    12.2498

    See Also
    --------
    aic, log_evidence, effective_parameters, description_length

    References
    ----------
    - Schwarz, G. (1978). Estimating the dimension of a model. Annals of Statistics 6(2), 461-464.
      doi:10.1214/aos/1176344136
    """
    _above_zero("bic", n=n)
    return _in_convention(-2 * log_likelihood + parameters * np.log(n), convention, "bic")


def _in_convention(deviance: float, convention: str, who: str) -> float:
    one_of(convention, CONVENTIONS, who, "convention")
    return float(deviance if convention == "deviance" else -0.5 * deviance)


def optimism(parameters: float, n: int, var: float) -> float:
    r"""Optimism of the training error: the expected in-sample error is larger by :math:`2\frac dn\sigma^2`.

    >>> from assay.stats import optimism
    >>> optimism(parameters=4, n=20, var=1.0)
    0.4

    See Also
    --------
    corrected_error, mallows_cp

    References
    ----------
    - Efron, B. (1986). How biased is the apparent error rate of a prediction rule? Journal of the American
      Statistical Association 81(394), 461-470.
    """
    _above_zero("optimism", n=n)
    return 2 * parameters * var / n


def corrected_error(mse: float, parameters: float, n: int, var: float, kind: str = "aic") -> float:
    r"""Training error plus its optimism, for a noise variance that is known or comes from a low-bias model.

    .. math:: \overline{err} + 2\frac dn\sigma^2 \ \text{(AIC, } C_p) \qquad
              \overline{err} + \log(n)\frac dn\sigma^2 \ \text{(BIC)}                              \quad (1)

    >>> from assay.stats import corrected_error
    >>> corrected_error(1.0, parameters=4, n=20, var=1.0)
    1.4

    See Also
    --------
    optimism, mallows_cp, aic

    References
    ----------
    - Efron, B. (1986). How biased is the apparent error rate of a prediction rule? Journal of the American
      Statistical Association 81(394), 461-470.
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """
    if kind not in ("aic", "bic"):
        raise ParameterError(f"corrected_error: kind must be one of 'aic', 'bic', got {kind!r}.")
    _above_zero("corrected_error", n=n)
    price = 2.0 if kind == "aic" else float(np.log(n))
    return mse + price * parameters * var / n  # (1)


def mallows_cp(sse: float, parameters: float, n: int, var: float) -> float:
    r"""Mallows' :math:`C_p = SSE/\sigma^2 - n + 2d`: near d for a model without bias.

    >>> from assay.stats import mallows_cp
    >>> mallows_cp(sse=16.0, parameters=4, n=20, var=1.0)
    4.0

    See Also
    --------
    aic, corrected_error

    References
    ----------
    - Mallows, C. L. (1973). Some comments on Cp. Technometrics 15(4), 661-675.
    """
    _above_zero("mallows_cp", var=var)
    return sse / var - n + 2 * parameters


def description_length(log_likelihood: float, parameters: float, n: int, base: float = 2.0) -> float:
    r"""Length of the two-part code: first the parameters, then the data given them; in bits, or nats with base e.

    .. math:: -\log_2 p(\mathcal X|\hat\theta) + \tfrac d2\log_2 n                            \quad (1)

    In nats it is half the BIC.

    >>> from assay.stats import description_length
    >>> round(description_length(-3.437242, 3, 6), 4)
    8.8363

    See Also
    --------
    bic, aic

    References
    ----------
    - Rissanen, J. (1978). Modeling by shortest data description. Automatica 14(5), 465-471.
      doi:10.1016/0005-1098(78)90005-5
    """
    _above_zero("description_length", n=n)
    if not base > 1:
        raise ParameterError(f"description_length: base must be above 1, got {base}.")
    return float((-log_likelihood + 0.5 * parameters * np.log(n)) / np.log(base))  # (1)


def effective_parameters(X: ArrayLike, penalty: ArrayLike = 0.0) -> float:
    r"""How many parameters a linear smoother :math:`\hat y = Sy` really uses: the trace of S.

    Least squares uses as many as it has; ridge fewer, by the shrinkage of each principal direction:
    :math:`\sum_j s_j^2/(s_j^2+\lambda)` with the singular values of X.

    Parameters
    ----------
    X : (n, d) the design, with its column of ones if there is one; for another smoother call ``np.trace(S)``
    penalty : λ, or one for each column

    Examples
    --------
    >>> from assay.stats import effective_parameters
    >>> effective_parameters([[1.0], [2.0], [2.0]], penalty=9.0)
    0.5

    See Also
    --------
    hat_matrix, mallows_cp

    References
    ----------
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """
    return round(hat_matrix(X, penalty).trace, 12)


@dataclass(frozen=True)
class RegressionCriteria:
    """Result of `regression_criteria`.

    n, parameters, sse, mse, log_likelihood, aic, bic, description_length (bits), relative_squared_error, r2
    """

    n: int
    parameters: float
    sse: float
    mse: float
    log_likelihood: float
    aic: float
    bic: float
    description_length: float
    relative_squared_error: float
    r2: float

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers by name."""
        return dict(vars(self))


def regression_criteria(
    y: ArrayLike, fitted: ArrayLike, parameters: float, var: float | None = None
) -> RegressionCriteria:
    """All criteria of one regression model at once.

    Parameters
    ----------
    y, fitted : (n,) observed and fitted numbers
    parameters : how many coefficients the model has, its constant included
    var : the noise variance if it is known; None estimates it, which counts as one parameter more

    Examples
    --------
    >>> from assay.stats import regression_criteria
    >>> result = regression_criteria([3, 5, 6, 8, 9, 12], [43 / 6] * 6, parameters=1)
    >>> round(result.aic, 4), round(result.bic, 4), result.r2
    (33.848, 33.4315, 0.0)

    See Also
    --------
    aic, bic, mallows_cp

    References
    ----------
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """
    who = "regression_criteria"
    if not parameters >= 0:
        raise ParameterError(f"parameters must be a number from 0 up, got {parameters}.", who=who)
    r, g = as_sample(y, who), as_sample(fitted, who)
    if len(r) != len(g):
        raise DataError(f"y has {len(r)} rows and fitted has {len(g)}.", who=who)
    n, sse, total = len(r), float(np.sum((r - g) ** 2)), float(np.sum((r - r.mean()) ** 2))
    d = parameters + (var is None)
    score = gaussian_log_likelihood(sse, n, var)
    relative = (
        sse / total if total > 0 else float("nan")
    )  # of numbers that are all alike there is nothing to explain
    return RegressionCriteria(
        n, d, sse, sse / n, score, aic(score, d), bic(score, d, n), description_length(score, d, n), relative,
        round(1 - relative, 15),
    )  # fmt: skip


@dataclass(frozen=True)
class StructuralRisk:
    """Result of `structural_risk`: bounds of the error, from the simplest model on, and the number of the smallest."""

    bounds: NDArray[np.float64]
    best: int


def structural_risk(errors: ArrayLike, vc: ArrayLike, n: int, eta: float = 0.05) -> StructuralRisk:
    r"""Choose from a nested family the model whose bound of the true error is smallest.

    With probability 1 - η, for a class of VC dimension V,

    .. math:: E \le E_{emp} + \sqrt{\frac{V(\log(2n/V)+1) - \log(\eta/4)}{n}}                   \quad (1)

    Parameters
    ----------
    errors : (m,) training errors, the simplest model first      vc : (m,) VC dimensions, increasing
    n : number of training rows      eta : probability that the bound does not hold

    Examples
    --------
    >>> from assay.stats import structural_risk
    >>> result = structural_risk([0.5, 0.1, 0.09], vc=[2, 3, 10], n=1000)
    >>> result.bounds.round(3), result.best
    (array([0.642, 0.264, 0.35 ]), 1)

    See Also
    --------
    description_length, corrected_error

    References
    ----------
    - Vapnik, V. N. (1995). The Nature of Statistical Learning Theory. Springer.
    """
    who = "structural_risk"
    err, V = as_points(errors, who), as_points(vc, who)
    if err.shape != V.shape or err.ndim != 1:
        raise DataError(
            f"there must be one VC dimension for each error, got {err.shape} and {V.shape}.", who=who
        )
    if not 0 < eta < 1 or n < 1 or not (V > 0).all():
        raise ParameterError(
            f"expected eta between 0 and 1, n from 1 up and vc above 0, got {eta}, {n}, {V}.", who=who
        )
    if V.max() > 2 * n:
        raise ParameterError(
            f"a VC dimension of {V.max():g} is beyond the bound with {n} rows (at most 2 n).", who=who
        )
    bounds = err + np.sqrt((V * (np.log(2 * n / V) + 1) - np.log(eta / 4)) / n)  # (1)
    return StructuralRisk(bounds, int(np.argmin(bounds)))


def _above_zero(who: str, **values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise ParameterError(f"{name} must be above 0, got {value}.", who=who)
