"""Folds that disagree more than chance allows: rows that are not alike, or not in one place by chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.evaluate.doubts import Doubt
from assay.evaluate.finding import Finding, listed
from assay.types import Floats

__all__ = ["FOLD_DOUBTS"]

_DRAWS = 9999
_LEVEL = 0.01  # over all learners together


def folds_disagree(case: Doubt) -> Iterator[Finding]:
    r"""Errors are spread over the folds less evenly than if the wrong rows had been dealt out by chance.

    .. math:: X^2 = \sum_j \frac{(e_j - n_j \bar e)^2}{n_j \bar e (1 - \bar e)}

    for folds of :math:`n_j` rows with :math:`e_j` errors, against its distribution when the same number of errors is
    dealt to the rows at random (9999 deals, fixed seed).
    """
    places = case.result.places
    first = [j for j, place in enumerate(places) if place[0] == places[0][0]]
    if not 3 <= len(first) <= 100 or not case.counts_errors:  # with a row or two a fold nothing can be uneven
        return
    size = np.array([len(case.result.tests[j]) for j in first])
    uneven: list[tuple[str, np.ndarray]] = []
    for name in case.ranked:
        if name in case.blind:
            continue
        cells = [case.result.cells[name][j] for j in first]
        errors = np.array([int(np.sum(c.answer != case.result.truths[j])) for c, j in zip(cells, first)])
        if _p(errors, size) * len(case.ranked) <= _LEVEL:
            uneven.append((name, errors))
    if not uneven:
        return
    name, errors = uneven[0]
    rate, mean = errors / size, errors.sum() / size.sum()
    part = _parts(errors[None], size)[0]
    worst = int(np.argmax(part))
    fact = (
        f"folds disagree more than chance allows: {name} has an error from {rate.min():.3f} to {rate.max():.3f} on "
        f"{len(first)} folds"
    )
    if part[worst] > part.sum() / 2:
        rows = case.result.tests[first[worst]]
        elsewhere = (errors.sum() - errors[worst]) / (size.sum() - size[worst])
        fact += f"; fold {places[first[worst]][1]} stands out, {rate[worst]:.3f} against {elsewhere:.3f} elsewhere"
        fact += f" ({case.result.row_names.listed(rows)})"
    also = [n for n, _ in uneven[1:]]
    fact += f"; so {'does' if len(also) == 1 else 'do'} {listed(also)}" if also else ""
    yield Finding(
        "folds-disagree",
        "warning" if np.ptp(rate) > max(0.1, mean) else "note",
        (),
        f"{fact}. Rows may come from different sources, times or groups.",
        "Look at them, and split by what sets them apart: groups= or times=.",
        "Look at them, and split by what sets them apart: --group or --time.",
        name,
    )


def _p(errors: np.ndarray, size: np.ndarray) -> float:
    """The share of random deals that are at least as uneven, the one seen among them."""
    total = int(errors.sum())
    if total in (0, int(size.sum())):
        return 1.0
    dealt = np.random.default_rng(0).multivariate_hypergeometric(size, total, size=_DRAWS, method="marginals")
    uneven = _parts(dealt, size).sum(axis=1)
    return (1 + int(np.sum(uneven >= _parts(errors[None], size).sum() - 1e-9))) / (1 + _DRAWS)


def _parts(errors: np.ndarray, size: np.ndarray) -> Floats:
    """(m, J) what each fold adds to the statistic."""
    mean = errors[:1].sum() / size.sum()
    parts: Floats = (errors - size * mean) ** 2 / (size * mean * (1 - mean))
    return parts


FOLD_DOUBTS = [folds_disagree]
