"""How many hidden states: held-out likelihood with intervals, BIC and AIC, or growing state by state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core.parameters import Count
from assay.core.seeds import random_state_of
from assay.errors import DataError, ParameterError
from assay.sequences.sequences import Sequences
from assay.types import RandomState, SequencesLike

__all__ = ["StateChoice", "StateCurve", "choose_n_states", "grow_states"]


@dataclass(frozen=True)
class StateChoice:
    """One number of states: criteria of the fit to all sequences, and what held-out ones say, for each row.

    held_out : mean log likelihood of a held-out row      low, high : its interval, over sequences
    """

    n_states: int
    n_parameters: int
    log_likelihood: float
    bic: float
    aic: float
    held_out: float
    low: float
    high: float


@dataclass(frozen=True)
class StateCurve:
    """The choices, one for each number of states."""

    choices: list[StateChoice]

    def best(self, criterion: str = "held-out") -> int:
        """The number of states that a criterion prefers: "held-out", "bic" or "aic"; the smallest of equals."""
        if criterion not in ("held-out", "bic", "aic"):
            raise ParameterError(
                f"criterion must be 'held-out', 'bic' or 'aic', got {criterion!r}.", who="StateCurve"
            )
        values = [-c.held_out if criterion == "held-out" else getattr(c, criterion) for c in self.choices]
        return self.choices[int(np.argmin(values))].n_states

    def __repr__(self) -> str:
        lines = [f"{'states':>6} {'held-out':>10} {'interval':>22} {'bic':>12} {'aic':>12}"]
        for c in self.choices:
            interval = f"{c.low:.4f} to {c.high:.4f}"
            lines.append(f"{c.n_states:>6} {c.held_out:>10.4f} {interval:>22} {c.bic:>12.2f} {c.aic:>12.2f}")
        return "\n".join(lines)


def choose_n_states(
    model: Any,
    X: SequencesLike,
    n_states: Iterable[int] = range(1, 7),
    *,
    folds: int = 5,
    confidence: float = 0.95,
    random_state: RandomState = 0,
) -> StateCurve:
    """Fit a model with several numbers of states; whole sequences are held out, fold by fold.

    Parameters
    ----------
    model : a hidden Markov model, not fitted
    X : whatever `Sequences.of` takes, at least two sequences
    n_states : the numbers to try
    folds : parts into which the sequences are dealt
    confidence : of the intervals, which are Student's over the held-out sequences

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import GaussianHMM, choose_n_states
    >>> rng = np.random.default_rng(0)
    >>> X = [np.repeat([0.0, 9.0, 0.0, 9.0], 5)[:, None] + rng.normal(size=(20, 1)) for _ in range(10)]
    >>> curve = choose_n_states(GaussianHMM(random_state=0), X, [1, 2, 3], folds=2)
    >>> curve.best("held-out"), curve.best("bic")
    (2, 2)

    See Also
    --------
    grow_states, GaussianHMM

    References
    ----------
    - Celeux, G. and Durand, J.-B. (2008). Selecting hidden Markov model state number with cross-validated likelihood.
      Computational Statistics 23, 541-564. doi:10.1007/s00180-007-0097-1
    """
    from scipy.stats import t as student

    n_states = list(n_states) if isinstance(n_states, Iterable) else n_states
    if not isinstance(n_states, list) or not n_states or not all(Count(1).holds(K) for K in n_states):
        raise ParameterError(
            "n_states must be a list of whole numbers from 1 up", who="choose_n_states", got=n_states
        )
    data = Sequences.of(X, who="choose_n_states")
    S = len(data)
    if S < 2:
        raise DataError("held-out sequences need at least two.", who="choose_n_states")
    fold = random_state_of(random_state).permutation(S) % min(folds, S)
    choices = []
    for K in n_states:
        logs = np.empty(S)
        for f in range(min(folds, S)):
            test = np.flatnonzero(fold == f)
            fitted = clone(model).set_params(n_components=K).fit(data.take(np.flatnonzero(fold != f)))
            logs[test] = fitted.log_likelihoods(data.take(test))
        whole = clone(model).set_params(n_components=K).fit(data)
        mean = logs.sum() / data.lengths.sum()
        gaps = logs - mean * data.lengths  # of a ratio of sums, by its linear part
        error = np.sqrt(np.sum(gaps**2) * S / (S - 1)) / data.lengths.sum()
        half = float(student.ppf(0.5 + confidence / 2, S - 1) * error)
        choices.append(
            StateChoice(
                K,
                whole.n_parameters(),
                whole.score(data),
                whole.bic(data),
                whole.aic(data),
                float(mean),
                mean - half,
                mean + half,
            )
        )
    return StateCurve(choices)


def grow_states(
    model: Any, X: SequencesLike, validation: SequencesLike, *, most: int = 20, random_state: RandomState = 0
) -> Any:
    """Add hidden states one by one, while the likelihood of validation sequences rises.

    Starts with one state. Each step tries, for every state, a copy of it: its incoming probability is shared equally,
    its emissions are perturbed a little; after Baum-Welch the candidate of best validation likelihood is kept. Stops
    at the first step without gain.

    Parameters
    ----------
    model : CategoricalHMM or GaussianHMM, not fitted
    X, validation : whatever `Sequences.of` takes
    most : the largest number of states

    Examples
    --------
    >>> import numpy as np
    >>> from assay.sequences import GaussianHMM, grow_states
    >>> true = GaussianHMM(2)
    >>> true.startprob_, true.transmat_ = np.array([0.5, 0.5]), np.array([[0.8, 0.2], [0.3, 0.7]])
    >>> true.means_, true.covars_ = np.array([[0.0], [9.0]]), np.ones((2, 1))
    >>> X = [true.sample(40, random_state=i)[0] for i in range(20)]
    >>> grow_states(GaussianHMM(), X[:10], X[10:]).n_components
    2

    See Also
    --------
    choose_n_states

    References
    ----------
    - Ostendorf, M. and Singer, H. (1997). HMM topology design using maximum likelihood successive state splitting.
      Computer Speech and Language 11(1), 17-41. doi:10.1006/csla.1996.0021
    """
    draw = random_state_of(random_state)
    train, held = Sequences.of(X, who="grow_states"), Sequences.of(validation, who="grow_states")
    best = clone(model).set_params(n_components=1).fit(train)
    score = best.score(held)
    while best.n_components < most:
        tried = []
        for k in range(best.n_components):
            candidate = _with_copy(best, k, draw).set_params(tol=-np.inf)  # copies part slowly at first
            candidate.fit(train)
            tried.append((candidate.score(held), candidate))
        gained, candidate = max(tried, key=lambda pair: pair[0])
        if not gained > score:
            break
        score, best = gained, candidate
    return best.set_params(init_params=model.init_params, tol=model.tol)


def _with_copy(model: Any, k: int, draw: np.random.RandomState) -> Any:
    """A model that begins with a state more: a copy of state k."""
    K = model.n_components
    order = np.array([*range(K), k])
    grown = clone(model).set_params(n_components=K + 1, init_params="")
    A = np.asarray(model.transmat_)[order][:, order]
    A[:, [k, K]] *= 0.5
    start = np.asarray(model.startprob_)[order]
    start[[k, K]] *= 0.5
    grown.startprob_, grown.transmat_ = start, A
    for name in ("means_", "emissionprob_", "lambdas_", "_covars_"):
        if name in vars(model):
            values = np.array(getattr(model, name))
            setattr(grown, name, values[order] if len(values) == K else values)
    if "means_" in vars(model):
        spread = np.sqrt(np.einsum("kii->ki", model.covars_))[k]
        push = 0.5 * spread * draw.choice([-1.0, 1.0], size=spread.shape)
        grown.means_[k] -= push
        grown.means_[K] += push
    if "emissionprob_" in vars(model):
        tilt = np.exp(draw.uniform(-1, 1, size=grown.emissionprob_.shape[1]))
        for state, factor in ((k, tilt), (K, 1 / tilt)):
            tilted = grown.emissionprob_[state] * factor
            grown.emissionprob_[state] = tilted / tilted.sum()
    if "lambdas_" in vars(model):
        grown.lambdas_[k], grown.lambdas_[K] = 0.7 * grown.lambdas_[k], 1.3 * grown.lambdas_[K]
    return grown
