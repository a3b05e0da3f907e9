"""Traces of preparation before the split: scaling, filling, oversampling, selection by rows that are to be tested."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.evaluate.finding import Case, Finding, listed
from assay.evaluate.selected_beforehand import selected_beforehand
from assay.types import Bools, Floats

__all__ = ["BEFOREHAND_CHECKS"]

_FINE = 20  # distinct numbers from which on a column counts as measured


def scaled_beforehand(case: Case) -> Iterator[Finding]:
    """Mean 0 and standard deviation 1, or from 0 to 1, exactly, over all rows."""
    n = len(case.values)
    if n < 20:
        return
    close = 1e-5 if n <= 100_000 else 1e-6
    standard, ranged, measured = [], [], 0
    for _, name, known in _measured(case):
        measured += 1
        mean = float(known.mean())
        if abs(mean) < close:
            spread = float(known.std())
            if abs(spread - 1) < close or abs(spread * np.sqrt(len(known) / (len(known) - 1)) - 1) < close:
                standard.append(name)
        elif known.min() == 0 and abs(float(known.max()) - 1) < 1e-9 and _few(known):
            ranged.append(name)
    for names, words in (
        (standard, "mean 0 and standard deviation 1"),
        (ranged, "0 as least and 1 as greatest value"),
    ):
        if names and (names is standard or (len(names) >= 3 and len(names) == measured)):
            have = "has" if len(names) == 1 else "have"
            yield Finding(
                "scaled-before-split",
                "note",
                tuple(names),
                f"column{'' if len(names) == 1 else 's'} {listed(names)} {have} {words} over all rows: scaled "
                "before the split, by the rows that are to test, too.",
                "Bring the numbers as they were measured; compare scales inside each fold.",
            )


def _few(known: np.ndarray) -> bool:
    """Whether few values are at either end: many are where a scale ends by nature, as with shares and grey levels."""
    most = max(3, len(known) // 100)
    return bool((known <= known.min()).sum() <= most and (known >= known.max() - 1e-9).sum() <= most)


def filled_beforehand(case: Case) -> Iterator[Finding]:
    """Many rows with exactly the mean, or the median, of a column: missing values imputed over all rows."""
    n = len(case.values)
    least = max(5, 0.005 * n)
    for _, name, known in _measured(case):
        mean, spread = float(known.mean()), float(known.std())
        for word, at in (("mean", np.abs(known - mean) <= 1e-6 * spread), ("median", _at_median(known))):
            count = int(at.sum())
            if count < least or count > 0.95 * n or np.ptp(known[at]) > 0:
                continue
            _, others = np.unique(known[~at], return_counts=True)
            mean_of_all_rows = word == "mean" and not _short(known[at][:1]) and _short(known[~at][:1000])
            if count >= 5 * others.max() or mean_of_all_rows:
                yield Finding(
                    "filled-before-split",
                    "note",
                    name,
                    f"{count} rows ({count / n:.1%}) of column {name} hold exactly its {word} ({known[at][0]:g}): "
                    "missing values were filled before the split, by the rows that are to test, too.",
                    "Leave them empty; compare fills them inside each fold.",
                )
                break


def _at_median(known: Floats) -> Bools:
    """(m,) bool; nowhere if the median is 0, or half of the rows have it: so are counts and gains by nature."""
    at = known == np.median(known)
    at_median: Bools = at & (at.sum() < len(known) / 2) & (known != 0)
    return at_median


def _short(values: np.ndarray) -> bool:
    """Whether numbers have four decimals at most, as measurements have and means do not."""
    scaled = 1e4 * values
    return bool((np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1.0)).all())


def oversampled(case: Case) -> Iterator[Finding]:
    """Classes exactly even, and one of them made of copies, or of numbers between whole ones."""
    if case.target is None or not case.classes_usable:
        return
    y = case.target.codes[case.labelled]
    counts = np.bincount(y)
    if len(y) < 40 or np.ptp(counts) > 0:
        return
    made = _copied(case, y) or _between(case, y)
    if made:
        yield Finding(
            "oversampled-before-split",
            "warning",
            case.target.name,
            f"all classes have exactly {counts[0]} rows, and {made}: rows seem to have been multiplied before "
            "the split, so that test rows have their likes in training.",
            "Split first; multiply, or weigh, in training rows alone.",
        )


def _copied(case: Case, y: np.ndarray) -> str:
    """Which class is made of copies while another has next to none; else ""."""
    if case.equal is None or case.target is None:
        return ""
    kind = case.equal[case.labelled]
    share = []
    for k in range(int(y.max()) + 1):
        kinds_of_class = kind[y == k]
        share.append(1 - len(np.unique(kinds_of_class)) / len(kinds_of_class))
    k = int(np.argmax(share))
    return (
        f"{share[k]:.1%} of {case.target.labels[k]} are copies"
        if share[k] > 0.2 and min(share) < 0.02
        else ""
    )


def _between(case: Case, y: np.ndarray) -> str:
    """Which class has fractions in a column that has whole numbers alone in another class; else ""."""
    if case.target is None:
        return ""
    for j, name, known in _measured(case):
        if len(known) < len(case.values):
            continue
        x = case.values[case.labelled, j]
        parts = np.bincount(y, weights=x != np.floor(x)) / np.bincount(y)
        k, whole = int(np.argmax(parts)), int(np.argmin(parts))
        if parts[whole] == 0 and parts[k] > 0.2 and len(np.unique(x[y == whole])) > 10:
            return (
                f"in column {name} the class {case.target.labels[k]} has numbers between whole ones, "
                f"{case.target.labels[whole]} has none"
            )
    return ""


def _measured(case: Case) -> Iterator[tuple[int, str, np.ndarray]]:
    """The columns of numbers with many values, names of rows aside."""
    for j, name, known in case.columns():
        column = case.table.schema[j]
        if column.coded or column.date or j in case.identifiers or len(known) < _FINE:
            continue
        if len(np.unique(known[:1000])) >= _FINE:
            yield j, name, known


BEFOREHAND_CHECKS = [scaled_beforehand, filled_beforehand, oversampled, selected_beforehand]
