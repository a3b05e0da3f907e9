r"""The evidence of linear models of some of the columns, and the search for those that are probable.

With a flat constant, noise of precision gamma(a, b) and weights :math:`N(0, (\beta P)^{-1})` of the columns in a model,

.. math:: \log p(y\mid M) = \tfrac12\log\frac{|P|}{|P+G|} - \Bigl(a+\tfrac{n-1}2\Bigr)
          \log\Bigl(b+\tfrac12\bigl[y^Ty-c^T(P+G)^{-1}c\bigr]\Bigr) + \text{const}                          \quad (1)

with the products G and c of the columns of the model, rows about their mean. P is :math:`G/g` (Zellner's prior, which
no scale of the columns changes) or :math:`\alpha I`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from assay.linear.bayesian.compressed_rows import CompressedRows

__all__ = ["SubsetEvidence", "all_subsets", "walk"]

COLLINEAR = 1e-12  # smallest square of a column, given the others of its model, in its own units
LOG_2PI = float(np.log(2 * np.pi))


@dataclass
class SubsetEvidence:
    """(1) of sets of units, each some columns that are in a model together.

    Parameters
    ----------
    rows : CompressedRows about their mean
    units : the columns of each unit
    g : of Zellner's prior, or None      alpha : of the other one
    a, b : of the noise's prior
    log_prior : (units + 1,) log prior probability of a model with so many units
    """

    rows: CompressedRows
    units: list[np.ndarray]
    g: float | None
    alpha: float
    a: float
    b: float
    log_prior: np.ndarray
    known: dict[bytes, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        R = self.rows.R
        size = np.linalg.norm(R, axis=0)
        self.unit = np.where(size > 0, size, 1.0)
        scaled = R / self.unit
        self.G, self.c = scaled.T @ scaled, scaled.T @ self.rows.t
        self.squares = float(self.rows.t @ self.rows.t) + self.rows.outside
        self.shape = self.a + (self.rows.weight - 1) / 2
        if self.g is not None:  # the prior is of what the columns span: indicators of all categories but one
            self.units = [self._independent(unit) for unit in self.units]

    def columns(self, model: np.ndarray) -> np.ndarray:
        """The columns of the units that are in a model."""
        chosen = np.flatnonzero(model)
        return np.concatenate([self.units[u] for u in chosen]) if len(chosen) else np.zeros(0, np.int64)

    def _independent(self, unit: np.ndarray) -> np.ndarray:
        """The columns of a unit without those that the ones before them determine; all, if that is every one."""
        kept: list[int] = []
        for j in unit.tolist():
            L, failed = dpotrf(self.G[np.ix_([*kept, j], [*kept, j])], lower=1)
            if not failed and L[-1, -1] ** 2 >= COLLINEAR:
                kept.append(j)
        return np.array(kept) if kept else unit

    def __call__(self, model: np.ndarray) -> float:
        """Log evidence plus log prior probability of a model, (units,) bool; minus infinity if it is collinear."""
        key = np.packbits(model).tobytes()
        if key not in self.known:
            evidence = self.log_evidence(self.columns(model))
            self.known[key] = (evidence, evidence + float(self.log_prior[int(model.sum())]))
        return self.known[key][1]

    def log_evidence(self, columns: np.ndarray) -> float:
        """(1), with its constant."""
        from scipy.special import gammaln

        k, volume, reached = len(columns), 0.0, 0.0
        if k:
            A = self.G[np.ix_(columns, columns)]
            if self.g is None:
                A = A + np.diag(self.alpha / self.unit[columns] ** 2)
            L, failed = dpotrf(A, lower=1)
            if failed or np.diag(L).min() ** 2 < (COLLINEAR if self.g is not None else 0.0):
                return -np.inf
            z = dtrtrs(L, self.c[columns], lower=1)[0]
            reached = float(z @ z)
            if self.g is None:
                prior = np.log(self.alpha) / 2 * k - np.log(self.unit[columns]).sum()
                volume = float(prior - np.log(np.diag(L)).sum())
            else:
                reached *= self.g / (1 + self.g)
                volume = -0.5 * k * np.log1p(self.g)
        rate = self.b + max(self.squares - reached, 1e-14 * self.squares) / 2
        constant = gammaln(self.shape) - gammaln(self.a) + self.a * np.log(self.b)
        constant -= (self.rows.weight - 1) / 2 * LOG_2PI + 0.5 * np.log(self.rows.weight)
        return float(volume - self.shape * np.log(rate) + constant)  # (1)

    def models(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(M, units) all models looked at, the most probable first, with (M,) log evidences and log joint ones."""
        keys = list(self.known)
        bits = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1)
        models = np.unpackbits(bits, axis=1)[:, : len(self.units)].astype(bool)
        values = np.array([self.known[key] for key in keys])
        sound = np.flatnonzero(np.isfinite(values[:, 1]))
        order = sound[np.argsort(-values[sound, 1], kind="stable")]
        return models[order], values[order, 0], values[order, 1]


def all_subsets(units: int) -> Iterator[np.ndarray]:
    """(units,) bool, every subset once.

    >>> from assay.linear.bayesian.subset_evidence import all_subsets
    >>> [model.tolist() for model in all_subsets(1)]
    [[False], [True]]
    """
    for code in range(1 << units):
        yield np.array([code >> u & 1 for u in range(units)], dtype=bool)


def walk(evidence: SubsetEvidence, steps: int, largest: int, random: np.random.Generator) -> float:
    """Look for probable models: greedily first, then at random by Metropolis steps (MC3). Returns the share accepted.

    A step adds a unit, removes one, or swaps one for another. All models looked at stay known to ``evidence``.
    """
    units = len(evidence.units)
    model = np.zeros(units, bool)
    score = evidence(model)
    while model.sum() < largest:
        tries = [(evidence(_flipped(model, u)), u) for u in np.flatnonzero(~model).tolist()]
        best, u = max(tries)
        if not best > score:
            break
        model, score = _flipped(model, u), best
    accepted = 0
    for _ in range(steps):
        inside, outside = np.flatnonzero(model), np.flatnonzero(~model)
        proposal = model.copy()
        if len(inside) and len(outside) and random.random() < 0.5:
            proposal[random.choice(inside)], proposal[random.choice(outside)] = False, True
        else:
            u = int(random.integers(units))
            proposal[u] = not proposal[u]
        if proposal.sum() > largest:
            continue
        new = evidence(proposal)
        if np.log(random.random()) < new - score:
            model, score, accepted = proposal, new, accepted + 1
    return accepted / max(steps, 1)


def _flipped(model: np.ndarray, u: int) -> np.ndarray:
    other = model.copy()
    other[u] = not other[u]
    return other
