r"""Quality measures of rules, from counts alone.

Throughout, p rows that a rule covers have its class and n have another; P and N are those of all rows. Counts may
be weights, single numbers or arrays of any shape that go together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "chi_square",
    "class_entropy",
    "confidence",
    "exception_bits",
    "foil_gain",
    "irep_value",
    "laplace",
    "lift",
    "likelihood_p",
    "likelihood_ratio",
    "m_estimate",
    "penalised_error",
    "pessimistic_error",
    "rule_bits",
    "rule_value",
    "subset_bits",
    "weighted_chi_square",
]

TINY = 1e-12  # no probability that codes an event is smaller, or the event would take infinitely many bits


def confidence(p: Any, n: Any) -> Any:
    r""":math:`p/(p + n)`; 0 for a rule that covers nothing.

    >>> from assay.rulebase.measures import confidence
    >>> float(confidence(5, 1)), float(confidence(0, 0))
    (0.8333333333333334, 0.0)
    """
    p, n = _floats(p, n)
    return _share(p, p + n)


def laplace(p: Any, n: Any, k: Any = 2, beta: float = 1.0) -> Any:
    r""":math:`(p + \beta)/(p + n + k \beta)`: the confidence as if each of the k classes had :math:`\beta` more rows.

    >>> from assay.rulebase.measures import laplace
    >>> laplace([6, 5, 5], [5, 1, 0]).round(6)
    array([0.538462, 0.75    , 0.857143])
    """
    p, n = _floats(p, n)
    return _share(p + beta, p + n + np.asarray(k) * beta)


def m_estimate(p: Any, n: Any, prior: Any, m: float = 2.0) -> Any:
    r""":math:`(p + m \pi)/(p + n + m)`: the confidence as if m more rows had the class at its prior :math:`\pi`.

    With m = 0 it is the confidence; with m = k and equal priors it is Laplace's estimate.

    >>> from assay.rulebase.measures import m_estimate
    >>> float(m_estimate(5, 1, prior=6 / 11, m=2).round(6))
    0.761364
    """
    p, n = _floats(p, n)
    return _share(p + m * np.asarray(prior, np.float64), p + n + m)


def lift(p: Any, n: Any, prior: Any) -> Any:
    r""":math:`\frac{p/(p + n)}{\pi}`: how many times more frequent the class is under the rule than among all rows.

    >>> from assay.rulebase.measures import lift
    >>> float(lift(5, 1, prior=6 / 11).round(6))
    1.527778
    """
    return _share(confidence(p, n), np.asarray(prior, np.float64))


def class_entropy(counts: Any) -> Any:
    r""":math:`-\sum_j q_j \log_2 q_j` of the class shares under a rule; classes are the last axis.

    >>> from assay.rulebase.measures import class_entropy
    >>> class_entropy([[5, 5], [6, 0]])
    array([1., 0.])
    """
    counts = np.asarray(counts, np.float64)
    q = _share(counts, counts.sum(axis=-1, keepdims=True))
    return (-_xlog2(q, q).sum(axis=-1) + 0.0)[()]


def likelihood_ratio(counts: Any, totals: Any) -> Any:
    r""":math:`R = 2 \sum_j n_j \ln(n_j / n_j^e)` with :math:`n_j^e = \pi_j \sum_j n_j`.

    How far the classes of the covered rows are from those of all rows. It ignores the direction: check also
    whether the rule's own class is the one that became more frequent.

    Parameters
    ----------
    counts : (..., K) the covered rows of each class
    totals : (K,) all rows of each class, which give the priors

    Examples
    --------
    >>> from assay.rulebase.measures import likelihood_ratio
    >>> likelihood_ratio([[5, 1], [5, 0]], [6, 5]).round(6)
    array([2.231538, 6.061358])
    """
    counts, totals = _floats(counts, totals)
    prior = _share(totals, totals.sum(axis=-1, keepdims=True))
    expected = prior * counts.sum(axis=-1, keepdims=True)
    some = (counts > 0) & (expected > 0)
    ratio = np.where(some, counts, 1.0) / np.where(some, expected, 1.0)
    return np.maximum(2.0 * np.where(some, counts * np.log(ratio), 0.0).sum(axis=-1), 0.0)[()]


def chi_square(p: Any, n: Any, P: Any, N: Any) -> Any:
    r"""The chi-square of the fourfold table of covered or not and of the class or not, without continuity correction.

    .. math:: \chi^2 = \frac{T (T p - (p + n) P)^2}{(p + n)(T - p - n)\, P N}, \qquad T = P + N

    It is 0 where all rows or none are covered, or of the class.

    >>> from assay.rulebase.measures import chi_square
    >>> round(float(chi_square(5, 0, 6, 5)), 6)  # of 11 people 6 give, and all 5 above fifty who earn well
    7.638889
    """
    p, n, P, N = np.broadcast_arrays(*_floats(p, n, P, N))
    size = -np.frexp(P + N)[1]
    p, n, P, N = (
        np.ldexp(part, size) for part in (p, n, P, N)
    )  # so that products of large weights are numbers
    covered, total = p + n, P + N
    spread = np.sqrt(covered * np.maximum(total - covered, 0.0)) * np.sqrt(P * N)
    phi = np.divide(total * p - covered * P, spread, out=np.zeros(p.shape), where=spread > 0)
    return np.ldexp(total * np.minimum(phi**2, 1.0), -size)[()]


def weighted_chi_square(p: Any, n: Any, P: Any, N: Any) -> Any:
    r""":math:`(\chi^2)^2 / \max\chi^2`, where the largest one covers as many rows, and as many of the class as can be.

    >>> from assay.rulebase.measures import weighted_chi_square
    >>> round(float(weighted_chi_square(5, 1, 6, 5)), 6)  # 4.412222 of at most 11
    1.769791
    """
    p, n, P, N = np.broadcast_arrays(*_floats(p, n, P, N))
    best = np.minimum(p + n, P)
    chi, most = chi_square(p, n, P, N), chi_square(best, p + n - best, P, N)
    return (chi * np.divide(chi, most, out=np.zeros(p.shape), where=most > 0))[()]


def likelihood_p(statistic: Any, k: Any) -> Any:
    r"""The probability of such a likelihood ratio by chance: the upper tail of :math:`\chi^2_{k-1}`, k classes.

    >>> from assay.rulebase.measures import likelihood_p
    >>> likelihood_p([2.231538, 6.061358], 2).round(4)
    array([0.1352, 0.0138])
    """
    from scipy.special import chdtrc

    statistic, freedom = np.asarray(statistic, np.float64), np.asarray(k, np.float64) - 1
    return np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), statistic), 1.0)[()]


def foil_gain(p0: Any, n0: Any, p1: Any, n1: Any, s: Any = None) -> Any:
    r"""FOIL's information gain: the bits that one more condition saves in coding the positives.

    .. math:: s \left(\log_2 \frac{p_1}{p_1 + n_1} - \log_2 \frac{p_0}{p_0 + n_0}\right)

    Parameters
    ----------
    p0, n0 : covered rows of the class and of others before the condition was added
    p1, n1 : and after it
    s : the positives that stay positive; None takes p1, which is right for conditions on columns
        A gain without any positive is 0.

    Examples
    --------
    >>> from assay.rulebase.measures import foil_gain
    >>> foil_gain([6, 5, 5, 10], [5, 1, 5, 10], [5, 5, 4, 6], [1, 0, 0, 2]).round(6)
    array([3.057174, 1.315172, 4.      , 3.509775])
    """
    p0, n0, p1, n1 = _floats(p0, n0, p1, n1)
    s = p1 if s is None else np.asarray(s, np.float64)
    some = (p1 > 0) & (p0 > 0)
    after = np.where(some, p1, 1.0) / np.where(some, p1 + n1, 1.0)
    before = np.where(some, p0, 1.0) / np.where(some, p0 + n0, 1.0)
    return np.where(some, s * (np.log2(after) - np.log2(before)), 0.0)[()]


def rule_value(p: Any, n: Any) -> Any:
    r""":math:`(p - n)/(p + n)`, which RIPPER prunes by; 0 for a rule that covers nothing.

    >>> from assay.rulebase.measures import rule_value
    >>> float(rule_value(7, 3))
    0.4
    """
    p, n = _floats(p, n)
    return _share(p - n, p + n)


def irep_value(p: Any, n: Any, P: Any, N: Any) -> Any:
    r""":math:`(p + N - n)/(P + N)`, which IREP prunes by: the share of all rows that the rule classifies correctly.

    >>> from assay.rulebase.measures import irep_value
    >>> float(irep_value(5, 1, 6, 5).round(6))
    0.818182
    """
    p, n, P, N = _floats(p, n, P, N)
    return _share(p + N - n, P + N)


def pessimistic_error(errors: Any, n: Any, confidence: float = 0.25) -> Any:
    r"""The upper limit of an error rate, given errors among n rows: the p that makes so few errors improbable.

    .. math:: P(\text{Binomial}(n, p) \le e) = \text{confidence}

    With no row at all it is 1.

    >>> from assay.rulebase.measures import pessimistic_error
    >>> pessimistic_error([0, 0, 1], [6, 9, 16]).round(3)
    array([0.206, 0.143, 0.16 ])
    """
    from scipy.special import betaincinv

    errors, n = np.asarray(errors, np.float64), np.asarray(n, np.float64)
    errors = np.clip(errors, 0, n)
    some = n - errors > 0
    limit = betaincinv(errors + 1, np.where(some, n - errors, 1.0), 1 - confidence)
    return np.where(some, limit, 1.0)[()]


def penalised_error(errors: Any, n: Any, conditions: Any, delta: float = 0.5) -> Any:
    r""":math:`(e + \delta m)/n` for a rule of m conditions that errs e times among n rows; 1 if there is no row.

    >>> from assay.rulebase.measures import penalised_error
    >>> float(penalised_error(1, 10, 2))
    0.2
    """
    errors, n, m = _floats(errors, n, conditions)
    some = n > 0
    return np.where(some, (errors + delta * m) / np.where(some, n, 1.0), 1.0)[()]


def subset_bits(n: Any, k: Any, p: Any) -> Any:
    r""":math:`S(n, k, p) = -k \log_2 p - (n - k) \log_2(1 - p)`: bits to code which k of n, each expected with p.

    0 log 0 is 0, and nothing takes more than 40 bits: p is kept :math:`10^{-12}` away from what would rule out what
    happened.

    >>> from assay.rulebase.measures import subset_bits
    >>> float(subset_bits(8, 4, 0.5)), float(subset_bits(8, 0, 0.0))
    (8.0, 0.0)
    """
    n, k, p = _floats(n, k, p)
    others = n - k
    yes = np.where(k > 0, k * np.log2(np.maximum(p, TINY)), 0.0)
    no = np.where(others > 0, others * np.log2(np.maximum(1.0 - p, TINY)), 0.0)
    return (0.0 - yes - no)[()]


def rule_bits(m: Any, q: Any) -> Any:
    r"""The description length of a rule with m of q possible conditions.

    .. math:: \tfrac12 \left(\log_2^* m + S(q, m, m/q)\right), \quad \log_2^* m = \log_2 m + 2 \log_2 \log_2 m

    :math:`\log_2^* 1 = 0`; no condition takes no bit. Half, because the same rule can be written in many orders.

    >>> from assay.rulebase.measures import rule_bits
    >>> rule_bits([0, 1, 2, 3], 20).round(6)
    array([0.      , 2.86397 , 5.189956, 7.555333])
    """
    m, q = _floats(m, q)
    size = np.log2(np.maximum(m, 1.0))
    size = size + 2.0 * np.log2(np.maximum(size, 1.0))
    q = np.maximum(q, m)
    return np.where(m > 0, 0.5 * (size + subset_bits(q, m, _share(m, q))), 0.0)[()]


def exception_bits(covered: Any, uncovered: Any, fp: Any, fn: Any, share: Any = 0.5) -> Any:
    r"""Bits to code the errors of the rules of one class: fp of the c covered rows, fn of the u uncovered ones.

    .. math:: \log_2(c + u + 1) + \begin{cases}
        S(c, fp, \rho e/c) + S(u, fn, fn/u) & c > u \\
        S(c, fp, fp/c) + S(u, fn, (1 - \rho) e/u) & \text{else} \end{cases} \qquad e = fp + fn

    Parameters
    ----------
    share : float, default 0.5
        :math:`\rho`, the share of false positives that is expected among the errors.

    Examples
    --------
    >>> from assay.rulebase.measures import exception_bits
    >>> exception_bits([40, 60, 0], [60, 40, 100], [4, 4, 0], [6, 6, 40]).round(6)
    array([ 53.706478,  52.421403, 118.851021])
    """
    c, u, fp, fn, share = _floats(covered, uncovered, fp, fn, share)
    e, more = fp + fn, c > u
    of_covered = np.where(more, _share(share * e, c), _share(fp, c))
    of_rest = np.where(more, _share(fn, u), _share((1.0 - share) * e, u))
    bits = np.log2(c + u + 1.0) + subset_bits(c, fp, np.clip(of_covered, 0.0, 1.0))
    return (bits + subset_bits(u, fn, np.clip(of_rest, 0.0, 1.0)))[()]


def _floats(*values: Any) -> list[np.ndarray]:
    return [np.asarray(value, np.float64) for value in values]


def _share(part: Any, whole: Any) -> Any:
    """part / whole, 0 where there is no whole."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)[()]


def _xlog2(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """x log2 q, 0 where x is 0."""
    some = x > 0
    return np.where(some, x * np.log2(np.where(some, q, 1.0)), 0.0)
