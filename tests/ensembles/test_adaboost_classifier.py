"""AdaBoost: the ten points of the textbook, scikit-learn, and what can go wrong."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier

import assay
from assay.bayes import GaussianNB, NaiveBayes
from assay.ensembles.adaboost_classifier import AdaBoostClassifier
from assay.errors import DegenerateError, ParameterError
from assay.trees.decision_tree_classifier import DecisionTreeClassifier

TEN, SIGNS = np.arange(10.0)[:, None], np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])


def rounds_by_the_book(X, y, rounds):
    """AdaBoost.M1 with error-minimising stumps, straight from the definition; labels -1 and +1."""
    p, table = np.full(len(y), 1 / len(y)), []
    for _ in range(rounds):
        best = (np.inf, 0.0, 0)
        for threshold in np.arange(0.5, 9.0):
            for below in (1, -1):
                error = p[np.where(X[:, 0] < threshold, below, -below) != y].sum()
                if error < best[0] - 1e-12:
                    best = (error, threshold, below)
        error, threshold, below = best
        beta = error / (1 - error)
        right = np.where(X[:, 0] < threshold, below, -below) == y
        p = np.where(right, p * beta, p)
        p /= p.sum()
        table.append((threshold, below, error, beta))
    return table


@pytest.mark.capability("IML-17-10")
@pytest.mark.parametrize("variant", ["samme", "m1"])
def test_the_table_of_the_ten_points(variant):
    """Oracle: IML 17.7; threshold, label below, error, beta, log(1/beta), training errors."""
    model = AdaBoostClassifier(n_estimators=4, variant=variant).fit(TEN, SIGNS)
    expected = [
        (2.5, 1, 0.3, 0.428571, 0.847298, 3),
        (8.5, 1, 0.214286, 0.272727, 1.299283, 3),
        (5.5, -1, 0.181818, 0.222222, 1.504077, 0),
        (2.5, 1, 0.194444, 0.241379, 1.421386, 0),
    ]
    for tree, record, row in zip(model.members_, model.history_, expected):
        threshold, below, error, beta, log, wrong = row
        assert tree.threshold[0] == threshold
        assert model.classes_[np.argmax(tree.values[1])] == below
        found = [record[key] for key in ("error", "beta", "log_inverse_beta")]
        assert_allclose(found, [error, beta, log], atol=5e-7)
        assert_allclose(record["training_error"], wrong / 10, atol=1e-12)
    assert_allclose(
        [row[2:] for row in rounds_by_the_book(TEN, SIGNS, 4)],
        [(r["error"], r["beta"]) for r in model.history_],
        rtol=1e-10,
    )


@pytest.mark.capability("IML-17-10")
def test_scores_of_the_ten_points_after_three_rounds():
    model = AdaBoostClassifier(n_estimators=3).fit(TEN, SIGNS)
    score = model.decision_function(TEN) / 2 * model.estimator_weights_.sum()
    expected = np.array([0.64250345, -1.05209227, 1.95606252, -0.64250345])[[0, 0, 0, 1, 1, 1, 2, 2, 2, 3]]
    assert_allclose(score, expected, atol=5e-9)
    assert model.score(TEN, SIGNS) == 1


@pytest.mark.capability("IML-17-11")
def test_weights_of_samme_for_three_classes():
    model = AdaBoostClassifier()
    assert_allclose(
        [model._weight(e, 3) for e in (0.3, 0.5, 0.66)], [1.54044504, 0.69314718, 0.02985296], atol=5e-9
    )


class Stump(sklearn.tree.DecisionTreeClassifier):
    """A stump that remembers the rows it was given."""

    def __init__(self, max_depth=1, random_state=None):
        super().__init__(max_depth=max_depth, random_state=random_state)

    def fit(self, X, y, sample_weight=None):
        self.seen_ = X.copy(), y.copy()
        return super().fit(X, y, sample_weight)


@pytest.mark.capability("IML-17-10")
def test_half_of_each_sample_are_rows_that_the_last_member_got_wrong():
    """After a round of AdaBoost.M1 right and wrong rows have half of the weight each; five standard errors allowed."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(5000, 2))
    y = (X.sum(axis=1) > 1).astype(int)
    model = AdaBoostClassifier(Stump(), n_estimators=4, variant="m1", resampling=True, random_state=0).fit(
        X, y
    )
    for last, member in zip(model.estimators_, model.estimators_[1:], strict=False):
        rows, labels = member.seen_
        assert len(rows) == 5000
        assert abs(np.mean(last.predict(rows) != labels) - 0.5) < 5 * 0.5 / np.sqrt(5000)


@pytest.mark.capability("IML-17-10")
def test_resampling_draws_what_reweighting_weighs():
    """Both end with hardly any training error on data that stumps can add up to, by other stumps."""
    X, y = load_breast_cancer(return_X_y=True)
    drawn = AdaBoostClassifier(n_estimators=30, resampling=True, random_state=0).fit(X, y)
    weighed = AdaBoostClassifier(n_estimators=30).fit(X, y)
    assert drawn.score(X, y) > 0.98 and weighed.score(X, y) > 0.98
    assert any(a.threshold[0] != b.threshold[0] for a, b in zip(drawn.members_, weighed.members_))
    again = AdaBoostClassifier(n_estimators=30, resampling=True, random_state=0).fit(X, y)
    assert_array_equal(drawn.decision_function(X), again.decision_function(X))


@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_same_answers_as_scikit_learn(load, rate):
    """Peer: AdaBoostClassifier, scikit-learn 1.9, stumps."""
    X, y = load(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    ours = AdaBoostClassifier(n_estimators=20, learning_rate=rate, random_state=0).fit(X, y, sample_weight=w)
    peer = sklearn.ensemble.AdaBoostClassifier(n_estimators=20, learning_rate=rate, random_state=0)
    peer.fit(X, y, sample_weight=w)
    assert_allclose(ours.estimator_errors_, peer.estimator_errors_, rtol=1e-9)
    assert_allclose(ours.estimator_weights_, peer.estimator_weights_, rtol=1e-9)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-9)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-9)
    assert_array_equal(ours.predict(X), peer.predict(X))
    if load is not load_iris:  # of its columns, two often cut alike
        assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-9)


def test_same_answers_as_scikit_learn_with_its_own_estimators():
    X, y = load_iris(return_X_y=True)
    tree = sklearn.tree.DecisionTreeClassifier(max_depth=2)
    ours = AdaBoostClassifier(tree, n_estimators=5, random_state=3).fit(X, y)
    peer = sklearn.ensemble.AdaBoostClassifier(tree, n_estimators=5, random_state=3).fit(X, y)
    assert_array_equal([m.random_state for m in ours.estimators_], [m.random_state for m in peer.estimators_])
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-12)
    for ours_now, peer_now in zip(ours.staged_predict_proba(X), peer.staged_predict_proba(X), strict=True):
        assert_allclose(ours_now, peer_now, atol=1e-12)


def test_stages_end_in_the_whole():
    X, y = load_wine(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=8).fit(X, y)
    assert len(list(model.staged_predict(X))) == len(model) == 8
    assert_allclose(list(model.staged_decision_function(X))[-1], model.decision_function(X), rtol=1e-12)
    assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X), rtol=1e-12)
    assert_allclose(list(model.staged_score(X, y))[-1], model.score(X, y))
    assert_allclose(
        [r["training_error"] for r in model.history_], 1 - np.array(list(model.staged_score(X, y)))
    )


def test_members_are_fitted_trees_with_seeds_of_their_own():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=4).fit(X, np.array(["a", "b", "c"])[y])
    trees = model.estimators_
    assert all(type(t) is DecisionTreeClassifier for t in trees)
    assert len({t.random_state for t in trees}) == 4
    votes = sum(
        a * (t.predict(X)[:, None] == model.classes_) for a, t in zip(model.estimator_weights_, trees)
    )
    assert_allclose(model.vote_shares(X), votes / model.estimator_weights_.sum(), rtol=1e-12)


def test_trees_that_weigh_losses_vote_by_them():
    X, y = load_breast_cancer(return_X_y=True)
    # deciding 1 when the truth is 0 costs 9
    dear, plain = (
        DecisionTreeClassifier(max_depth=3, loss=[[0, 1], [9, 0]]),
        DecisionTreeClassifier(max_depth=3),
    )
    model = AdaBoostClassifier(dear, n_estimators=1).fit(X, y)
    assert_array_equal(model.predict(X), model.estimators_[0].predict(X))
    assert model.predict(X).sum() < AdaBoostClassifier(plain, n_estimators=1).fit(X, y).predict(X).sum()


def test_nominal_columns_and_gaps_reach_the_trees_as_they_are():
    rng = np.random.default_rng(0)
    kind, size = rng.choice(["x", "y", "z"], 200), rng.normal(size=200)
    y = np.where((kind == "y") | (size > 1), "yes", "no")
    size[::7] = np.nan
    table = pd.DataFrame({"kind": kind, "size": size})
    model = AdaBoostClassifier(n_estimators=5).fit(table, y)
    assert model.score(table, y) > 0.95
    assert model.predict(pd.DataFrame({"kind": ["y", None], "size": [None, 3.0]})).tolist() == ["yes", "yes"]


def test_other_learners_get_the_table_as_it_came():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"kind": rng.choice(["x", "y"], 90), "size": rng.normal(size=90)})
    y = np.where((table["kind"] == "x") == (table["size"] > 0), "a", "b")
    model = AdaBoostClassifier(NaiveBayes(), n_estimators=3).fit(table, y)
    assert model.estimators_[0].feature_names_in_.tolist() == ["kind", "size"]
    assert "Votes of" in str(model.explain(table.iloc[:1]))
    with pytest.raises(AttributeError, match="no feature_importances_"):
        _ = model.feature_importances_


def test_trees_with_surrogates_vote_too(tmp_path):
    X, y = load_iris(return_X_y=True)
    with_missing = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2, missing="surrogate"), n_estimators=5).fit(
        with_missing, y
    )
    votes = sum(
        a * (t.predict(with_missing)[:, None] == model.classes_)
        for a, t in zip(model.estimator_weights_, model)
    )
    assert_allclose(model.vote_shares(with_missing), votes / model.estimator_weights_.sum(), rtol=1e-12)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(
        assay.load(tmp_path / "model.assay").predict_proba(with_missing), model.predict_proba(with_missing)
    )


def test_dense_sparse_and_frame_give_the_same():
    X, y = load_wine(return_X_y=True)
    dense = AdaBoostClassifier(n_estimators=5).fit(X, y).predict_proba(X)
    for other in (sparse.csr_matrix(X), sparse.csc_array(X), pd.DataFrame(X)):
        assert_array_equal(AdaBoostClassifier(n_estimators=5).fit(other, y).predict_proba(other), dense)


def test_a_classifier_without_error_ends_it():
    X, y = [[0.0], [1.0], [2.0]], ["a", "a", "b"]
    for variant in ("samme", "m1"):
        model = AdaBoostClassifier(variant=variant).fit(X, y)
        assert len(model) == 1 and model.history_[0]["error"] == 0
        assert model.history_[0]["log_inverse_beta"] == np.inf
        assert model.predict(X).tolist() == y


def test_of_m1_only_the_classifier_without_error_remains():
    class Learner(GaussianNB):
        """Wrong in the first round, right in the second."""

        def fit(self, X, y, sample_weight=None):
            super().fit(X, y)
            self.told = np.ptp(sample_weight) > 0
            return self

        def predict(self, X):
            truth = np.where(np.asarray(X)[:, 0] > 3, "b", "a")
            return truth if self.told else np.where(np.arange(len(truth)) == 0, "b", truth)

    X, y = np.arange(8.0)[:, None], np.where(np.arange(8) > 3, "b", "a")
    alone = AdaBoostClassifier(Learner(), variant="m1").fit(X, y)
    assert len(alone) == 1 and alone.predict(X).tolist() == y.tolist()
    both = AdaBoostClassifier(Learner()).fit(X, y)
    assert len(both) == 2 and both.estimator_weights_[1] == 1.0


def test_the_first_that_is_no_better_than_chance_is_an_error_and_a_later_one_the_end():
    X = np.zeros((4, 1))
    with pytest.raises(DegenerateError, match="worse than random"):
        AdaBoostClassifier().fit(X, [0, 1, 0, 1])
    with pytest.raises(DegenerateError, match=r"limit 0\.5"):
        AdaBoostClassifier(variant="m1").fit(np.arange(4.0)[:, None], [0, 1, 2, 3])
    same = DummyClassifier(
        strategy="constant", constant=1
    )  # after the first round it is wrong for half of the weight
    model = AdaBoostClassifier(same, n_estimators=9).fit(np.zeros((4, 1)), [1, 1, 1, 0])
    assert len(model) == 1
    assert_array_equal(model.estimator_errors_, [0.25] + [1.0] * 8)
    assert_array_equal(model.estimator_weights_[1:], 0.0)


def test_a_rate_without_measure_is_taken_as_one():
    """A rate above 2 would raise the loss, and in the end the weights would overflow."""
    X, y = load_breast_cancer(return_X_y=True)
    large = AdaBoostClassifier(n_estimators=10, learning_rate=2000.0).fit(X, y)
    one = AdaBoostClassifier(n_estimators=10).fit(X, y)
    assert_array_equal(large.estimator_weights_, one.estimator_weights_)
    assert large.history_[-1]["bound"] == one.history_[-1]["bound"]


def test_one_class_and_one_row():
    model = AdaBoostClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert_array_equal(model.predict_proba([[5.0]]), [[1.0]])
    assert_array_equal(model.decision_function([[5.0]]), [[0.0]])
    assert AdaBoostClassifier().fit([[1.0]], ["a"]).predict([[3.0]]).tolist() == ["a"]


def test_a_row_of_weight_zero_is_not_there():
    X, y = load_iris(return_X_y=True)
    w = np.ones(150)
    w[::3] = 0
    some = AdaBoostClassifier(n_estimators=10).fit(X[w > 0], y[w > 0])
    assert_allclose(
        AdaBoostClassifier(n_estimators=10).fit(X, y, sample_weight=w).predict_proba(X),
        some.predict_proba(X),
        atol=1e-12,
    )


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999), K=st.integers(2, 4))
def test_contributions_add_up_to_the_share_of_the_votes(seed, K):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(50, 3)), np.arange(50) % K
    model = AdaBoostClassifier(n_estimators=6).fit(X, y)
    told = model.explain(X[:1])
    votes, added = told.sections
    k = int(np.argmax([row[1] for row in votes.rows]))
    assert_allclose(added.rows[-1][2], votes.rows[k][2], atol=1e-12)
    assert_allclose(sum(row[2] for row in added.rows[:-1]), votes.rows[k][2], atol=1e-12)


def test_a_stored_model_answers_alike(tmp_path):
    X, y = load_iris(return_X_y=True)
    for model in (AdaBoostClassifier(n_estimators=4), AdaBoostClassifier(GaussianNB(), n_estimators=4)):
        model.fit(X, y).predict(X)
        assay.save(model, tmp_path / "model.assay")
        again = assay.load(tmp_path / "model.assay")
        assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.history_ == model.history_


def test_what_cannot_be_boosted_is_refused():
    from sklearn.neighbors import KNeighborsClassifier

    with pytest.raises(ParameterError, match="KNeighborsClassifier doesn't support sample_weight"):
        AdaBoostClassifier(KNeighborsClassifier()).fit(TEN, SIGNS)
    drawn = AdaBoostClassifier(KNeighborsClassifier(1), n_estimators=2, resampling=True, random_state=0)
    assert drawn.fit(TEN, SIGNS).score(TEN, SIGNS) > 0.5
    with pytest.raises(ParameterError, match="must be a classifier object"):
        AdaBoostClassifier(GaussianNB).fit(TEN, SIGNS)
    with pytest.raises(ParameterError, match="n_estimators must be a whole number from 1 up"):
        AdaBoostClassifier(n_estimators=0).fit(TEN, SIGNS)
