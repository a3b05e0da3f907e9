"""EM for mixtures of experts: responsibilities, then weighted least squares or softmax regressions, by turns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from assay.core.parallel import end_if_abandoned, one_blas_thread
from assay.core.scores import log_softmax
from assay.local.expert_objective import LEAST_NOISE
from assay.local.expert_tree import LOG_2PI, ExpertTree, RadialGate, SoftmaxGates, shared_out
from assay.local.softmax_layer import better_softmax_layer
from assay.local.units import Units
from assay.mixture import EMRun, expectation_maximization

__all__ = ["Maximiser"]

STEPS = 2  # of Newton's method in a step of EM, from where it was
FEWEST_ROWS = 1e-8  # that an expert answers for, below which it stays as it is
NARROWEST = 1e-3  # spread of a radial unit, in deviations of the columns


@dataclass(frozen=True)
class Maximiser:
    r"""The two steps of EM for a tree of experts, and what they depend on.

    .. math:: f_e = \frac{\pi_e\, p(r \mid e, x)}{\sum_l \pi_l\, p(r \mid l, x)}                            \quad (1)

    Experts of numbers are least squares with weights f, those of classes softmax regressions; a gate is a softmax
    regression whose targets are the shares of f behind its branches. A radial gate makes it the EM of the joint density
    :math:`\sum_h a_h N(x; m_h, S_h)\, p(r \mid h, x)`, of which all steps are closed (Xu, Jordan and Hinton 1995).

    Parameters
    ----------
    F : (n, p) standardised rows with a constant      target : (n, K)      weight : (n,)
    kind : "numbers" or "classes"      alpha : penalty      constant : whether experts are numbers, not lines
    noise : "each", "shared", or empty if it is given      shape : of the units of a radial gate
    """

    F: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    kind: str
    alpha: float
    constant: bool
    noise: str
    shape: str

    def run(self, tree: ExpertTree, max_iter: int, tol: float, who: str) -> EMRun[ExpertTree]:
        """EM from a tree until the penalised log likelihood of a row rises by less than ``tol``."""

        def step(at: ExpertTree) -> tuple[ExpertTree, float]:
            end_if_abandoned()
            f, value = self.expectation(at)
            return self.maximisation(at, f), value

        rows = max(float(self.weight.sum()), 1e-300)
        with one_blas_thread():
            return expectation_maximization(step, tree, max_iter=max_iter, tol=tol * rows, who=who)

    def expectation(self, tree: ExpertTree) -> tuple[np.ndarray, float]:
        """(n, E) responsibilities, and the log likelihood minus the penalty."""
        if isinstance(tree.gates, RadialGate):
            f, logs = shared_out(tree.gates.log_joint(self.F) + tree.log_densities(self.F, self.target))
        else:
            f, logs = tree.responsibilities(self.F, self.target)
        return f, float(self.weight @ logs) - 0.5 * self.alpha * tree.size

    def maximisation(self, tree: ExpertTree, f: np.ndarray) -> ExpertTree:
        """The tree after all its parts were fitted with these responsibilities."""
        credit = f * self.weight[:, None]
        coef, noise = tree.coef.copy(), tree.noise
        projections = None if tree.projections is None else tree.projections.copy()
        for e, share in enumerate(credit.T):
            if share.sum() <= FEWEST_ROWS:
                continue
            if projections is None:
                A = np.ones((len(self.F), 1)) if self.constant else self.F
                coef[e, :, -A.shape[1] :] = self._expert(A, share, coef[e, :, -A.shape[1] :], noise[e])
                continue
            coef[e], projections[e] = self._projected(share, coef[e], projections[e], noise[e])
        if tree.kind == "numbers" and self.noise:
            noise = self._noise(replace(tree, coef=coef), credit)
        return replace(tree, gates=self._gates(tree, credit), coef=coef, noise=noise, projections=projections)

    def _expert(self, A: np.ndarray, share: np.ndarray, before: np.ndarray, noise: float) -> np.ndarray:
        """(K, q) the weights of an expert on its features."""
        if self.kind == "classes":
            penalty = np.full(A.shape[1], float(self.alpha))
            return better_softmax_layer(A, self.target, share, penalty, STEPS, before)
        ridge = np.full(A.shape[1], self.alpha * noise**2)
        ridge[-1] = 0.0
        return weighted_least_squares(A, self.target, share, ridge)

    def _value(self, A: np.ndarray, share: np.ndarray, V: np.ndarray, noise: float) -> float:
        """The penalised log likelihood of an expert's rows, without what its weights do not change."""
        if self.kind == "classes":
            logs = (self.target * log_softmax(A @ V.T)).sum(axis=1)
            return float(share @ logs) - 0.5 * self.alpha * float((V**2).sum())
        squares = ((self.target - A @ V.T) ** 2).sum(axis=1)
        return -0.5 * (float(share @ squares) / noise**2 + self.alpha * float((V[:, :-1] ** 2).sum()))

    def _projected(
        self, share: np.ndarray, coef: np.ndarray, old: np.ndarray, noise: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """An expert in the first principal directions of its own rows, unless those before serve it better."""
        X = self.F[:, :-1]
        middle = share @ X / share.sum()
        C = X - middle
        new = np.linalg.eigh((C * share[:, None]).T @ C)[1][:, ::-1].T[: len(old)]
        best: tuple[float, np.ndarray, np.ndarray] | None = None
        for P in (new, old):
            A = np.column_stack([X @ P.T, self.F[:, -1]])
            before = np.column_stack([coef[:, :-1] @ P.T, coef[:, -1]])
            V = self._expert(A, share, before, noise)
            value = self._value(A, share, V, noise)
            if best is None or value > best[0]:
                best = value, np.column_stack([V[:, :-1] @ P, V[:, -1]]), P
        assert best is not None
        return best[1], best[2]

    def _noise(self, tree: ExpertTree, credit: np.ndarray) -> np.ndarray:
        residuals = ((self.target[:, None] - tree.outputs(self.F)) ** 2).sum(axis=2)
        squares, rows = (credit * residuals).sum(axis=0), credit.sum(axis=0) * self.target.shape[1]
        if self.noise == "shared":
            squares, rows = (
                np.broadcast_to(squares.sum(), rows.shape),
                np.broadcast_to(rows.sum(), rows.shape),
            )
        variance = np.where(rows > FEWEST_ROWS, squares / np.maximum(rows, 1e-300), tree.noise**2)
        return np.sqrt(np.maximum(variance, LEAST_NOISE**2))

    def _gates(self, tree: ExpertTree, credit: np.ndarray) -> SoftmaxGates | RadialGate:
        if isinstance(tree.gates, RadialGate):
            return self._mixture(credit, tree.gates)
        weights, b = tree.gates.weights.copy(), tree.gates.branching
        penalty = np.full(self.F.shape[1], float(self.alpha))
        C, end = credit, len(weights)
        while end and b > 1:
            nodes = C.shape[1] // b
            C = C.reshape(len(C), nodes, b)
            totals = C.sum(axis=2)
            for node in range(nodes):
                share = totals[:, node]
                if share.sum() > FEWEST_ROWS:
                    soft = C[:, node] / np.maximum(share, 1e-300)[:, None]
                    place = end - nodes + node
                    weights[place] = better_softmax_layer(self.F, soft, share, penalty, STEPS, weights[place])
            C, end = totals, end - nodes
        return SoftmaxGates(weights)

    def _mixture(self, credit: np.ndarray, gate: RadialGate) -> RadialGate:
        """The Gaussians of rows with these responsibilities; one without rows stays as it is."""
        X = self.F[:, :-1]
        rows = credit.sum(axis=0)
        alive = rows > FEWEST_ROWS
        safe = np.where(alive, rows, 1.0)
        centers = np.where(alive[:, None], credit.T @ X / safe[:, None], gate.units.centers)
        spreads = gate.units.spreads.copy()
        for h in np.flatnonzero(alive):
            C = X - centers[h]
            if self.shape == "full":
                values, axes = np.linalg.eigh((C * credit[:, h, None]).T @ C / rows[h])
                spreads[h] = (axes * np.maximum(values, NARROWEST**2)) @ axes.T
                continue
            variance = credit[:, h] @ C**2 / rows[h]
            variance = variance.mean() if self.shape == "spherical" else variance
            spreads[h] = np.sqrt(np.maximum(variance, NARROWEST**2))
        return RadialGate(Units(centers, spreads), gaussian_offsets(centers, spreads, rows))


def gaussian_offsets(centers: np.ndarray, spreads: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(H,) the offsets that make shares of units posteriors of Gaussians with these weights."""
    d = centers.shape[1]
    if spreads.ndim == 3:
        log_dets = 0.5 * np.linalg.slogdet(spreads)[1]
    else:
        log_dets = np.log(spreads).sum(axis=1) if spreads.ndim == 2 else d * np.log(spreads)
    with np.errstate(divide="ignore"):
        offsets: np.ndarray = np.log(rows / rows.sum()) - log_dets - 0.5 * d * LOG_2PI
    return np.maximum(offsets, -1e6)


def weighted_least_squares(
    A: np.ndarray, target: np.ndarray, share: np.ndarray, ridge: np.ndarray
) -> np.ndarray:
    """(K, q) the weights of least weighted squares; among equals the smallest."""
    weighted = A * share[:, None]
    gram, right = weighted.T @ A, weighted.T @ target
    gram[np.diag_indices(len(gram))] += ridge
    scale = 1 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    try:
        factor = cho_factor(gram * scale[:, None] * scale)
        pivots = np.diag(factor[0])
        if pivots.min() > 1e-6:
            return (cho_solve(factor, right * scale[:, None]) * scale[:, None]).T
    except np.linalg.LinAlgError:
        pass
    root = np.sqrt(share)[:, None]
    stacked = np.vstack([root * A, np.diag(np.sqrt(ridge))])
    zeros = np.zeros((len(ridge), target.shape[1]))
    return np.linalg.lstsq(stacked, np.vstack([root * target, zeros]), rcond=None)[0].T
