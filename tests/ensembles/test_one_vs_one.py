"""One member a pair of classes: votes, knock-outs, refusals and sums."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsOneClassifier as Peer
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import get_tags

import assay
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.ensembles.one_vs_one import OneVsOneClassifier
from assay.ensembles.one_vs_rest import OneVsRestClassifier
from assay.errors import DataError, ParameterError
from assay.linear import LogisticRegression as OurRegression
from assay.neighbors import KNeighborsClassifier as OurNeighbors


class Fixed(ClassifierMixin, BaseEstimator):
    """A member whose scores are given, to make cycles."""

    def __init__(self, scores):
        self.scores = np.asarray(scores, dtype=float)

    def decision_function(self, X):
        return self.scores[np.asarray(X)[:, 0].astype(int)]

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


def duels(decision, scores):
    """A model of three classes a, b, c whose members (a, b), (a, c), (b, c) give the columns of scores."""
    model = OneVsOneClassifier(LogisticRegression(), decision=decision)
    model.classes_, model.pairwise_indices_ = np.array(["a", "b", "c"]), None
    model.estimators_, model.n_features_in_ = [Fixed(column) for column in np.transpose(scores)], 1
    return model, np.arange(float(len(scores)))[:, None]


@pytest.mark.capability("C3-49", "LS-19")
@pytest.mark.parametrize("base", [LogisticRegression(), OurRegression(), None])
def test_iris_of_the_exercise(base):
    """C3 3.5, logistic regression with C=1: train 0.99167, test 0.83333, its confusion, and no ties of votes."""
    X, y = load_iris(return_X_y=True)
    X, X_test, y, y_test = train_test_split(
        StandardScaler().fit_transform(X), y, test_size=0.2, random_state=2020
    )
    model = OneVsOneClassifier(base).fit(X, y)
    assert_allclose(model.score(X, y), 119 / 120, rtol=1e-12)
    said = model.predict(X_test)
    assert_array_equal(
        np.bincount(3 * y_test + said, minlength=9).reshape(3, 3), [[10, 0, 0], [0, 8, 2], [0, 3, 7]]
    )
    wins = np.sort(model._wins_and_sums(X_test)[0], axis=1)
    assert (wins[:, 2] > wins[:, 1]).all()
    for decision in ("tournament", "all"):  # a champion that wins all its duels is that of every rule
        assert_array_equal(model.set_params(decision=decision).predict(X_test), said)


@pytest.mark.capability("IML-10-08")
def test_three_groups_in_a_row_are_parted_pair_by_pair():
    """IML 10.4: no plane parts the middle group from the rest, yet pairwise all is right and nothing is refused."""
    rng = np.random.default_rng(0)
    X = rng.normal(0, 0.1, (90, 2)) + np.repeat([[-2, 0], [0, 0], [2, 0]], 30, axis=0)
    y = np.repeat(["left", "middle", "right"], 30)
    model = OneVsOneClassifier(LinearDiscriminantAnalysis(), decision="all").fit(X, y)
    assert_array_equal(model.predict(X), y)
    rest = OneVsRestClassifier(LinearDiscriminantAnalysis(), decision="reject").fit(X, y)
    assert (rest.predict(X[y == "middle"]) == "reject").all()


@pytest.mark.capability("IML-10-08", "LS-19")
def test_decisions_of_a_cycle():
    """Row 0: a beats b by 1, b beats c by 4, c beats a by 2; row 1: a beats both, c beats b by 9."""
    scores = [[-1.0, 2.0, -4.0], [-1.0, -1.0, 9.0]]
    sums = {"a": 1 - 2, "b": -1 + 4, "c": 2 - 4}
    model, X = duels("vote", scores)
    wins, found = model._wins_and_sums(X)
    assert_array_equal(wins, [[1, 1, 1], [2, 0, 1]])
    assert_allclose(found[0], list(sums.values()), rtol=1e-12)
    assert_array_equal(model.predict(X), ["b", "a"])  # a tie of wins, then the largest sum
    assert_array_equal(duels("all", scores)[0].predict(X), ["reject", "a"])
    assert_array_equal(duels("tournament", scores)[0].predict(X), ["c", "a"])  # a beats b, c beats a
    assert_array_equal(duels("sum", scores)[0].predict(X), ["b", "c"])  # 1 + 1 against 9 - 1
    assert_allclose(duels("sum", scores)[0].decision_function(X)[1], [2, -10, 8], rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(scores=st.lists(st.tuples(*[st.floats(-5, 5)] * 3), min_size=1, max_size=6))
def test_whoever_wins_all_duels_is_the_answer_of_each_rule_on_wins(scores):
    model, X = duels("vote", scores)
    wins, _ = model._wins_and_sums(X)
    assert_array_equal(wins.sum(axis=1), np.full(len(scores), 3.0))
    champion = wins.max(axis=1) == 2
    best = model.classes_[wins.argmax(axis=1)]
    for decision in ("vote", "all", "tournament"):
        said = duels(decision, scores)[0].predict(X)
        assert_array_equal(said[champion], best[champion])
        if decision == "all":
            assert (said[~champion] == "reject").all()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("base", [LogisticRegression(C=0.5), Perceptron(), LinearSVC(random_state=0)])
def test_same_scores_as_scikit_learn(load, base):
    """Peer: OneVsOneClassifier, scikit-learn 1.9. Not compared: the scores of members without decision_function,
    whose probabilities the peer adds up from 0 instead of one half."""
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours, peer = OneVsOneClassifier(base).fit(X, y), Peer(base).fit(X, y)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-12)
    assert_array_equal(ours.predict(X), peer.predict(X))


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_same_answers_as_scikit_learn_for_members_with_probabilities(load):
    X, y = load(return_X_y=True)
    for base in (PeerNB(), KNeighborsClassifier(5)):
        assert_array_equal(OneVsOneClassifier(base).fit(X, y).predict(X), Peer(base).fit(X, y).predict(X))


def test_kernels_computed_before():
    X, y = load_iris(return_X_y=True)
    K = X @ X.T
    given = OneVsOneClassifier(SVC(kernel="precomputed")).fit(K, y)
    own = OneVsOneClassifier(SVC(kernel="linear")).fit(X, y)
    assert_array_equal(given.predict(K), own.predict(X))
    assert [len(rows) for rows in given.pairwise_indices_] == [100, 100, 100]


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, scipy.sparse.csr_array])
@pytest.mark.parametrize("decision", ["vote", "tournament", "sum"])
def test_distances_computed_before_for_learners_of_ours(form, decision, tmp_path):
    X, y = load_iris(return_X_y=True)
    names, order = np.array(["s", "c", "v"])[y], np.random.default_rng(0).permutation(150)
    train, test = order[:100], order[100:]
    D = (
        np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2)) + 1
    )  # no distance of 0, which a sparse table leaves out
    given = OneVsOneClassifier(OurNeighbors(metric="precomputed"), decision=decision)
    given.fit(form(D[np.ix_(train, train)]), names[train])
    own = OneVsOneClassifier(OurNeighbors(), decision=decision).fit(X[train], names[train])
    asked = form(D[np.ix_(test, train)])
    assert get_tags(given).input_tags.pairwise
    assert_array_equal(given.predict(asked), own.predict(X[test]))
    assert [len(rows) for rows in given.pairwise_indices_] == [
        model.n_samples_fit_ for model in given.estimators_
    ]
    peer = Peer(KNeighborsClassifier(5, metric="precomputed")).fit(D[np.ix_(train, train)], names[train])
    if decision == "vote":
        assert_array_equal(given.predict(asked), peer.predict(D[np.ix_(test, train)]))
    assay.save(given, tmp_path / "given.assay")
    assert_array_equal(assay.load(tmp_path / "given.assay").predict(asked), given.predict(asked))
    assert str(given.explain(D[np.ix_(test, train)][:1])).startswith("OneVsOneClassifier answers")


def test_raw_tables_reach_the_members():
    frame = pd.DataFrame({"size": [1.0, 1.2, None, 5.0, 9.0, 9.5], "colour": ["r", "g", "r", "b", "b", None]})
    y = ["s", "s", "s", "m", "l", "l"]
    model = OneVsOneClassifier(NaiveBayes()).fit(frame, y)
    assert model.predict(frame).tolist() == y
    told = model.explain(frame.iloc[[0]])
    assert told.answer == "s" and [row[0] for row in told.sections[1].rows] == ["l : m", "l : s", "m : s"]
    assert [row[2] for row in told.sections[1].rows][1:] == ["s", "s"]
    assert any(section.title.startswith("Member ") for section in told.sections)


def test_weights_count_rows():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 3, 150)
    weighed = OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(X, y, sample_weight=w)
    repeated = OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighed.decision_function(X), repeated.decision_function(X), rtol=1e-8)


def test_rows_in_parts_are_as_rows_at_once():
    X, y = load_wine(return_X_y=True)
    model, w = OneVsOneClassifier(GaussianNB(var_smoothing=0)), np.linspace(0.5, 2, len(X))
    for part in np.array_split(np.random.default_rng(0).permutation(len(X)), 4):
        model.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=w[part])
    whole = OneVsOneClassifier(GaussianNB(var_smoothing=0)).fit(X, y, sample_weight=w)
    assert_allclose(model.decision_function(X), whole.decision_function(X), rtol=1e-8)
    assert not hasattr(OneVsOneClassifier(KNeighborsClassifier()), "partial_fit")
    with pytest.raises(ParameterError, match="classes must be passed"):
        OneVsOneClassifier(GaussianNB()).partial_fit(X, y)
    with pytest.raises(DataError, match="has the label 9"):
        model.partial_fit(X[:2], [1, 9])


def test_parts_may_lack_categories_and_follow_a_fit():
    frame = pd.DataFrame({"kind": list("xyzxyzxyz"), "size": np.arange(9.0)})
    y, parts = np.array(list("kkkllllmm")), ([0, 3, 7], [1, 4, 8], [2, 5, 6])
    for wrapper in (OneVsOneClassifier, OneVsRestClassifier):
        model = wrapper(NaiveBayes())
        for rows in parts:
            model.partial_fit(frame.iloc[rows], y[rows], classes=["k", "l", "m"])
        assert_array_equal(model.predict(frame), wrapper(NaiveBayes()).fit(frame, y).predict(frame))
        assert model.explain(frame.iloc[[0]]).answer == "k" and model.n_features_in_ == 2
        more = wrapper(NaiveBayes()).fit(frame, y).partial_fit(frame, y)
        assert_array_equal(more.predict(frame), y)


def test_two_classes_have_one_duel():
    X, y = load_breast_cancer(return_X_y=True)
    for decision in ("vote", "all", "tournament", "sum"):
        model = OneVsOneClassifier(LinearDiscriminantAnalysis(), decision=decision).fit(X, y)
        assert len(model.estimators_) == 1 and model.decision_function(X).shape == (569,)
        assert_array_equal(model.predict(X), LinearDiscriminantAnalysis().fit(X, y).predict(X))
        assert_array_equal(model.decision_function(X) > 0, model.predict(X) == 1)


def test_huge_scores_stay_numbers():
    model, X = duels("vote", [[1e308, 1e308, -1e308]])
    assert np.isfinite(model.decision_function(X)).all()


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr("assay.ensembles.binary_problems.WORTH_THREADS", 0)
    X, y = load_iris(return_X_y=True)
    one = OneVsOneClassifier(LinearDiscriminantAnalysis(), n_jobs=1).fit(X, y)
    many = OneVsOneClassifier(LinearDiscriminantAnalysis(), n_jobs=4).fit(X, y)
    assert_array_equal(one.decision_function(X), many.decision_function(X))


def test_saved_and_loaded(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").decision_function(X), model.decision_function(X))


def test_one_class_and_probabilities_are_refused():
    with pytest.raises(DataError, match="can not be fit when only one class is present: y holds 'a' alone"):
        OneVsOneClassifier(LogisticRegression()).fit([[1.0], [2.0]], ["a", "a"])
    assert not hasattr(OneVsOneClassifier(LogisticRegression()), "predict_proba")


@pytest.mark.parametrize("label, classes", [("b", ["a", "b", "c"]), (-1, [-1, 0, 1])])
def test_a_refusal_is_not_called_like_a_class(label, classes):
    X, y = np.arange(6.0)[:, None], np.repeat(classes, 2)
    with pytest.raises(ParameterError, match="is the name of a class"):
        OneVsOneClassifier(LinearDiscriminantAnalysis(), decision="all", reject_label=label).fit(X, y)
