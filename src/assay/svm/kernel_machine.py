"""What all machines share that answer by a weighted sum of kernel values: kernel, support vectors, answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core.cases import MOST_CASES, beside
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.core.model_view import Part
from assay.core.parameters import Choice, Count, Flag, Range
from assay.core.stored import CodeArray, FloatArray, Integer, Object, ObjectRows, Plain, TableRows
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.kernels import GramRows, Kernel, Linear, MatrixRows, PrecomputedKernel, check_gram, kernel_of
from assay.kernels.gram_rows import finite
from assay.kernels.kernel_learner import KERNEL, KernelLearner
from assay.kernels.vector import MOST_ROWS_HELD, VectorKernel
from assay.svm.engine import Dual, Solution, solve
from assay.svm.multipliers import counting_rows, for_all_rows, of_rows
from assay.tables.rows import take_rows

__all__ = ["KERNEL", "KernelMachine"]

ROWS_LOOKED_AT = 200  # whose kernel matrix is checked where a kernel may be none
NEGATIVE_SHARE = 1e-6  # of the largest eigenvalue that a negative one may have
SHOWN = 8  # support vectors in an explanation
MOST_ROWS_OF_A_FUNCTION = 10_000  # whose kernel matrix a function of the user is asked for as a whole


class KernelMachine(KernelLearner):
    r"""A learner whose answers are sums of kernel values with some of the training rows, the support vectors.

    .. math:: f(x) = \sum_j c_j K(x_j, x) + b \quad (1)

    A machine calls ``_learn_kernel(X)`` for the rows of the kernel matrix, ``_solve(gram, dual)`` for the multipliers,
    ``_keep(X, support, coefficients, intercept)`` with what it made of them, and ``_outputs(X)`` for (1).

    Attributes
    ----------
    kernel_ : Kernel, fitted to the training rows
    support_ : (m,) the places of the support vectors among the training rows
    support_vectors_ : (m, p), or (m,) if rows are objects; empty for kernel="precomputed"
    dual_coef_ : (k, m) the coefficients c of (1); sparse if X was, as with scikit-learn
    intercept_ : (k,) b      coef_ : (k, p) the weights of the columns, for the linear kernel
    fit_status_ : 0 if the solver converged, else 1      shape_fit_ : shape of X in fit
    """

    accepts: ClassVar[Any] = {
        "kernel": KERNEL,
        "degree": Range(0),
        "gamma": Range(0) | Choice("scale", "auto"),
        "coef0": Range(),
        "tol": Range(0, open="low"),
        "cache_size": Range(0, open="low"),
        "max_iter": Count(-1),
        "shrinking": Flag(),
        "verbose": Flag() | Count(0),
    }
    needs_psd: ClassVar[bool] = True  # whether other matrices than kernel matrices have several solutions
    stored = {
        "kernel_": Object(Kernel, d="p"),
        "support_": CodeArray("m"),
        "support_vectors_": TableRows("m", "p") | ObjectRows("m") | FloatArray(0, 0),
        "dual_coef_": TableRows("*", "m", finite=True),
        "intercept_": FloatArray("*", finite=True),
        "fit_status_": Integer(low=0, high=1),
        "shape_fit_": Plain(tuple),
        "_fit_X": TableRows("*", "p") | ObjectRows("*"),  # of a function, which no file holds
        "_exact_weights": FloatArray("*", "p", finite=True) | None,
    }

    kernel: Any
    degree: Any
    gamma: Any
    coef0: Any
    tol: Any
    cache_size: Any
    max_iter: Any
    _exact_weights: np.ndarray | None = (
        None  # of the columns, where the coefficients give them too few digits
    )

    def _kernel(self) -> Kernel:
        """The kernel that the parameters say, before it learns."""
        try:
            return kernel_of(self.kernel, gamma=self._gamma_asked, degree=self.degree, coef0=self.coef0)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    @property
    def _gamma_asked(self) -> Any:
        return self.gamma

    def _learn_kernel(
        self,
        X: Any,
        y: np.ndarray | None = None,
        w: np.ndarray | None = None,
        order: np.ndarray | None = None,
    ) -> GramRows:
        """Fit the kernel to the training rows; the rows of their kernel matrix, in this order."""
        gram = self._kernel_matrix(X, y, w, order)
        sentence = self._negative_directions(gram) if self.needs_psd else None
        if sentence is not None:
            warn_user(
                f"{type(self).__name__}: {sentence} The solution may be one of several, and not the best. See "
                "assay.kernels.check_gram; repair_gram mends a precomputed matrix, or take another kernel.",
                DegenerateWarning,
            )
        return gram

    def _kernel_matrix(
        self,
        X: Any,
        y: np.ndarray | None = None,
        w: np.ndarray | None = None,
        order: np.ndarray | None = None,
    ) -> GramRows:
        """As ``_learn_kernel``, without a look at whether it is a kernel."""
        self._fit_kernel(X, y, w)
        X = X if order is None else take_rows(X, order)
        if self.gamma == "scale" and getattr(self.kernel_, "gamma", 1.0) == 0.0:  # the variance overflowed
            raise self._not_finite()
        if X.shape[0] > (MOST_ROWS_OF_A_FUNCTION if self.kernel_.function else MOST_ROWS_HELD):
            return self.kernel_.gram_rows(X)
        if isinstance(self.kernel_, VectorKernel):
            gram = self.kernel_.gram_rows(X)
            if gram.row_by_row:  # the solver asks for those that it needs
                finite(gram.diagonal, self.kernel_.name)
                return gram
            return gram.computed(name=self.kernel_.name)
        return MatrixRows(self.kernel_.gram(X), name=self.kernel_.name)

    def _negative_directions(self, gram: GramRows) -> str | None:
        """What is to be said if the kernel values of some training rows cannot be inner products."""
        if self.kernel_.psd:
            return None
        rows = np.unique(np.linspace(0, gram.n - 1, ROWS_LOOKED_AT).astype(np.int64))
        K = np.empty((len(rows), len(rows)))
        gram.fill(rows, rows, K)
        if not np.isfinite(K).all():
            raise DataError(f"{type(self).__name__}: the kernel gives values that are no finite numbers.")
        report = check_gram(K, tol=NEGATIVE_SHARE)
        return None if report.psd else f"the kernel matrix of {len(rows)} training rows is {report.sentence}"

    def _not_finite(self) -> DegenerateError:
        return DegenerateError(
            f"{type(self).__name__}: The dual coefficients or intercepts are not finite. The input data may contain "
            "large values and need to be preprocessed: scale the columns first."
        )

    # Learning

    def _solve(self, gram: GramRows, dual: Dual) -> Solution:
        """The solution of one quadratic program; ``_conclude`` says whether it converged."""
        counting = counting_rows(dual, gram.n)
        if counting is not None:
            gram, some = gram.subset(counting), of_rows(dual, counting, gram.n)
        solution = solve(
            gram, dual if counting is None else some, tol=self.tol, cache_size=self.cache_size,
            max_iter=self.max_iter, polish=True, weighs=self._weighs,
        )  # fmt: skip
        return solution if counting is None else for_all_rows(solution, counting, dual)

    @property
    def _weighs(self) -> bool:
        """Whether weights of columns may stand beside the coefficients."""
        return isinstance(vars(self).get("kernel_"), Linear)

    def _conclude(self, solutions: Sequence[Solution]) -> None:
        """Set ``fit_status_``, and warn if one of the solutions is not converged."""
        open_gap = max((s.gap for s in solutions if not s.converged), default=None)
        self.fit_status_ = int(open_gap is not None)
        if open_gap is not None:
            limit, cheaper = f"max_iter={self.max_iter}", ""
            if self.max_iter < 0:
                steps = max(s.iterations for s in solutions if not s.converged)
                limit, cheaper = f"after {steps} steps; max_iter=-1 allows no more", ", or lower C"
            # scikit-learn's tests and people's searches look for the first two sentences
            warn_user(
                f"{type(self).__name__}: Solver terminated early ({limit}).  Consider pre-processing your data with "
                f"StandardScaler or MinMaxScaler{cheaper}. The optimality conditions are violated by {open_gap:.3g}, "
                f"tol is {self.tol:g}.{self._another_way()}",
                ConvergenceWarning,
            )

    def _another_way(self) -> str:
        """A sentence on the learner that solves the same problem sooner, if there is one."""
        return ""

    def _keep(
        self,
        X: Any,
        support: np.ndarray,
        dual_coef: np.ndarray,
        intercept: Any,
        solutions: Sequence[Solution | None] = (),
        scale: float = 1.0,
    ) -> None:
        """Keep the support vectors of the training rows, their (k, m) coefficients and the (k,) intercepts.

        Where one of the solutions has weights of columns of its own, these are kept, too, times ``scale``.
        """
        intercept = np.atleast_1d(np.asarray(intercept, dtype=np.float64))
        if not (np.isfinite(dual_coef).all() and np.isfinite(intercept).all()):
            raise self._not_finite()
        self.__dict__.pop("_fit_X", None)
        if self.kernel_.function:
            self._fit_X = X
        self.support_ = np.asarray(support, dtype=np.int32)
        self.intercept_ = intercept
        self.dual_coef_ = dual_coef
        if self.kernel_.precomputed:
            self.support_vectors_ = np.empty((0, 0))
        elif hasattr(X, "tocsr"):
            import scipy.sparse

            self.support_vectors_ = X.tocsr()[self.support_].astype(np.float64)
            self.dual_coef_ = scipy.sparse.csr_matrix(dual_coef)
        else:
            rows = X[self.support_]
            self.support_vectors_ = rows if rows.dtype == object else np.ascontiguousarray(rows, np.float64)
        self._exact_weights = None
        if any(solution is not None and solution.weights is not None for solution in solutions):
            exact = [None if solution is None else solution.weights for solution in solutions]
            sums = self._weights()
            self._exact_weights = np.array([w if v is None else scale * v for v, w in zip(exact, sums)])

    def _check_stored(self) -> None:
        """Raise a ValueError if support vectors and kernel do not belong together."""
        if "support_" not in vars(self):  # not fitted
            return
        m = len(self.support_)
        if self.kernel_.precomputed and self.n_features_in_ != self.shape_fit_[0]:
            raise ValueError(f"{self.n_features_in_} columns do not hold values of {self.shape_fit_[0]} rows")
        if not self.kernel_.precomputed and self.support_vectors_.shape[0] != m:
            raise ValueError(f"{m} support vectors are named, {self.support_vectors_.shape[0]} are stored")
        if m and int(self.support_.max()) >= self.shape_fit_[0]:
            raise ValueError("a support vector lies beyond the training rows")

    # Answers

    @property
    def _coefficients(self) -> np.ndarray:
        """(m, k) the coefficients of (1), one column for each output."""
        dual = self.dual_coef_
        return np.ascontiguousarray((dual.toarray() if hasattr(dual, "toarray") else dual).T)

    def _outputs(self, X: Any) -> np.ndarray:
        """(q, k) the values of (1)."""
        if self._exact_weights is not None:
            return np.asarray(X @ self._exact_weights.T) + self.intercept_
        return self._kernel_sums(X, self._coefficients) + self.intercept_

    def _kernel_sums(self, X: Any, coefficients: np.ndarray) -> np.ndarray:
        """(q, k) sums of the kernel values with the support vectors, times (m, k) coefficients."""
        Q, S = self._query(X)
        return self._comparing.combine(Q, S, coefficients)

    @property
    def _comparing(self) -> Kernel:
        """The kernel of what ``_query`` gives."""
        return PrecomputedKernel() if "_fit_X" in vars(self) else self.kernel_

    def _query(self, X: Any) -> tuple[Any, Any]:
        """Rows to answer and the support vectors, as the kernel can compare them."""
        if self.kernel_.precomputed:
            return np.asarray(X, dtype=np.float64)[:, self.support_], self.support_
        S = self.support_vectors_
        if self.kernel_.function:  # it may look at all training rows at once, as scikit-learn's users may
            return self.kernel_.between(X, self._fit_X)[:, self.support_], self.support_
        if hasattr(X, "tocsr") == hasattr(S, "tocsr"):
            return X, S
        import scipy.sparse

        return scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(
            S
        )  # the denser of the two is few rows or columns

    @property
    def coef_(self) -> Any:
        """(k, p) the weights of the columns, for the linear kernel."""
        if not isinstance(getattr(self, "kernel_", None), Linear):
            raise AttributeError(f"{type(self).__name__}: coef_ is only available when using a linear kernel")
        coef: Any = self._weights() if self._exact_weights is None else self._exact_weights.copy()
        (coef.data if hasattr(coef, "tocsr") else coef).flags.writeable = False
        return coef

    def _weights(self) -> Any:
        """(k, p) sums of the support vectors times their coefficients; sparse if they are."""
        coef = self._coefficients.T
        if not hasattr(self.support_vectors_, "tocsr"):
            return coef @ self.support_vectors_
        import scipy.sparse

        return scipy.sparse.csr_matrix(coef) @ self.support_vectors_

    @property
    def n_support_(self) -> np.ndarray:
        """(1,) the number of support vectors; of a classifier (K,) those of each class."""
        self._ready()
        return np.array([len(self.support_)], dtype=np.int32)

    @property
    def _gamma(self) -> float:
        gamma = getattr(self.kernel_, "gamma", None)
        return 0.0 if gamma is None else float(gamma)

    # Reasons

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The training rows that count most in each score, and what the columns add for a kernel that is their sum."""
        if "dual_coef_" not in vars(self):
            return Reasons()
        chosen = self._explained_outputs(X)

        def sections(i: int) -> list[Section]:
            parts = self._decision_sections(X, i)
            for p in np.atleast_1d(chosen[i]).tolist():
                parts += self._spoke(X[i : i + 1], rows[i], p)
            return parts

        if chosen.ndim > 1:
            return Reasons(sections)
        return Reasons(sections, lambda some: self._column_contributions(X, some, chosen))

    def _spoke(self, X: Any, row: dict[str, Any], p: int) -> list[Section]:
        """The training rows that spoke in an output, and their values beside those of the row."""
        coefficients, places = self._output_coefficients(p), self._speaking_rows()
        Q, S = self._query(X)
        values = self._comparing.between(Q, S)[0]
        votes = coefficients * values
        order = np.argsort(-np.abs(votes), kind="stable")
        order = order[np.abs(votes[order]) > 0][:SHOWN]
        lines: list[list[Any]] = [
            [
                self._cases.label(int(places[j])),
                *self._support_words(int(j)),
                float(coefficients[j]),
                float(values[j]),
                float(votes[j]),
            ]
            for j in order
        ]
        shown, total, bias = float(votes[order].sum()), float(votes.sum()), self._output_bias(p)
        if self._exact_weights is not None:  # the sum of the votes is lost in their rounding
            total = float(self._outputs(X)[0, p]) - bias
        others = int(np.count_nonzero(votes)) - len(order)
        more = f"{others} more {self._speakers} add {total - shown:.6g}; " if others else ""
        note = f"{more}the bias adds {bias:.6g}: {self._output_words(p)} is {total + bias:.6g}."
        note += self._place_words(X, p, total + bias)
        heads = [self._cases.head, *self._support_heads, "coefficient", "kernel", "contribution"]
        title = f"{self._speakers.capitalize()} by what they contribute"
        return [Section(title, heads, lines, note), *self._beside_support(row, order)]

    _speakers: ClassVar[str] = "support vectors"

    def _speaking_rows(self) -> np.ndarray:
        """(m,) the places of the rows with coefficients among the training rows."""
        return self.support_

    def _speaking_table(self) -> Any:
        """(m, p) these rows."""
        return self.support_vectors_

    def _beside_support(self, row: dict[str, Any], order: np.ndarray) -> list[Section]:
        """The values of the rows with coefficients at these places beside the row's, if they have any."""
        if self.kernel_.precomputed or "schema_" not in vars(self):
            return []
        some = order[:MOST_CASES]
        return beside(self, row, self._speaking_table()[some], self._speaking_rows()[some].tolist())

    def _column_contributions(self, X: Any, some: np.ndarray, chosen: np.ndarray) -> Contributions | None:
        """What each column adds to each score, for a kernel that is a sum over columns."""
        if "schema_" not in vars(self):
            return None
        outputs = range(self._output_count())
        coefficients = np.stack([self._output_coefficients(p) for p in outputs], axis=1)
        bias, words = np.array([self._output_bias(p) for p in outputs]), [*map(self._output_words, outputs)]
        Q, S = self._query(X[some])
        if isinstance(self.kernel_, Linear):
            exact = self._exact_weights
            weights = dense_block(coefficients.T @ S) if exact is None else exact  # one product for all rows
            return self._contributions(
                dense_block(Q)[:, :, None] * weights.T[None], bias, words, chosen[some]
            )
        parts = self._comparing.column_sums(Q, S, coefficients)
        if parts is None:
            return None
        return self._contributions(parts[0], bias + parts[1], words, chosen[some])

    def _place_words(self, X: Any, p: int, score: float) -> str:
        """Where a row of this score lies, and what the score would be, had the machine not seen the training row."""
        return ""

    def _output_count(self) -> int:
        return len(self.intercept_)

    def _output_bias(self, p: int) -> float:
        return float(self.intercept_[p])

    def _explained_outputs(self, X: Any) -> np.ndarray:
        """(q,) which output an explanation of each row is about, or (q, k) which outputs."""
        return np.zeros(X.shape[0], dtype=np.int64)

    def _output_coefficients(self, p: int) -> np.ndarray:
        """(m,) the coefficients of the support vectors in one output."""
        return self._coefficients[:, p]

    def _output_words(self, p: int) -> str:
        return "the score"

    _support_heads: ClassVar[list[str]] = []  # heads of the columns of ``_support_words``

    def _support_words(self, j: int) -> list[Any]:
        """What else is known of a support vector."""
        return []

    def _decision_sections(self, X: Any, i: int) -> list[Section]:
        """How the scores make an answer."""
        return []

    def _model_parts(self) -> list[Part]:
        lines: list[list[Any]] = [
            ["kernel", repr(self.kernel_)],
            ["training rows", self.shape_fit_[0]],
            ["support vectors", len(self.support_)],
        ]
        parts: list[Part] = [Section("Machine", ["what", "value"], lines)]
        return [*parts, *super()._model_parts()] if isinstance(self.kernel_, Linear) else parts
