"""A classifier of one-class machines: each class is described by itself, and the densest one answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card, Generative
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parallel import in_threads
from assay.core.parameters import Choice, Range, Simplex, check_count
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Object
from assay.densities.kernel_sums import KernelSums
from assay.densities.kernels import kernel_of as profile_of
from assay.errors import ParameterError
from assay.kernels import RBF
from assay.kernels.gamma import gamma_of
from assay.svm.kernel_machine import SHOWN
from assay.svm.svdd import SVDD
from assay.types import Priors, RandomState, TableLike

__all__ = ["OneClassClassifier"]


class OneClassClassifier(Generative):
    r"""Describe each class by a one-class machine with a Gaussian kernel, and classify by sums of kernel values.

    .. math:: \hat p(x \mid k) \propto \sum_{i \in k} \alpha_i K(x_i, x), \qquad \sum_{i \in k}\alpha_i = 1 \quad (1)

    is a sparse estimate of the density of class k, made of its support vectors alone (:class:`SVDD`), and

    .. math:: P(k \mid x) \propto \pi_k\, \hat p(x \mid k) \quad (2)

    With equal priors the largest sum wins. Each class is learned without the others, so classes can be added without
    learning the old ones again, and rows far from all of them can be seen (``is_outlier``).

    Cost: fit between O(n_k^2 d) and O(n_k^3) for each class; predict O(m d) a row for m support vectors of all classes;
    memory O(m d).

    Parameters
    ----------
    nu : float above 0 up to 1, default 0.5
        The largest share of the rows of a class outside its ball.
    gamma : float, "scale" or "auto", default "scale"
        Of the Gaussian kernel, the same for all classes: 1 / (d var(X)) or 1 / d.
    priors : (K,) probabilities, default None
        None takes the shares of the classes; equal ones compare the sums of (1) alone.
    tol : float, default 1e-3
    cache_size : float, default 200
        Megabytes of kernel values that are held for each machine.

    Attributes
    ----------
    machines_ : list of SVDD, one for each class     class_prior_ : (K,)     classes_ : (K,)

    Examples
    --------
    >>> from assay.svm import OneClassClassifier
    >>> X, y = [[0.0], [0.5], [1.0], [4.0], [4.5], [5.0]], list("aaabbb")
    >>> model = OneClassClassifier(gamma=1.0).fit(X, y)
    >>> model.predict([[0.8], [3.9]])
    array(['a', 'b'], dtype='<U1')
    >>> model.is_outlier([[0.5], [2.5]])
    array([False,  True])

    See Also
    --------
    SVDD, OneClassSVM, assay.neighbors.ParzenClassifier

    References
    ----------
    - Tax, D. M. J. and Duin, R. P. W. (2004). Support vector data description. Machine Learning 54, 45-66.
      doi:10.1023/B:MACH.0000008084.60811.49
    """

    card = Card(
        "one-class classifier",
        "each class described by its own ball; the densest answers",
        also=("one class classifier", "svdd classifier"),
        scale=True,
        most_rows=20_000,
        learns=(
            "a region of each class in the kernel's space",
            "hinge loss outside of the region + its size",
            "decomposition: two multipliers at a time",
            "global",
        ),
    )
    accepts = {
        "nu": Range(0, 1, open="low"),
        "gamma": Range(0, open="low") | Choice("scale", "auto"),
        "priors": Simplex() | None,
        "tol": Range(0, open="low"),
        "cache_size": Range(0, open="low"),
    }
    stored = {
        "machines_": Each(Object(SVDD), "K"),
        "class_prior_": FloatArray("K", low=0, high=1),
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        gamma: float | str | None = "scale",
        priors: Priors | None = None,
        tol: float = 1e-3,
        cache_size: float = 200,
    ):
        self.nu = nu
        self.gamma = gamma
        self.priors = priors
        self.tol = tol
        self.cache_size = cache_size

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        K, who = len(self.classes_), type(self).__name__
        weight = np.ones(len(y)) if w is None else np.asarray(w, dtype=np.float64)
        shares = np.bincount(y, weight, minlength=K)
        prior = shares / shares.sum() if self.priors is None else np.asarray(self.priors, dtype=np.float64)
        if prior.shape != (K,):
            raise ParameterError(
                f"{who}: priors must be {K} probabilities, one for each class, got {prior.size}."
            )
        self.class_prior_ = prior
        gamma = gamma_of(self.gamma, X, who)

        def machine(k: int) -> SVDD:
            rows = np.flatnonzero((y == k) & ((weight > 0) | (shares[k] == 0)))
            made = SVDD(
                nu=max(self.nu, 1 / len(rows)),
                kernel=RBF(gamma=gamma),
                tol=self.tol / len(rows),  # the multipliers sum to 1
                cache_size=self.cache_size,
            )
            return made.fit(X[rows], sample_weight=weight[rows] if shares[k] > 0 else None)

        self.machines_ = in_threads(machine, range(K))

    def _log_joint(self, X: Any) -> np.ndarray:
        X, profile = np.asarray(X, dtype=np.float64), profile_of("gaussian")
        joint = np.empty((len(X), len(self.machines_)))
        with np.errstate(divide="ignore"):
            prior = np.log(self.class_prior_)
        for k, machine in enumerate(self.machines_):
            points = KernelSums(machine.support_vectors_, machine.dual_coef_[0])
            kernel: Any = machine.kernel_
            width = 1.0 / np.sqrt(2.0 * kernel.gamma)
            joint[:, k] = prior[k] + points.log_sums(X, profile, width)  # (1), (2)
        return joint

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """Rows drawn from the densities, (n_samples, d), and (n_samples,) classes: a support vector of the class by its
        multiplier, and a step of the Gaussian kernel.
        """
        self._ready()
        check_count(type(self).__name__, "n_samples", n_samples)
        rng = random_state_of(random_state)
        y = rng.choice(len(self.classes_), size=n_samples, p=self._prior())
        X = rng.standard_normal((n_samples, self.machines_[0].support_vectors_.shape[1]))
        for k in np.unique(y):
            machine, rows = self.machines_[k], np.flatnonzero(y == k)
            kernel: Any = machine.kernel_
            share = machine.dual_coef_[0] / machine.dual_coef_[0].sum()
            chosen = rng.choice(len(share), size=len(rows), p=share)
            X[rows] = machine.support_vectors_[chosen] + X[rows] / np.sqrt(2.0 * kernel.gamma)
        return X, self.classes_[y]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The density and the ball of each class, and the support vectors of the answer's by what they contribute."""
        X = np.asarray(X, dtype=np.float64)
        joint = self._log_joint(X)

        def sections(i: int) -> list[Section]:
            lines: list[list[Any]] = [
                [
                    str(label),
                    float(self.class_prior_[k]),
                    float(joint[i, k]),
                    "inside" if machine.decision_function(X[i : i + 1])[0] >= 0 else "outside",
                ]
                for k, (label, machine) in enumerate(zip(self.classes_, self.machines_))
            ]
            k = int(np.argmax(joint[i]))
            machine = self.machines_[k]
            values = machine.kernel_.between(X[i : i + 1], machine.support_vectors_)[0]
            votes = machine.dual_coef_[0] * values
            order = np.argsort(-votes, kind="stable")[:SHOWN]
            spoke: list[list[Any]] = [
                [
                    int(machine.support_[j]) + 1,
                    float(machine.dual_coef_[0, j]),
                    float(values[j]),
                    float(votes[j]),
                ]
                for j in order
            ]
            note = (
                f"All {len(votes)} add up to {votes.sum():.6g}, the density of {self.classes_[k]} at the row."
            )
            return [
                Section("Classes", ["class", "prior", "log of prior and density", "its ball"], lines),
                Section(
                    f"Support vectors of {self.classes_[k]} by what they contribute",
                    ["training row of the class", "coefficient", "kernel", "contribution"],
                    spoke,
                    note,
                ),
            ]

        return Reasons(sections)

    def is_outlier(self, X: TableLike) -> np.ndarray:
        """(n,) whether a row lies outside the balls of all classes."""
        values = self._admit(X)
        return np.all([machine.decision_function(values) < 0 for machine in self.machines_], axis=0)
