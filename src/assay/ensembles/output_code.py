"""Output codes: every class has a code word, and a classifier learns each bit of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from assay.core import Card
from assay.core.discriminant import Discriminant
from assay.core.explanation import Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.learner import python_labels
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Object
from assay.ensembles.binary_problems import BINARY, BinaryProblems
from assay.ensembles.codes import CODES, RANDOM_CODES
from assay.errors import AssayWarning, ParameterError, warn_user
from assay.tables.rows import take_rows
from assay.types import Estimator, RandomState, TableLike

__all__ = ["OutputCodeClassifier"]


class OutputCodeClassifier(BinaryProblems, Discriminant):
    r"""Give each class a code word, learn its bits one by one, and answer the class with the nearest word.

    Member l learns the rows of the classes whose bit :math:`m_{kl}` is +1 against those with -1; classes with 0 sit
    out. From the members' scores :math:`s_l` the answer is the class of least distance

    .. math:: \text{"euclidean"}\quad \frac{1}{n_k}\sum_{l:\,m_{kl}\neq 0} (s_l - m_{kl})^2,\qquad
              \text{"hamming"}\quad \sum_l \tfrac12\left(1 - m_{kl}\,\mathrm{sign}(s_l)\right)        \quad (1)

    (:math:`n_k` bits of word k are not 0; ties of "hamming" go to the largest :math:`\sum_l m_{kl}s_l`), or, with
    "margin", of the largest such sum itself, or, with "hinge", of the least loss
    :math:`\sum_l \max(0, 1 - m_{kl}s_l)`. Words that differ in many bits forgive some wrong members, hence
    error-correcting codes. One against the rest ("margin") and one against one ("hamming") are codes, too:
    :func:`one_vs_rest_code`, :func:`one_vs_one_code`; :func:`exhaustive_code` has the words farthest apart, and of many
    classes :func:`random_code` the farthest of those that were drawn.

    With ``grow`` the code becomes longer while that helps: of all pairs of classes, the one that is confused most often
    among the validation rows gets a column of its own, +1 for one, -1 for the other and 0 for all others, which stays
    if fewer of these rows are classified wrongly; else the next pair is tried.

    Cost: fit L times the estimator for L columns of the code, tried ones included; predict O(L) times the estimator's,
    and O(L K) a row; memory O(n L) to fit, O(L K) and L estimators kept.

    Parameters
    ----------
    estimator : classifier with ``decision_function`` or ``predict_proba``, default None
        What learns each bit; None is a LogisticRegression. Learners of Assay get raw tables.
    code_size : float, default 1.5
        Bits of a random code, per class.
    random_state : int, RandomState or None, default None
        Of the random code.
    n_jobs : int or None, default None
        Most members at work at a time. Members that are learners of Assay work in threads, and None takes as many as
        the machine has; others work in processes, and None is one.
    code_book : (K, L) of -1, 0 and +1, or a name, default None
        The code. "one vs rest", "one vs one" and "exhaustive" are always the same; "random dense" and "random sparse"
        are the best of many draws (:func:`random_code`). None draws one as scikit-learn does, whose words may be equal.
    decoding : "euclidean", "hamming", "margin" or "hinge", default "euclidean"
        The distance (1), the sum of the scores with the signs of the word, or the loss.
    grow : int, default 0
        The most columns that are added to the code.
    validation_fraction : float, default None
        The share of the rows, drawn in each class, by which columns are judged; all members then learn from all rows
        again. None judges by the training rows themselves, whose error then never rises.

    Attributes
    ----------
    estimators_ : list of L members      classes_ : (K,)
    history_ : list of dict, of each column that was tried: its pair of classes, the error with it, whether it stayed
    code_book_ : (K, L) of -1, 0 and +1
        Of estimators without ``decision_function`` scikit-learn writes 0 for -1; the distances are the same up to a
        factor, a probability p being the score 2 p - 1.

    Examples
    --------
    The code of one against one answers as one against one does:

    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.ensembles import OneVsOneClassifier, OutputCodeClassifier, one_vs_one_code
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> code = one_vs_one_code(3)
    >>> code
    array([[-1, -1,  0],
           [ 1,  0, -1],
           [ 0,  1,  1]])
    >>> model = OutputCodeClassifier(LinearDiscriminantAnalysis(), code_book=code, decoding="hamming").fit(X, y)
    >>> bool((model.predict(X) == OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(X, y).predict(X)).all())
    True

    See Also
    --------
    OneVsOneClassifier, OneVsRestClassifier, one_vs_rest_code

    References
    ----------
    - Dietterich, T. G. and Bakiri, G. (1995). Solving multiclass learning problems via error-correcting output
      codes. Journal of Artificial Intelligence Research 2, 263-286. doi:10.1613/jair.105
    - Allwein, E. L., Schapire, R. E. and Singer, Y. (2000). Reducing multiclass to binary: a unifying approach for
      margin classifiers. Journal of Machine Learning Research 1, 113-141.
    """

    card = Card(
        "output code",
        "one classifier for each bit of a code of the classes",
        also=("ecoc", "error-correcting codes"),
        settings={"random_state": 0},
        learns=(
            "a classifier of each column of a code",
            "that of the estimator, for each column",
            "that of the estimator",
            "as the estimator",
        ),
    )
    multiclass = "output code"
    accepts = {
        **BINARY,
        "code_size": Range(0, open="low"),
        "random_state": Seed(),
        "code_book": Any_("an array of -1, 0 and 1 with a row for each class, the name of a code, or None"),
        "decoding": Choice("euclidean", "hamming", "margin", "hinge"),
        "grow": Count(0),
        "validation_fraction": Range(0, 1, open="both") | None,
    }
    stored = {
        "code_book_": FloatArray("K", "c"),
        "estimators_": Each(Object(BaseEstimator), "c"),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        code_size: float = 1.5,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        code_book: Any = None,
        decoding: str = "euclidean",
        grow: int = 0,
        validation_fraction: float | None = None,
    ):
        self.estimator = estimator
        self.code_size = code_size
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.code_book = code_book
        self.decoding = decoding
        self.grow = grow
        self.validation_fraction = validation_fraction

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        template, K = self._template(), len(self.classes_)
        if not hasattr(template, "decision_function") and not hasattr(template, "predict_proba"):
            raise ParameterError(
                f"OutputCodeClassifier: estimator must have decision_function or predict_proba, got {template!r}."
            )
        code = self._drawn(K) if self.code_book is None else _given(self.code_book, K, self.random_state)
        if self.grow and K > 2:
            code = self._grown(X, y, w, code)
        else:
            self.estimators_ = self._members(X, y, w, code)
        self._warn_of_equal_words(code)
        self.code_book_ = code.astype(np.float64)

    def _members(self, X: Any, y: np.ndarray, w: np.ndarray | None, code: np.ndarray) -> list[Any]:
        """One member for each column of the code."""
        bits = [code[y, l] for l in range(code.shape[1])]

        def member(bit: np.ndarray) -> Any:
            rows = np.flatnonzero(bit)
            part = X if len(rows) == len(y) else take_rows(X, rows)
            target, weights = (bit[rows] > 0).astype(np.int64), None if w is None else w[rows]
            return self._fit_member(part, target, weights, rows, len(y))

        width = X.shape[1] if len(X.shape) > 1 else 1
        return self._of_each(member, bits, X.shape[0] * width * len(bits))

    def _grown(self, X: Any, y: np.ndarray, w: np.ndarray | None, code: np.ndarray) -> np.ndarray:
        """The code with columns for the pairs of classes that it confuses; sets the members."""
        learn, judge = np.arange(len(y)), np.arange(len(y))
        if self.validation_fraction is not None:
            learn, judge = _parted(y, self.validation_fraction, random_state_of(self.random_state))
        rows, codes, weights = take_rows(X, learn), y[learn], None if w is None else w[learn]
        self.estimators_ = self._members(rows, codes, weights, code)
        judged, truth = take_rows(X, judge), y[judge]
        weight = np.ones(len(judge)) if w is None else w[judge]
        margins = self._margins(judged)
        answers = self._decoded(margins, code).argmax(axis=1)
        error, start = float(np.average(answers != truth, weights=weight)), code.shape[1]
        self.history_, tried = [], set()
        while code.shape[1] < start + self.grow:
            pair = _most_confused(truth, answers, weight, len(code), tried)
            if pair is None:
                break
            tried.add(pair)
            column = np.zeros((len(code), 1), dtype=np.int64)
            column[pair, 0] = 1, -1
            self.estimators_ += self._members(rows, codes, weights, column)
            longer = np.column_stack([margins, self._margin(code.shape[1], judged)])
            candidate = np.hstack([code, column])
            revised = self._decoded(longer, candidate).argmax(axis=1)
            new_error = float(np.average(revised != truth, weights=weight))
            kept = new_error < error
            labels = python_labels(self.classes_[list(pair)])
            self.history_.append({"classes": labels, "error": new_error, "before": error, "kept": kept})
            if kept:
                code, margins, answers, error = candidate, longer, revised, new_error
            else:
                self.estimators_.pop()
        if self.validation_fraction is not None:
            self.estimators_ = self._members(X, y, w, code)
        return code

    def _drawn(self, K: int) -> np.ndarray:
        """(K, L) of -1 and +1; scikit-learn draws the same."""
        L = int(K * self.code_size)
        if L < 1:
            raise ParameterError(
                f"OutputCodeClassifier: code_size={self.code_size} of {K} classes makes no bit. Raise it to "
                f"{1 / K:.3g} or more."
            )
        return np.where(random_state_of(self.random_state).uniform(size=(K, L)) > 0.5, 1, -1)

    def _warn_of_equal_words(self, code: np.ndarray) -> None:
        words: dict[bytes, int] = {}
        for k, word in enumerate(np.ascontiguousarray(code)):
            first = words.setdefault(word.tobytes(), k)
            if first != k:
                warn_user(
                    f"OutputCodeClassifier: classes {self.classes_[first]} and {self.classes_[k]} have the same code "
                    "word, so the second is never answered. Raise code_size, or change random_state or code_book.",
                    AssayWarning,
                )
                return

    def _margins(self, X: Any) -> np.ndarray:
        """(n, L) the members' scores; a probability p is the score 2 p - 1."""
        scores = self._score_members(X)
        return scores if hasattr(self.estimators_[0], "decision_function") else 2 * scores

    def _margin(self, l: int, X: Any) -> np.ndarray:
        """(n,) the score of one member."""
        return self._score(l, X) * (1 if hasattr(self.estimators_[0], "decision_function") else 2)

    def _scores(self, X: Any) -> np.ndarray:
        """(n, K) the larger, the nearer the word of the class."""
        return self._decoded(self._margins(X), self.code_book_)

    def _decoded(self, s: np.ndarray, code: np.ndarray) -> np.ndarray:
        """(n, K) from (n, L) scores of members."""
        M = code.astype(np.float64)
        if self.decoding == "euclidean":
            # over the bits that are not 0, (s - m)^2 = s^2 + 1 - 2 s m
            used = (M != 0).astype(np.float64)
            s = np.clip(s, -1e150, 1e150)  # squares stay numbers
            return (2 * s @ M.T - s**2 @ used.T) / used.sum(axis=1) - 1  # (1)
        if self.decoding == "hinge":
            s = np.clip(s, -1e150, 1e150)
            return -np.maximum(0, 1 - s[:, None, :] * M).sum(axis=2) + (M == 0).sum(axis=1)
        support = np.clip(s @ M.T, -1e300, 1e300)
        if self.decoding == "margin":
            return support
        wrong = 0.5 * (M.shape[1] - np.where(s > 0, 1.0, -1.0) @ M.T)  # (1)
        return support / (3 * (np.abs(support) + 1)) - wrong  # below one half, so that it decides ties alone

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the negative distance (1) of each class, or its margin; (n,) the difference of two."""
        scores = self._scores(self._admit(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _choose(self, X: Any) -> np.ndarray:
        return np.argmax(self._scores(X), axis=1)

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        margins, scores = self._margins(X), self._scores(X)
        best = np.argmax(scores, axis=1)

        def sections(i: int) -> list[Section]:
            word = self.code_book_[best[i]]
            bits = [[l, float(s), int(np.sign(s)), int(m)] for l, (s, m) in enumerate(zip(margins[i], word))]
            sign, what = {"margin": (1, "margin"), "hinge": (-1, "loss")}.get(self.decoding, (-1, "distance"))
            table = [[str(c), float(sign * d)] for c, d in zip(self.classes_, scores[i])]
            return [
                Section(f"{what.capitalize()} of the code words", ["class", what], table),
                Section(f"Bits of {self.classes_[best[i]]}", ["member", "score", "bit", "word"], bits),
            ]

        return Explanations(type(self).__name__, python_labels(self.classes_[best]), rows, Reasons(sections))


def _given(code: Any, K: int, random_state: Any) -> np.ndarray:
    """The code as whole numbers, if it is one for K classes."""
    if isinstance(code, str):
        if code in RANDOM_CODES:
            return RANDOM_CODES[code](K, random_state=random_state)
        if code not in CODES:
            names = ", ".join(map(repr, [*CODES, *RANDOM_CODES]))
            raise ParameterError(
                f"OutputCodeClassifier: code_book must be an array, None or one of {names}, got {code!r}."
            )
        return CODES[code](K)
    words = np.asarray(code)
    if words.ndim != 2 or len(words) != K or not words.shape[1] or not np.isin(words, (-1, 0, 1)).all():
        raise ParameterError(
            f"OutputCodeClassifier: code_book must have a row of -1, 0 and 1 for each of {K} classes, got an array of "
            f"shape {words.shape}."
        )
    both = (words > 0).any(axis=0) & (words < 0).any(axis=0)
    if not both.all() or not (words != 0).any(axis=1).all():
        lost = f"column {int(np.argmin(both))}" if not both.all() else "some class"
        raise ParameterError(
            f"OutputCodeClassifier: each column of code_book needs a -1 and a +1, each class one of them; {lost} "
            "lacks it."
        )
    return words.astype(np.int64)


def _parted(y: np.ndarray, share: float, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows to judge by; the latter are drawn in each class, which keeps one row at least."""
    judge = []
    for k in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == k))
        judge.append(rows[: min(len(rows) - 1, round(share * len(rows)))])
    drawn = np.sort(np.concatenate(judge))
    if not len(drawn):
        raise ParameterError(
            f"OutputCodeClassifier: validation_fraction={share:g} of {len(y)} rows leaves no row to judge by. Raise "
            "it, or give None."
        )
    return np.setdiff1d(np.arange(len(y)), drawn), drawn


def _most_confused(
    truth: np.ndarray, answers: np.ndarray, weight: np.ndarray, K: int, tried: set[tuple[int, int]]
) -> tuple[int, int] | None:
    """The pair of classes that are taken for each other most often, of those not tried; None if there is none."""
    confusion = np.bincount(truth * K + answers, weight, minlength=K * K).reshape(K, K)
    both = np.triu(confusion + confusion.T, 1)
    for i, k in tried:
        both[i, k] = 0
    best = int(both.argmax())
    return divmod(best, K) if both.flat[best] > 0 else None
