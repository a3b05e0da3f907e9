"""Which mixture: kinds of covariances and numbers of components in one call."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DegenerateError, ParameterError
from assay.mixture.gaussian_mixture import GaussianMixture
from assay.types import RandomState, TableLike

__all__ = ["MixtureChoice", "choose_mixture"]

KINDS = ("tied_spherical", "spherical", "diag", "tied", "full")
CRITERIA = ("bic", "icl", "aic", "held-out")


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
    n_components: Sequence[int] = tuple(range(1, 10)),
    kinds: Sequence[str] = KINDS,
    criterion: str = "bic",
    n_init: int = 3,
    cv: int = 5,
    random_state: RandomState = 0,
    **settings: Any,
) -> MixtureChoice:
    """Fit Gaussian mixtures of all kinds and sizes, and keep the best by a criterion.

    "bic" (the lower the better) asks for the density, "icl" for groups that do not overlap, "aic" for prediction, and
    "held-out" (the higher the better) is the mean log density of rows left out, by folds. Fits that collapse are left
    out.

    Cost: that of kinds times sizes fits.

    Parameters
    ----------
    X : table (n, d)
    n_components : numbers of components, default 1 to 9
    kinds : some of "tied_spherical", "spherical", "diag", "tied", "full"
    criterion : "bic", "icl", "aic" or "held-out", default "bic"
    n_init, random_state : of each fit
    cv : int, default 5
        Folds of "held-out".
    **settings : further parameters of GaussianMixture

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.mixture import choose_mixture
    >>> choice = choose_mixture(load_iris().data, n_components=[1, 2, 3])
    >>> choice.records[0]["components"], choice.records[0]["kind"]
    (2, 'full')

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
    for kind in kinds:
        if kind not in KINDS:
            raise ParameterError(f"kinds must be some of {', '.join(map(repr, KINDS))}", who=who, got=kind)
    records: list[dict[str, Any]] = []
    models = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for kind in kinds:
            for size in n_components:
                model = GaussianMixture(
                    int(size), covariance_type=kind, n_init=n_init, random_state=random_state, **settings
                )
                try:
                    model.fit(X)
                    record: dict[str, Any] = {
                        "kind": kind, "components": int(size), "log_likelihood": float(model.score_samples(X).sum()),
                        "parameters": model._n_parameters(), "bic": model.bic(X), "icl": model.icl(X),
                        "aic": model.aic(X),
                    }  # fmt: skip
                    if criterion == "held-out":
                        record["held-out"] = _held_out(model, X, cv)
                except DegenerateError:
                    continue
                records.append(record)
                models.append(model)
    if not records:
        raise DegenerateError(
            f"{who}: every mixture has collapsed. Raise reg_covar, or take fewer components."
        )
    sign = -1 if criterion == "held-out" else 1
    order = np.argsort([sign * record[criterion] for record in records], kind="stable")
    return MixtureChoice(models[order[0]], tuple(records[i] for i in order), criterion)


def _held_out(model: GaussianMixture, X: TableLike, cv: int) -> float:
    from sklearn.base import clone

    values = np.asarray(model._admit(X), dtype=np.float64)
    place = np.random.RandomState(0).permutation(len(values)) % cv
    total = 0.0
    for fold in range(cv):
        part = clone(model).fit(values[place != fold])
        total += float(part.score_samples(values[place == fold]).sum())
    return total / len(values)
