"""A table of cells and classes: how probable each is, and a Gaussian in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from assay.bayes.gaussian_columns import gaussian_logs
from assay.bayes.joint_sums import distinct_rows
from assay.core.stored import BoolArray, CodeArray, FloatArray


@dataclass
class JointTable:
    r"""The joint distribution of class k, cell v and numbers z, kept for the cells that occur.

    .. math:: P(k, v, z) = P(k)\ \frac{n_{kv} + \alpha}{n_k + \alpha M}\ N(z;\ \mu_{kv}, \Sigma_{kv})     \quad (1)

    The G entries are the cells that occur in a class; K more hold the Gaussians of the whole classes, for cells
    that a class does not have.

    Attributes
    ----------
    keys : (G, c) the discrete columns' values      owner : (G,) the class      count : (G,) its weight there
    mean : (G + K, q)       spread : (G + K, q) variances or (G + K, q, q) covariances
    varies : (q,) which continuous columns vary at all; the others are left out
    widths : (c,) how many values each discrete column may have; M is their product
    class_count : (K,)      prior : (K,)      alpha : float
    counted : whether the priors are the classes' shares of the rows
    """

    keys: np.ndarray
    owner: np.ndarray
    count: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    varies: np.ndarray
    widths: np.ndarray
    class_count: np.ndarray
    prior: np.ndarray
    alpha: float
    counted: bool
    stored = {
        "keys": FloatArray("G", "c"),
        "owner": CodeArray("G", below="K"),
        "count": FloatArray("G"),
        "class_count": FloatArray("K"),
        "prior": FloatArray("K"),
        "mean": FloatArray("G + K", "q"),
        "spread": FloatArray("G + K", "q") | FloatArray("G + K", "q", "q"),
        "varies": BoolArray("q"),
        "widths": FloatArray("c", low=0),
    }

    def log_joint(self, keys: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """(n, K) log P(k, v, z) of rows with cells ``keys`` (n, c), NaN where unknown, and numbers Z (n, q)."""
        out = np.empty((len(Z), len(self.prior)))
        logs = np.stack([self.log_cells(k) for k in range(len(self.prior))])
        incomplete = np.isnan(keys).any(axis=1)
        if not incomplete.any():
            return self._complete_rows(keys, Z, logs)
        out[~incomplete] = self._complete_rows(keys[~incomplete], Z[~incomplete], logs)
        for i in np.flatnonzero(incomplete):
            out[i] = self._incomplete_row(keys[i], Z[i], logs)
        return out

    def log_cells(self, k: int) -> np.ndarray:
        """(G + 1,) log P(k, v) with the count of each entry, and of a cell that class k does not have."""
        count = np.append(self.count, 0.0)
        total = self.class_count[k] + self.alpha * np.prod(self.widths)
        with np.errstate(divide="ignore"):
            if self.counted and self.alpha == 0:
                return np.log(count / self.class_count.sum())  # n_kv / n: equal counts tie exactly
            share = (count + self.alpha) / total if total else np.full(len(count), 1 / np.prod(self.widths))
            return np.log(self.prior[k] * share)

    def log_density(self, Z: np.ndarray, entry: np.ndarray) -> np.ndarray:
        """(n,) log N(z; mean, spread) of each row under its entry."""
        kept, mean, spread = self.varies, self.mean, self.spread
        if not kept.any() or not len(Z):
            return np.zeros(len(Z))
        if not kept.all():
            Z, mean = Z[:, kept], mean[:, kept]
            spread = spread[:, kept] if spread.ndim == 2 else spread[:, kept][:, :, kept]
        out = np.empty(len(Z))
        used = np.flatnonzero(np.bincount(entry))
        if len(used) == 1:
            return _log_gaussian(Z, mean[used[0]], spread[used[0]])
        order = np.argsort(entry, kind="stable")
        ends = np.searchsorted(entry[order], used, side="right")
        for e, rows in zip(used, np.split(order, ends[:-1])):
            out[rows] = _log_gaussian(Z[rows], mean[e], spread[e])
        return out

    def agreeing(self, key: np.ndarray) -> np.ndarray:
        """(G,) which entries agree with what is known of a cell."""
        known = ~np.isnan(key)
        return (self.keys[:, known] == key[known]).all(axis=1)

    def _complete_rows(self, keys: np.ndarray, Z: np.ndarray, logs: np.ndarray) -> np.ndarray:
        """Each class has at most one entry for a row without missing values."""
        G, K = len(self.count), len(self.prior)
        cells, place = distinct_rows(np.concatenate([self.keys, keys]))
        entries = np.full((len(cells), K), -1, dtype=np.int64)  # -1, so the last, where there is none
        entries[place[:G], self.owner] = np.arange(G)
        entry = entries[place[G:]]  # (n, K)
        out = np.empty(entry.shape)
        for k in range(K):
            e = entry[:, k]
            out[:, k] = logs[k][e] + self.log_density(Z, np.where(e >= 0, e, G + k))  # (1)
        return out

    def _incomplete_row(self, key: np.ndarray, z: np.ndarray, logs: np.ndarray) -> np.ndarray:
        """(K,) the sum over all cells that agree with what is known of the row's."""
        G, agree = len(self.count), self.agreeing(key)
        possible = float(np.prod(self.widths[np.isnan(key)]))
        out = np.full(len(self.prior), -np.inf)
        for k in range(len(out)):
            mine = np.flatnonzero(agree & (self.owner == k))
            terms = logs[k][mine] + self.log_density(np.tile(z, (len(mine), 1)), mine)
            if self.alpha > 0 and possible > len(mine):
                log_unseen = np.log(possible - len(mine)) + logs[k][-1]
                terms = np.append(terms, log_unseen + self.log_density(z[None], np.array([G + k])))
            if len(terms):
                out[k] = np.logaddexp.reduce(terms)
        return out


def _log_gaussian(Z: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """(n,) log N(z; mean, spread) for variances (q,) or a covariance (q, q)."""
    if spread.ndim == 1:
        return gaussian_logs(Z, mean[None], spread[None])[:, 0]
    root = np.linalg.cholesky(spread)
    white = solve_triangular(root, (Z - mean).T, lower=True)
    logs = len(mean) * np.log(2 * np.pi) + 2 * np.log(np.diag(root)).sum()
    return -0.5 * (logs + (white * white).sum(axis=0))
