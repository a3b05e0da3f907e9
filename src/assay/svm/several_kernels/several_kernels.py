"""What machines of several kernels share: the kernels, their scales, and learning their weights."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.model_view import Part
from assay.core.parameters import Any_, Choice, Count, Range
from assay.core.progress import progress
from assay.core.stored import Each, FloatArray, Object, Plain, Scalar
from assay.errors import DegenerateError, ParameterError, warn_user
from assay.kernels import GramRows, Kernel, MatrixRows, kernel_of
from assay.kernels.memory import refuse_beyond_memory
from assay.svm.kernel_machine import KernelMachine
from assay.svm.several_kernels.learn_weights import learn_weights
from assay.svm.several_kernels.weighted_sum import WeightedSum

__all__ = ["KERNELS", "SeveralKernels", "learned_grams", "mean_diagonals"]

KERNELS = Any_(
    "a list of kernels: names, functions of two tables, or Kernels",
    lambda value: isinstance(value, (list, tuple)) and len(value) > 0,
)


class SeveralKernels(KernelMachine):
    """Mixin: learn the weights of several kernels, then be the machine of their sum.

    The machine writes ``_coefficients_and_value(gram, y, w)``: the (P, n) coefficients of its solution for a kernel
    matrix, and the value of its dual.

    Attributes
    ----------
    weights_ : (p,) of the normalised kernels      norms_ : (p,) the share of each kernel in the squared norm
    gap_ : float, by which share the objective can be above the least      history_ : list of dicts, one a round
    """

    accepts: ClassVar[Any] = {
        "kernels": KERNELS,
        "combination": Choice("convex", "conic"),
        "normalization": Choice("trace", "diagonal") | None,
        "rule": Choice("gradient", "norms"),
        "gap_tol": Range(0, open="low"),
        "max_rounds": Count(1),
    }
    stored = {
        "weights_": FloatArray("q", low=0, finite=True),
        "norms_": FloatArray("q", low=0, finite=True),
        "gap_": Scalar(),
        "kernels_": Each(Object(Kernel), "q"),
        "_factors": FloatArray("q", low=0, finite=True),
        "history_": Each(Plain(dict)),
    }
    kernels: Any
    combination: str
    normalization: str | None
    rule: str
    gap_tol: float
    max_rounds: int
    kernel = "several"  # names no kernel of its own
    _sorts_rows = False
    degree, gamma, coef0 = 3.0, "scale", 0.0

    def _parts(self) -> list[Kernel]:
        """The kernels that the parameters name."""
        try:
            return [
                kernel_of(kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
                for kernel in self.kernels
            ]
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    def _kernel(self) -> Kernel:
        parts = self._parts()
        if any(part.precomputed for part in parts):
            raise ParameterError(
                f"{type(self).__name__}: a precomputed kernel says one value of two rows, several need one each. Give "
                "kernels of the rows themselves."
            )
        return WeightedSum(tuple(parts), np.full(len(parts), 1.0 / len(parts)))

    def _learn_kernel(  # type: ignore[override]  # in the order of the rows alone
        self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None
    ) -> GramRows:
        parts = [part.normalized() if self.normalization == "diagonal" else part for part in self._parts()]
        parts, grams = learned_grams(self, parts, X, y, w)
        scales = mean_diagonals(grams, w)
        # of equal traces the weights sum to 1; the sum of traces is that of equal weights ("conic")
        factors = self._scale_factors(scales)
        grams *= factors[:, None, None]
        self.history_: list[dict[str, float]] = []
        with progress(None, f"{type(self).__name__}: weights of kernels") as bar:

            def watch(record: dict[str, float]) -> None:
                bar.advance()
                self.history_.append(record)

            learned = learn_weights(
                grams,
                lambda K: self._coefficients_and_value(MatrixRows(K), y, w),
                rule=self.rule,
                tol=self.gap_tol,
                max_rounds=self.max_rounds,
                watch=watch,
            )
        self.kernels_, self.weights_, self.gap_ = parts, learned.weights, float(learned.gap)
        self._factors = factors
        self.kernel_ = WeightedSum(tuple(parts), learned.weights * factors)
        self.shape_fit_ = tuple(map(int, X.shape))
        if not learned.settled:
            warn_user(
                f"{type(self).__name__}: the weights of the kernels are within {learned.gap:.2g} of the best objective "
                f"after {learned.rounds} rounds; raise max_rounds, or gap_tol above {self.gap_tol:g}.",
                ConvergenceWarning,
            )
        K = np.tensordot(learned.weights, grams, 1)
        self.norms_ = self._norm_shares(grams, MatrixRows(K), y, w)
        return MatrixRows(K)

    def _scale_factors(self, scales: np.ndarray) -> np.ndarray:
        """(p,) what the kernels are multiplied by, so that the weights that are allowed have the sum 1."""
        if self.combination == "conic":
            return float(scales.mean() if self.normalization != "trace" else 1.0) / scales
        return 1.0 / scales if self.normalization == "trace" else np.ones_like(scales)

    def _norm_shares(self, grams: np.ndarray, gram: MatrixRows, y: Any, w: Any) -> np.ndarray:
        C = self._coefficients_and_value(gram, y, w)[0]
        norms = np.array([eta**2 * np.sum((C @ K) * C) for eta, K in zip(self.weights_, grams)])
        norms = np.maximum(norms, 0.0)
        return norms / norms.sum() if norms.any() else norms

    def _coefficients_and_value(self, gram: GramRows, y: Any, w: Any) -> tuple[np.ndarray, float]:
        raise TypeError(f"{type(self).__name__} must define _coefficients_and_value")

    def _by_kernel(self, X: Any) -> np.ndarray:
        """(p, q, k) what each kernel adds to the outputs of the machine."""
        sums, part = [], copy(self)
        for kernel, weight in zip(self.kernels_, self.weights_ * self._factors):
            part.kernel_ = WeightedSum((kernel,), np.array([weight]))
            sums.append(part._kernel_sums(X, self._coefficients))
        return np.array(sums)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        parts = self._by_kernel(X)
        names = [repr(kernel) for kernel in self.kernels_]

        def sections(i: int) -> list[Section]:
            lines: list[list[Any]] = [
                [name, float(weight), *part[i].tolist()]
                for name, weight, part in zip(names, self.weights_, parts)
                if weight > 0
            ]
            lines.append(["intercept", "", *self.intercept_.tolist()])
            heads = ["adds"] if parts.shape[2] == 1 else [f"machine {k + 1}" for k in range(parts.shape[2])]
            return [Section("What each kernel adds to the score", ["kernel", "weight", *heads], lines)]

        return super()._reasons(X, rows).then(sections)

    def _model_parts(self) -> list[Part]:
        lines = [
            [repr(kernel), float(weight), float(share)]
            for kernel, weight, share in zip(self.kernels_, self.weights_, self.norms_)
        ]
        note = f"the objective is within {max(self.gap_, 0.0):.2g} of the least, as a share"
        return [
            Section("Kernels", ["kernel", "weight", "share of the squared norm"], lines, note),
            *super()._model_parts(),
        ]


def learned_grams(
    machine: KernelMachine, parts: list[Kernel], X: Any, y: np.ndarray | None, w: np.ndarray | None
) -> tuple[list[Kernel], np.ndarray]:
    """The kernels fitted to the training rows, and their (p, n, n) matrices."""
    n, who = X.shape[0], type(machine).__name__
    refuse_beyond_memory(
        who, int(n * np.sqrt(len(parts))), "Fit to fewer rows, and keep the learned kernel_ for SVC or SVR."
    )
    if "schema_" in vars(machine):
        parts = [part.with_schema(machine.schema_) for part in parts]
    parts = [part.learn(X, y, w) for part in parts]
    grams = np.empty((len(parts), n, n))
    for gram, part in zip(grams, parts):
        gram[...] = part.gram(X)
        if not np.trace(gram) > 0:
            raise DegenerateError(
                f"{who}: kernel {part!r} is 0 for every row with itself, so that its weight has no meaning."
            )
    return parts, grams


def mean_diagonals(grams: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """(p,) the mean of each diagonal, rows counted by their weights."""
    diagonals = np.einsum("pii->pi", grams)
    return np.average(diagonals, axis=1, weights=None if w is None or not w.any() else w)
