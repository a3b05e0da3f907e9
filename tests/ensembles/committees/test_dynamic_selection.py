import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ttest_rel
from sklearn.datasets import load_breast_cancer, load_diabetes

from assay import load, save
from assay.bayes import GaussianNB, NaiveBayes
from assay.ensembles import DynamicSelectionClassifier, DynamicSelectionRegressor
from assay.ensembles.committees.competence import CLASS_METHODS, NearRows, class_weights_by
from assay.errors import DataError
from assay.linear import LinearRegression, LogisticRegression
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor

# Three members, two queries, three neighbours each. Right: member 0 on all of the first query's, member 1 on the two
# nearest, member 2 on none; for the second query 0: none, 1: the nearest, 2: the two farthest.
RIGHT = np.array([[[1, 1, 1], [0, 0, 0]], [[1, 1, 0], [1, 0, 0]], [[0, 0, 0], [0, 1, 1]]], dtype=bool)


def near(answer=None, output=None):
    chance = np.where(RIGHT, 0.8, 0.3)
    answer = np.where(RIGHT, 1, 0) if answer is None else answer
    output = np.tile([0.4, 0.6], (3, 2, 1)) if output is None else output
    return NearRows(RIGHT, chance, answer, output, np.array([0.5, 0.5, 0.4]))


@pytest.mark.capability("IML-17-03")
def test_the_rules_by_hand():
    assert_array_equal(class_weights_by("ola", near()), [[1, 0], [0, 0], [0, 1]])
    assert_allclose(class_weights_by("knora-u", near()), [[3 / 5, 0], [2 / 5, 1 / 3], [0, 2 / 3]])
    assert_array_equal(class_weights_by("knora-e", near()), [[1, 0], [0, 1], [0, 0]])
    # all queries are answered 1: a member counts by the neighbours that it takes for 1, all of them rightly
    lca = class_weights_by("lca", near())
    assert_array_equal(lca, [[1, 0], [0, 0], [0, 1]])


@pytest.mark.capability("IML-17-03")
def test_without_a_competent_member_all_are_asked():
    wrong = NearRows(
        np.zeros_like(RIGHT), np.zeros(RIGHT.shape), np.zeros(RIGHT.shape, int), near().output, np.ones(3)
    )
    for method in ("knora-e", "knora-u"):
        assert_allclose(class_weights_by(method, wrong), 1 / 3)


def two_regions(n=600, seed=0):
    """On the left column 1 decides, on the right column 2; members know one each."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    return X, np.where(X[:, 0] < 0, X[:, 1] > 0, X[:, 2] > 0).astype(int)


class OnColumn(GaussianNB):
    """Knows one column."""

    def __init__(self, column=1):
        super().__init__()
        self.column = column

    def fit(self, X, y, sample_weight=None):
        return super().fit(np.asarray(X)[:, [self.column]], y, sample_weight)

    def predict_proba(self, X):
        return super().predict_proba(np.asarray(X)[:, [self.column]])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.capability("IML-17-03")
@pytest.mark.parametrize("method", CLASS_METHODS)
def test_each_region_is_answered_by_the_member_that_knows_it(method):
    X, y = two_regions()
    test, truth = two_regions(400, 1)
    members = [("one", OnColumn(1)), ("two", OnColumn(2))]
    model = DynamicSelectionClassifier(members, method, metric="euclidean", n_neighbors=9).fit(X, y)
    single = max(member.score(test, truth) for member in model.estimators_)
    assert model.score(test, truth) > single + 0.03
    left, far = test[:, 0] < -0.3, test[:, 0] > 0.3
    weights = model.weights(test)
    assert_allclose(weights.sum(axis=0), 1, rtol=1e-12)
    assert weights[0, left].mean() > 0.5 > weights[0, far].mean()
    result = model.gain(test, truth)
    assert result.p < 0.05 and result.estimate > 0


def test_a_gain_that_is_none_is_not_claimed():
    X, y = load_breast_cancer(return_X_y=True)
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    model = DynamicSelectionClassifier(members).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.88
    assert model.gain(X[1::2], y[1::2]).p > 0.01


@pytest.mark.capability("IML-17-03")
def test_regressors_are_selected_by_their_error_nearby(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 300)
    y = np.where(x < 0, 3 * x, np.sign(np.sin(12 * x))) + rng.normal(0, 0.05, 300)
    members = [
        ("line", LinearRegression()),
        ("tree", DecisionTreeRegressor(min_samples_leaf=5, random_state=0)),
    ]
    for method in ("best", "weighted"):
        model = DynamicSelectionRegressor(members, method)
        model.fit(x[:, None], y)
        assert_allclose(model.weights(x[:, None]).sum(axis=0), 1, rtol=1e-12)
        assert model.weights(x[x > 0.2][:, None])[1].mean() > 0.6
        assert model.score(x[:, None], y) > 0.9
    save(model, tmp_path / "m.assay")
    assert_array_equal(load(tmp_path / "m.assay").predict(x[:, None]), model.predict(x[:, None]))
    assert "mean error nearby" in str(model.explain([[0.5]]))
    X, y = load_diabetes(return_X_y=True)
    assert DynamicSelectionRegressor().fit(X, y).score(X, y) > 0.4


def test_the_gain_of_regressors_is_a_paired_test_of_their_errors():
    """Two regions, and a member that knows each; of a line nothing is better than the line."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (600, 1))
    noise = rng.normal(0, 0.05, 600)
    y = np.where(x[:, 0] < 0, 3 * x[:, 0], np.sign(np.sin(12 * x[:, 0]))) + noise
    members = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=3, random_state=0))]
    model = DynamicSelectionRegressor(members, "best").fit(x[::2], y[::2])
    test, truth = x[1::2], y[1::2]
    result = model.gain(test, truth)
    single = model.estimators_[int(model.errors_.mean(axis=1).argmin())]
    errors = [np.abs(m.predict(test) - truth) for m in (single, model)]
    peer = ttest_rel(*errors)
    assert_allclose([result.statistic, result.p], [peer.statistic, peer.pvalue], rtol=1e-9)
    assert result.rejected and result.estimate > 0
    straight = DynamicSelectionRegressor(members, "best").fit(x[::2], 3 * x[::2, 0] + noise[::2])
    assert straight.gain(test, 3 * test[:, 0] + noise[1::2]).estimate < 0.01
    with pytest.raises(DataError, match="X has 300 rows and y has 2"):
        model.gain(test, [1.0, 2.0])


def test_raw_tables_and_files(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(list("abc"), 150), "size": rng.normal(size=150)})
    frame.loc[3, "size"] = None
    y = np.where(frame["kind"] == "a", "yes", "no")
    members = [("bayes", NaiveBayes()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    for method in CLASS_METHODS:
        model = DynamicSelectionClassifier(members, method).fit(frame, y)
        assert model.score(frame, y) > 0.95
        save(model, tmp_path / "m.assay")
        assert_array_equal(load(tmp_path / "m.assay").predict_proba(frame), model.predict_proba(frame))
    assert "right nearby" in str(model.explain(frame.iloc[[0]]))


def test_few_rows_and_members_without_posteriors():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([0, 0, 0, 1, 1, 1])
    from sklearn.svm import LinearSVC

    members = [("line", LogisticRegression()), ("margin", LinearSVC())]
    for method in CLASS_METHODS:
        model = DynamicSelectionClassifier(members, method, n_neighbors=50, cv=3).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()


def profile_table(n, seed):
    """Three members that each see one column; only what they answer together tells which of them is right."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (n, 3))
    X = np.column_stack([bits + rng.normal(0, 0.1, (n, 3)), rng.normal(0, 3, (n, 12))])
    return X, np.where(bits[:, 1] == bits[:, 2], bits[:, 0], 1 - bits[:, 0]), bits


class ReadsColumn(OnColumn):
    """Answers whether its column is above one half, whatever it is taught."""

    def predict_proba(self, X):
        high = np.clip(np.asarray(X)[:, self.column], 0.05, 0.95)
        return np.column_stack([1 - high, high])


@pytest.mark.capability("IML-17-03")
def test_rows_with_similar_answers_tell_who_is_right_where_the_columns_do_not():
    X, y, _ = profile_table(600, 0)
    test, truth, bits = profile_table(300, 1)
    members = [(str(j), ReadsColumn(j)) for j in range(3)]
    scores = {
        method: DynamicSelectionClassifier(members, method, metric="euclidean").fit(X, y).score(test, truth)
        for method in CLASS_METHODS
    }
    some_right = (bits == truth[:, None]).any(axis=1)  # no weights help where all members are wrong
    assert scores.pop("meta") > some_right.mean() - 0.05
    assert max(scores.values()) < some_right.mean() - 0.15


@pytest.mark.capability("IML-17-03")
def test_what_the_meta_classifier_sees_by_the_book():
    """Cruz et al. (2015), section 3.1: successes and posteriors on neighbours, their share, on profiles, confidence."""
    X, y = two_regions(120)
    members = [("one", OnColumn(1)), ("two", OnColumn(2))]
    model = DynamicSelectionClassifier(members, "meta", metric="euclidean", n_neighbors=4).fit(X, y)
    query = two_regions(1, 3)[0]
    output = np.stack([m.predict_proba(query) for m in model.estimators_])
    near = np.argsort(((X - query) ** 2).sum(axis=1))[:4]
    apart = ((model.posteriors_ - output) ** 2).sum(axis=(0, 2))
    alike = np.argsort(apart)[:5]
    right = model.posteriors_.argmax(axis=2) == y
    posterior = model.posteriors_
    rows = [
        [
            *right[j, near],
            *posterior[j, near, y[near]],
            right[j, near].mean(),
            output[j].max(),
            *right[j, alike],
        ]
        for j in range(2)
    ]
    sure = model.meta_.predict_proba(np.array(rows, dtype=float))[:, 1]
    sure[sure <= 0.5] = 0
    expected = sure / sure.sum() if sure.any() else [0.5, 0.5]
    assert_allclose(model.weights(query)[:, 0], expected, rtol=1e-9)
