"""What is odd about a target of numbers, and columns that know it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.evaluate.finding import Case, Finding, dropped
from assay.types import Floats

__all__ = ["NUMBER_CHECKS"]

FEW_DISTINCT = 10  # distinct numbers, fractions included, that may as well be classes
LARGE_SKEWNESS = 2.0  # of an exponential distribution
MANY_DEVIATIONS = 50.0  # median absolute deviations beyond which a value is called extreme
NEARLY_ONE = 0.999  # rank correlation beyond which a column is the target itself


def no_variation(case: Case) -> Iterator[Finding]:
    """Nothing to predict."""
    known = _known(case)
    if case.target is not None and len(known) and (known == known[0]).all():
        yield Finding(
            "constant-target",
            "error",
            case.target.name,
            f"every row of {case.target.name} has the value {known[0]:g}; there is nothing to predict.",
        )


def few_values(case: Case) -> Iterator[Finding]:
    """So few distinct numbers that they may be classes, or grades."""
    known = _known(case)
    distinct = len(np.unique(known))
    if case.target is not None and 1 < distinct <= min(FEW_DISTINCT, len(known) / 2):
        values = "two values" if distinct == 2 else f"{distinct} distinct values"
        yield Finding(
            "few-target-values",
            "note",
            case.target.name,
            f"{case.target.name} has {values} in {len(known)} rows; predicted numbers will lie between them.",
            'If they name classes: task="classification", with text for numbers with fractions.',
            f"If they name classes: --task classification, for numbers with fractions --nominal {case.target.name}.",
        )


def heavy_tail(case: Case) -> Iterator[Finding]:
    """A few rows so far out that they alone decide the squared error; or amounts that call for a logarithm."""
    known = _known(case)
    if case.target is None or len(known) < 20:
        return
    scale = float(np.abs(known).max())
    if not scale or not np.isfinite(scale):
        return
    z = known / scale  # of targets near the largest double, squares would overflow
    centre = float(np.median(z))
    deviation = float(np.median(np.abs(z - centre)))
    far = int((np.abs(z - centre) > MANY_DEVIATIONS * deviation).sum()) if deviation else 0
    name = case.target.name
    spread = float(z.std())
    skewness = float((((z - z.mean()) / spread) ** 3).mean()) if spread else 0.0
    if far:
        yield Finding(
            "extreme-target-values",
            "warning",
            name,
            f"{far} row{' has a' if far == 1 else 's have a'} {name} more than {MANY_DEVIATIONS:g} median absolute "
            "deviations from the median; squared errors are decided by such rows.",
            "Check them. Rank by mae, learn with a robust loss (huber), or transform the target.",
            "Check them. Rank by --metric mae, or learn with a robust loss (huber).",
        )
    elif skewness > LARGE_SKEWNESS and known.min() > 0:
        yield Finding(
            "skewed-target",
            "note",
            name,
            f"{name} is above 0 and skewed to the right (skewness {skewness:.1f}).",
            "Predicting its logarithm may serve better.",
        )


def number_in_disguise(case: Case) -> Iterator[Finding]:
    """A column that puts the rows in the order of the target."""
    if case.target is None or case.target.numbers is None or len(case.rows) < 20:
        return
    truth = case.target.numbers[case.rows]
    for j, name, _ in case.columns():
        if case.table.schema[j].coded or j in case.identifiers or not case.present[case.rows, j].all():
            continue
        x = case.values[case.rows, j]
        if len(np.unique(x)) < 10:
            continue
        correlation = _rank_correlation(x, truth)
        if abs(correlation) > NEARLY_ONE:
            yield Finding(
                "target-in-disguise",
                "warning",
                name,
                f"column {name} puts the rows in the order of {case.target.name} (rank correlation {correlation:.4f}).",
                f"Is it known before {case.target.name} is? If not, drop it.",
                f"Is it known before {case.target.name} is? If not, leave it out with {dropped(name)}.",
            )


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    from scipy.stats import rankdata

    x, y = (rankdata(v) - (len(v) + 1) / 2 for v in (a, b))
    size = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / size if size else 0.0


def _known(case: Case) -> np.ndarray:
    """The numbers that are not missing; none for classes."""
    if case.target is None or case.target.numbers is None:
        return np.empty(0)
    known: Floats = case.target.numbers[case.target.labelled]
    return known


NUMBER_CHECKS = [no_variation, few_values, heavy_tail, number_in_disguise]
