"""Which mixture: kinds of covariances and numbers of components in one call."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core.parameters import Count, check_count
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.mixture.gaussian_mixture import GaussianMixture
from assay.mixture.shaped_covariances import FORMS
from assay.tables.rows import row_count
from assay.types import RandomState, TableLike

__all__ = ["MixtureChoice", "choose_mixture"]

KINDS = ("tied_spherical", "spherical", "diag", "tied", "full")
CRITERIA = ("bic", "icl", "aic", "held-out")
NARROWEST = 2.0  # times reg_covar: the variance of a component that has collapsed
WIDEST = 1e3  # times reg_covar: the variance of columns that are wide enough to see that


@dataclass(frozen=True)
class MixtureChoice:
    """The answer of :func:`choose_mixture`: ``model``, fitted, ``records``, the best first, and the criterion."""

    model: GaussianMixture
    records: tuple[dict[str, Any], ...]
    criterion: str

    def __str__(self) -> str:
        best = self.records[0]
        text = f"{best['components']} components, {best['kind']} covariances: {self.criterion} "
        text += f"{best[self.criterion]:.6g}"
        if len(self.records) > 1:
            after = self.records[1]
            text += f"; next {after['components']} {after['kind']}, {after[self.criterion]:.6g}"
        return text + "."


def choose_mixture(
    X: TableLike,
    *,
    n_components: int | Sequence[int] = tuple(range(1, 10)),
    kinds: str | Sequence[str] = KINDS,
    criterion: str = "bic",
    n_init: int = 3,
    cv: int = 5,
    random_state: RandomState = 0,
    **settings: Any,
) -> MixtureChoice:
    """Fit Gaussian mixtures of some kinds and sizes, and keep the best by a criterion.

    "bic" (the lower the better) asks for the density, "icl" for groups that do not overlap, "aic" for prediction, and
    "held-out" (the higher the better) is the mean log density of rows left out, by folds. Fits that collapse, where a
    component is as narrow as ``reg_covar`` keeps it, are left out, and so are sizes beyond the number of rows. Missing
    values are used as :class:`GaussianMixture` does.

    Cost: that of kinds times sizes fits.

    Parameters
    ----------
    X : table (n, d)
    n_components : numbers of components, or one, default 1 to 9
    kinds : one or some of the covariance types of GaussianMixture, or "all"; default "tied_spherical", "spherical",
        "diag", "tied" and "full". All are the fourteen of R's mclust.
    criterion : "bic", "icl", "aic" or "held-out", default "bic"
    n_init, random_state : of each fit
    cv : int, default 5
        Folds of "held-out", at most as many as rows.
    **settings : further parameters of GaussianMixture

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.mixture import choose_mixture
    >>> choice = choose_mixture(load_iris().data, n_components=[1, 2, 3])
    >>> choice.records[0]["components"], choice.records[0]["kind"]
    (2, 'full')
    >>> finer = choose_mixture(load_iris().data, n_components=2, kinds=["full", "VEV"])
    >>> finer.records[0]["kind"], round(finer.records[0]["bic"], 3)
    ('VEV', 561.728)

    See Also
    --------
    GaussianMixture, choose_clusters

    References
    ----------
    - Fraley, C. and Raftery, A. E. (2002). Model-based clustering, discriminant analysis, and density estimation.
      Journal of the American Statistical Association 97, 611-631. doi:10.1198/016214502760047131
    - Biernacki, C., Celeux, G. and Govaert, G. (2000). Assessing a mixture model for clustering with the integrated
      completed likelihood. IEEE Transactions on Pattern Analysis and Machine Intelligence 22(7), 719-725.
      doi:10.1109/34.865189
    """
    who = "choose_mixture"
    if criterion not in CRITERIA:
        raise ParameterError(
            f"criterion must be one of {', '.join(map(repr, CRITERIA))}", who=who, got=criterion
        )
    kinds = list(FORMS) if kinds == "all" else [kinds] if isinstance(kinds, str) else list(kinds)
    for kind in kinds:
        if kind not in FORMS:
            raise ParameterError(f"kinds must be some of {', '.join(map(repr, FORMS))}", who=who, got=kind)
    sizes = list(n_components) if isinstance(n_components, Iterable) else [n_components]
    if not kinds or not sizes:
        raise ParameterError("kinds and n_components must name one or more of each", who=who)
    check_count(who, "cv", cv, low=2)
    n = row_count(X, who)
    affordable = [size for size in sizes if not Count(1).holds(size) or size <= n]
    if not affordable:
        raise DataError(f"{min(sizes)} components take at least as many rows", who=who, got=n)
    fits: list[tuple[dict[str, Any], GaussianMixture]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for kind in kinds:
            for size in affordable:
                model = GaussianMixture(
                    size, covariance_type=kind, n_init=n_init, random_state=random_state, **settings
                )
                try:
                    model.fit(X)
                    if _collapsed(model, X):
                        continue
                    record: dict[str, Any] = {
                        "kind": kind, "components": int(size), "log_likelihood": float(model.score_samples(X).sum()),
                        "parameters": model._n_parameters(), "bic": model.bic(X), "icl": model.icl(X),
                        "aic": model.aic(X), "converged": bool(model.converged_),
                    }  # fmt: skip
                    if criterion == "held-out":
                        value = _held_out(model, X, min(cv, n))
                        if value is None:
                            continue
                        record["held-out"] = value
                except DegenerateError:
                    continue
                fits.append((record, model))
    if not fits:
        raise DegenerateError(
            f"{who}: every mixture has collapsed. Raise reg_covar, or take fewer components."
        )
    sign = -1 if criterion == "held-out" else 1
    fits.sort(key=lambda fit: sign * fit[0][criterion])
    best = fits[0][1]
    if not best.converged_:
        warn_user(
            f"{who}: the best mixture, {best.n_components} {best.covariance_type}, did not converge. Raise max_iter.",
            ConvergenceWarning,
        )
    return MixtureChoice(best, tuple(record for record, _ in fits), criterion)


def _collapsed(model: GaussianMixture, X: TableLike) -> bool:
    """Whether a component is as narrow as ``reg_covar`` keeps it, though the rows are not: what its rows are worth
    says more of that number than of them."""
    limit = float(model.reg_covar)
    if model.prior is not None or limit == 0:
        return False
    values = np.asarray(model._admit(X), dtype=np.float64)
    with np.errstate(invalid="ignore"):
        widest = np.nanvar(values, axis=0)
    if not widest.min() > WIDEST * limit:
        return False
    K, d = model.means_.shape
    least = min(np.linalg.eigvalsh(model._form.of_component(model.covariances_, k, d))[0] for k in range(K))
    return bool(least < NARROWEST * limit)


def _held_out(model: GaussianMixture, X: TableLike, cv: int) -> float | None:
    """The mean log density of rows left out; None where the other folds have too few rows for the components."""
    from sklearn.base import clone

    values = np.asarray(model._admit(X), dtype=np.float64)
    place = np.random.RandomState(0).permutation(len(values)) % cv
    if len(values) - int(np.bincount(place).max()) < max(2, model.n_components):
        return None
    total = 0.0
    for fold in range(cv):
        part = clone(model).fit(values[place != fold])
        total += float(part.score_samples(values[place == fold]).sum())
    return total / len(values)
