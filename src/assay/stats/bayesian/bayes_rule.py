"""Bayes' rule: from priors and conditionals to joint, evidence and posterior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, DegenerateError, ParameterError
from assay.sentence import Sentence
from assay.stats.bayesian.posterior import POLICIES, log_posterior, without_evidence
from assay.stats.bayesian.probabilities import (
    all_rational,
    as_fractions,
    check_likelihoods,
    is_one,
    read_likelihoods,
    read_priors,
)
from assay.stats.checks import one_of

TIE = 1e-12  # relative difference below which two floating-point posteriors are called equal


@dataclass(frozen=True)
class BayesResult(Sentence):
    """Result of `bayes_rule`, for one observation or for one per row.

    classes : tuple of K names      rows : tuple of n names, or None for a single observation
    priors : (K,)      likelihoods, joint, posterior : (K,) or (n, K)      evidence : number or (n,)

    Numbers are `Fraction` in object arrays if every input was a fraction or an
    integer (`exact`), else floats.
    """

    classes: tuple[Any, ...]
    rows: tuple[Any, ...] | None
    priors: NDArray[Any]
    likelihoods: NDArray[Any]
    joint: NDArray[Any]
    evidence: Any
    posterior: NDArray[Any]
    exact: bool

    def __getitem__(self, row: Any) -> BayesResult:
        """The result for one named row."""
        if self.rows is None:
            raise KeyError("BayesResult: a single observation has no rows to choose from.")
        if row not in self.rows:
            raise KeyError(f"BayesResult: no row {row!r}; rows are {', '.join(map(repr, self.rows))}.")
        i = self.rows.index(row)
        return BayesResult(
            self.classes,
            None,
            self.priors,
            self.likelihoods[i],
            self.joint[i],
            self.evidence[i],
            self.posterior[i],
            self.exact,
        )

    @property
    def ties(self) -> Any:
        """The classes that share the largest posterior: a tuple, or one tuple per row."""
        tied_classes = [
            tuple(name for name, is_best in zip(self.classes, row) if is_best)
            for row in self._best(np.atleast_2d(self.posterior))
        ]
        return tied_classes[0] if self.rows is None else tied_classes

    @property
    def decision(self) -> Any:
        """The class of largest posterior, the first of `classes` in a tie: a name, or one per row."""
        decisions = [tied[0] if tied else None for tied in ([self.ties] if self.rows is None else self.ties)]
        return decisions[0] if self.rows is None else decisions

    @property
    def error(self) -> Any:
        """Probability that the decision is wrong, 1 - max posterior: a number, or one per row."""
        return 1 - self.posterior.max(axis=-1)

    @property
    def mean_error(self) -> Any:
        """Bayes error: the error averaged over rows that are all the values of one variable."""
        if self.rows is None:
            raise ParameterError(
                "BayesResult: an average error needs a table of all observations, there is one only."
            )
        total = self.evidence.sum()
        if not is_one(total):
            raise DataError(
                f"BayesResult: the evidences of the rows sum to {total}, not 1, so values are missing."
            )
        return 1 - self.joint.max(axis=-1).sum()

    def __str__(self) -> str:
        lines = []
        for i, name in enumerate(self.rows or ("",)):
            likelihoods, joint, posterior = (
                np.atleast_2d(part)[i] for part in (self.likelihoods, self.joint, self.posterior)
            )
            evidence = self.evidence if self.rows is None else self.evidence[i]
            lines.append(f"{name}  evidence {_show(evidence)}".strip())
            for k, c in enumerate(self.classes):
                lines.append(
                    f"  {c}: prior {_show(self.priors[k])} x likelihood {_show(likelihoods[k])}"
                    f" = {_show(joint[k])}, posterior {_show(posterior[k])}"
                )
        return "\n".join(lines)

    def _best(self, posterior: NDArray[Any]) -> NDArray[np.bool_]:
        best = posterior.max(axis=-1, keepdims=True)
        return posterior == best if self.exact else posterior >= best * (1 - TIE)


def bayes_rule(
    priors: Mapping[Any, Any] | ArrayLike,
    likelihoods: Mapping[Any, Any] | ArrayLike,
    *,
    log: bool = False,
    zero_evidence: str = "raise",
) -> BayesResult:
    r"""Posterior probabilities of the classes from their priors and likelihoods.

    .. math:: P(C_k|x) = \frac{P(x|C_k)\,P(C_k)}{\sum_j P(x|C_j)\,P(C_j)}                  \quad (1)

    The numerator is the joint, the denominator the evidence. Fractions and
    integers stay exact; floats go through logarithms, so likelihoods of many
    factors do not vanish.

    Parameters
    ----------
    priors : mapping from class to probability, or K probabilities
        They must sum to 1.
    likelihoods : mapping from class to number, or array (K,) or (n, K)
        P(x|C_k) of what was observed; densities will do. A mapping from class
        to a mapping from value to probability is a table: one row per value.
    log : bool, default False
        The likelihoods are given as logarithms.
    zero_evidence : "raise", "prior" or "nan", default "raise"
        What becomes of an observation that is impossible under every class:
        an error, the priors, or NaN with a `ZeroEvidenceWarning`.

    Examples
    --------
    A test for a rare disease comes out positive:

    >>> r = bayes_rule({"ill": 1e-6, "well": 1 - 1e-6}, {"ill": 0.99, "well": 1e-3})
    >>> round(float(r.posterior[0]), 8)
    0.00098902

    Apples by taste, in fractions:

    >>> from fractions import Fraction as F
    >>> taste = {"Fuji": {"sweet": F(2, 6), "sour-sweet": F(4, 6)},
    ...          "Guoguang": {"sweet": F(1, 4), "sour-sweet": F(3, 4)}}
    >>> apples = bayes_rule({"Fuji": F(6, 10), "Guoguang": F(4, 10)}, taste)
    >>> print(apples["sour-sweet"])
    evidence 7/10
      Fuji: prior 3/5 x likelihood 2/3 = 2/5, posterior 4/7
      Guoguang: prior 2/5 x likelihood 3/4 = 3/10, posterior 3/7

    See Also
    --------
    bayes_rule_from_counts, bayes_theorem, log_posterior

    References
    ----------
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    """
    one_of(zero_evidence, POLICIES, "bayes_rule", "zero_evidence")
    classes, P = read_priors(priors)
    rows, L = read_likelihoods(likelihoods, classes)
    exact = not log and all_rational(P) and all_rational(L)
    if exact:
        P, L = as_fractions(P), as_fractions(L)
        check_likelihoods(L, log)
        joint = P * L
        evidence = joint.sum(axis=1)
        impossible = evidence == 0
        posterior = joint / (evidence + impossible)[:, None]  # (1)
    else:
        P, L = P.astype(float), L.astype(float)
        check_likelihoods(L, log)
        with np.errstate(divide="ignore"):
            log_joint = np.log(P) + (L if log else np.log(L))
        posterior, log_evidence = log_posterior(log_joint, zero_evidence="raw")
        joint, evidence = np.exp(log_joint), np.exp(log_evidence)
        L = np.exp(L) if log else L
        impossible = log_evidence == -np.inf
    posterior = without_evidence(
        posterior, impossible, zero_evidence, P, rows if isinstance(likelihoods, Mapping) else None
    )
    if rows is None:
        return BayesResult(classes, None, P, L[0], joint[0], evidence[0], posterior[0], exact)
    return BayesResult(classes, rows, P, L, joint, evidence, posterior, exact)


def bayes_rule_from_counts(
    counts: Mapping[Any, Mapping[Any, int]], *, zero_evidence: str = "raise"
) -> BayesResult:
    """Bayes' rule on a table of counts {class: {value: count}}, exactly.

    Priors are class shares, conditionals are shares within the class. A value
    absent from a class was counted 0 times there.

    >>> taste = {"Fuji": {"sweet": 2, "sour-sweet": 4}, "Guoguang": {"sweet": 1, "sour-sweet": 3}}
    >>> r = bayes_rule_from_counts(taste)
    >>> print(r["sweet"].posterior[0], r.mean_error)
    2/3 2/5
    """
    totals = {c: sum(row.values()) for c, row in counts.items()}
    for c, m in totals.items():
        if m <= 0 or any(v < 0 for v in counts[c].values()):
            raise DataError(
                f"bayes_rule_from_counts: class {c!r} needs positive counts, got {dict(counts[c])}."
            )
    values = list(dict.fromkeys(v for row in counts.values() for v in row))
    n = sum(totals.values())
    priors = {c: Fraction(m, n) for c, m in totals.items()}
    table = {c: {v: Fraction(counts[c].get(v, 0), totals[c]) for v in values} for c in counts}
    return bayes_rule(priors, table, zero_evidence=zero_evidence)


def bayes_theorem(prior: Any, likelihood: Any, evidence: Any) -> Any:
    r"""Probability of a cause D after an effect E: :math:`P(D|E) = P(E|D)P(D)/P(E)`.

    For two events whose three probabilities are known; exact for fractions.
    Impossible combinations (P(E) below P(E and D)) are refused.

    >>> from fractions import Fraction as F
    >>> print(bayes_theorem(prior=F(6, 11), likelihood=F(5, 6), evidence=F(6, 11)))
    5/6
    """
    for name, value in (("prior", prior), ("likelihood", likelihood), ("evidence", evidence)):
        if not 0 <= value <= 1:
            raise ParameterError(f"bayes_theorem: {name} must be a probability from 0 to 1, got {value}.")
    if evidence == 0:
        raise DegenerateError(
            "bayes_theorem: the evidence is 0, so nothing can be learned from an effect that never occurs."
        )
    exact = all(isinstance(v, Rational) for v in (prior, likelihood, evidence))
    joint = Fraction(prior) * Fraction(likelihood) if exact else prior * likelihood
    if joint > evidence * (1 if exact else 1 + 1e-12):
        raise DataError(
            f"bayes_theorem: cause and effect together have probability {joint}, "
            f"more than the effect alone ({evidence})."
        )
    return joint / evidence if exact else min(joint / evidence, 1.0)


def _show(value: Any) -> str:
    return str(value) if isinstance(value, Fraction) else f"{float(value):.6g}"
