"""Several steps of Baum-Welch in one native call, for models whose emissions it knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.sequences import _baum_welch
from assay.sequences.chain import NO_WEIGHTS
from assay.sequences.families import Categorical, Gaussian, Multinomial, Poisson
from assay.sequences.sequences import Sequences

__all__ = ["Steps", "like"]

WORK_OF_A_CALL = 3e7  # multiplications, a few hundredths of a second: then Ctrl-C is heard
MOST_STEPS = 1000
KINDS = {"diag": 0, "spherical": 1, "full": 2, "tied": 3}


def like(value: Any, shape: tuple[int, ...], name: str, who: str) -> np.ndarray:
    """A number or an array as an array of this shape."""
    try:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype=np.float64), shape))
    except ValueError:
        raise ParameterError(
            f"{name} must be a number or fit the shape {shape}, its own is {np.shape(value)}.", who=who
        ) from None


@dataclass
class Steps:
    """A chain that native steps move in place.

    start : (K,)      transitions : (K, K)      params : letters of what may change
    start_prior, transition_prior : of the same shapes; -inf where nothing is possible
    """

    start: np.ndarray
    transitions: np.ndarray
    start_prior: np.ndarray
    transition_prior: np.ndarray
    params: str
    tol: float

    def take(
        self, family: Any, X: Sequences, weights: np.ndarray | None, most: int, before: float
    ) -> tuple[list[float], Any]:
        """Log likelihoods before each step taken, and the family after them; none if native code cannot go on.

        Steps end after ``most``, or when the log likelihood rises by less than ``tol``; ``before`` is the last one.
        """
        rows, K = X.values, len(self.start)
        if isinstance(family, Gaussian) and family.full and np.isnan(rows).any():
            return [], family
        per_state = rows.shape[1] ** (2 if isinstance(family, Gaussian) and family.full else 1)
        affordable = int(WORK_OF_A_CALL / (1 + len(rows) * K * (K + per_state)))
        history = np.empty(max(1, min(most, affordable, MOST_STEPS)))
        how = _baum_welch.BaumWelchSteps(
            begin=X.offsets,
            w=NO_WEIGHTS if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
            start=self.start, A=self.transitions, start_prior=self.start_prior, A_prior=self.transition_prior,
            changes_start="s" in self.params, changes_A="t" in self.params, tol=float(self.tol),
            before=float(before), history=history,
        )  # fmt: skip
        done, fresh = _of_family(how, family, rows, self.params)
        return history[:done].tolist(), fresh


def _of_family(how: Any, family: Any, X: np.ndarray, params: str) -> tuple[int, Any]:
    if isinstance(family, Categorical):
        probabilities = family.probabilities.copy()
        prior = like(family.prior, probabilities.shape, "emissionprob_prior", "CategoricalHMM")
        done = _baum_welch.of_symbols(how, family.codes(X), "e" in params, prior, probabilities)
        return done, Categorical(probabilities, family.prior)
    if isinstance(family, Gaussian):
        return _of_gaussian(how, family, X, params)
    counts, base = np.ascontiguousarray(family.counts(X)), family.base(X)
    if isinstance(family, Poisson):
        rates, who = family.rates.copy(), "PoissonHMM"
        prior = like(family.prior, rates.shape, "lambdas_prior", who)
        weight = like(family.weight, rates.shape, "lambdas_weight", who)
        done = _baum_welch.of_counts(
            how=how, X=counts, base=base, events=True, changes="l" in params, prior=prior, weight=weight,
            rates=rates,
        )  # fmt: skip
        return done, Poisson(rates, family.prior, family.weight)
    shares = family.probabilities.copy()
    none = np.zeros(shares.shape)
    done = _baum_welch.of_counts(
        how=how,
        X=counts,
        base=base,
        events=False,
        changes="e" in params,
        prior=none,
        weight=none,
        rates=shares,
    )
    return done, Multinomial(shares)


def _of_gaussian(how: Any, family: Gaussian, X: np.ndarray, params: str) -> tuple[int, Gaussian]:
    means, covars, p, who = family.means.copy(), family.covars.copy(), family.prior, family.who
    prior = _baum_welch.GaussianPriors(
        mean=like(p.mean, means.shape, "means_prior", who),
        weight=like(p.mean_weight, means.shape, "means_weight", who),
        covars=like(p.covars, covars.shape, "covars_prior", who).reshape(-1, family.d),
        covars_weight=float(p.covars_weight), floor=float(p.floor), changes_means="m" in params,
        changes_covars="c" in params,
    )  # fmt: skip
    done = _baum_welch.of_numbers(
        how, np.ascontiguousarray(X), KINDS[family.kind], prior, means, covars.reshape(-1, family.d)
    )
    return done, Gaussian(means, covars, family.kind, p, who)
