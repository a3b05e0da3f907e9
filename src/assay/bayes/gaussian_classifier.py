"""Base class of classifiers with Gaussian classes: scores, posteriors, explanations, samples."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from assay.core import Generative, SumLearner
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.parallel import in_threads, one_blas_thread
from assay.core.parameters import check_count
from assay.core.seeds import random_state_of
from assay.core.sums import BLOCK_BYTES, ONE_BLOCK_BYTES, Source
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.types import Label, Labels, Priors, RandomState, TableLike, Target, Weights

_BLAS_THREAD_COLUMNS = 500  # matrices with fewer columns are solved faster by one BLAS thread than by several

__all__ = ["DiscriminantFunctions", "GaussianClassifier", "ScoresClasses", "SingularCovarianceError"]


class SingularCovarianceError(DegenerateError, np.linalg.LinAlgError):
    """A covariance matrix has no inverse, so its Gaussian has no density.

    >>> from assay.bayes import QuadraticDiscriminantAnalysis, SingularCovarianceError
    >>> X = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 4.0], [5.0, 6.0], [6.0, 9.0]]
    >>> try:
    ...     QuadraticDiscriminantAnalysis().fit(X, list("aaabbb"))
    ... except SingularCovarianceError as error:
    ...     print(error)
    QuadraticDiscriminantAnalysis: The covariance matrix of class a is not full rank (rank 1 of 2). ...
    """


@dataclass(frozen=True)
class DiscriminantFunctions:
    r"""One score per class, as a polynomial in the columns; the largest wins.

    .. math:: g_k(x) = x^T W_k x + w_k^T x + w_{k0} = \ln P(k \mid x) + \text{(the same for all classes)}

    Attributes
    ----------
    classes : (K,)     names : (d,) the columns
    W : (K, d, d), or None where the scores are linear      w : (K, d)      w0 : (K,)

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> W, w, w0 = model.discriminants().log_odds("b", "a")
    >>> W is None, w.round(9), round(w0, 9)                            # 4 (x - 3)
    (True, array([4.]), -12.0)
    """

    classes: np.ndarray
    names: list[str]
    W: np.ndarray | None
    w: np.ndarray
    w0: np.ndarray

    def __call__(self, X: TableLike) -> np.ndarray:
        """(n, K) the scores of the rows of X, a block of numbers."""
        X = np.asarray(X, dtype=np.float64)
        scores = X @ self.w.T + self.w0
        return scores if self.W is None else scores + np.einsum("ia,kab,ib->ik", X, self.W, X)

    def log_odds(self, a: Label, b: Label) -> tuple[np.ndarray | None, np.ndarray, float]:
        """(W, w, w0) of ln P(a | x) / P(b | x); where it is 0 lies the boundary between a and b."""
        labels = self.classes.tolist()
        for label in (a, b):
            if label not in labels:
                raise ParameterError(f"log_odds: there is no class {label!r}. Classes: {labels}.")
        i, j = labels.index(a), labels.index(b)
        W = None if self.W is None else self.W[i] - self.W[j]
        return W, self.w[i] - self.w[j], float(self.w0[i] - self.w0[j])


class GaussianClassifier(SumLearner, Generative):
    """Base of the Gaussian classifiers. Subclasses define ``_summarize`` and ``_solve``, and the scores:

    - ``_scores(X)``: (n, K) log P(k | x) up to a term that is the same for all classes;
    - ``_log_joint(X)``: (n, K) log P(x, k);
    - ``_terms(x)``: the score of one row as a list of (name, (K,)) and a (d, K) array, one line a column;
    - ``_polynomial()``: W, w, w0 about the origin;
    - ``_deviations(k, noise)``: standard normal rows as deviations of class k from its mean.
    """

    _sum_of_terms = "log P(x, class)"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks would round the columns to a few whole numbers, which leaves no spread in the classes
        tags.input_tags.categorical = False
        return tags

    def partial_fit(
        self,
        X: TableLike,
        y: Target | None = None,
        classes: Labels | None = None,
        sample_weight: Weights | None = None,
    ) -> Self:
        """Add some rows to what was learned so far; the order of the calls does not matter.

        As long as the rows so far do not determine the model (a class with a single row has no covariance,
        say), the error is raised by the first prediction.

        Parameters
        ----------
        X, y, sample_weight : as in fit
        classes : all class labels; needed in the first call, since a block may lack some
        """
        with one_blas_thread():
            return super().partial_fit(X, y, classes, sample_weight)

    def _learn_from(self, source: Source) -> None:
        with one_blas_thread() if self.n_features_in_ < _BLAS_THREAD_COLUMNS else nullcontext():
            self._learn_rows(source)

    def _learn_rows(self, source: Source) -> None:
        super()._learn_from(source)

    def discriminants(self) -> DiscriminantFunctions:
        """The scores of the classes as polynomials in the columns, with the coefficients W, w, w0."""
        self._ready()
        return DiscriminantFunctions(self.classes_, self._names, *self._polynomial())

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows from the fitted model: classes by their priors, then columns by their class's Gaussian.

        Parameters
        ----------
        n_samples : how many rows
        random_state : None, a whole number, or a numpy RandomState

        Returns
        -------
        X : (n_samples, d)      y : (n_samples,) labels
        """
        self._ready()
        check_count(type(self).__name__, "n_samples", n_samples)
        rng = random_state_of(random_state)
        means = self._means
        codes = rng.choice(len(self.classes_), size=n_samples, p=self._prior())
        X = rng.standard_normal((n_samples, means.shape[1]))
        for k in np.unique(codes):
            members = codes == k
            noise = X[members]
            X[members] = means[k] + self._deviations(k, noise) * self._stretch(k, noise.shape, rng)
        return X, self.classes_[codes]

    def _evident(self, joint: np.ndarray) -> np.ndarray:
        """Scores that overflow: one infinite score wins, several (or none that is a number) are no evidence."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = joint.sum()
        if np.isnan(total) or total == np.inf:
            infinite = np.isposinf(joint)
            wins = infinite.sum(axis=1)
            joint[wins == 1] = np.where(infinite[wins == 1], 0.0, -np.inf)
            joint[np.isnan(joint).any(axis=1) | (wins > 1)] = -np.inf
        return super()._evident(joint)

    @property
    def _means(self) -> np.ndarray:
        return self.means_

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        joints, answers = self._log_joint(X), self._choose(X)
        labels = [str(label) for label in self.classes_]

        def sections(i: int) -> list[Section]:
            heads, columns = self._terms(np.asarray(X[i], dtype=np.float64))
            lines: list[tuple[str, Any, np.ndarray]] = [(name, "", values) for name, values in heads]
            lines += [(name, float(v), terms) for name, v, terms in zip(self._names, X[i], columns)]
            total = np.sum([values for _, _, values in lines], axis=0)
            table = [
                [name, value, *map(float, values)] for name, value, values in (*lines, ("sum", "", total))
            ]
            shown = [Section(f"{self._sum_of_terms}, term by term", ["term", "value", *labels], table)]
            top = joints[i].max()
            evidence = float(top + np.log(np.exp(joints[i] - top).sum())) if np.isfinite(top) else float(top)
            shown.append(Section("Evidence", ["quantity", "value"], [["log p(x)", evidence]]))
            return [*shown, _odds(labels, lines, total)] if len(labels) > 1 else shown

        def contributions(some: np.ndarray) -> Contributions:
            terms = [self._terms(np.asarray(x, dtype=np.float64)) for x in X[some]]
            base = np.array([np.sum([values for _, values in heads], axis=0) for heads, _ in terms])
            what = "score" if self._sum_of_terms == "Score" else "log joint probability"
            outputs = [f"the {what} of {label}" for label in labels]
            return self._contributions(np.array([c for _, c in terms]), base, outputs, answers[some])

        return Reasons(sections, contributions)

    def _terms(self, x: np.ndarray) -> tuple[list[tuple[str, np.ndarray]], np.ndarray]:
        raise TypeError(f"{type(self).__name__} must define _terms")

    def _polynomial(self) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        raise TypeError(f"{type(self).__name__} must define _polynomial")

    def _stretch(self, k: int, shape: tuple[int, ...], rng: Any) -> Any:
        """By what each deviation is multiplied: more than 1 now and then, where tails are heavier than a Gaussian's."""
        return 1.0

    def _deviations(self, k: int, noise: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _deviations")


class ScoresClasses(GaussianClassifier):
    """A Gaussian classifier with ``decision_function``, as discriminants have and naive Bayes has not."""

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the score of each class, log P(k | x) up to a term equal for all classes.

        With two classes (n,), the log odds of the second: positive for ``classes_[1]``; 0 is a tie, which
        ``predict`` gives to ``classes_[0]``.
        """
        scores = self._scores(self._admit(X))
        return log_odds_of_two(scores) if len(self.classes_) == 2 else scores


def log_odds_of_two(scores: np.ndarray) -> np.ndarray:
    """(n,) second score minus first; two scores of -inf give 0, a tie."""
    with np.errstate(invalid="ignore"):
        odds = scores[:, 1] - scores[:, 0]
    return np.where(np.isnan(odds), 0.0, odds)


def class_priors(who: str, priors: Priors | None, count: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """(K,) the given priors, or the classes' shares of the total weight."""
    if not count.any():
        raise DegenerateError(f"{who}: no row weighs anything, so there is nothing to learn from.")
    if priors is None:
        return count / count.sum()
    p = np.array(priors, dtype=np.float64)
    K = len(classes)
    if p.shape != (K,):
        raise ParameterError(
            f"{who}: priors must be one number for each class: Number of priors must match number of classes "
            f"({K}: {', '.join(map(str, classes[:6]))}{', ...' if K > 6 else ''}), got {p.size}."
        )
    if (p < 0).any():
        raise ParameterError(f"{who}: priors must be non-negative, got {p.min():g}.")
    if abs(p.sum() - 1.0) > 1e-5:
        warn_user(f"{who}: The priors do not sum to 1. Renormalizing.", UserWarning)
        p = p / p.sum()
    if ((count <= 0) & (p > 0)).any():
        k = int(np.argmax((count <= 0) & (p > 0)))
        raise DegenerateError(
            f"{who}: class {classes[k]} has prior {p[k]:g} but no row that weighs anything, so its density is "
            "unknown. Give it rows, or prior 0."
        )
    return p


def log_of(p: np.ndarray) -> np.ndarray:
    """ln p; ln 0 is -inf, meant so."""
    with np.errstate(divide="ignore"):
        return np.log(p)


def check_overflow(who: str, *moments: np.ndarray) -> None:
    """Squares of numbers past 1e154 are past the range of floats."""
    if not all(np.isfinite(m).all() for m in moments):
        raise DataError(
            f"{who}: X holds numbers too large to be squared. Divide the columns by some power of ten."
        )


def by_rows(score: Callable[[np.ndarray, np.ndarray], None], X: np.ndarray, K: int) -> np.ndarray:
    """(n, K) filled by ``score(block, out)``: small X at once, large X in blocks on threads."""
    out = np.empty((X.shape[0], K))
    if X.nbytes <= ONE_BLOCK_BYTES:
        with one_blas_thread():
            score(X, out)
        return out
    rows = max(256, BLOCK_BYTES // (X.shape[1] * X.itemsize))
    cuts = [slice(a, a + rows) for a in range(0, X.shape[0], rows)]
    in_threads(lambda cut: score(X[cut], out[cut]), cuts)
    return out


def _odds(labels: list[str], lines: list[tuple[str, Any, np.ndarray]], total: np.ndarray) -> Section:
    """The terms for the predicted class and for the second one."""
    first = int(np.argmax(total))
    second = int(np.argmax(np.where(np.arange(len(total)) == first, -np.inf, total)))
    with np.errstate(invalid="ignore"):
        rows = [[name, _lead(v[first], v[second])] for name, _, v in lines]
        rows.append(["sum", float(total[first] - total[second])])
    return Section(
        f"Log odds of {labels[first]} against {labels[second]}",
        ["term", "log odds"],
        rows,
        note=f"Positive speaks for {labels[first]}, negative for {labels[second]}.",
    )


def _lead(a: float, b: float) -> float:
    """a - b, and 0 for what is rounding only."""
    return 0.0 if abs(a - b) < 1e-14 * abs(a) else float(a - b)
