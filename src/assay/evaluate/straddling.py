"""Rows that stand on both sides of a split although they belong together: copies, groups, times."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import numpy as np

from assay.evaluate.finding import SAMPLE, Case, Finding
from assay.evaluate.leakage import words_of

__all__ = ["STRADDLING_CHECKS"]

_FINE = 20  # distinct numbers from which on two rows are not equal by chance
_NAMES_GROUPS = {
    "id", "patient", "subject", "user", "customer", "client", "person", "household", "session", "device", "machine",
    "document", "doc", "author", "speaker", "animal", "account", "participant", "family", "uid", "userid", "customerid",
    "patientid", "subjectid", "accountid", "sessionid", "deviceid",
}  # fmt: skip
_NAMES_TIMES = {"date", "time", "timestamp", "datetime", "year", "month", "day", "when"}


def duplicate_rows(case: Case) -> Iterator[Finding]:
    """Rows that repeat another one, how many test rows have a copy in training, and equal rows of different classes."""
    if case.equal is None:
        return
    n, size = len(case.values), np.bincount(case.equal)
    copies = n - len(size)
    if not copies:
        return
    fine = any(
        not c.coded and len(np.unique(case.known(j)[:SAMPLE])) > _FINE
        for j, c in enumerate(case.table.schema)
        if j in set(case.compared)
    )
    fine = fine and not _by_chance(case, size)
    names = [case.table.schema[j].name for j in sorted(case.identifiers)]
    severity = "warning" if copies > n / 20 and fine else "note"
    fact = f"{copies} row{' repeats' if copies == 1 else 's repeat'} another one in every column{_but(names)}"
    copied, tested = _seen_in_training(case, size)
    if copied:
        fact += f"; in {case.plan.name}, {copied} of {tested} test rows ({copied / tested:.1%}) have a copy in training"
    elif tested:
        severity = "note"
        fact += f"; in {case.plan.name} none of them is both in training and in test rows"
    if not tested or copied:
        fact += (
            "; copies in training and test rows flatter every learner."
            if fine
            else "; among so few distinct values that may be chance, but copies flatter learners that remember rows."
        )
    else:
        fact += "."
    yield Finding("duplicate-rows", severity, "", fact)
    yield from _contradictions(case, len(size))


def _by_chance(case: Case, size: np.ndarray) -> bool:
    """Whether about as many pairs would be equal if the columns were independent.

    How often two rows agree in a column is counted over pairs that are not equal throughout: copies say nothing of it.
    """
    if case.equal is None:
        return False
    some = slice(None, None, 1 + len(case.values) // SAMPLE)
    equal, n = _pairs(case.equal[some]), len(case.values)
    m = len(case.equal[some])
    other_pairs = m * (m - 1) / 2 - equal
    agree = 1.0  # the probability that two rows have the same value in every column
    for j in case.compared:
        agree *= (_pairs(case.values[some, j]) - equal) / other_pairs if other_pairs else 1.0
    return bool((size * (size - 1.0)).sum() <= 5 * agree * n * (n - 1))


def _pairs(values: np.ndarray) -> float:
    """How many pairs are equal."""
    count = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((count * (count - 1)).sum()) / 2


def _contradictions(case: Case, kinds: int) -> Iterator[Finding]:
    if case.target is None or case.equal is None or case.target.task == "regression":
        return
    known = case.target.labelled
    counts = np.zeros((kinds, len(case.target.labels)), dtype=np.int64)
    np.add.at(counts, (case.equal[known], case.target.codes[known]), 1)
    wrong = int((counts.sum(axis=1) - counts.max(axis=1)).sum())
    if wrong:
        yield Finding(
            "contradictions",
            "note",
            "",
            f"{wrong} row{'' if wrong == 1 else 's'} must be classified wrongly by any learner: equal "
            "rows have different classes.",
        )


def _seen_in_training(case: Case, size: np.ndarray) -> tuple[int, int]:
    """How many test rows of the design's first repetition have a copy among their training rows, and of how many."""
    if case.equal is None or case.target is None:
        return 0, 0
    kind = case.equal[case.labelled]
    if case.plan.kind == "leave-one-out":  # every other row teaches
        return int((np.bincount(kind, minlength=len(size))[kind] > 1).sum()), len(kind)
    return _straddle(case, kind)


def _straddle(case: Case, kind: np.ndarray) -> tuple[int, int]:
    copied = tested = 0
    for split in case.splits():
        in_training = np.bincount(kind[split.train], minlength=int(kind.max()) + 1)
        copied += int((in_training[kind[split.test]] > 0).sum())
        tested += len(split.test)
    return copied, tested


def _but(names: list[str]) -> str:
    """What a look at all columns leaves out, since it names the rows."""
    if not names:
        return ""
    return f" but {names[0]}" if len(names) == 1 else f" but the {len(names)} that name the rows"


def groups_that_straddle(case: Case) -> Iterator[Finding]:
    """A column whose values name things with several rows each; or groups that the given splits tear apart."""
    if case.groups is not None:
        yield from _torn_groups(case)
        return
    if not case.classes_usable or case.plan.kind in ("time", "given", "leave-one-group-out"):
        return
    for j, name, known in case.columns():
        column = case.table.schema[j]
        if j in case.identifiers or column.date or column.kind == "ordinal" or len(known) < len(case.values):
            continue
        named = bool(words_of(name) & _NAMES_GROUPS)
        if not column.coded and not (named or _looks_like_codes(case, j)):
            continue
        rows = case.labelled
        level, group = np.unique(case.values[rows, j], return_inverse=True)
        alike = _alike(group, case.target.codes[rows]) if case.target is not None else None
        if alike is None or len(level) < 10:
            continue
        inside, chance = alike
        constant = inside >= 0.9 and inside - chance >= 0.15
        if constant or named:
            words = (
                f"rows of one {name} have the same class in {inside:.1%} of pairs, {chance:.1%} by chance"
                if constant
                else f"{len(level)} values in {len(rows)} rows name things with several rows each"
            )
            yield Finding(
                "group-straddles",
                "warning" if named and constant else "note",
                name,
                f"column {name}: {words}. If such rows belong together (a patient, a document), random splits "
                "put them into training and test rows.",
                "Keep them together with groups=, and leave the column out.",
                f"Keep them together with --group {shlex.quote(name)}.",
            )


def _alike(group: np.ndarray, y: np.ndarray) -> tuple[float, float] | None:
    """How often two rows of a group have one class, and two rows at all; None if these are no groups.

    Groups: at least four fifths of the rows have company, and 100 rows a group at most on average.
    """
    size = np.bincount(group)
    n, many = len(group), size > 1
    if size[many].sum() < 0.8 * n or n > 100 * len(size) or n < 2 * len(size):
        return None
    counts = np.zeros((len(size), int(y.max()) + 1))
    np.add.at(counts, (group, y), 1)
    pairs = (counts * (counts - 1)).sum(axis=1)[many] / (
        size[many] - 1
    )  # of each group, weighted by its rows
    share = counts.sum(axis=0) / n
    return float(pairs.sum() / size[many].sum()), float((share**2).sum())


def _looks_like_codes(case: Case, j: int) -> bool:
    """Whole numbers whose neighbours have nothing in common, unlike counts and measurements."""
    x = case.values[case.rows, j]
    if not (x == np.floor(x)).all():
        return False
    level, group = np.unique(x, return_inverse=True)
    if len(level) < 10:
        return False
    counts = np.zeros((len(level), int(case.y.max()) + 1))
    np.add.at(counts, (group, case.y), 1)
    most = counts.argmax(axis=1)
    share = np.bincount(most) / len(most)
    chance = float((share**2).sum())
    neighbours = float((most[1:] == most[:-1]).mean())
    return bool(neighbours - chance < 0.1 + 2 / np.sqrt(len(level)) and np.ptp(level) > 3 * len(level))


def _torn_groups(case: Case) -> Iterator[Finding]:
    if case.target is None or case.groups is None or case.plan.kind == "leave-one-out":
        return
    kind = np.unique(case.groups, return_inverse=True)[1][case.labelled]
    copied, tested = _straddle(case, kind)
    if copied:
        yield Finding(
            "groups-torn",
            "warning",
            "",
            f"in {case.plan.name}, {copied} of {tested} test rows ({copied / tested:.1%}) belong to a group that also "
            "teaches.",
            "Use splits that keep groups whole.",
        )


def times_that_straddle(case: Case) -> Iterator[Finding]:
    """Dates: if classes change with time, random splits test the past by the future."""
    if case.times is not None or case.plan.kind == "time":
        return
    for j, name, known in case.columns():
        column = case.table.schema[j]
        named = not column.coded and len(known) == len(case.values) and bool(words_of(name) & _NAMES_TIMES)
        if not (column.date or (named and _in_order(known))):
            continue
        change = _change_with_time(case, j)
        if change:
            yield Finding(
                "time-straddles",
                "warning",
                name,
                f"the classes change with {name}: {change}. Random splits test earlier rows with models of "
                "later ones.",
                f'Test on later rows: design="5-time", times={name}.',
                f"Test on later rows: --time {shlex.quote(name)}.",
            )
        elif column.date:
            yield Finding(
                "date",
                "note",
                name,
                f"column {name} holds dates. If rows of one time resemble each other, random splits flatter "
                "every learner.",
                f"Test on later rows: times={name}.",
                f"Test on later rows: --time {shlex.quote(name)}.",
            )


def _in_order(known: np.ndarray) -> bool:
    """Numbers that run up, or down, through the table, in more than ten steps."""
    step = np.diff(known)
    return bool(len(step) and ((step >= 0).all() or (step <= 0).all()) and np.count_nonzero(step) > 10)


def _change_with_time(case: Case, j: int) -> str:
    """What the classes do over time, if more than chance: neighbours agree, or the shares drift; else ""."""
    from scipy.special import chdtrc

    if not case.classes_usable or case.target is None:
        return ""
    rows = case.rows[case.present[case.rows, j]]
    if len(rows) < 100:
        return ""
    rows = np.random.default_rng(0).permutation(rows)  # rows of one moment: in any order but the file's
    y = case.target.codes[rows[np.argsort(case.values[rows, j], kind="stable")]]
    share = np.bincount(y) / len(y)
    chance = float((share**2).sum())
    agree = float((y[1:] == y[:-1]).mean())
    if agree - chance > max(0.05, 5 * np.sqrt(chance * (1 - chance) / len(y))):
        return f"rows that follow each other share their class in {agree:.1%}, {chance:.1%} by chance"
    tenth = np.arange(len(y)) * 10 // len(y)
    counts = np.zeros((10, len(share)))
    np.add.at(counts, (tenth, y), 1)
    counts = counts[:, share > 0]
    expected = counts.sum(axis=1, keepdims=True) * share[share > 0]
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    wide = np.sqrt(chi2 / (len(y) * min(9, counts.shape[1] - 1)))
    if counts.shape[1] < 2 or chdtrc(9 * (counts.shape[1] - 1), chi2) > 1e-6 or wide < 0.15:
        return ""
    k = int(np.argmax(np.abs(counts[-1] / counts[-1].sum() - counts[0] / counts[0].sum())))
    label = case.target.labels[np.flatnonzero(share > 0)[k]]
    first, last = counts[0, k] / counts[0].sum(), counts[-1, k] / counts[-1].sum()
    return f"{label} makes up {first:.1%} of the first tenth of the rows and {last:.1%} of the last"


STRADDLING_CHECKS = [duplicate_rows, groups_that_straddle, times_that_straddle]
