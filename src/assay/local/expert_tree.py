"""Experts and the gates that share rows out among them: what a mixture of experts computes, flat or hierarchical."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.scores import log_softmax, softmax
from assay.local.units import Units

__all__ = ["ExpertTree", "RadialGate", "SoftmaxGates", "shared_out", "with_constant"]

LOG_2PI = float(np.log(2 * np.pi))


def with_constant(X: np.ndarray) -> np.ndarray:
    """(n, d + 1) the rows with a last column of ones."""
    return np.column_stack([X, np.ones(len(X))])


def shared_out(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, E) shares in proportion to the exponentials of ``joint`` (n, E), and (n,) the logarithms of their sums."""
    most = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - most)
    sums = shares.sum(axis=1, keepdims=True)
    shares /= sums
    return shares, (most + np.log(sums))[:, 0]


@dataclass(frozen=True)
class SoftmaxGates:
    """Linear gates of a balanced tree of experts, node by node from the root: (G, b, p) weights, the constant last."""

    weights: np.ndarray

    @property
    def branching(self) -> int:
        """Branches of a node."""
        return self.weights.shape[1]

    @property
    def size(self) -> float:
        """The sum of the squared weights, which a penalty counts."""
        return float((self.weights**2).sum())

    def log_shares(self, F: np.ndarray) -> np.ndarray:
        """(n, G, b) the logarithm of the share that each node gives to its branches."""
        G, b, p = self.weights.shape
        scores = F @ self.weights.reshape(G * b, p).T
        return log_softmax(scores.reshape(len(F) * G, b)).reshape(len(F), G, b)


@dataclass(frozen=True)
class RadialGate:
    r"""One gate of Gaussian units: shares are those of :math:`e^{o_h} p_h(x)` with offsets o.

    With offsets :math:`\ln a_h - \tfrac12\ln|2\pi S_h|` they are the posteriors of a mixture of Gaussians.
    """

    units: Units
    offsets: np.ndarray
    size = 0.0  # places are not penalised

    @property
    def branching(self) -> int:
        """Branches of the one node."""
        return len(self.offsets)

    def log_joint(self, F: np.ndarray) -> np.ndarray:
        """(n, H) offset and unit together; with the offsets above, the log of the joint density of row and unit."""
        joint: np.ndarray = self.offsets - 0.5 * self.units.squares(F[:, :-1])
        return joint

    def log_shares(self, F: np.ndarray) -> np.ndarray:
        """(n, 1, H) the logarithm of the share of each unit."""
        return log_softmax(self.log_joint(F))[:, None]


@dataclass(frozen=True)
class ExpertTree:
    r"""Linear experts at the leaves of a balanced tree of gates; one level is a mixture of experts.

    .. math:: \pi_e(x) = \prod_{\text{nodes on the way to } e} g_{j \mid node}(x), \qquad w_e(x) = V_e (x, 1)  \quad (1)

    Parameters
    ----------
    gates : SoftmaxGates or RadialGate
    coef : (E, K, p) the weights V, the constant last
    noise : (E,) standard deviations of the experts of numbers
    kind : "numbers" or "classes"
    blended : bool
        Whether outputs are mixed before the softmax of classes (cooperative), rather than probabilities after it.
    projections : (E, k, d) or None
        The directions that an expert sees, if it has its own.
    """

    gates: SoftmaxGates | RadialGate
    coef: np.ndarray
    noise: np.ndarray
    kind: str
    blended: bool = False
    projections: np.ndarray | None = None

    @property
    def penalised(self) -> np.ndarray:
        """(E, K, p) the weights that a penalty counts: all but the constants of numbers, which may be anywhere."""
        if self.kind == "classes":
            return self.coef
        slopes = self.coef.copy()
        slopes[:, :, -1] = 0.0
        return slopes

    @property
    def size(self) -> float:
        """The sum of the squared weights of experts and gates, which a penalty counts."""
        return float((self.penalised**2).sum()) + self.gates.size

    def log_paths(self, F: np.ndarray) -> np.ndarray:
        """(n, E) the logarithm of the share of each expert, (1)."""
        logs, b = self.gates.log_shares(F), self.gates.branching
        paths, start, nodes = np.zeros((len(F), 1)), 0, 1
        while start < logs.shape[1]:
            paths = (paths[:, :, None] + logs[:, start : start + nodes]).reshape(len(F), nodes * b)
            start, nodes = start + nodes, nodes * b
        return paths

    def outputs(self, F: np.ndarray) -> np.ndarray:
        """(n, E, K) what each expert says, before any softmax."""
        E, K, p = self.coef.shape
        return (F @ self.coef.reshape(E * K, p).T).reshape(len(F), E, K)

    def expert_answers(self, F: np.ndarray) -> np.ndarray:
        """(n, E, K) the number, or the probabilities of the classes, by each expert alone."""
        W = self.outputs(F)
        return W if self.kind == "numbers" else softmax(W.reshape(-1, W.shape[2])).reshape(W.shape)

    def answers(self, F: np.ndarray) -> np.ndarray:
        """(n, K) the answer of all experts together."""
        shares = np.exp(self.log_paths(F))
        if self.kind == "numbers" or not self.blended:
            return np.einsum("ne,nek->nk", shares, self.expert_answers(F))
        return softmax(np.einsum("ne,nek->nk", shares, self.outputs(F)))

    def log_densities(self, F: np.ndarray, target: np.ndarray) -> np.ndarray:
        """(n, E) the log density (numbers) or probability (classes) of the target by each expert."""
        W = self.outputs(F)
        if self.kind == "numbers":
            squares = ((target[:, None] - W) ** 2).sum(axis=2)
            K = target.shape[1]
            return -0.5 * squares / self.noise**2 - K * (np.log(self.noise) + 0.5 * LOG_2PI)
        logs = log_softmax(W.reshape(-1, W.shape[2])).reshape(W.shape)
        return np.einsum("nek,nk->ne", logs, target)

    def responsibilities(self, F: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, E) the posterior of each expert given row and target, and (n,) the log likelihoods of the targets."""
        return shared_out(self.log_paths(F) + self.log_densities(F, target))

    def gate_credit(self, credit: np.ndarray, shares: np.ndarray) -> np.ndarray:
        r"""(n, G, b) the derivative by each gate score, from (n, E) those by :math:`\ln\pi_e`.

        .. math:: \frac{\partial E}{\partial s_{j}} = C_j - g_j\sum_l C_l                                  \quad (2)

        with :math:`C_j` the sum over the experts behind branch j.
        """
        b, parts = self.gates.branching, list[np.ndarray]()
        C, end = credit, shares.shape[1]
        while end:
            nodes = C.shape[1] // b
            C = C.reshape(len(C), nodes, b)
            parts.append(C - shares[:, end - nodes : end] * C.sum(axis=2, keepdims=True))
            C, end = C.sum(axis=2), end - nodes
        return np.concatenate(parts[::-1], axis=1)
