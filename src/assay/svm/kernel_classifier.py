"""What classifiers by support vectors share: pairs of classes, weights, decisions and probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from assay.core.available import available_if
from assay.core.explanation import Section
from assay.core.explanations import Explanations, RowValues, dense_block
from assay.core.learner import Classifier, python_labels
from assay.core.model_view import Part
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Choice, Flag, Seed
from assay.core.progress import progress
from assay.core.stored import FloatArray, IntArray, Scalar
from assay.errors import DataError, ParameterError
from assay.kernels import GramRows, Linear, MatrixRows
from assay.linear.class_factors import class_factors
from assay.optimize.sigmoid import fit_sigmoid
from assay.svm.binary_fit import BinaryFit, one_sided
from assay.svm.engine import Dual, Solution, solve_all
from assay.svm.exact_machine import ExactMachine
from assay.svm.linear.margin_report import EDGE, margin_status
from assay.svm.probabilities import agreeing, coupled, side_probability
from assay.svm.votes import pair_scores, pairs_of, sides, votes_and_confidence
from assay.types import TableLike

__all__ = ["KernelClassifier"]

MOST_COLUMNS_OF_WEIGHTS = 6  # machines whose weights a view of the model shows
MOST_SPANS = 512  # support vectors of each kind of which a fit computes the leave-one-out score


def _has_probabilities(self: Any) -> bool:
    if not self.probability:
        raise AttributeError(
            f"{type(self).__name__}: predict_proba is not available when probability=False; use decision_function."
        )
    return True


class KernelClassifier(ExactMachine, Classifier):
    """A classifier of binary machines with a kernel; a subclass writes ``_program`` and ``_fit_of``.

    Attributes
    ----------
    class_weight_ : (K,) the factor of each class's weights
    n_support_ : (K,) how many support vectors each class has
    n_iter_ : (P,) steps of each binary machine
    intercept_range_ : (P, 2) where each bias may lie; apart only if no multiplier is strictly between its bounds
    probA_, probB_ : (P,) Platt's curves, 1 / (1 + exp(A f + B)); None with probability=False
    loo_error_ : the error rate of the machine by the span rule, each training row judged by the others
    loo_scores_ : (P, m) the score of each support vector in each binary machine, had that not seen it; NaN if it has
        not, and for those beyond 512 of a kind, free or at the bound, that were not looked at; None with
        probability=False
    """

    multiclass = "one-vs-one"
    accepts: ClassVar[Any] = {
        **ExactMachine.accepts,
        "probability": Flag(),
        "class_weight": Any_(
            "None, 'balanced' or a dict from classes to numbers",
            lambda value: value is None or value == "balanced" or isinstance(value, dict),
        ),
        "decision_function_shape": Choice("ovr", "ovo"),
        "break_ties": Flag(),
        "multi_class": Choice("ovo", "ovr"),
        "fit_intercept": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "class_weight_": FloatArray("K", low=0),
        "n_iter_": IntArray("P", low=0),
        "intercept_": FloatArray("P", finite=True),
        "intercept_range_": FloatArray("P", 2),
        "_n_support": IntArray("K", low=0),
        "probA_": FloatArray("P", high=0, finite=True) | None,
        "probB_": FloatArray("P", finite=True) | None,
        "loo_error_": Scalar(low=0, high=1) | None,
        "loo_scores_": FloatArray("P", "m") | None,
    }

    _sorts_rows: ClassVar[bool] = True  # whether ``_learn_kernel`` takes an order of the rows

    class_weight: Any
    probability: Any
    probA_: np.ndarray | None
    probB_: np.ndarray | None
    loo_error_: float | None
    loo_scores_: np.ndarray | None
    decision_function_shape: Any
    break_ties: Any
    multi_class: Any
    fit_intercept: Any

    # Learning

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.multi_class == "ovr" and self.decision_function_shape == "ovo":
            raise ParameterError(
                f"{type(self).__name__}: decision_function_shape='ovo' needs the machines of pairs, multi_class='ovo'; "
                "multi_class is 'ovr'."
            )

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        weight = self._row_weights(y, w)
        K = len(self.classes_)
        if self._pairwise and self._sorts_rows and not self._kernel().precomputed:
            order = np.argsort(y, kind="stable")  # the rows of a pair lie together
            gram = self._shared(self._learn_kernel(X, y, w, order), K)
        else:
            order, gram = np.arange(len(y)), self._shared(self._learn_kernel(X, y, w), K)
        counts = weight[order] > 0
        parts = sides(y[order], counts, K, self.multi_class == "ovr")
        problems = [(order[places], sign) for places, sign in parts]
        grams: list[GramRows] | None = None
        if self._pairwise and self._sorts_rows and counts.all() and not isinstance(gram, MatrixRows):
            grams = gram.pairs_of(np.searchsorted(y[order], np.arange(K + 1)), pairs_of(K))

        def part_of(p: int) -> GramRows:
            if grams is not None:
                return grams[p]
            places = parts[p][0]
            return gram if len(places) == gram.n else gram.subset(places)

        two_sided = [p for p, (_, sign) in enumerate(parts) if abs(sign.sum()) < len(sign)]
        pieces = [part_of(p) for p in two_sided]
        work = [(parts[p][1], weight[problems[p][0]]) for p in two_sided]
        with progress(len(work), f"{type(self).__name__}: binary machines") as bar:
            solved = dict(zip(two_sided, self._binaries(pieces, work, bar.advance)))
        machines = [  # a class whose rows all weigh nothing gives one side only
            solved[p] if p in solved else one_sided(sign, weight[problems[p][0]])
            for p, (_, sign) in enumerate(parts)
        ]
        self._conclude([machine.solution for machine in machines if machine.solution is not None])
        self._assemble(X, y, [rows for rows, _ in problems], machines)
        self.probA_, self.probB_, self.loo_error_, self.loo_scores_ = None, None, None, None
        if self.probability:
            scored = dict(zip(two_sided, self._left_out([solved[p] for p in two_sided], pieces)))
            left_out = [
                scored[p] if p in scored else (sign, np.ones(len(sign))) for p, (_, sign) in enumerate(parts)
            ]
            self._learn_probabilities(y, weight, problems, left_out)

    def _binaries(
        self,
        grams: list[GramRows],
        work: list[tuple[np.ndarray, np.ndarray]],
        done: Callable[[], Any],
    ) -> list[BinaryFit]:
        """The machines of these kernel matrices, of the signs and weights of their rows."""
        duals = [self._program(sign, weight) for sign, weight in work]
        self._weigh_cost(grams, duals)
        solutions = solve_all(
            grams,
            duals,
            tol=self.tol,
            cache_size=self.cache_size,
            max_iter=self.max_iter,
            spans=self.probability,
            weighs=self._weighs,
            n_threads=1 if self.kernel_.function else None,
            done=done,
        )
        return [self._fit_of(dual, solution) for dual, solution in zip(duals, solutions)]

    def _left_out(
        self, machines: list[BinaryFit], grams: list[GramRows]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """The scores of each machine's rows by the others, and what each row counts."""

        def scores(p: int) -> tuple[np.ndarray, np.ndarray]:
            return machines[p].left_out_scores(grams[p], MOST_SPANS)

        if all(machine.spans is not None for machine in machines):
            return [scores(p) for p in range(len(machines))]
        return in_threads(scores, range(len(machines)), 1 if self.kernel_.function else None)

    def _row_weights(self, y: np.ndarray, w: np.ndarray | None) -> np.ndarray:
        """(n,) weights of rows and classes together."""
        K, who = len(self.classes_), type(self).__name__
        if K < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got {K} class: all rows are of class "
                f"{self.classes_[0]}.",
                who=who,
            )
        mass = np.bincount(y, w, minlength=K)
        factors = class_factors(
            self.class_weight, self.classes_, np.bincount(y, minlength=K).astype(float), who
        )
        self.class_weight_ = np.ones(K) if factors is None else factors
        if np.count_nonzero(mass * self.class_weight_) < 2:
            raise DataError(
                "Invalid input - all samples with positive weights belong to the same class.", who=who
            )
        return (np.ones(len(y)) if w is None else w) * self.class_weight_[y]

    def _shared(self, gram: GramRows, K: int) -> GramRows:
        """The kernel matrix as a whole if several machines use it and it fits the cache."""
        if self._pairwise and gram.row_by_row:
            return gram  # few rows of each pair are needed
        if K > 2 and not isinstance(gram, MatrixRows) and gram.n**2 * 8 <= self.cache_size * 2**20:
            values = gram.whole()  # of a kernel, no value is larger than the largest on the diagonal
            bounded = self.kernel_.psd and bool(np.isfinite(np.diagonal(values)).all())
            factor = None if gram.rank is None else gram.factor()
            return MatrixRows(values, self.kernel_.name, checked=bounded, factor=factor)
        return gram

    def _binary(self, gram: GramRows, sign: np.ndarray, weight: np.ndarray) -> BinaryFit:
        """One machine."""
        dual = self._program(sign, weight)
        self._weigh_cost([gram], [dual])
        return self._fit_of(dual, self._solve(gram, dual))

    def _program(self, sign: np.ndarray, weight: np.ndarray) -> Dual:
        """The dual problem of rows of these signs and weights."""
        raise TypeError(f"{type(self).__name__} must define _program")

    def _fit_of(self, dual: Dual, solution: Solution) -> BinaryFit:
        """The machine that a solution of the dual problem makes."""
        raise TypeError(f"{type(self).__name__} must define _fit_of")

    def _assemble(self, X: Any, y: np.ndarray, rows: list[np.ndarray], machines: list[BinaryFit]) -> None:
        """Support vectors of all machines, class by class, with coefficients as scikit-learn lays them out."""
        K, n = len(self.classes_), len(y)
        if self._pairwise:
            whole = np.zeros((K - 1, n))
            for (i, j), places, machine in zip(pairs_of(K), rows, machines):
                whole[np.where(machine.sign > 0, j - 1, i), places] = machine.sign * machine.alpha
        else:
            whole = np.zeros((len(machines), n))
            for p, machine in enumerate(machines):
                whole[p, rows[p]] = machine.sign * machine.alpha
        support = np.flatnonzero(whole.any(axis=0))
        support = support[np.argsort(y[support], kind="stable")]
        coefficients = whole[:, support]
        self._n_support = np.bincount(y[support], minlength=K).astype(np.int32)
        self.n_iter_ = np.array([m.solution.iterations if m.solution else 0 for m in machines], np.int32)
        self.intercept_range_ = np.array([machine.offset_range for machine in machines])
        offsets, solutions = zip(*((machine.offset, machine.solution) for machine in machines))
        self._keep(X, support, coefficients, offsets, solutions)

    def _learn_probabilities(
        self,
        y: np.ndarray,
        weight: np.ndarray,
        problems: list[tuple[np.ndarray, np.ndarray]],
        left_out: list[tuple[np.ndarray, np.ndarray]],
    ) -> None:
        """Curves from scores to probabilities, and the error rate, of scores that did not see their row."""
        curves = [
            _curve(values, (sign > 0).astype(np.int64), weight[rows] * share)
            for (rows, sign), (values, share) in zip(problems, left_out)
        ]
        self.probA_, self.probB_ = np.array(curves).T.copy()
        self.loo_error_ = self._left_out_error(y, weight, problems, left_out)
        whole = np.full((len(problems), len(y)), np.nan)
        for p, ((rows, _), (values, share)) in enumerate(zip(problems, left_out)):
            whole[p, rows] = np.where(share > 0, values, np.nan)
        self.loo_scores_ = whole[:, self.support_]

    def _left_out_error(
        self,
        y: np.ndarray,
        weight: np.ndarray,
        problems: list[tuple[np.ndarray, np.ndarray]],
        left_out: list[tuple[np.ndarray, np.ndarray]],
    ) -> float:
        """The error rate of scores that did not see their row."""
        counts, scores = weight.copy(), np.full((len(y), len(problems)), np.nan)
        wrong: np.ndarray
        for p, ((rows, sign), (values, share)) in enumerate(zip(problems, left_out)):
            counts[rows] *= share
            scores[rows, p] = np.where(share > 0, values * sign, np.nan)  # above 0 on the row's side
        if len(self.classes_) > 2 and self.multi_class == "ovr":
            wrong, known = np.zeros(len(y), dtype=bool), counts > 0
            of_class = np.where(np.arange(len(problems)) == y[:, None], scores, -scores)
            wrong[known] = np.argmax(of_class[known], axis=1) != y[known]
        else:  # of several pairs a row loses its class if it loses one in which it takes part
            wrong = np.asarray((scores <= 0).any(axis=1))
        return float(np.average(wrong, weights=counts))

    # Answers

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) for two classes, above 0 for the second; else (n, K), or the (n, P) scores of the pairs.

        With ``decision_function_shape="ovr"`` a class has the number of its pairs that it wins, plus a third at most
        for its summed scores s there, s / (3 (abs(s) + 1)), as in scikit-learn.
        """
        scores = self._outputs(self._admit_to_answer(X))
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.multi_class == "ovr" or self.decision_function_shape == "ovo":
            return scores
        return _ranked(*votes_and_confidence(scores, len(self.classes_)))

    @available_if(_has_probabilities)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the probability of each class; the largest is that of the class that ``predict`` answers."""
        return super().predict_proba(X)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """(n, K) the logarithm of the probabilities."""
        return super().predict_log_proba(X)

    def _choose(self, X: Any) -> np.ndarray:
        return self._winner(self._outputs(X))

    def _winner(self, scores: np.ndarray) -> np.ndarray:
        """(q,) the class that the scores of the machines speak for."""
        K = len(self.classes_)
        if K == 2:
            return (scores[:, 0] > 0).astype(np.int64)
        if self.multi_class == "ovr":
            return np.argmax(scores, axis=1)
        if self.break_ties:
            return np.argmax(_ranked(*votes_and_confidence(scores, K)), axis=1)
        return np.argmax(votes_and_confidence(np.where(scores > 0, 1.0, -1.0), K)[0], axis=1)  # as LIBSVM's

    def _posterior(self, X: Any) -> np.ndarray:
        if self.probA_ is None or self.probB_ is None:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        scores = self._outputs(X)
        p, K = side_probability(scores, self.probA_, self.probB_), len(self.classes_)
        if K == 2:
            return np.column_stack([1 - p[:, 0], p[:, 0]])
        p = coupled(p, K) if self._pairwise else p / p.sum(axis=1, keepdims=True)
        return agreeing(p, self._winner(scores))

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        if self.probA_ is not None:
            return super()._explain_block(X, rows)
        answers = python_labels(self.classes_[self._choose(X)])
        return Explanations(type(self).__name__, answers, rows, self._reasons(X, rows))

    # Reasons

    def _explained_outputs(self, X: Any) -> np.ndarray:
        """The machine that answers, or the pair of the answer and the class next to it."""
        if not self._pairwise:
            return self._choose(X) if len(self.classes_) > 2 else np.zeros(X.shape[0], dtype=np.int64)
        scores, K = self._outputs(X), len(self.classes_)
        first, ranked = self._winner(scores), _ranked(*votes_and_confidence(scores, K))
        ranked[np.arange(len(first)), first] = -np.inf
        second = np.argmax(ranked, axis=1)
        place = {pair: p for p, pair in enumerate(pairs_of(K))}
        return np.array(
            [place[min(a, b), max(a, b)] for a, b in zip(first.tolist(), second.tolist())], np.int64
        )

    def _output_coefficients(self, p: int) -> np.ndarray:
        return self._machine_coefficients(p)

    def _output_words(self, p: int) -> str:
        if len(self.classes_) == 2:
            return f"the score of {self.classes_[1]}"
        return f"the score of {self._machine_name(p)}"

    def _place_words(self, X: Any, p: int, score: float) -> str:
        where = str(margin_status(np.abs([score]))[0]).replace("outside", "outside the margin")
        known = vars(self).get("loo_scores_")
        if not isinstance(X, np.ndarray) or X.dtype == object or self.kernel_.precomputed:
            return f" The row lies {where}."
        S = self.support_vectors_
        same = (
            (X == S) | (np.isnan(X) & np.isnan(S))
            if isinstance(S, np.ndarray)
            else np.zeros((len(self.support_), 1))
        )
        coefficients = self._machine_coefficients(p)  # of the sign of the side
        places = np.flatnonzero(same.all(axis=1) & (coefficients != 0))
        if not len(places):
            return f" The row lies {where}."
        j = int(places[0])
        margin = float(np.sign(coefficients[j])) * score
        words = (
            f" These are the values of the training row {self._cases.label(int(self.support_[j]))} of class "
            f"{self._support_words(j)[0]}: margin {margin:.6g} ({margin_status(np.array([margin]))[0]}), slack "
            f"{0.0 if margin > 1 - EDGE else 1 - margin:.6g}."
        )
        if known is None or np.isnan(known[p, j]):
            return words
        return f"{words[:-1]}; had the machine not seen it, the score would be {known[p, j]:.6g} (span rule)."

    _support_heads: ClassVar[list[str]] = ["class"]

    def _support_words(self, j: int) -> list[Any]:
        return [str(self.classes_[int(np.searchsorted(np.cumsum(self._n_support), j, side="right"))])]

    def _decision_sections(self, X: Any, i: int) -> list[Section]:
        if len(self.classes_) == 2:
            return []
        scores, names = self._outputs(X[i : i + 1]), [str(label) for label in self.classes_]
        if self.multi_class == "ovr":
            lines: list[list[Any]] = [[name, float(score)] for name, score in zip(names, scores[0])]
            return [Section("Scores of the classes against the rest", ["class", "score"], lines)]
        votes, sums = votes_and_confidence(scores, len(names))
        lines = [[name, int(v), float(s)] for name, v, s in zip(names, votes[0], sums[0])]
        return [Section("Votes of the pairs", ["class", "pairs won", "sum of scores"], lines)]

    def _model_parts(self) -> list[Part]:
        m, n = len(self.support_), self.shape_fit_[0]
        lines: list[list[Any]] = [
            ["kernel", repr(self.kernel_)],
            ["training rows", n],
            ["support vectors", m],
            *([f"support vectors of {label}", int(k)] for label, k in zip(self.classes_, self._n_support)),
        ]
        lines += self._model_lines()
        if self.loo_error_ is not None:
            lines.append(["error rate, each row judged by the others (span rule)", self.loo_error_])
        lines.append(["share of support vectors, a bound on the expected error", m / n])
        parts: list[Part] = [Section("Machine", ["what", "value"], lines)]
        names = [self._machine_name(p) for p in range(len(self.intercept_))]
        if len(names) > 1:
            counts = [int(np.count_nonzero(self._machine_coefficients(p))) for p in range(len(names))]
            table = [[*line] for line in zip(names, counts, self.intercept_.tolist())]
            parts.append(Section("Binary machines", ["machine", "support vectors", "bias"], table))
        if isinstance(self.kernel_, Linear) and len(names) <= MOST_COLUMNS_OF_WEIGHTS:
            weights = dense_block(self.coef_)
            columns = [[name, *weights[:, j].tolist()] for j, name in enumerate(self._names)]
            heads = ["column", *(names if len(names) > 1 else ["coefficient"])]
            note = "" if len(names) > 1 else f"A positive score speaks for {self.classes_[1]}."
            parts.append(
                Section("Coefficients", heads, [["(bias)", *self.intercept_.tolist()], *columns], note)
            )
        return parts

    def _model_lines(self) -> list[list[Any]]:
        """What else the view of the model says of the machine."""
        return []

    @property
    def _pairwise(self) -> bool:
        """Whether the coefficients are those of pairs of classes, class by class."""
        return len(self.classes_) > 2 and self.multi_class == "ovo"

    def _machine_name(self, p: int) -> str:
        """What a binary machine tells apart."""
        names = [str(label) for label in self.classes_]
        if len(names) > 2 and self.multi_class == "ovr":
            return f"{names[p]} against the rest"
        i, j = pairs_of(len(names))[p]
        return f"{names[i]} against {names[j]}"

    def _machine_coefficients(self, p: int) -> np.ndarray:
        """(m,) multipliers times sides of the support vectors in one of the binary machines."""
        dual = self._coefficients
        if not self._pairwise:
            return dual[:, p]
        (i, j), parts, out = pairs_of(len(self.classes_))[p], self._by_class(), np.zeros(len(dual))
        out[parts[i]], out[parts[j]] = dual[parts[i], j - 1], dual[parts[j], i]
        return out

    def _machine(
        self, p: int, rows: np.ndarray, sign: np.ndarray, weight: np.ndarray, scores: np.ndarray
    ) -> BinaryFit:
        """One of the binary machines, as it was when it was fitted to these training rows of these weights."""
        whole = np.zeros(self.shape_fit_[0])
        whole[self.support_] = self._machine_coefficients(p)
        upper, ridge = self._bounds(p, weight)
        return BinaryFit(
            sign,
            np.minimum(np.abs(whole[rows]), upper),
            upper,
            scores,
            float(self.intercept_[p]),
            (float(self.intercept_range_[p, 0]), float(self.intercept_range_[p, 1])),
            ridge=ridge,
            bias=getattr(self, "fit_intercept", True),
        )

    def _bounds(self, p: int, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Upper bounds of the multipliers of rows of these weights, and the ridge of squared slacks or None."""
        raise TypeError(f"{type(self).__name__} must define _bounds")

    def _by_class(self) -> list[slice]:
        """The support vectors of each class."""
        ends = np.cumsum(self._n_support)
        return [slice(int(end - m), int(end)) for end, m in zip(ends, self._n_support)]

    def _kernel_sums(self, X: Any, coefficients: np.ndarray) -> np.ndarray:
        if int(self._n_support.sum()) != len(coefficients):
            raise DataError(f"The internal representation of {type(self).__name__} was altered.")
        if not self._pairwise:
            return super()._kernel_sums(X, coefficients)
        (Q, S), kernel = self._query(X), self._comparing
        sums = [
            kernel.combine(Q[:, part] if kernel.precomputed else Q, S[part], coefficients[part])
            for part in self._by_class()
        ]
        return pair_scores(sums)

    def _weights(self) -> Any:
        if not self._pairwise:
            return super()._weights()
        import scipy.sparse

        S, coefficients = self.support_vectors_, self._coefficients
        parts = [
            (scipy.sparse.csr_matrix(coefficients[part].T) if hasattr(S, "tocsr") else coefficients[part].T)
            @ S[part]
            for part in self._by_class()
        ]
        lines = [parts[i][[j - 1]] + parts[j][[i]] for i, j in pairs_of(len(self.classes_))]
        return scipy.sparse.vstack(lines).tocsr() if hasattr(S, "tocsr") else np.vstack(lines)

    @property
    def n_support_(self) -> np.ndarray:
        """(K,) the number of support vectors of each class."""
        self._ready()
        return self._n_support

    def _check_stored(self) -> None:
        super()._check_stored()
        if "support_" not in vars(self):
            return
        K = len(self.classes_)
        machines = 1 if K == 2 else K if self.multi_class == "ovr" else K * (K - 1) // 2
        lines = K - 1 if self._pairwise else machines
        if len(self.intercept_) != machines or self.dual_coef_.shape[0] != lines:
            raise ValueError(f"{len(self.intercept_)} machines do not tell {K} classes apart")
        if int(self._n_support.sum()) != len(self.support_):
            raise ValueError("the support vectors of the classes are not those of the machine")


def _curve(scores: np.ndarray, side: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Platt's curve; flat if the scores say nothing of rows that they have not seen."""
    a, b = fit_sigmoid(scores, side, weight)
    return (a, b) if a <= 0 else fit_sigmoid(np.zeros(len(side)), side, weight)


def _ranked(votes: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Votes, and a part of at most a third either way that grows with the summed scores and decides ties alone."""
    return votes + sums / (3 * (np.abs(sums) + 1))
