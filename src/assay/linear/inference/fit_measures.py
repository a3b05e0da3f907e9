"""Goodness-of-fit statistics of a fitted model."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.linear.inference.coefficient_table import CoefficientTable
from assay.linear.inference.least_squares_inference import LeastSquaresInference
from assay.linear.inference.logistic_inference import LogisticInference

__all__ = ["least_squares_measures", "likelihood_measures", "logistic_measures"]


def logistic_measures(fit: LogisticInference, kappa: float) -> dict[str, Any]:
    """Of logistic and softmax regression, whose constants are the class shares."""
    q = (fit.K - 1) * len(fit.names)
    constants = (fit.K - 1) * fit.fit_intercept
    return likelihood_measures(
        fit.total, fit.log_likelihood, fit.null_log_likelihood, q, constants, fit.penalised, kappa
    )


def likelihood_measures(
    n: float, ll: float, null: float, q: int, constants: int, penalised: bool, kappa: float
) -> dict[str, Any]:
    r"""Likelihoods and what follows from them; with the likelihood L, that of class shares alone L0, k coefficients:

    .. math:: R^2_{McFadden} = 1-\frac{\ln L}{\ln L_0},\quad R^2_{CoxSnell} = 1-(L_0/L)^{2/n},\quad
              R^2_{Nagelkerke} = \frac{1-(L_0/L)^{2/n}}{1-L_0^{2/n}},\quad
              AIC = 2k - 2\ln L,\quad BIC = k\ln n - 2\ln L

    Parameters
    ----------
    n : rows, or the sum of their weights      ll, null : ln L and ln L0
    q : coefficients of columns      constants : constants or thresholds; k = q + constants
    penalised : whether L is not the largest likelihood      kappa : condition number of the columns
    """
    from scipy.special import chdtrc

    k = q + constants
    gain = 2 * (ll - null)
    cox_snell = 1 - np.exp(-gain / n)
    most = 1 - np.exp(2 * null / n)
    measures: dict[str, Any] = {
        "rows": int(n) if float(n).is_integer() else n,
        "log-likelihood": ll,
        "null log-likelihood": null,
        "deviance": -2 * ll,
        "null deviance": -2 * null,
        "McFadden R2": 1 - ll / null if null else 0.0,
        "Cox-Snell R2": cox_snell,
        "Nagelkerke R2": cox_snell / most if most > 0 else 0.0,
    }
    if not penalised:
        measures |= {
            "likelihood ratio": gain,
            "degrees of freedom": q,
            "p of likelihood ratio": float(chdtrc(q, max(gain, 0.0))) if q else 1.0,
            "AIC": 2 * k - 2 * ll,
            "BIC": k * np.log(n) - 2 * ll,
        }
    return measures | {"condition number": kappa}


def least_squares_measures(
    fit: LeastSquaresInference, table: CoefficientTable, kappa: float
) -> dict[str, Any]:
    """Squares and what follows from them; the variance of the noise is not counted as a coefficient in AIC and BIC."""
    n, k, df = fit.n, fit.parameters, fit.df_residual
    total = fit.total_squares
    r2 = 1 - fit.squares / total if total > 0 else 0.0
    free = n - fit.fit_intercept
    measures: dict[str, Any] = {
        "rows": n,
        "residual degrees of freedom": int(df) if float(df).is_integer() else df,
        "residual standard error": float(np.sqrt(fit.noise)),
        "residual squares": fit.squares,
        "total squares": total,
        "R2": r2,
        "adjusted R2": 1 - (1 - r2) * free / df,
        "log-likelihood": fit.log_likelihood,
    }
    if not fit.penalised:
        measures |= {"AIC": 2 * k - 2 * fit.log_likelihood, "BIC": k * np.log(n) - 2 * fit.log_likelihood}
        if len(fit.coef) and fit.squares > 0:
            slopes = np.eye(k)[int(fit.fit_intercept) :]
            test = table.wald_test(slopes)
            measures |= {"F": test.statistic, "p of F": test.p_value}
    return measures | {"condition number": kappa}
