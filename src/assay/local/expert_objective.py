"""What mixtures of experts are trained by along the gradient: the blended error, or the likelihood of the mixture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from assay.core.parallel import end_if_abandoned, one_blas_thread
from assay.core.scores import log_softmax
from assay.local.expert_tree import ExpertTree, RadialGate, SoftmaxGates
from assay.local.rbf_objective import gradient_of_units
from assay.local.units import Units

__all__ = ["climb", "value_and_gradient"]

WIDEST = np.log(1000)  # by how much the logarithm of a spread or of the noise may change
LEAST_NOISE = 1e-3  # of the target's deviation, below which no expert's noise gets


def value_and_gradient(
    tree: ExpertTree, F: np.ndarray, target: np.ndarray, weight: np.ndarray, alpha: float
) -> tuple[float, dict[str, np.ndarray]]:
    r"""What is minimised, and its gradient by the experts, the gates and the noise.

    Cooperative experts (``tree.blended``): :math:`y = \sum_e \pi_e w_e`, and

    .. math:: E = \tfrac12\sum_t \|r^t - y^t\|^2 \quad\text{or}\quad -\sum_t\sum_i r_i^t \ln \mathrm{softmax}_i(y^t)
              \quad (1)

    Competitive experts: :math:`E = -\sum_t \ln\sum_e \pi_e\, p(r^t \mid e, x^t)`, where an expert's density is normal
    around :math:`w_e`, or the softmax of it. With the responsibilities :math:`f_e` the derivative by
    :math:`\ln \pi_e` is :math:`-f_e`, which the gates turn into :math:`-(f - g)x`. Half of alpha times the squares of
    weights of experts and gates is added.

    Returns
    -------
    value : float
    gradient : dict with "coef" and the parts of the gate ("gates", or "centers" and "spreads" by their logarithm),
        and "noise", by its logarithm, of competitive experts of numbers
    """
    W, logs = tree.outputs(F), tree.gates.log_shares(F)
    paths = tree.log_paths(F)
    gradient = dict[str, np.ndarray]()
    if tree.blended:
        shares = np.exp(paths)
        Y = np.einsum("ne,nek->nk", shares, W)
        if tree.kind == "numbers":
            D = Y - target
            value = 0.5 * float(weight @ (D**2).sum(axis=1))
        else:
            logs_y = log_softmax(Y.copy())
            value = -float(weight @ (target * logs_y).sum(axis=1))
            D = np.exp(logs_y) - target
        D = D * weight[:, None]
        credit = shares * np.einsum("nk,nek->ne", D, W)
        errors = shares[:, :, None] * D[:, None]
    else:
        f, likely = tree.responsibilities(F, target)
        value = -float(weight @ likely)
        f *= weight[:, None]
        credit = -f
        if tree.kind == "numbers":
            residuals = target[:, None] - W
            errors = -(f / tree.noise**2)[:, :, None] * residuals
            squares = np.einsum("ne,nek->e", f, residuals**2) / tree.noise**2
            gradient["noise"] = f.sum(axis=0) * target.shape[1] - squares
        else:
            errors = f[:, :, None] * (tree.expert_answers(F) - target[:, None])
    E, K, p = tree.coef.shape
    gradient["coef"] = (errors.reshape(len(F), E * K).T @ F).reshape(E, K, p) + alpha * tree.penalised
    value += 0.5 * alpha * tree.size
    scores = tree.gate_credit(credit, np.exp(logs))
    if isinstance(tree.gates, SoftmaxGates):
        G, b, _ = tree.gates.weights.shape
        gradient["gates"] = (scores.reshape(len(F), G * b).T @ F).reshape(G, b, p)
        gradient["gates"] += alpha * tree.gates.weights
    else:
        gradient |= gradient_of_units(tree.gates.units, F[:, :-1], scores[:, 0])
    return value, gradient


class _Parameters:
    """The free numbers of a tree as one vector, and back."""

    def __init__(self, tree: ExpertTree, constant: bool, noise: str):
        self.tree = tree
        self.parts = dict[str, np.ndarray]()
        coef, d = tree.coef, tree.coef.shape[2] - 1
        if tree.projections is not None:  # whose rows are orthonormal at first
            self.parts["inner"] = np.einsum("ekd,ecd->ekc", coef[:, :, :d], tree.projections)
            self.parts["projections"] = tree.projections
        elif not constant:
            self.parts["slopes"] = coef[:, :, :d]
        self.parts["constants"] = coef[:, :, d]
        if isinstance(tree.gates, SoftmaxGates):
            self.parts["gates"] = tree.gates.weights
        else:
            self.parts["centers"] = tree.gates.units.centers
            self.parts["spreads"] = np.log(tree.gates.units.spreads)
        if noise and tree.kind == "numbers" and not tree.blended:
            self.parts["noise"] = np.log(tree.noise if noise == "each" else tree.noise[:1])

    def bounds(self, F: np.ndarray) -> list[tuple[float | None, float | None]]:
        """Centres stay among the rows, spreads and noise within reason."""
        low, high = F.min(axis=0), F.max(axis=0)
        limits = list[tuple[float | None, float | None]]()
        for name, part in self.parts.items():
            if name == "centers":
                limits += [(min(a, m), max(b, m)) for row in part for a, b, m in zip(low, high, row)]
            elif name == "spreads":
                limits += [(v - WIDEST, v + WIDEST) for v in part.ravel()]
            elif name == "noise":
                limits += [(float(np.log(LEAST_NOISE)), WIDEST)] * part.size
            else:
                limits += [(None, None)] * part.size
        return limits

    def flat(self, parts: dict[str, np.ndarray]) -> np.ndarray:
        """The parts one behind the other."""
        return np.concatenate([parts[name].ravel() for name in self.parts])

    def unpacked(self, flat: np.ndarray) -> dict[str, np.ndarray]:
        """The parts by name."""
        place, new = 0, dict[str, np.ndarray]()
        for name, part in self.parts.items():
            new[name] = flat[place : place + part.size].reshape(part.shape)
            place += part.size
        return new

    def tree_of(self, new: dict[str, np.ndarray]) -> ExpertTree:
        """The tree with these parts."""
        tree, projections = self.tree, new.get("projections")
        if "inner" in new:
            slopes = np.einsum("ekc,ecd->ekd", new["inner"], new["projections"])
        else:
            slopes = new.get("slopes", np.zeros_like(tree.coef[:, :, :-1]))
        coef = np.concatenate([slopes, new["constants"][:, :, None]], axis=2)
        gates: SoftmaxGates | RadialGate = tree.gates
        if isinstance(gates, SoftmaxGates):
            gates = SoftmaxGates(new["gates"])
        else:
            gates = RadialGate(Units(new["centers"], np.exp(new["spreads"])), gates.offsets)
        noise = tree.noise
        if "noise" in new:
            noise = np.exp(np.broadcast_to(new["noise"], noise.shape))
        return replace(tree, gates=gates, coef=coef, noise=noise, projections=projections)

    def gradient(self, new: dict[str, np.ndarray], full: dict[str, np.ndarray]) -> np.ndarray:
        """The gradient by the free numbers, from that by all of the tree's."""
        D = full["coef"]
        by = {**full, "constants": D[:, :, -1], "slopes": D[:, :, :-1]}
        if "inner" in new:
            by["inner"] = np.einsum("ekd,ecd->ekc", by["slopes"], new["projections"])
            by["projections"] = np.einsum("ekc,ekd->ecd", new["inner"], by["slopes"])
        if "noise" in new and new["noise"].size == 1:
            by["noise"] = full["noise"].sum(keepdims=True)
        return self.flat(by)


def climb(
    tree: ExpertTree,
    F: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    *,
    alpha: float,
    constant: bool,
    noise: str,
    max_iter: int,
    tol: float,
) -> tuple[ExpertTree, list[float], bool]:
    """Minimise by L-BFGS from where the tree is: the better tree, the value after each step, and whether it settled.

    Parameters
    ----------
    constant : whether experts are numbers instead of linear functions
    noise : "each", "shared", or empty if it is given
    tol : of the gradient, a row, at which steps end
    """
    parameters = _Parameters(tree, constant, noise)
    history = list[float]()

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        end_if_abandoned()
        parts = parameters.unpacked(flat)
        value, full = value_and_gradient(parameters.tree_of(parts), F, target, weight, alpha)
        return value, parameters.gradient(parts, full)

    def note(intermediate_result: Any) -> None:
        history.append(float(intermediate_result.fun))

    first = parameters.flat(parameters.parts)
    rows = max(float(weight.sum()), 1e-300)
    options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": 1e-10, "gtol": tol * rows, "maxcor": 20}
    with one_blas_thread():
        result = minimize(
            objective, first, jac=True, method="L-BFGS-B", bounds=parameters.bounds(F), callback=note, options=options
        )  # fmt: skip
    better = parameters.tree_of(parameters.unpacked(result.x))
    return better, history or [float(result.fun)], result.nit < max_iter
