"""k nearest neighbours: oracles of the books, the peer on real data, ties, weights, mixed tables, degenerate input."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier as Peer
from sklearn.preprocessing import StandardScaler

from assay.errors import DataError, DegenerateError, ParameterError
from assay.neighbors.k_neighbors_classifier import KNeighborsClassifier
from assay.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
from assay.tables.data import load_german_credit

# IML 8.4: two classes in the plane, and a query between them.
PLANE = np.array([[0, 0], [1, 0], [0, 1], [3, 3], [4, 3], [3, 4], [2, 2]], dtype=float)
CLASSES = np.repeat(["C1", "C2"], [3, 4])
QUERY = [[1.2, 1.2]]


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(StandardScaler().fit_transform(X), y, test_size=0.2, random_state=2020)


# Oracle: C3 master table, row 3, printed to the last digit.
@pytest.mark.capability("C3-28")
def test_breast_cancer_scores_of_the_book():
    train, test, y_train, y_test = cancer()
    model = KNeighborsClassifier(n_neighbors=3, p=2, metric="minkowski").fit(train, y_train)
    assert model.score(train, y_train) == 0.989010989010989
    assert model.score(test, y_test) == 0.9385964912280702


# Oracle: C3 3.2.1, errors on training and test rows for p = 1, 2 and inf, k = 1, 3, 5, 7, 9.
@pytest.mark.capability("C3-29")
@pytest.mark.parametrize(
    ("p", "errors"),
    [
        (1, [(0, 4), (6, 4), (7, 5), (11, 6), (12, 6)]),
        (2, [(0, 6), (5, 7), (6, 5), (10, 5), (11, 5)]),
        (np.inf, [(0, 5), (11, 7), (15, 8), (21, 9), (21, 8)]),
    ],
)
def test_breast_cancer_errors_by_metric(p, errors):
    train, test, y_train, y_test = cancer()
    for k, (in_training, in_test) in zip((1, 3, 5, 7, 9), errors):
        model = KNeighborsClassifier(k, p=p).fit(train, y_train)
        assert (model.predict(train) != y_train).sum() == in_training
        assert (model.predict(test) != y_test).sum() == in_test


@pytest.mark.capability("C3-30")
def test_all_ways_of_searching_answer_alike():
    train, test, y_train, _ = cancer()
    answers = [
        KNeighborsClassifier(3, algorithm=way).fit(train, y_train).predict_proba(test)
        for way in ("brute", "kd_tree", "ball_tree", "auto")
    ]
    for answer in answers[1:]:
        assert_array_equal(answer, answers[0])


# Oracle: C3 3.2.1, figures 3-10 and 3-11: five folds in the order of the rows, mean accuracies for k = 1 to 9.
@pytest.mark.capability("C3-31")
def test_cross_validated_accuracies_of_the_book():
    train, _, y_train, _ = cancer()
    means = [
        cross_val_score(KNeighborsClassifier(k), train, y_train, cv=StratifiedKFold(5)) for k in range(1, 10)
    ]
    expected = [
        0.956043956, 0.945054945, 0.967032967, 0.971428571, 0.971428571, 0.973626374, 0.973626374, 0.971428571,
        0.975824176,
    ]  # fmt: skip
    assert_allclose(np.mean(means, axis=1), expected, atol=5e-10)
    assert_allclose(means[2], [0.967033, 0.978022, 0.956044, 0.967033, 0.967033], atol=5e-7)


# Oracle: IML 8.4: distances, answers and posteriors for k = 1, 3, 5.
@pytest.mark.capability("IML-8-09")
@pytest.mark.parametrize(
    ("k", "answer", "posterior"), [(1, "C2", (0, 1)), (3, "C1", (2 / 3, 1 / 3)), (5, "C1", (0.6, 0.4))]
)
def test_posteriors_of_the_book(k, answer, posterior):
    model = KNeighborsClassifier(k).fit(PLANE, CLASSES)
    assert model.predict(QUERY) == [answer]
    assert_allclose(model.predict_proba(QUERY), [posterior], rtol=1e-15)
    expected = [1.131371, 1.216553, 1.216553, 1.697056, 2.545584]
    assert_allclose(model.kneighbors(QUERY)[0][0], expected[:k], atol=5e-7)


# Oracle: IML 8.4, (8-15): volumes of balls, and the classes' densities for k = 3.
@pytest.mark.capability("IML-8-10")
def test_class_densities_of_the_book():
    model = KNeighborsClassifier(3).fit(PLANE, CLASSES)
    assert_allclose(model.class_densities(QUERY), [[0.143383, 0.053769]], atol=5e-7)
    units = {1: 2.0, 2: np.pi, 3: 4 * np.pi / 3, 4: 4.934802, 5: 5.263789}
    for d, unit in units.items():  # one neighbour at distance 1 of one class of one row: 1 / volume
        X = np.eye(d)[:1]
        density = KNeighborsClassifier(1).fit(X, ["a"]).class_densities(np.zeros((1, d)))
        assert_allclose(1 / density, [[unit]], rtol=1e-7)


@pytest.mark.capability("IML-8-10")
def test_class_densities_and_priors_give_the_posterior():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier(7).fit(X, y)
    asked = X[::7] + 0.01
    joint = model.class_densities(asked) * np.bincount(y) / len(y)
    assert_allclose(joint / joint.sum(axis=1, keepdims=True), model.predict_proba(asked), rtol=1e-12)
    box = KNeighborsClassifier(7, p=np.inf).fit(X, y)  # a ball of Chebyshev's is a cube of side 2 r
    r = box.kneighbors(asked)[0][:, -1]
    assert_allclose(
        box.class_densities(asked).sum(axis=1) * 50 * (2 * r) ** 4, np.full(len(asked), 7.0), rtol=1e-9
    )
    assert np.isinf(KNeighborsClassifier(1).fit(X, y).class_densities(X[:1])).any()  # a ball without volume
    with pytest.raises(DegenerateError, match="no simple volume"):
        KNeighborsClassifier(metric="cosine").fit(X, y).class_densities(X)


# Oracle: IML 8.6, figure 8-7 in numbers.
@pytest.mark.capability("IML-8-16")
def test_a_stretched_neighbourhood_changes_the_answer():
    X = [(-1, 0), (0, 1), (1, 2), (-0.5, 0.5), (-3, -3), (-2, -2), (3, 3), (4, 4)]
    y = ["o"] * 4 + ["x"] * 4
    line = np.array([[1.0, -1.0]]) / np.sqrt(2)
    M = line.T @ line + 0.01 * np.eye(2)
    euclid = KNeighborsClassifier(3).fit(X, y)
    assert euclid.predict([[0, 0]]) == ["o"]
    assert_allclose(euclid.kneighbors([[0, 0]])[0], [[0.7071, 1, 1]], atol=5e-5)
    stretched = KNeighborsClassifier(8, metric="mahalanobis", metric_params={"VI": M}).fit(X, y)
    distances, rows = stretched.kneighbors([[0, 0]])
    by_row = (distances**2)[0][np.argsort(rows[0])]
    assert_allclose(by_row, [0.51, 0.51, 0.55, 0.505, 0.18, 0.08, 0.18, 0.32], atol=1e-12)
    assert stretched.set_params(n_neighbors=3).predict([[0, 0]]) == ["x"]
    along = KNeighborsClassifier(3, metric="mahalanobis", metric_params={"L": line}).fit(X, y)
    assert along.predict([[0, 0]]) == ["x"]


# Oracle: IML 8.10 and 8.4: the stored cases behind the answer for k = 3.
@pytest.mark.capability("IML-8-34")
def test_the_cases_that_decided_are_told():
    model = KNeighborsClassifier(3, weights="distance").fit(pd.DataFrame(PLANE, columns=["u", "v"]), CLASSES)
    told = model.explain(pd.DataFrame(QUERY, columns=["u", "v"]))
    assert told.answer == "C1" and told.row == {"u": 1.2, "v": 1.2}
    assert [[line[0], line[3]] for line in told.sections[0].rows] == [[6, "C2"], [1, "C1"], [2, "C1"]]
    assert_allclose([line[1] for line in told.sections[0].rows], [1.131371, 1.216553, 1.216553], atol=5e-7)
    assert_allclose([line[1] * line[2] for line in told.sections[0].rows], [1, 1, 1], rtol=1e-12)
    assert "3 of 7 training rows" in str(told)


# Oracle: DC 10.8: with e^(-d^2/t^2) and a large t every vote weighs the same.
@pytest.mark.capability("DC-101")
def test_squared_exponential_weights():
    X, y = load_iris(return_X_y=True)
    train, test, y_train, _ = train_test_split(X, y, random_state=0)
    plain = KNeighborsClassifier(9).fit(train, y_train)
    wide = KNeighborsClassifier(9, weights="squared_exponential", bandwidth=1e6).fit(train, y_train)
    assert_allclose(wide.predict_proba(test), plain.predict_proba(test), rtol=1e-9)
    model = KNeighborsClassifier(9, weights="squared_exponential", bandwidth=0.5).fit(train, y_train)
    own = KNeighborsClassifier(9, weights=lambda d: np.exp(-(d**2) / 0.25)).fit(train, y_train)
    assert_allclose(model.predict_proba(test), own.predict_proba(test), rtol=1e-9, atol=1e-15)
    narrow = KNeighborsClassifier(9, weights="squared_exponential", bandwidth=1e-5).fit(train, y_train)
    nearest = KNeighborsClassifier(1).fit(train, y_train)
    assert_array_equal(narrow.predict(test), nearest.predict(test))  # all weights but one underflow


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"n_neighbors": 1, "p": 1},
        {"n_neighbors": 8, "weights": "distance"},
        {"n_neighbors": 12, "metric": "chebyshev", "weights": "distance"},
        {"n_neighbors": 7, "metric": "canberra"},
    ],
)
def test_same_posterior_as_scikit_learn(load, settings):
    """Peer: scikit-learn 1.9, on rows shaken a little: of equally near ones at the k-th place it keeps any."""
    X, y = load(return_X_y=True)
    X = X + np.random.default_rng(0).uniform(-1e-3, 1e-3, X.shape)
    train, test, y_train, _ = train_test_split(X, y, random_state=0)
    train, y_train, test = train[:600], y_train[:600], test[:100]
    ours, peer = (cls(**settings).fit(train, y_train) for cls in (KNeighborsClassifier, Peer))
    assert_allclose(ours.predict_proba(test), peer.predict_proba(test), rtol=1e-9)
    assert_array_equal(ours.predict(test), peer.predict(test))
    assert ours.effective_metric_ == peer.effective_metric_
    assert ours.effective_metric_params_.keys() <= {*peer.effective_metric_params_, "p"}


def test_the_training_rows_without_themselves_are_left_out_one_by_one():
    X, y = load_wine(return_X_y=True)
    ours, peer = (cls(5).fit(X, y) for cls in (KNeighborsClassifier, Peer))
    assert_allclose(ours.predict_proba(None), peer.predict_proba(None))
    assert ours.score(None, y) == peer.score(None, y)


def test_several_targets():
    X, y = load_iris(return_X_y=True)
    both = np.column_stack([y, X[:, 0] > 5.8])
    ours, peer = (cls(4).fit(X, both) for cls in (KNeighborsClassifier, Peer))
    assert_array_equal(ours.predict(X), peer.predict(X))
    for a, b, labels, theirs in zip(
        ours.predict_proba(X), peer.predict_proba(X), ours.classes_, peer.classes_
    ):
        assert_allclose(a, b)
        assert_array_equal(labels, theirs)
    assert len(ours.predict_log_proba(X)) == 2
    assert ours.explain(X[:1]).answer == [0, 0]
    words = KNeighborsClassifier(1).fit(X, np.array([["a", "b"], ["c", "d"]], dtype=object)[y % 2])
    assert words.predict(X[60:61]).tolist() == [["c", "d"]]
    assert "y0  y1" in str(words.explain(X[60:61]))  # as trees and forests name them


@pytest.mark.parametrize("learner", [KNeighborsClassifier(1), RadiusNeighborsClassifier(0.1)])
def test_numbers_and_words_in_several_targets_stay_what_they_are(learner):
    X, y = np.arange(4.0)[:, None], pd.DataFrame({"grade": [1, 2, 3, 1], "size": ["s", "s", "l", "l"]})
    assert learner.fit(X, y).predict(X).tolist() == y.to_numpy().tolist()
    assert learner.score(X, y) == 1.0


def test_the_score_of_several_targets_is_the_share_of_rows_right_in_all():
    X, y = np.arange(4.0)[:, None], np.array([[0, 1], [1, 2], [2, 0], [2, 2]])
    model = KNeighborsClassifier(1).fit(X, y)
    truth = y.copy()
    truth[0, 1] = 0
    truth[2] = 1
    assert model.score(X, y) == 1.0 and model.score(X, truth) == 0.5
    assert model.score(X, truth, sample_weight=[3, 1, 0, 1]) == 0.4
    with pytest.raises(DataError, match=r"y has the shape \(4,\), expected \(4, 2\)"):
        model.score(X, y[:, 0])


# Four rows about a query: a at 1 and 3, b at 2 and 2. Count: 2 to 2; nearest: a; summed 1/d: 4/3 to 1, a as well.
@pytest.mark.capability("IML-8-09")
def test_equal_votes_go_by_the_rule():
    X, y = [[1.0], [-2.0], [2.0], [-3.0]], ["b", "a", "a", "b"]

    def answer(**rule):
        return KNeighborsClassifier(4, **rule).fit(X, y).predict([[0.0]])[0]

    assert answer() == answer(tie="first") == "a"
    assert answer(tie="nearest") == answer(tie="weight") == "b"
    drawn = [answer(tie="random", random_state=seed) for seed in range(20)]
    assert set(drawn) == {"a", "b"} and answer(tie="random", random_state=0) == drawn[0]
    # nearest and weight part: b is nearest, yet two of a at 1.1 weigh more than b at 1 and 50
    apart = KNeighborsClassifier(4, tie="weight").fit([[1.0], [-1.1], [1.1], [-50.0]], y)
    assert apart.predict([[0.0]]) == ["a"]
    assert apart.set_params(tie="nearest").predict([[0.0]]) == ["b"]
    assert_allclose(apart.predict_proba([[0.0]]), [[0.5, 0.5]])


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    tie=st.sampled_from(["first", "nearest", "weight", "random"]),
    k=st.integers(1, 12),
)
def test_the_rule_only_decides_between_equals(seed, tie, k):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (12, 2)).astype(float), rng.integers(0, 3, 12)
    model = KNeighborsClassifier(k, tie=tie, random_state=0).fit(X, y)
    posterior, answers = model.predict_proba(X), model.predict(X)
    place = np.searchsorted(model.classes_, answers)
    assert_array_equal(posterior[np.arange(12), place], posterior.max(axis=1))


def test_zero_distances_vote_alone_when_weighted_by_distance():
    X, y = [[0.0], [0.0], [0.0], [1e-9]], ["a", "b", "b", "a"]
    model = KNeighborsClassifier(4, weights="distance").fit(X, y)
    assert_allclose(model.predict_proba([[0.0]]), [[1 / 3, 2 / 3]])
    assert_allclose(model.predict_proba([[1e-320]]).sum(), 1.0)


@pytest.mark.parametrize("weights", ["gaussian", "box", "epanechnikov", "tricube", "triangular", "logistic"])
def test_kernel_weights(weights):
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier(10, weights=weights, bandwidth=0.6).fit(X, y)
    from assay.densities.kernels import kernel_of

    own = KNeighborsClassifier(10, weights=lambda d: kernel_of(weights).profile(d / 0.6)).fit(X, y)
    assert_allclose(model.predict_proba(X), own.predict_proba(X), rtol=1e-9, atol=1e-12)
    # all ten at one distance: the kernel, which ends there, gives none a weight, so all count alike
    same = KNeighborsClassifier(4, weights=weights).fit([[1.0], [-1.0], [1.0], [-1.0]], list("aaab"))
    assert_allclose(same.predict_proba([[0.0]]), [[0.75, 0.25]])


def test_functions_of_weights_are_checked():
    X, y = [[0.0], [1.0]], ["a", "b"]
    for wrong, match in (
        (lambda d: -d - 1, "one number from 0 up"),
        (lambda d: d[:, :1], "one number from 0 up"),
        (lambda d: 0 * d, "All neighbors of some sample is getting zero weights"),
    ):
        with pytest.raises(DegenerateError, match=match):
            KNeighborsClassifier(2, weights=wrong).fit(X, y).predict([[0.5]])
    with np.errstate(divide="ignore"):  # an infinite weight counts alone
        alone = KNeighborsClassifier(2, weights=lambda d: 1 / d**2).fit(X, y)
        assert_allclose(alone.predict_proba([[1.0]]), [[0.0, 1.0]])


def test_mixed_tables_with_gaps():
    data = load_german_credit()
    X, y = pd.DataFrame(data.X.to_columns()), np.asarray(data.y)
    model = KNeighborsClassifier(9, metric="auto").fit(X, y)
    assert model.effective_metric_ == "heom" and not hasattr(model, "design_")
    assert model.score(None, y) > 0.7  # 0.7 is the share of the larger class
    with_missing = X.astype(object).where(np.random.default_rng(0).random(X.shape) > 0.1, None)
    for metric in ("auto", "gower", "vdm"):
        gappy = KNeighborsClassifier(9, metric=metric).fit(with_missing, y)
        assert gappy.score(None, y) > 0.68
    assert model.predict(with_missing[:3]).shape == (3,)  # gaps in a query alone
    with pytest.raises(DataError, match=r"missing value.*Use metric='heom'"):
        KNeighborsClassifier().fit(with_missing, y)


def test_auto_on_whole_numbers_refuses_later_gaps_with_advice_that_helps():
    X, y = np.arange(8.0).reshape(4, 2), ["a", "a", "b", "b"]
    with pytest.raises(DataError, match=r"missing value.*Use metric='heom'"):
        KNeighborsClassifier(3, metric="auto").fit(X, y).predict([[np.nan, 1.0]])
    assert KNeighborsClassifier(3, metric="heom").fit(X, y).predict([[np.nan, 1.0]]) == ["a"]


def test_an_unseen_category_is_missing():
    X = pd.DataFrame({"colour": ["red", "red", "blue"], "size": [1.0, 2.0, 3.0]})
    model = KNeighborsClassifier(3, metric="heom").fit(X, ["a", "a", "b"])
    with pytest.warns(UserWarning, match="green"):
        distances, _ = model.kneighbors(pd.DataFrame({"colour": ["green"], "size": [1.0]}))
    assert_allclose(distances, np.sqrt([[1.0, 1.25, 2.0]]))


def test_numbers_without_gaps_refuse_gaps_later():
    model = KNeighborsClassifier(1, metric="auto").fit([[0.0], [1.0]], ["a", "b"])
    assert model.effective_metric_ == "euclidean"
    with pytest.raises(DataError, match="missing"):
        model.predict([[np.nan]])
    assert model.fit([[0.0], [np.nan]], ["a", "b"]).predict([[np.nan]]) == ["a"]  # refitted, it takes them


def test_sparse_rows():
    X, y = load_digits(return_X_y=True)
    dense = KNeighborsClassifier(3).fit(X[:500], y[:500])
    thin = KNeighborsClassifier(3).fit(sp.csr_matrix(X[:500]), y[:500])
    assert_allclose(thin.predict_proba(sp.csr_matrix(X[500:600])), dense.predict_proba(X[500:600]))
    assert_allclose(dense.predict_proba(sp.csr_matrix(X[500:600])), dense.predict_proba(X[500:600]))


def test_precomputed_distances():
    X, y = load_iris(return_X_y=True)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    model = KNeighborsClassifier(5, metric="precomputed").fit(D, y)
    assert_array_equal(model.predict(D), KNeighborsClassifier(5).fit(X, y).predict(X))
    assert cross_val_score(model, D, y).mean() > 0.9  # splitters cut rows and columns
    with pytest.raises(DataError, match="must be square"):
        model.fit(D[:, :5], y)


def test_few_rows_one_class_and_constant_columns():
    with pytest.raises(ParameterError, match=r"n_neighbors = 5, n_samples_fit = 2.*Ask for fewer"):
        KNeighborsClassifier().fit([[0.0], [1.0]], ["a", "b"]).predict([[0.0]])
    with pytest.raises(ParameterError, match="Expected n_neighbors < n_samples_fit"):
        KNeighborsClassifier(2).fit([[0.0], [1.0]], ["a", "b"]).predict(None)
    one = KNeighborsClassifier(1).fit([[3.0]], ["only"])
    assert one.predict([[9.0]]) == ["only"] and one.predict_proba([[9.0]]) == 1.0
    flat = KNeighborsClassifier(3).fit(np.ones((5, 2)), list("aabbb"))
    assert_array_equal(flat.kneighbors([[1.0, 1.0]])[1], [[0, 1, 2]])  # equal distances: the lower rows
    assert flat.predict([[5.0, 5.0]]) == ["a"]


def test_parameters_are_checked_by_name():
    X, y = [[0.0], [1.0]], ["a", "b"]
    for wrong, match in (
        ({"n_neighbors": 0}, "n_neighbors must be a whole number from 1 up, got 0"),
        ({"weights": "inverse"}, "weights must be one of 'uniform', 'distance'"),
        ({"metric": "euclid"}, "metric must be the name of a metric"),
        ({"tie": "last"}, "tie must be one of 'first'"),
        ({"bandwidth": 0.0}, "bandwidth must be a number above 0"),
        (
            {"metric": "mahalanobis", "metric_params": {"M": 1}},
            "KNeighborsClassifier: metric 'mahalanobis' has no",
        ),
        ({"algorithm": "kd_tree", "metric": "cosine"}, "KNeighborsClassifier: A kd-tree cannot"),
    ):
        with pytest.raises(ParameterError, match=match):
            KNeighborsClassifier(**wrong).fit(X, y)
    with pytest.raises(ParameterError, match="n_neighbors does not take"):
        KNeighborsClassifier(1).fit(X, y).kneighbors(X, 1.5)


def test_show_says_who_is_asked_and_how_near_is_measured():
    shown = str(
        KNeighborsClassifier(3, weights="distance").fit([[0.0], [1.0], [2.0]], ["a", "b", "b"]).show()
    )
    for line in ("training rows     3", "neighbours asked  3", "their votes       distance", "euclidean"):
        assert line in shown
    assert "outputs_2d_" not in shown and "RowNames" not in shown
