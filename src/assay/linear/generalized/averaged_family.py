r"""The distribution of new rows of a family, averaged over the error of their linear predictors.

With a linear predictor that is normal around :math:`\eta` with standard deviation s, a new row has the density

.. math:: p(y) = \int p(y\mid g^{-1}(t))\,N(t\mid\eta, s^2)\,dt
               \approx \sum_k \omega_k\,p(y\mid g^{-1}(\eta+s z_k))                                   \quad (1)

by the nodes :math:`z_k` and weights :math:`\omega_k` of Gauss and Hermite.
"""

from __future__ import annotations

import numpy as np

from assay.errors import DegenerateError
from assay.linear.bayesian.logistic_normal import hermite
from assay.linear.generalized.families import Family
from assay.linear.generalized.links import Link
from assay.stats.distributions.predictive import BinomialShare, Mixture, Predictive
from assay.tables.row_names import row_name

__all__ = ["averaged_family", "means_at_nodes"]

NODES = 15
FEW_NODES = 5  # where the error of the mean is a small part of the noise
SMALL_SHARE = 0.1  # of the noise's variance
NEGLIGIBLE_SHARE = 1e-4  # of the noise's variance: intervals would be wider by less than one part in 10,000


def means_at_nodes(
    family: Family, link: Link, eta: np.ndarray, sd: np.ndarray, who: str, nodes: int = NODES
) -> tuple[np.ndarray, np.ndarray]:
    """(n, m) means at the nodes of (1), and their weights, 0 where the link gives none.

    >>> import numpy as np
    >>> from assay.linear.generalized.families import FAMILIES
    >>> from assay.linear.generalized.links import LINKS
    >>> mu, weights = means_at_nodes(FAMILIES["poisson"], LINKS["log"], np.zeros(1), np.ones(1), "example")
    >>> float(np.sum(mu * weights).round(6)), float(np.exp(0.5).round(6))    # the mean of a lognormal number
    (1.648721, 1.648721)
    """
    z, weights = hermite(nodes)
    at = eta[:, None] + sd[:, None] * z
    sound = at > 0 if link.positive else np.ones_like(at, dtype=bool)
    with np.errstate(all="ignore"):
        mu = link.mean(np.where(sound, at, 1.0))
    sound &= np.isfinite(mu) & (mu >= family.low) & (mu <= family.high)
    if not sound.any(axis=1).all():
        i = int(np.argmin(sound.any(axis=1)))
        raise DegenerateError(
            f"{who}: the linear predictor of {row_name(i)} is {eta[i]:.4g}, which the link {link.name} turns into no "
            f"mean of the {family.name} family. Fit with link='log'."
        )
    share = np.where(sound, weights, 0.0)
    inside = mu[sound].min() if sound.any() else 1.0
    return np.where(sound, mu, inside), share / share.sum(axis=1, keepdims=True)


def averaged_family(
    family: Family,
    link: Link,
    eta: np.ndarray,
    sd: np.ndarray,
    phi: float,
    who: str,
    mean: np.ndarray | None = None,
) -> Predictive | None:
    """(1) for each row; None if the family has no distribution in closed form.

    Parameters
    ----------
    eta, sd : (n,) linear predictors and their standard errors
    phi : the dispersion
    who : the learner, for messages
    mean : (n,) what the distributions shall have as their means; None leaves them as they come out
    """
    with np.errstate(all="ignore"):
        mu = link.mean(eta)
        share = (link.slope(eta, mu) * sd) ** 2 / (phi * family.variance(mu))
    largest = float(np.max(np.where(np.isnan(share), np.inf, share), initial=0.0))
    if largest <= NEGLIGIBLE_SHARE:
        return family.distribution(mu, phi)
    nodes = FEW_NODES if largest <= SMALL_SHARE else NODES
    mu, weights = means_at_nodes(family, link, eta, sd, who, nodes)
    if mean is not None:
        average = np.einsum("ij,ij->i", mu, weights)[:, None]
        mu = mu * (mean[:, None] / average) if family.low == 0 else mu + (mean[:, None] - average)
    if family.name == "binomial":
        return BinomialShare(np.clip(np.einsum("ij,ij->i", mu, weights), 0.0, 1.0))
    mu = np.maximum(mu, np.finfo(np.float64).tiny) if family.low == 0 else mu
    parts = [part for column in mu.T if (part := family.distribution(column, phi)) is not None]
    return Mixture(parts, weights) if parts else None
