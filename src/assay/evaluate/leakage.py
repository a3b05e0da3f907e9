"""Columns that know the class: the target in disguise, under other names, by missing values, by averages of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from assay.evaluate.design import Resampling
from assay.evaluate.finding import Case, Finding, dropped

__all__ = ["LEAKAGE_CHECKS", "words_of"]

_GENERIC = {
    "class",
    "target",
    "label",
    "labels",
    "y",
    "type",
    "outcome",
    "result",
    "category",
    "group",
    "id",
    "is",
}
_OUTCOME = {"target", "label", "outcome", "groundtruth", "predicted", "prediction", "predictions"}


def target_in_disguise(case: Case) -> Iterator[Finding]:
    """A column that tells the classes apart alone, in rows it has not seen."""
    if not case.classes_usable or case.blind < 0.02:
        return
    for j, name, known in case.columns():
        if j in case.identifiers or not len(known):
            continue
        coded = case.table.schema[j].coded
        if not coded and _wrong_in_bins(case.values[case.rows, j], case.y) > 0.08:
            continue  # the quick look already says no
        wrong = _wrong_alone(case.values[case.rows, j], case.y, coded)
        if wrong <= min(0.01, case.blind / 10):
            yield Finding(
                "target-in-disguise",
                "warning",
                name,
                f"column {name} {_by_other_names(case, j)}alone tells the classes apart in {1 - wrong:.1%} of "
                "the rows.",
                "Is it known before the class is? If not, drop it.",
                f"Is it known before the class is? If not, leave it out with {dropped(name)}.",
            )


def _by_other_names(case: Case, j: int) -> str:
    """The pairs of a column whose categories are the classes under other names, for the sentence; else ""."""
    column, x = case.table.schema[j], case.values[case.rows, j]
    if not column.coded or np.isnan(x).any() or case.target is None:
        return ""
    pairs = {(int(c), int(k)) for c, k in zip(x, case.y)}
    if not len(pairs) == len({c for c, _ in pairs}) == len({k for _, k in pairs}):
        return ""
    shown = [f"{column.categories[c]} = {case.target.labels[k]}" for c, k in sorted(pairs)]
    if any(a == b for a, b in (s.split(" = ", 1) for s in shown)):
        return f"is a copy of {case.target.name} and "
    return f"is {case.target.name} by other names ({', '.join(shown[:3])}{', ...' if len(shown) > 3 else ''}) and "


def missing_values_that_tell(case: Case) -> Iterator[Finding]:
    """Being there, or being missing, means one class: filled in when the class was known."""
    if not case.classes_usable:
        return
    share = np.bincount(case.y) / len(case.y)
    for j, name, known in case.columns():
        if len(known) in (0, len(case.values)) or j in case.identifiers:
            continue
        known_cells = case.present[case.rows, j]
        for state, words in ((known_cells, "with"), (~known_cells, "without")):
            n = int(state.sum())
            if not 20 <= n < len(known_cells):
                continue
            counts = np.bincount(case.y[state], minlength=len(share))
            k = int(counts.argmax())
            odds = (counts[k] + 0.5) / (n - counts[k] + 0.5) / (share[k] / (1 - share[k]))
            if (
                counts[k] >= 0.95 * n
                and odds >= 10
                and share[k] <= 0.9
                and n * np.log(share[k]) < np.log(1e-6)
            ):
                label = case.target.labels[k] if case.target else k
                yield Finding(
                    "missing-tells-class",
                    "warning",
                    name,
                    f"{'all' if counts[k] == n else 'nearly all'} of {n} rows {words} a value of {name} have "
                    f"the class {label}, which {share[k]:.1%} of all rows have: it seems to be filled in when "
                    "the class is known.",
                    "Drop it, or record it before.",
                    f"Leave it out with {dropped(name)}, or record it before.",
                )
                break


def target_coded(case: Case) -> Iterator[Finding]:
    """Averages of the class over categories, taken over all rows, those to be tested included."""
    if not case.classes_usable or case.target is None:
        return
    rows = case.labelled
    y = case.target.codes[rows]
    for j, name, _ in case.columns():
        some = case.values[case.rows, j]
        if case.table.schema[j].coded or not ((some >= 0) & (some <= 1)).all():
            continue
        distinct = np.unique(some)
        if np.sum((distinct > 0) & (distinct < 1)) < 3 or len(distinct) > len(some) / 3:
            continue
        if not case.present[rows, j].all():
            continue
        value, group = np.unique(case.values[rows, j], return_inverse=True)
        size = np.bincount(group)
        for k, label in enumerate(case.target.labels):
            if np.abs(np.bincount(group, weights=y == k) / size - value).max() < 1e-6:
                yield Finding(
                    "target-coded",
                    "warning",
                    name,
                    f"column {name} holds, for {len(value)} sets of rows, exactly the share of {label} among "
                    "them: it was computed from the classes of all rows, those to be tested included.",
                    "Bring the categories themselves; they are coded inside each fold.",
                    f"Leave it out with {dropped(name)}, and bring the categories themselves.",
                )
                break


def named_like_the_outcome(case: Case) -> Iterator[Finding]:
    """A name that speaks of the class, and values that halve the error: perhaps known only afterwards."""
    if not case.classes_usable or case.target is None or case.blind < 0.02:
        return
    words_of_target = words_of(case.target.name) - _GENERIC
    for j, name, known in case.columns():
        hint = words_of(name) & (words_of_target | _OUTCOME)
        if not hint or j in case.identifiers or not len(known):
            continue
        wrong = _wrong_alone(case.values[case.rows, j], case.y, case.table.schema[j].coded)
        if min(0.01, case.blind / 10) < wrong < case.blind / 2:
            yield Finding(
                "named-like-target",
                "warning",
                name,
                f"column {name} speaks of {case.target.name} by its name ({', '.join(sorted(hint))}), and "
                f"alone lowers the error from {case.blind:.1%} to {wrong:.1%}.",
                "Is it known before the class is? If not, drop it.",
                f"Is it known before the class is? If not, leave it out with {dropped(name)}.",
            )


def words_of(name: str) -> set[str]:
    """The words of a column's name, in small letters.

    >>> from assay.evaluate.leakage import words_of
    >>> sorted(words_of("churnDate_2")), sorted(words_of("PatientID"))
    (['churn', 'date'], ['id', 'patient'])
    """
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", str(name))
    return {w.lower() for w in re.split(r"[^A-Za-z]+", apart) if len(w) > 1}


def _wrong_in_bins(x: np.ndarray, y: np.ndarray) -> float:
    """Error of the majorities of equally filled bins, on the same rows.

    Where classes meet, half a bin is wrong at most: with eight bins a class, a perfect column has 1/16 at most.
    """
    bins = max(32, 8 * (int(y.max()) + 1))
    known = ~np.isnan(x)
    edges = (
        np.unique(np.quantile(x[known], np.linspace(0, 1, bins + 1)[1:-1])) if known.any() else np.empty(0)
    )
    bin_of = np.where(known, np.searchsorted(edges, x), len(edges) + 1)
    counts = np.bincount(bin_of * (y.max() + 1) + y, minlength=(len(edges) + 2) * (y.max() + 1))
    return float(1 - counts.reshape(-1, y.max() + 1).max(axis=1).sum() / len(y))


def _wrong_alone(x: np.ndarray, y: np.ndarray, coded: bool) -> float:
    """Error of a small one-column tree (of the categories' majorities) on rows held out, five-fold."""
    from sklearn.tree import DecisionTreeClassifier

    K, wrong = int(y.max()) + 1, 0
    if coded:
        x = np.where(np.isnan(x), -1.0, x)
    else:  # a tree looks at the order of numbers alone, and ranks have no size to overflow
        known = ~np.isnan(x)
        x = x.copy()
        x[known] = np.unique(x[known], return_inverse=True)[1]
    for split in Resampling(folds=5).splits(y):
        if coded:
            counts = np.zeros((int(x.max()) + 2, K))
            np.add.at(counts, (x[split.train].astype(np.intp) + 1, y[split.train]), 1)
            answers = counts.argmax(axis=1)[x[split.test].astype(np.intp) + 1]
        else:
            tree = DecisionTreeClassifier(max_leaf_nodes=2 * K, random_state=0)
            answers = tree.fit(x[split.train, None], y[split.train]).predict(x[split.test, None])
        wrong += int((answers != y[split.test]).sum())
    return wrong / len(y)


LEAKAGE_CHECKS = [target_in_disguise, missing_values_that_tell, target_coded, named_like_the_outcome]
