"""Which rules of a class are worth their description, and in which order the classes stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.rulebase.measures import exception_bits, rule_bits
from assay.rulebase.shortening import single_conditions

__all__ = ["class_order", "possible_conditions", "shortest_subset", "theory_bits"]


def possible_conditions(X: np.ndarray, n_categories: np.ndarray) -> int:
    """How many conditions there are to choose from: one for each category, two for each distinct number."""
    total = 0
    for j, r in enumerate(n_categories):
        total += int(r) if r else 2 * len(np.unique(X[~np.isnan(X[:, j]), j]))
    return total


def theory_bits(rules: Any, possible: int) -> np.ndarray:
    """(R,) the bits to code each rule; an interval counts as two conditions.

    RIPPER's measure without its factor 1/2, which ``theory_weight`` stands for here.
    """
    sizes = [sum(len(single_conditions(c)) for c in rule.conditions) for rule in rules]
    return 2 * np.atleast_1d(rule_bits(np.array(sizes, float), possible)).astype(np.float64)


def shortest_subset(
    covered: Any, target: np.ndarray, w: np.ndarray, bits: np.ndarray, theory_weight: float = 0.5
) -> np.ndarray:
    r"""(R,) bool: the rules of one class that describe it shortest, found greedily from all of them.

    A set of rules takes the bits of its exceptions, plus ``theory_weight`` times the bits of its rules. Each step drops
    the rule, or takes one back, whose change shortens that most.

    Parameters
    ----------
    covered : (n, R) bool, dense or SciPy sparse      target : (n,) bool, which rows are of the class
    w : (n,)      bits : (R,)

    Examples
    --------
    The second rule covers nothing that the first does not:

    >>> from assay.rules.covering.rule_selection import shortest_subset
    >>> covered = np.array([[1, 1], [1, 0], [1, 0], [0, 0]], bool)
    >>> target = np.array([1, 1, 1, 0], bool)
    >>> shortest_subset(covered, target, np.ones(4), np.array([5.0, 5.0]))
    array([ True, False])
    """
    from scipy.sparse import csc_matrix

    fires = csc_matrix(covered, dtype=np.float64)
    R = fires.shape[1]
    stays = np.ones(R, bool)
    sides = np.column_stack([w * target, w * ~target])  # right, wrong
    total = sides.sum(axis=0)
    times = np.asarray(fires.sum(axis=1)).ravel()  # by how many rules of the set a row is covered
    inside = sides[times > 0].sum(axis=0)

    def length(inside: np.ndarray, theory: Any) -> Any:
        right, wrong = inside[..., 0], inside[..., 1]
        c = right + wrong
        return exception_bits(c, total.sum() - c, wrong, total[0] - right) + theory_weight * theory

    best = float(length(inside, bits.sum()))
    for _ in range(4 * R + 1):
        if not R:
            break
        alone = np.asarray(fires.T @ (sides * (times == 1)[:, None]))  # lost if a rule goes
        new = np.asarray(fires.T @ (sides * (times == 0)[:, None]))  # won if it comes
        after = np.maximum(inside + np.where(stays[:, None], -alone, new), 0.0)
        lengths = length(after, bits[stays].sum() + np.where(stays, -bits, bits))
        r = int(np.argmin(lengths))
        if not lengths[r] < best - 1e-9:
            break
        best, inside = float(lengths[r]), after[r]
        times = times + (-1 if stays[r] else 1) * fires[:, [r]].toarray().ravel()
        stays[r] = not stays[r]
    return stays


def class_order(
    by: str,
    covered: np.ndarray,
    answers: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    bits: np.ndarray,
    theory_weight: float = 0.5,
) -> list[int]:
    r"""The classes in the order in which their rules are tried.

    "false_positives": the class whose rules cover the least weight of other classes first. "mdl": the class with the
    smallest ``theory_weight`` times the bits of its rules, plus that weight, first. Ties: the smaller class.

    Parameters
    ----------
    covered : (n, R) bool      answers : (R,) class codes      y : (n,)      w : (n,)      bits : (R,)
    """
    K = int(max(y.max(initial=0), answers.max(initial=0))) + 1
    size = np.bincount(y, w, minlength=K)
    keys = []
    for k in range(K):
        of_class = answers == k
        false = float(w[covered[:, of_class].any(axis=1) & (y != k)].sum())
        theory = theory_weight * float(bits[of_class].sum()) if by == "mdl" else 0.0
        keys.append((round(theory + false, 9), float(size[k]), k))
    return [k for _, _, k in sorted(keys)]
