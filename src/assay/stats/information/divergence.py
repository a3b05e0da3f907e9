"""Kullback-Leibler divergences between our distributions and beliefs, in closed form where there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln, multigammaln, rel_entr

from assay.errors import ParameterError
from assay.stats.bayesian.beta_bernoulli import BetaBernoulli
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.bayesian.dirichlet_categorical import DirichletCategorical
from assay.stats.bayesian.gamma_poisson import GammaPoisson
from assay.stats.bayesian.normal_gamma import NormalGamma
from assay.stats.bayesian.normal_inverse_wishart import NormalInverseWishart
from assay.stats.bayesian.normal_mean import NormalMean
from assay.stats.distributions.bernoulli import Bernoulli
from assay.stats.distributions.categorical import Categorical
from assay.stats.distributions.gamma import Gamma
from assay.stats.distributions.gaussian import Gaussian
from assay.stats.distributions.integration import density_cross_entropy
from assay.stats.distributions.laplace import Laplace
from assay.stats.distributions.multivariate_gaussian import MultivariateGaussian
from assay.stats.distributions.poisson import Poisson
from assay.stats.distributions.student import StudentT
from assay.stats.multivariate.covariance import factor, squared_norms

__all__ = ["divergence"]

WHO = "kl_divergence"
INTEGRATED = (Gaussian, Gamma, Laplace, StudentT)  # of one continuous variable


def divergence(q: Any, p: Any) -> float:
    """D(q || p) of two distributions, or of two beliefs about the same parameters, in nats.

    Two of one class have a closed form; two densities of one continuous variable are integrated.

    >>> from assay.stats import Gaussian
    >>> from assay.stats.information.divergence import divergence
    >>> divergence(Gaussian(1, 1), Gaussian(0, 1))
    0.5
    """
    closed = CLOSED_FORMS.get(type(q)) if type(q) is type(p) else None
    if closed is not None:
        for belief in (q, p):
            if isinstance(belief, ConjugateModel):
                belief._require_proper("divergence")
        return max(float(closed(q, p)), 0.0)
    if isinstance(q, INTEGRATED) and isinstance(p, INTEGRATED):
        return max(density_cross_entropy(q, p) - density_cross_entropy(q, q), 0.0)
    known = ", ".join(sorted(kind.__name__ for kind in CLOSED_FORMS))
    raise ParameterError(
        f"there is no formula for {type(q).__name__} and {type(p).__name__}. Two of one class: {known}. Otherwise "
        "average q.logpdf(x) - p.logpdf(x) over draws x of q.",
        who=WHO,
    )


def _gaussian(q: Any, p: Any) -> float:
    if q.var == 0 or p.var == 0:
        raise ParameterError("a Gaussian of variance 0 has no density.", who=WHO)
    return 0.5 * (q.var / p.var - 1 - np.log(q.var / p.var) + (q.mean - p.mean) ** 2 / p.var)


def _multivariate_gaussian(q: Any, p: Any) -> float:
    _same(len(q.mean), len(p.mean), "variables")
    Lq, Lp = (factor(s.cov, WHO, "A density is needed.") for s in (q, p))
    trace = float(squared_norms(Lp, Lq.T).sum())
    shift = float(squared_norms(Lp, (q.mean - p.mean)[None])[0])
    return 0.5 * (trace - len(Lq) + shift) + float(np.sum(np.log(np.diag(Lp)) - np.log(np.diag(Lq))))


def _bernoulli(q: Any, p: Any) -> float:
    return float(rel_entr(q.p, p.p) + rel_entr(1 - q.p, 1 - p.p))


def _categorical(q: Any, p: Any) -> float:
    _same_categories(q, p)
    return float(rel_entr(q.p, p.p).sum())


def _poisson(q: Any, p: Any) -> float:
    return float(rel_entr(q.rate, p.rate)) + p.rate - q.rate


def _laplace(q: Any, p: Any) -> float:
    if q.scale == 0 or p.scale == 0:
        raise ParameterError("a Laplace distribution of scale 0 has no density.", who=WHO)
    gap = abs(q.mean - p.mean)
    return float(np.log(p.scale / q.scale) + (q.scale * np.exp(-gap / q.scale) + gap) / p.scale - 1)


def _gamma(q: Any, p: Any) -> float:
    return float(
        (q.a - p.a) * digamma(q.a)
        - gammaln(q.a)
        + gammaln(p.a)
        + p.a * np.log(q.b / p.b)
        + q.a * (p.b - q.b) / q.b
    )


def _dirichlet_of(q: Any, p: Any) -> float:
    return float(
        gammaln(q.sum()) - gammaln(q).sum() - gammaln(p.sum()) + gammaln(p).sum()
        + (q - p) @ (digamma(q) - digamma(q.sum()))
    )  # fmt: skip


def _dirichlet(q: Any, p: Any) -> float:
    _same_categories(q, p)
    return _dirichlet_of(q.alpha, p.alpha)


def _beta(q: Any, p: Any) -> float:
    return _dirichlet_of(np.array([q.a, q.b]), np.array([p.a, p.b]))


def _normal_gamma(q: Any, p: Any) -> float:
    precision = _gamma(q, p)
    if np.isinf(q.kappa) or np.isinf(p.kappa):  # a known mean
        return precision if (q.kappa, q.mean) == (p.kappa, p.mean) else np.inf
    ratio = p.kappa / q.kappa
    shift = p.kappa * (q.mean - p.mean) ** 2 * q.a / q.b
    return precision + 0.5 * (ratio - 1 - np.log(ratio) + shift)


def _normal_inverse_wishart(q: Any, p: Any) -> float:
    d = len(q.mean)
    _same(d, len(p.mean), "columns")
    Lq, Lp = (factor(s.scale, WHO, "Believe in some variance for every column.") for s in (q, p))
    log_q, log_p = (2 * float(np.sum(np.log(np.diag(L)))) for L in (Lq, Lp))  # log determinants
    trace = float(squared_norms(Lq, Lp.T).sum())
    log_precision = (
        float(digamma((q.nu - np.arange(d)) / 2).sum()) + d * np.log(2) - log_q
    )  # E log |precision|
    wishart = (
        (q.nu - p.nu) / 2 * (log_precision - d * np.log(2))
        + q.nu / 2 * (trace - d)
        + (q.nu * log_q - p.nu * log_p) / 2
        + float(multigammaln(p.nu / 2, d) - multigammaln(q.nu / 2, d))
    )
    ratio = p.kappa / q.kappa
    shift = p.kappa * q.nu * float(squared_norms(Lq, (q.mean - p.mean)[None])[0])
    return wishart + 0.5 * (d * (ratio - 1 - np.log(ratio)) + shift)


CLOSED_FORMS: dict[type, Callable[[Any, Any], float]] = {
    Bernoulli: _bernoulli,
    BetaBernoulli: _beta,
    Categorical: _categorical,
    DirichletCategorical: _dirichlet,
    Gamma: _gamma,
    GammaPoisson: _gamma,
    Gaussian: _gaussian,
    Laplace: _laplace,
    MultivariateGaussian: _multivariate_gaussian,
    NormalGamma: _normal_gamma,
    NormalInverseWishart: _normal_inverse_wishart,
    NormalMean: _gaussian,
    Poisson: _poisson,
}


def _same(first: int, second: int, what: str) -> None:
    if first != second:
        raise ParameterError(f"the distributions have {first} and {second} {what}.", who=WHO)


def _same_categories(q: Any, p: Any) -> None:
    if not np.array_equal(q.categories, p.categories):
        raise ParameterError(
            f"the categories differ: {list(q.categories)[:8]} and {list(p.categories)[:8]}.", who=WHO
        )
