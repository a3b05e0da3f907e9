r"""Which rows linear scores can put on the right side: the search behind the separability tests.

A row i of class c and another class k make one pair, with the margin :math:`m_{ik} = (w_c - w_k)^Tx_i`. The weights
with no negative margin form a cone. It is more than the weights whose margins are all 0 if and only if no positive
multipliers balance the pairs (Stiemke's theorem of the alternative):

.. math:: \exists W: m_{ik} \ge 0, \text{ not all } 0 \quad\text{or}\quad
          \exists \lambda_{ik} > 0: \textstyle\sum_{ik}\lambda_{ik}\,x_i (e_{c_i} - e_k)^T = 0         \quad (1)

Newton steps on the likelihood find either side quickly: iterates that get all margins above 0, or class
probabilities, which are multipliers, with a vanishing gradient, which is the balance. What they leave open a linear
programme decides. The rows that a direction puts strictly on the right side are taken off, and the search goes on
with the others, so that in the end every pair is known to be separable, or balanced by the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.linear.separation.row_pairs import RowPairs

__all__ = ["Cone", "Search"]

MAX_NEWTON_UNKNOWNS = 1500  # more unknowns than this are left to gradient steps
SAMPLE = 4096  # rows that are looked at first, and at most join them at once
SAMPLES = 12  # how often rows may join them
STEPS = 60  # of Newton
PATIENCE = {
    "time_limit": 60.0
}  # seconds for one linear programme; after that the answer is that there is none
ROUNDS = 60  # of adding violated pairs to a linear programme


@dataclass
class Search:
    """What was found out about the pairs.

    Attributes
    ----------
    W : (p, K) no margin is negative, and those of the separated pairs are positive
    separated : (n, K) bool, the pairs with a positive margin
    balanced : (n, K) bool, the pairs that no such weights can give a positive margin
    multipliers : (n, K) of the balanced pairs, (1), or None
    """

    W: np.ndarray
    separated: np.ndarray
    balanced: np.ndarray
    multipliers: np.ndarray | None

    @property
    def finished(self) -> bool:
        """Whether each pair is known to be the one or the other."""
        n, K = self.separated.shape
        return int((self.separated | self.balanced).sum()) == n * (K - 1)


class Cone(RowPairs):
    """The weights that give no pair a negative margin, and what can be found out about them."""

    def search(self, direction: np.ndarray | None = None) -> Search:
        """Take off what can be separated, until nothing is left or the rest is balanced; a first way may be known."""
        open = ~self.own
        W = np.zeros((self.p, self.K))
        multipliers = open.astype(np.float64) if not self.p else None  # without columns all margins are 0
        if direction is None and self.n > 2 * SAMPLE and 0 < self.p * (self.K - 1) <= MAX_NEWTON_UNKNOWNS:
            direction, multipliers = self._by_sample(open)
            if multipliers is not None:
                return Search(W, np.zeros_like(open), open, multipliers)
        while open.any() and self.p:
            if direction is None:
                direction, multipliers = self._alternative(open)
            if direction is None:
                break
            margin = self.margins(direction)
            separated = open & (margin > 0)
            if not separated.any() or (margin[open] < 0).any():
                break
            W = direction if not W.any() else self._joined(W, direction, open)
            open, direction = open & ~separated, None
        balanced = open if multipliers is not None else np.zeros_like(open)
        return Search(W, ~self.own & ~open, balanced, multipliers)

    def _by_sample(self, open: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Weights or multipliers of (1) from some of the rows; rows join the sample as they are violated.

        What balances some rows balances all, if they leave no direction free; what separates some is tried on all.
        """
        rng = np.random.default_rng(0)
        chosen = np.sort(rng.permutation(self.n)[:SAMPLE])
        for _ in range(SAMPLES):
            result = Cone(self.X[chosen], self.y[chosen], self.K).search()
            if result.multipliers is not None and not result.separated.any():
                multipliers = np.zeros((self.n, self.K))
                multipliers[chosen] = result.multipliers
                return None, self._balance(multipliers, open)
            if not result.separated.any():
                break
            margin = np.where(open, self.margins(result.W), np.inf).min(axis=1)
            wrong = np.flatnonzero(margin < 0)
            if not len(wrong):
                return result.W, None
            fresh = np.setdiff1d(wrong, chosen)
            if not len(fresh):
                break
            some = fresh if len(fresh) <= SAMPLE else rng.permutation(fresh)[:SAMPLE]
            chosen = np.union1d(chosen, some)
        return None, None

    def _joined(self, first: np.ndarray, second: np.ndarray, open: np.ndarray) -> np.ndarray:
        """So much of the first that the second cannot undo what it separated."""
        done = ~self.own & ~open
        got, lost = self.margins(first)[done], self.margins(second)[done]
        needed = float(np.max((1.0 - lost) / got, initial=1.0))
        return needed * first + second

    def _alternative(self, open: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Weights or multipliers of (1) for the open pairs; neither if nothing could be proved."""
        if self.p * (self.K - 1) > MAX_NEWTON_UNKNOWNS:
            return self._by_gradient(open), None
        direction, multipliers, last = self._by_newton(open)
        if direction is not None or multipliers is not None:
            return direction, multipliers
        return self._by_programme(open, last)

    def _by_newton(self, open: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray]:
        W = np.zeros((self.p, self.K))
        P, loss = self.probabilities(W, open)
        for _ in range(STEPS):
            step = self.weights(self._solve(self.curvature(P), self.flat_gradient(P - self.own)))
            multipliers = self._balance(self._moved(P, step), open)
            if multipliers is not None:
                return None, multipliers, W
            rate, (Q, lower) = 1.0, self.probabilities(W - step, open)
            while not lower <= loss and rate > 1e-6:
                rate /= 2
                Q, lower = self.probabilities(W - rate * step, open)
            if not lower < loss:
                break
            W, P, loss = W - rate * step, Q, lower
            if (self.margins(W)[open] > 0).all():
                return W, None, W
            way = self._runaway(-step, open)
            if way is not None:
                return way, None, W
        return None, None, W

    def _runaway(self, step: np.ndarray, open: np.ndarray) -> np.ndarray | None:
        """The step's direction, if it separates some pairs; when weights run away, their steps come to do so.

        There each step adds about 1 to the margins that grow for ever and about nothing to the others.
        """
        margin = self.raw_margins(step)[open]
        if margin.min() < -1e-3 or margin.max() < 0.5 or ((margin > 1e-2) & (margin < 0.5)).any():
            return None
        way = self._rounded(step, open, 1e-2)
        margin = self.margins(way)[open]
        return way if margin.min() >= 0 and margin.max() > 0 else None

    def _moved(self, P: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The probabilities after the step, to first order: their gradient is 0."""
        change = np.asarray(self.X @ step)
        return P - P * (change - (P * change).sum(axis=1, keepdims=True))

    def _balance(self, multipliers: np.ndarray, open: np.ndarray) -> np.ndarray | None:
        """Multipliers that prove that no open pair can be separated, from some that nearly do; or None.

        Small ones are set to 0 and the others corrected, so that the balance is exact up to rounding. They must stay
        positive, and leave no direction free that an open pair could be separated by.
        """
        top = multipliers[open].max(initial=0.0)
        if not np.isfinite(top) or top <= 0 or multipliers[open].min() < -1e-3 * top:
            return None
        strong = open & (multipliers > 1e-6 * top)
        lam = np.where(strong, multipliers / top, 0.0)
        gram = self.gram(lam)
        values, vectors = np.linalg.eigh(gram)
        kept = values > 1e-13 * max(values[-1], 1e-300)
        for _ in range(2):
            residual = self.flat_gradient(self.net(lam))
            along = vectors[:, kept]
            shift = self.weights(along @ ((along.T @ residual) / values[kept]))
            lam = lam * (1.0 - np.where(strong, self.raw_margins(shift), 0.0))
        if (lam[strong] < 1e-7).any():
            return None
        net = self.net(lam)
        if np.abs(self.flat_gradient(net)).max() > 1e-13 * np.asarray(self.size.T @ np.abs(net)).max():
            return None
        free = vectors[:, ~kept]
        for column in free.T:
            if np.abs(self.margins(self.weights(column))[open]).max(initial=0.0) > 1e-6:
                return None
        return lam

    def _by_programme(self, open: np.ndarray, W: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Maximise how many pairs get a margin of 1, none a negative one; pairs join as they are violated."""
        from scipy.optimize import linprog

        size = self.p * (self.K - 1)
        i, k = np.nonzero(open)
        margin = self.raw_margins(W)[i, k]
        rng = np.random.default_rng(0)
        few = max(300, 4 * size)
        chosen = np.unique(
            np.concatenate((np.argsort(margin, kind="stable")[:few], rng.permutation(len(i))[:few]))
        )
        for _ in range(ROUNDS):
            Z = self.vectors(i[chosen], k[chosen])
            m = len(chosen)
            result = linprog(
                np.concatenate((np.zeros(size), -np.ones(m))),
                A_ub=np.hstack((-Z, np.eye(m))) if m * (m + size) < 4e6 else _beside(-Z, m),
                b_ub=np.zeros(m),
                bounds=[(None, None)] * size + [(0.0, 1.0)] * m,
                method="highs",
                options=PATIENCE,
            )
            if result.status != 0:
                return None, None
            if -result.fun < 0.5:
                lam = np.zeros((self.n, self.K))
                lam[i[chosen], k[chosen]] = np.maximum(-result.ineqlin.marginals, 0.0)
                proof = self._balance(lam, open)
                if proof is not None:
                    return None, proof
                fresh = rng.permutation(np.setdiff1d(np.arange(len(i)), chosen))[:few]
            else:
                direction = self.weights(result.x[:size])
                all_margins = self.margins(direction)[i, k]
                wrong = np.flatnonzero(all_margins < -1e-6)
                if not len(wrong):
                    return self._rounded(direction, open, 1e-5), None
                fresh = np.setdiff1d(wrong[np.argsort(all_margins[wrong], kind="stable")[:few]], chosen)
            if not len(fresh):
                return None, None
            chosen = np.union1d(chosen, fresh)
        return None, None

    def _rounded(self, W: np.ndarray, open: np.ndarray, small: float) -> np.ndarray:
        """The nearest weights whose margins are exactly 0 where those of W are small."""
        flat = open & (np.abs(self.raw_margins(W)) < small)
        if flat.any():
            values, vectors = np.linalg.eigh(self.gram(flat.astype(np.float64)))
            basis = vectors[:, values > 1e-12 * max(values[-1], 1e-300)]
            w = self.flat_weights(W)
            w = w - basis @ (basis.T @ w)
            w[np.abs(w) < 1e-9 * np.abs(w).max(initial=0.0)] = 0.0
            W = self.weights(w)
        return W

    def _by_gradient(self, open: np.ndarray) -> np.ndarray | None:
        """Many unknowns: weights that separate all pairs, if gradient steps find some."""
        from scipy.optimize import minimize

        def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
            P, value = self.probabilities(self.weights(w), open)
            return value, self.flat_gradient(P - self.own)

        optimum = minimize(
            loss,
            np.zeros(self.p * (self.K - 1)),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 500, "gtol": 0, "ftol": 0},
        )
        W = self.weights(optimum.x)
        return W if (self.margins(W)[open] > 0).all() else None

    def sparsest(self, search: Search, free: int) -> np.ndarray | None:
        """(p, K) weights of smallest absolute sum that do what the found ones do; column `free` costs nothing."""
        from scipy.optimize import linprog

        size = self.p * (self.K - 1)
        if size > MAX_NEWTON_UNKNOWNS // 5:
            return None
        i, k = np.nonzero(~self.own)
        wanted = search.separated[i, k].astype(np.float64)
        margin = self.margins(search.W)[i, k]
        few = max(300, 4 * size)
        chosen = np.argsort(margin, kind="stable")[:few]
        price = np.ones((self.p, self.K))
        price[free : free + 1] = 0.0  # free is p if no column is free
        cost = np.tile(self.flat_weights(price), 2)
        for _ in range(ROUNDS):
            Z = self.vectors(i[chosen], k[chosen])
            result = linprog(
                cost,
                A_ub=np.hstack((-Z, Z)),
                b_ub=-wanted[chosen],
                bounds=(0, None),
                method="highs",
                options=PATIENCE,
            )
            if result.status != 0:
                return None
            w = result.x[:size] - result.x[size:]
            w[np.abs(w) < 1e-9 * np.abs(w).max(initial=0.0)] = 0.0
            W = self.weights(w)
            got = self.raw_margins(W)[i, k]
            wrong = np.flatnonzero(got < wanted - 1e-6)
            if not len(wrong):
                return W
            fresh = np.setdiff1d(wrong[np.argsort((got - wanted)[wrong], kind="stable")[:few]], chosen)
            if not len(fresh):
                return None
            chosen = np.union1d(chosen, fresh)
        return None

    def few_multipliers(self, multipliers: np.ndarray) -> np.ndarray:
        """(n, K) a balance of as few pairs as a vertex has, at most one more than there are unknowns."""
        from scipy.optimize import linprog

        size = self.p * (self.K - 1)
        i, k = np.nonzero(multipliers)
        if not size:
            return multipliers
        many = max(2000, 8 * size)
        if len(i) > many:  # some rows of each kind: those with large multipliers alone lie on the wrong side
            some = np.random.default_rng(0).permutation(len(i))[:many]
            i, k = i[some], k[some]
        Z = self.vectors(i, k)
        result = linprog(
            np.zeros(len(i)),
            A_eq=np.vstack((Z.T, np.ones(len(i)))),
            b_eq=np.append(np.zeros(size), 1.0),
            bounds=(0, None),
            method="highs-ds",
            options=PATIENCE,
        )
        if result.status != 0:
            return multipliers
        few = np.flatnonzero(result.x > 1e-9)
        rows = np.linalg.svd(Z[few].T)[2]
        lam = rows[-1] * np.sign(rows[-1].sum())  # the one dependence among them, exact up to rounding
        if (lam <= 0).any() or np.abs(Z[few].T @ lam).max() > 1e-12 * (1 + np.abs(Z[few]).sum()):
            return multipliers
        sparse = np.zeros_like(multipliers)
        sparse[i[few], k[few]] = lam
        return sparse

    @staticmethod
    def _solve(H: np.ndarray, g: np.ndarray) -> np.ndarray:
        from scipy.linalg import LinAlgError, cho_factor, cho_solve

        ridge = 1e-14 * float(np.trace(H)) / len(H) + 1e-300
        while True:
            try:
                return cho_solve(cho_factor(H + ridge * np.eye(len(H)), lower=True), g)
            except LinAlgError:
                ridge *= 100


def _beside(Z: np.ndarray, m: int) -> Any:
    from scipy.sparse import csr_array, eye_array, hstack

    return hstack((csr_array(Z), eye_array(m)), format="csr")
