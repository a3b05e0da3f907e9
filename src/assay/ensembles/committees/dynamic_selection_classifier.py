"""Dynamic selection of classifiers: overall and class local accuracy, KNORA, and by a meta-classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Classifier
from assay.core.parameters import Choice
from assay.core.stored import CodeArray, FloatArray, Object
from assay.core.targets import EncodedLabels, encode_labels
from assay.ensembles.committees.competence import CLASS_METHODS, NearRows, class_weights_by, meta_features
from assay.ensembles.committees.dynamic_selection import DYNAMIC, DynamicSelection
from assay.stats.significance.mcnemar import mcnemar
from assay.stats.significance.test_result import TestResult
from assay.tables.rows import take_rows
from assay.types import TableLike, Target

__all__ = ["DynamicSelectionClassifier"]

PROFILES = 5  # rows with the most similar answers of all members; as many as Cruz et al. take


class DynamicSelectionClassifier(DynamicSelection, Classifier):
    r"""Ask, for each row, the classifiers that did well on rows near it.

    Members are often good in different regions. Their answers for rows that they did not learn from (out of ``cv``
    folds) say where; for a new row its ``n_neighbors`` nearest such rows are looked up, and by ``method``

    ==========  =====================================================================================================
    "ola"       overall local accuracy: the member that is right most often about them answers
    "lca"       local class accuracy: that of the neighbours which a member takes for the class it answers
    "knora-e"   the members that are right about all of them (else about the k - 1, k - 2 ... nearest) answer
    "knora-u"   each member has as many votes as neighbours it is right about
    "meta"      each votes by its probability of being right, learned from how it did nearby, how it did on the five
                rows for which all members answer most alike, and how sure it is
    ==========  =====================================================================================================

    the posteriors of the chosen members are averaged. :meth:`gain` tests whether that beats the best single member.

    Cost: fit ``cv`` + 1 times that of the members; predict that of all members and of a search for neighbours; memory
    O(n d) for the rows that are searched.

    Parameters
    ----------
    estimators : list of (name, classifier), default None
        The members; "drop" in place of one leaves it out. None is naive Bayes, logistic regression and a tree.
    method : str, default "knora-e"
    n_neighbors : int, default 7
    metric : as of KNeighborsClassifier, default "heom"
        The default takes numbers by their range, categories and missing values as they are.
    cv : int, splitter or list of (train, test), default None, five folds
    n_jobs : int or None, default None
        Most fits at a time.
    verbose : bool, default False
        Accepted; progress is shown where somebody watches.
    views : dict from names of members to lists of columns, default None
        The columns, by name or number, that a member sees; members that are not named see all. So several measurements
        of the same things, each with its own columns, have members of their own.
    on_error : "raise" or "leave out", default "raise"
        What becomes of a member that fails: the error is raised, or the others go on and ``failures_`` says why.

    Attributes
    ----------
    estimators_ : list of fitted members      classes_ : (K,)
    failures_ : dict from the names of members left out to what they said
    neighbors_ : the search for validation rows
    posteriors_ : (members, rows, K) of the validation rows      codes_ : (rows,) their classes
    meta_ : by "meta", the classifier of members that are right      profiles_ : the search for similar answers

    Examples
    --------
    Two regions, and for each a member that looks at the column which decides there:

    >>> import numpy as np
    >>> from assay.ensembles import DynamicSelectionClassifier
    >>> from assay.trees import DecisionTreeClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> y = np.where(X[:, 0] > 0, X[:, 1] > 0, X[:, 1] < 0).astype(int)
    >>> members = [("one", DecisionTreeClassifier(max_depth=1)), ("two", DecisionTreeClassifier(max_depth=2))]
    >>> model = DynamicSelectionClassifier(members, "ola").fit(X[::2], y[::2])
    >>> model.weights([[0.5, 0.5]]).shape
    (2, 1)

    See Also
    --------
    StackingClassifier, VotingClassifier

    References
    ----------
    - Woods, K., Kegelmeyer, W. P. and Bowyer, K. (1997). Combination of multiple classifiers using local accuracy
      estimates. IEEE Transactions on Pattern Analysis and Machine Intelligence 19(4), 405-410. doi:10.1109/34.588027
    - Ko, A. H. R., Sabourin, R. and Britto, A. S. (2008). From dynamic classifier selection to dynamic ensemble
      selection. Pattern Recognition 41(5), 1718-1731. doi:10.1016/j.patcog.2007.10.015
    - Cruz, R. M. O., Sabourin, R., Cavalcanti, G. D. C. and Ren, T. I. (2015). META-DES: a dynamic ensemble selection
      framework using meta-learning. Pattern Recognition 48(5), 1925-1935. doi:10.1016/j.patcog.2014.12.003
    """

    card = Card(
        "dynamic selection",
        "for each row the members that did well on its neighbours",
        learns=(
            "the members that did well nearby",
            "errors of the members on the nearest unseen rows",
            "a search for neighbours",
            "stored",
        ),
    )
    multiclass = "as the estimator"
    accepts = {**DYNAMIC, "method": Choice(*CLASS_METHODS)}
    stored = {
        "posteriors_": FloatArray("l", "r", "K", low=0, high=1),
        "codes_": CodeArray("r", below="K"),
        "meta_": Object(BaseEstimator) | None,
        "profiles_": Object(BaseEstimator) | None,
    }

    def __init__(
        self,
        estimators: Any = None,
        method: str = "knora-e",
        n_neighbors: int = 7,
        *,
        metric: Any = "heom",
        cv: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        views: Any = None,
        on_error: str = "raise",
    ):
        self.estimators = estimators
        self.method = method
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.views = views
        self.on_error = on_error

    def _default_members(self) -> list[tuple[str, Any]]:
        from assay.ensembles.committees.voting_classifier import VotingClassifier

        return VotingClassifier()._default_members()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        target = EncodedLabels(y, self.classes_)
        parts, rows = self._unseen(X, target, w, True, lambda j, model, some: self._said(model, some))
        self._fit_all(X, target, w)
        self.posteriors_, self.codes_ = np.clip(np.stack(parts), 0.0, 1.0), y[rows]
        self._keep_neighbors(X, rows)
        self.meta_, self.profiles_ = (
            self._learn_meta(X if len(rows) == len(y) else take_rows(X, rows))
            if self.method == "meta"
            else (None, None)
        )

    def _learn_meta(self, X: Any) -> tuple[Any, Any]:
        """What tells from rows near a validation row whether a member is right about it, and the search for profiles.

        A profile of a row is what all members answer for it.
        """
        from assay.bayes import GaussianNB
        from assay.neighbors import NearestNeighbors

        k = min(self.n_neighbors, len(self.codes_) - 1)
        if k < 1:
            return GaussianNB().fit(np.zeros((2, 2 * self.n_neighbors + 2)), [0, 1]), None
        profiles = NearestNeighbors(n_neighbors=min(PROFILES, len(self.codes_) - 1), metric="euclidean")
        answers = _profiles(self.posteriors_)
        profiles.fit(answers)
        alike = _others(profiles, answers, profiles.n_neighbors)
        F = meta_features(self._case(_others(self.neighbors_, X, k), self.posteriors_, alike))
        right = (self.posteriors_.argmax(axis=2) == self.codes_).astype(np.int64)
        divided = right.min(axis=0) != right.max(axis=0)  # rows on which the members differ teach most
        rows = divided if divided.any() else np.ones(len(divided), bool)
        meta = GaussianNB(var_smoothing=1e-3).fit(F[:, rows].reshape(-1, F.shape[2]), right[:, rows].ravel())
        return meta, profiles

    def _said(self, model: Any, X: Any) -> np.ndarray:
        ask = self._posterior_of if hasattr(model, "predict_proba") else self._votes_of
        return ask(model, X, self.classes_)

    def _case(self, near: np.ndarray, output: np.ndarray, alike: np.ndarray | None = None) -> NearRows:
        answers = self.posteriors_.argmax(axis=2)
        right = answers == self.codes_
        chance = np.take_along_axis(self.posteriors_, self.codes_[None, :, None], axis=2)[:, :, 0]
        overall = right.mean(axis=1)
        like = None if alike is None else right[:, alike]
        return NearRows(right[:, near], chance[:, near], answers[:, near], output, overall, like)

    def _weighed(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """(L, n, K) the members' posteriors, and (L, n) their weights."""
        output = np.stack(self._ask_all(X, lambda j, model, some: self._said(model, some)))
        near = self._near(X)
        k = min(self.n_neighbors, len(self.codes_) - 1) if self.method == "meta" else near.shape[1]
        profiles = vars(self).get(
            "profiles_"
        )  # not in files of earlier versions, whose members are judged without
        alike = None if profiles is None else profiles.kneighbors(_profiles(output), return_distance=False)
        case = self._case(near[:, : max(k, 1)], output, alike)
        return output, class_weights_by(self.method, case, self.meta_)

    def weights(self, X: TableLike) -> np.ndarray:
        """(members, n) what each member counts for each row."""
        return self._weighed(self._admit(X))[1]

    def _posterior(self, X: Any) -> np.ndarray:
        output, weights = self._weighed(X)
        P = np.einsum("lnk,ln->nk", output, weights)
        return P / P.sum(axis=1, keepdims=True)

    def gain(self, X: TableLike, y: Target) -> TestResult:
        """McNemar's test, on rows that were not used to fit, of the best single member against this selection.

        The best member is the one with the highest accuracy on the validation rows, so it is chosen without these rows.
        """
        values = self._admit(X)
        labels, codes = encode_labels(y, values.shape[0], f"{type(self).__name__}.gain")
        truth = labels[codes]
        accuracy = (self.posteriors_.argmax(axis=2) == self.codes_).mean(axis=1)
        output, _ = self._weighed(values)
        single = self.classes_[output[int(accuracy.argmax())].argmax(axis=1)] != truth
        ours = self.classes_[self._choose(values)] != truth
        return mcnemar(int((single & ~ours).sum()), int((ours & ~single).sum()), n=len(truth))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        output, weights = self._weighed(X)
        near, names = self._near(X), [name for name, _ in self._members()]
        right = (self.posteriors_.argmax(axis=2) == self.codes_)[:, near].mean(axis=2)
        heads = ["member", "right nearby", "weight", "answer", *(f"P({c})" for c in self.classes_.tolist())]

        def said(i: int) -> list[Section]:
            lines = [
                [name, float(right[j, i]), float(weights[j, i]), str(self.classes_[output[j, i].argmax()]),
                 *map(float, output[j, i])]
                for j, name in enumerate(names)
            ]  # fmt: skip
            return [Section(f"Members on {near.shape[1]} neighbours ({self.method})", heads, lines)]

        return Reasons(said)


def _profiles(posteriors: np.ndarray) -> np.ndarray:
    """(n, L K) what all members, (L, n, K), answer for each row."""
    return np.ascontiguousarray(posteriors.transpose(1, 0, 2).reshape(posteriors.shape[1], -1))


def _others(search: Any, X: Any, k: int) -> np.ndarray:
    """(n, k) the nearest rows of each of those that are searched, itself left out."""
    near = search.kneighbors(X, n_neighbors=k + 1, return_distance=False)
    itself = near == np.arange(len(near))[:, None]
    itself[~itself.any(axis=1), -1] = True  # beyond its copies: leave the farthest out
    return near[~itself].reshape(len(near), k)
