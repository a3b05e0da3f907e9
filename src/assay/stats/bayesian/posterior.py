"""Posteriors of many rows from their log joint probabilities, and what to do where all are impossible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.stats.checks import one_of
from assay.tables.row_names import row_name

POLICIES = ("raise", "prior", "nan")


class ZeroEvidenceWarning(DegenerateWarning):
    """An observation has likelihood 0 under every class, so its posterior is 0/0.

    >>> import warnings
    >>> from assay.stats import bayes_rule
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = bayes_rule([0.4, 0.6], [0.0, 0.0], zero_evidence="nan")
    >>> print(caught[0].category.__name__, caught[0].message, sep=": ")
    ZeroEvidenceWarning: ...
    """


def log_posterior(
    log_joint: ArrayLike, *, zero_evidence: str = "raise", priors: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Posterior, (n, K), and log evidence, (n,), of rows of log P(x, k).

    Vectorised, for learners. `zero_evidence` as in
    `bayes_rule` ("prior" needs `priors`); "raw" leaves zeros in such rows.

    >>> posterior, log_evidence = log_posterior([[-1000.0, -1000.0], [-5.0, -np.inf]])
    >>> posterior
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    one_of(zero_evidence, (*POLICIES, "raw"), "log_posterior", "zero_evidence")
    scores = np.asarray(log_joint, dtype=float)
    if scores.ndim != 2 or not scores.shape[1] or np.isnan(scores).any() or (scores == np.inf).any():
        raise DataError("log_posterior: expected (n, K) log probabilities, finite or minus infinity.")
    top = scores.max(axis=1)
    impossible = top == -np.inf
    top[impossible] = 0
    posterior = np.exp(scores - top[:, None])
    total = posterior.sum(axis=1)
    with np.errstate(divide="ignore"):
        log_evidence = top + np.log(total)
    posterior /= np.where(impossible, 1, total)[:, None]
    if zero_evidence != "raw":
        if zero_evidence == "prior" and priors is None:
            raise ParameterError('log_posterior: zero_evidence="prior" needs the priors.')
        posterior = without_evidence(posterior, impossible, zero_evidence, np.asarray(priors), None)
    return posterior, log_evidence


def without_evidence(
    posterior: NDArray[Any], impossible: NDArray[np.bool_], policy: str, priors: NDArray[Any], rows: Any
) -> NDArray[Any]:
    """Fill the rows without evidence according to the policy; ``rows`` are the values that they stand for, or None."""
    if not np.any(impossible):
        return posterior
    i = int(np.argmax(impossible))
    which = (
        (row_name(i) if rows is None else f"value {rows[i]!r}") if len(posterior) > 1 else "the observation"
    )
    sentence = f"{which} has evidence 0: every class calls it impossible, so its posterior is 0/0."
    if policy == "raise":
        raise DegenerateError(
            f'bayes_rule: {sentence} Smooth the conditionals, or choose zero_evidence="prior" or "nan".'
        )
    if policy == "nan":
        warn_user(f"bayes_rule: {sentence}", ZeroEvidenceWarning)
        posterior = posterior.astype(float)
    posterior[impossible] = np.nan if policy == "nan" else priors
    return posterior
