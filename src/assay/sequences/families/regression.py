"""Emissions that depend on inputs: a linear regression, or a softmax classifier, in each state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.core.scores import log_softmax
from assay.sequences.families.family import Family, Sums

__all__ = ["LinearGaussian", "SoftmaxSymbols", "softmax_step", "with_intercept"]

LOG_2PI = float(np.log(2 * np.pi))


def with_intercept(inputs: np.ndarray) -> np.ndarray:
    """(n, q + 1) the inputs behind a column of ones."""
    return np.hstack([np.ones((len(inputs), 1)), inputs])


def softmax_step(coef: np.ndarray, gradient: np.ndarray, gram: np.ndarray) -> np.ndarray:
    r"""Weights of a softmax after a step that cannot lower its weighted log likelihood.

    The curvature is at most :math:`\frac12 (I - \frac1M 11^T) \otimes X^T W X`, so that the step
    :math:`2 (X^T W X)^+ g` ends at the top of a parabola below the function.

    Parameters
    ----------
    coef, gradient : (..., q + 1, M)
    gram : (..., q + 1, q + 1) weighted products of the inputs

    References
    ----------
    - Boehning, D. (1992). Multinomial logistic regression algorithm. Annals of the Institute of Statistical
      Mathematics 44(1), 197-200. doi:10.1007/BF00048682
    """
    return coef + 2.0 * np.linalg.pinv(gram, hermitian=True) @ gradient


class _WithInputs(Family):
    """Rows hold inputs and outputs side by side. A row whose inputs are not complete says nothing of its state."""

    def __init__(self, inputs: Sequence[int], outputs: Sequence[int]):
        self.inputs, self.outputs = list(inputs), list(outputs)

    def _split(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Design (n, q + 1) with zeros where the inputs are not complete, outputs (n, m), and which rows are."""
        inputs = X[:, self.inputs]
        complete = ~np.isnan(inputs).any(axis=1)
        design = with_intercept(np.where(complete[:, None], inputs, 0.0))
        return design, X[:, self.outputs], complete

    def draw(self, state: int, inputs: np.ndarray, draw: np.random.RandomState) -> np.ndarray:
        """(m,) outputs that a state emits for (q,) inputs."""
        raise TypeError(f"{type(self).__name__} must say how it is sampled")


class LinearGaussian(_WithInputs):
    r"""In each state the outputs are linear in the inputs, with Gaussian noise: :math:`y = W_j^T (1, x) + e`.

    Parameters
    ----------
    coef : (K, q + 1, m), the intercepts first
    variances : (K, m)
    inputs, outputs : columns of the rows
    floor : the least variance
    """

    def __init__(
        self,
        coef: np.ndarray,
        variances: np.ndarray,
        inputs: Sequence[int],
        outputs: Sequence[int],
        floor: float = 0.0,
    ):
        super().__init__(inputs, outputs)
        self.coef, self.variances = (
            np.asarray(coef, dtype=np.float64),
            np.asarray(variances, dtype=np.float64),
        )
        self.floor, self.n_states = floor, len(self.coef)

    def expected(self, inputs: np.ndarray) -> np.ndarray:
        """(n, K, m) mean outputs of each state for (n, q) inputs."""
        return np.einsum("nq,kqm->nkm", with_intercept(inputs), self.coef)

    def log_density(self, X: np.ndarray) -> np.ndarray:
        design, outputs, complete = self._split(X)
        logs = np.zeros((len(X), self.n_states))
        for k in range(self.n_states):
            with np.errstate(over="ignore"):  # a row out of reach has density 0
                gaps = (outputs - design @ self.coef[k]) ** 2 / self.variances[k]
            terms = -0.5 * (gaps + np.log(self.variances[k]) + LOG_2PI)
            logs[:, k] = np.where(np.isnan(terms), 0.0, terms).sum(axis=1)
        logs[~complete] = 0.0
        return logs

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        design, outputs, complete = self._split(X)
        K, q, m = self.n_states, design.shape[1], outputs.shape[1]
        counts, square = np.zeros((K, m)), np.zeros((K, m))
        gram, cross = np.zeros((K, m, q, q)), np.zeros((K, m, q))
        present = ~np.isnan(outputs) & complete[:, None]
        for k in range(K):
            residual = np.where(present, outputs - design @ self.coef[k], 0.0)
            for j in range(m):
                w = gamma[:, k] * present[:, j]
                weighted = design * w[:, None]
                counts[k, j] = w.sum()
                gram[k, j] = weighted.T @ design
                cross[k, j] = weighted.T @ residual[:, j]
                square[k, j] = w @ residual[:, j] ** 2
        return Sums(counts=counts, gram=gram, cross=cross, square=square)

    def updated(self, sums: Sums, which: str) -> LinearGaussian:
        coef, variances, counts = self.coef, self.variances, sums["counts"]
        square = sums["square"]
        if "w" in which:  # about the old coefficients, which loses no digits
            move = _solved(sums["gram"], sums["cross"])
            coef = coef + move.transpose(0, 2, 1)
            square = np.maximum(square - np.einsum("kmq,kmq->km", move, sums["cross"]), 0.0)
        if "c" in which:
            fresh = np.maximum(square / np.where(counts > 0, counts, 1.0), self.floor)
            variances = np.where(counts > 0, fresh, variances)
        return LinearGaussian(coef, variances, self.inputs, self.outputs, self.floor)

    def draw(self, state: int, inputs: np.ndarray, draw: np.random.RandomState) -> np.ndarray:
        mean = self.expected(inputs[None])[0, state]
        return draw.normal(mean, np.sqrt(self.variances[state]))

    def n_parameters(self) -> int:
        return self.coef.size + self.variances.size


class SoftmaxSymbols(_WithInputs):
    r"""In each state a softmax classifier of the inputs draws one of M symbols.

    Parameters
    ----------
    coef : (K, q + 1, M), the intercepts first
    inputs : columns of the rows
    output : column of the symbols, codes 0..M-1
    """

    def __init__(self, coef: np.ndarray, inputs: Sequence[int], output: int):
        super().__init__(inputs, [output])
        self.coef = np.asarray(coef, dtype=np.float64)
        self.n_states = len(self.coef)

    def log_probabilities(self, inputs: np.ndarray) -> np.ndarray:
        """(n, K, M) for (n, q) inputs."""
        K, _, M = self.coef.shape
        logits = np.einsum("nq,kqm->nkm", with_intercept(inputs), self.coef)
        return log_softmax(logits.reshape(-1, M)).reshape(-1, K, M)

    def _symbols(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        design, outputs, complete = self._split(X)
        column, M = outputs[:, 0], self.coef.shape[2]
        present = complete & (column >= 0) & (column < M)
        return design, np.where(present, column, 0).astype(np.int64), present

    def log_density(self, X: np.ndarray) -> np.ndarray:
        design, codes, present = self._symbols(X)
        logs = self.log_probabilities(design[:, 1:])[np.arange(len(X)), :, codes]
        return np.where(present[:, None], logs, 0.0)

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        design, codes, present = self._symbols(X)
        P = np.exp(self.log_probabilities(design[:, 1:]))
        K, q, M = self.coef.shape
        gradient, gram = np.zeros((K, q, M)), np.zeros((K, q, q))
        target = np.eye(M)[codes]
        for k in range(K):
            w = gamma[:, k] * present
            gradient[k] = design.T @ (w[:, None] * (target - P[:, k]))
            gram[k] = (design * w[:, None]).T @ design
        return Sums(gradient=gradient, gram=gram)

    def updated(self, sums: Sums, which: str) -> SoftmaxSymbols:
        if "w" not in which:
            return self
        coef = softmax_step(self.coef, sums["gradient"], sums["gram"])
        return SoftmaxSymbols(coef, self.inputs, self.outputs[0])

    def draw(self, state: int, inputs: np.ndarray, draw: np.random.RandomState) -> np.ndarray:
        p = np.exp(self.log_probabilities(inputs[None])[0, state])
        return np.array([(np.cumsum(p) > draw.rand()).argmax()])

    def n_parameters(self) -> int:
        K, q, M = self.coef.shape
        return K * q * (M - 1)


def _solved(gram: np.ndarray, cross: np.ndarray) -> np.ndarray:
    """(K, m, q) least solutions of the normal equations, in columns of unit length, whatever theirs is."""
    lengths = np.sqrt(np.einsum("kmqq->kmq", gram))
    scale = 1 / np.where(lengths > 0, lengths, 1.0)
    correlations = gram * scale[..., :, None] * scale[..., None, :]
    inverse = np.linalg.pinv(correlations, hermitian=True)
    solution: np.ndarray = scale * np.einsum("kmpq,kmq->kmp", inverse, scale * cross)
    return solution
