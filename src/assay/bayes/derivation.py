"""Bayes' rule for one row, step by step, in fractions where the model is counts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from assay.core.explanation import Section

Number = Fraction | float

MAX_COLUMNS = 16  # columns whose likelihoods are shown, and multiplied as fractions
LONG = 10**12  # fractions with a larger denominator are shown as decimals


def whole(value: float) -> Number:
    """A count as an exact number, a weight as it is."""
    return Fraction(int(value)) if float(value).is_integer() and abs(value) < 2**53 else float(value)


def rational(value: float) -> Number:
    """A setting such as 0.5 or 0.1 as the fraction that was meant, if it is a short one.

    >>> rational(0.1), rational(1 / 3**9)
    (Fraction(1, 10), 5.080526342529086e-05)
    """
    meant = Fraction(repr(float(value)))
    return meant if meant.denominator <= 1000 else float(value)


def share(count: float, total: float, alpha: Number = Fraction(0), values: int = 1) -> Number:
    """(count + alpha) / (total + alpha * values); 1/values where that is 0/0.

    >>> print(share(4, 6), share(4, 6, Fraction(1), 3), share(0, 0, values=3))
    2/3 5/9 1/3
    """
    below = whole(total) + alpha * values
    return (whole(count) + alpha) / below if below else Fraction(1, values)


def priors(class_count: np.ndarray, class_prior: Any, fitted: bool = True) -> list[Number]:
    """The classes' priors: as given, their shares of the rows, or all the same."""
    if class_prior is not None:
        return [rational(p) for p in class_prior]
    if not fitted or not class_count.any():
        return [Fraction(1, len(class_count))] * len(class_count)
    total = class_count.sum()
    return [share(count, total) for count in class_count]


def look_up(table: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """(n, K) the entries of a (K, categories) table at n codes; 0 where the code is missing or unknown."""
    known = (codes >= 0) & (codes < table.shape[1])
    entries = np.zeros((len(codes), len(table)))
    entries[known] = table.T[codes[known].astype(np.int64)]
    return entries


def derivation(
    classes: Any,
    prior: list[Number],
    likelihoods: list[tuple[str, Any, list[Number]]],
    log_joint: np.ndarray,
    density: bool = False,
) -> list[Section]:
    """The sections of an Explanation: what goes into Bayes' rule, and what comes out.

    Parameters
    ----------
    classes : K labels
    prior : K numbers
    likelihoods : for each column its name, its value in the row (None if missing) and K numbers
    log_joint : (K,) the same product in logarithms, for when the fractions become too long
    density : whether some of the numbers are densities

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> steps = derivation(["Fuji", "Guoguang"], [F(3, 5), F(2, 5)],
    ...                    [("taste", "sour-sweet", [F(2, 3), F(3, 4)])], np.log([0.4, 0.3]))
    >>> [row[1:] for row in steps[1].rows]
    [[Fraction(2, 5), Fraction(4, 7)], [Fraction(3, 10), Fraction(3, 7)]]
    >>> steps[1].note
    'The evidence, the sum of the joints, is 7/10.'
    """
    names = [str(label) for label in classes]
    observed = [entry for entry in likelihoods if entry[1] is not None]
    lost = [name for name, value, _ in likelihoods if value is None]
    shown = (
        sorted(observed, key=_spread, reverse=True)[:MAX_COLUMNS] if len(observed) > MAX_COLUMNS else observed
    )
    notes = (
        [
            f"Left out, since missing: {', '.join(lost[:MAX_COLUMNS])}{', ...' if len(lost) > MAX_COLUMNS else ''}."
        ]
        if lost
        else []
    )
    if len(observed) > MAX_COLUMNS:
        notes.append(
            f"The {MAX_COLUMNS} columns that separate the classes most; "
            f"{len(observed) - MAX_COLUMNS} more are not shown."
        )
    if density:
        notes.append("The likelihood of a number is its density there.")
    rows = [["prior", "", *prior], *([name, value, *numbers] for name, value, numbers in shown)]
    inputs = Section("Prior and likelihoods", ["column", "value", *names], rows, " ".join(notes))
    return [inputs, _rule(names, prior, observed, log_joint)]


def _rule(
    names: list[str],
    prior: list[Number],
    observed: list[tuple[str, Any, list[Number]]],
    log_joint: np.ndarray,
) -> Section:
    """The product, its sum over the classes, and the quotient of both."""
    title = "Joint (prior times likelihoods) and posterior"
    joint = list(prior)
    if len(observed) <= MAX_COLUMNS:
        for _, _, numbers in observed:
            joint = [p * q for p, q in zip(joint, numbers)]
    exact = len(observed) <= MAX_COLUMNS and all(
        isinstance(p, Fraction) and p.denominator <= LONG for p in joint
    )
    if not exact:
        joint = [float(p) for p in np.exp(log_joint)]
    evidence = sum(joint)
    if not np.isfinite(log_joint).any():
        note = (
            "The evidence is 0: no class allows this row, so there is no posterior; the prior is the answer."
        )
        return Section(title, ["class", "joint"], [[n, p] for n, p in zip(names, joint)], note)
    top = max(joint) if exact else float(np.max(log_joint))
    best = [n for n, p in zip(names, joint if exact else log_joint.tolist()) if p == top]
    tie = f" {' and '.join(best)} tie; the first of them is the answer." if len(best) > 1 else ""
    if exact:
        rows = [[n, p, p / evidence] for n, p in zip(names, joint)]
    else:
        posterior = np.exp(log_joint - log_joint.max())
        posterior /= posterior.sum()
        rows = [[n, p, float(q)] for n, p, q in zip(names, joint, posterior)]
        if float(evidence) < 1e-100:  # too small to show: the logarithm instead
            rows = [[n, float(g), q] for (n, _, q), g in zip(rows, log_joint)]
            return Section(title, ["class", "log joint", "posterior"], rows, tie.strip())
    shown_evidence = evidence if exact else f"{float(evidence):.4g}"
    return Section(
        title,
        ["class", "joint", "posterior"],
        rows,
        f"The evidence, the sum of the joints, is {shown_evidence}.{tie}",
    )


def _spread(entry: tuple[str, Any, list[Number]]) -> float:
    """How far a column's likelihoods lie apart, as a log ratio."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([float(p) for p in entry[2]]))
    return 0.0 if np.isneginf(logs).all() else float(logs.max() - logs.min())
