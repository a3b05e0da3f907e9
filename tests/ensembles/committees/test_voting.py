import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import ensemble as peer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import Perceptron

from assay import load, save
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.core.targets import EncodedLabels
from assay.ensembles import (
    BaggingClassifier,
    DynamicSelectionClassifier,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
    combine,
)
from assay.errors import AssayWarning, DataError, DegenerateError, ParameterError
from assay.linear import LogisticRegression, Ridge
from assay.neighbors import KNeighborsRegressor
from assay.optimize.simplex_least_squares import simplex_least_squares
from assay.select import EnsembleSelectionClassifier
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor


def classifiers():
    return [
        ("bayes", GaussianNB()),
        ("lda", LinearDiscriminantAnalysis()),
        ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]


def regressors():
    return [("ridge", Ridge(0.1)), ("tree", DecisionTreeRegressor(max_depth=3, random_state=0))]


@pytest.mark.capability("IML-17-04")
@pytest.mark.parametrize("weights", [None, [1, 3, 2]])
@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("data", [load_iris, load_breast_cancer])
def test_same_votes_as_scikit_learn(data, voting, weights):
    X, y = data(return_X_y=True)
    ours = VotingClassifier(classifiers(), voting=voting, weights=weights).fit(X[::2], y[::2])
    theirs = peer.VotingClassifier(classifiers(), voting=voting, weights=weights).fit(X[::2], y[::2])
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    if voting == "soft":
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
    else:
        assert not hasattr(ours, "predict_proba")


@pytest.mark.capability("IML-17-04")
@pytest.mark.parametrize("rule", ["median", "min", "max", "product", "owa", "borda"])
def test_every_rule_is_that_of_combine(rule):
    X, y = load_iris(return_X_y=True)
    model = VotingClassifier(classifiers(), voting=rule).fit(X, y)
    outputs = np.stack([member.predict_proba(X) for member in model.estimators_])
    scores = combine(outputs, rule)
    assert_allclose(model.predict_proba(X), scores / scores.sum(axis=1, keepdims=True), rtol=1e-9)


def test_same_numbers_as_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    for weights in (None, [1, 3]):
        ours = VotingRegressor(regressors(), weights=weights).fit(X, y)
        theirs = peer.VotingRegressor(regressors(), weights=weights).fit(X, y)
        assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
        assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)
    model = VotingRegressor(regressors(), voting="median").fit(X, y)
    assert_allclose(model.predict(X), model.transform(X).mean(axis=1), rtol=1e-12)  # of two


@pytest.mark.capability("IML-17-14")
def test_weights_on_the_simplex():
    Z = np.array([[1, 1.4, 0.5], [2, 1.8, 2.6], [3.2, 2.9, 2.2], [3.9, 4.3, 4.8], [5.1, 4.6, 5.9]])
    r = np.arange(1.0, 6.0)
    w = simplex_least_squares(Z, r)
    assert_allclose(w, [0.70650954, 0.22053872, 0.07295174], atol=5e-9)
    assert_allclose(np.mean((Z @ w - r) ** 2), 0.00231987, atol=5e-9)
    assert_allclose(simplex_least_squares(np.repeat(Z, 2, axis=0), np.repeat(r, 2)), w, rtol=1e-9)
    assert_allclose(simplex_least_squares(Z * 1e150, r * 1e150), w, rtol=1e-9)
    counts = np.array([1.0, 2, 1, 3, 1])
    repeated = simplex_least_squares(
        np.repeat(Z, counts.astype(int), axis=0), np.repeat(r, counts.astype(int))
    )
    assert_allclose(simplex_least_squares(Z, r, counts), repeated, rtol=1e-9)
    assert_allclose(simplex_least_squares(np.tile(r[:, None], 2), r).sum(), 1)  # all are right


def test_learned_weights_leave_out_a_member_that_only_remembers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = 2 * X[:, 0] + rng.normal(0, 0.5, 300)
    members = [("line", Ridge(1e-3)), ("memory", KNeighborsRegressor(1))]
    for weights in ("simplex", "variance"):
        model = VotingRegressor(members, weights=weights).fit(X, y)
        assert model.weights_[0] > 0.85
    labels = (y > 0).astype(int)
    noisy = [("line", LogisticRegression()), ("memory", DecisionTreeClassifier(random_state=0))]
    pool = VotingClassifier(noisy, voting="soft", weights="simplex").fit(X, labels)
    assert pool.weights_[0] > 0.8 and abs(pool.weights_.sum() - 1) < 1e-12
    by_accuracy = VotingClassifier(noisy, weights="accuracy").fit(X, labels)
    assert by_accuracy.weights_[0] > by_accuracy.weights_[1] > 0


def test_a_raw_table_goes_through_and_a_model_survives_a_file(tmp_path):
    frame = pd.DataFrame({"colour": list("rgbrgbrg") * 5, "size": np.arange(40.0)})
    frame.loc[3, "colour"] = None
    y = ["big" if v > 20 else "small" for v in frame["size"]]
    model = VotingClassifier(
        [("bayes", NaiveBayes()), ("tree", DecisionTreeClassifier(max_depth=2))], voting="soft"
    ).fit(frame, y)
    assert model.score(frame, y) > 0.9
    save(model, tmp_path / "committee.assay")
    again = load(tmp_path / "committee.assay")
    assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert set(again.named_estimators_) == {"bayes", "tree"}
    assert "What 2 members say" in str(model.explain(frame.iloc[[0]]))


def test_members_can_be_dropped_set_and_shared_with_others():
    X, y = load_iris(return_X_y=True)
    model = VotingClassifier(classifiers(), weights=[1, 2, 3]).set_params(
        tree="drop", bayes__var_smoothing=1e-6
    )
    model.fit(X, y)
    assert len(model.estimators_) == 2 and model.named_estimators_["tree"] == "drop"
    assert_allclose(model.weights_, [1 / 3, 2 / 3])
    mixed = VotingClassifier([("ours", GaussianNB()), ("theirs", Perceptron(random_state=0))]).fit(X, y)
    assert mixed.score(X, y) > 0.7


def test_encoded_labels_and_weights_reach_the_members():
    X, y = load_iris(return_X_y=True)
    counts = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = VotingClassifier(classifiers()[:2], voting="soft").fit(X, y, sample_weight=counts)
    repeated = VotingClassifier(classifiers()[:2], voting="soft").fit(
        np.repeat(X, counts, 0), np.repeat(y, counts)
    )
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6, atol=1e-9)
    coded = VotingClassifier(classifiers()[:2]).fit(X, EncodedLabels(y, np.arange(3)))
    assert_array_equal(coded.classes_, [0, 1, 2])


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"estimators": []}, "non-empty list"),
        ({"estimators": [("a", GaussianNB()), ("a", GaussianNB())]}, "not unique"),
        ({"estimators": [("a__b", GaussianNB())]}, "must not contain __"),
        ({"estimators": [("voting", GaussianNB())]}, "conflict with constructor"),
        ({"estimators": [("a", "drop")]}, "All estimators are dropped"),
        ({"estimators": [("a", Ridge())]}, "should be a classifier"),
        ({"estimators": [("a", GaussianNB)]}, "should be a classifier"),
        ({"weights": [1.0]}, "Number of `estimators` and weights"),
        ({"weights": "best"}, "weights must be"),
        ({"voting": "sum"}, "voting must be"),
        ({"estimators": [("a", Perceptron())], "voting": "soft"}, "has no predict_proba"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises((ParameterError, ValueError), match=words):
        VotingClassifier(**settings).fit(X, y)


def test_equal_members_have_no_least_variance():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(DegenerateError, match="simplex"):
        VotingRegressor([("a", Ridge()), ("b", Ridge())], weights="variance").fit(X, y)
    with pytest.raises(ParameterError, match="those of a mean"):
        VotingRegressor(regressors(), weights="simplex", voting="median").fit(X, y)


@pytest.mark.capability("IML-17-02")
def test_members_see_the_columns_of_their_view():
    frame = load_iris(as_frame=True).data
    y = load_iris().target
    views = {"bayes": ["petal length (cm)"], "lda": [0, 1]}
    members = classifiers()
    model = VotingClassifier(members, voting="soft", views=views).fit(frame, y)
    alone = [
        GaussianNB().fit(frame.iloc[:, [2]], y).predict_proba(frame.iloc[:, [2]]),
        LinearDiscriminantAnalysis().fit(frame.iloc[:, :2], y).predict_proba(frame.iloc[:, :2]),
        members[2][1].fit(frame, y).predict_proba(frame),
    ]
    assert_allclose(model.predict_proba(frame), np.mean(alone, axis=0), rtol=1e-9)
    swapped = frame.iloc[:, ::-1]
    assert_allclose(model.predict_proba(swapped), model.predict_proba(frame), rtol=1e-12)
    with pytest.raises(ParameterError, match="views names 'other'"):
        VotingClassifier(members, views={"other": [0]}).fit(frame, y)
    for wrong in ([], ["nothing"], [4], [-1]):
        with pytest.raises(ParameterError, match="must be a list of columns"):
            VotingClassifier(members, views={"lda": wrong}).fit(frame, y)


@pytest.mark.capability("IML-17-02")
def test_random_subspaces_are_views_drawn_at_random():
    X, y = load_breast_cancer(return_X_y=True)
    drawn = BaggingClassifier(GaussianNB(), 5, max_features=4, bootstrap=False, random_state=0).fit(X, y)
    views = {f"m{t}": columns for t, columns in enumerate(drawn.estimators_features_)}
    assert (
        all(len(set(columns)) == 4 for columns in views.values()) and len({*map(tuple, views.values())}) == 5
    )
    same = VotingClassifier([(name, GaussianNB()) for name in views], voting="soft", views=views).fit(X, y)
    assert_allclose(same.predict_proba(X), drawn.predict_proba(X), rtol=1e-9, atol=1e-300)


@pytest.mark.capability("IML-17-05")
def test_weights_by_evidence_are_the_likelihoods_of_unseen_rows():
    """Oracle: by hand, on the same folds."""
    from sklearn.model_selection import KFold
    from sklearn.model_selection import cross_val_predict as predicted

    from assay.linear import Ridge
    from assay.stats import model_probabilities

    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    members = [("bayes", GaussianNB()), ("line", LogisticRegression())]
    vote = VotingClassifier(members, voting="soft", weights="evidence", cv=KFold(4)).fit(X, y)
    P = [predicted(m, X, y, cv=KFold(4), method="predict_proba")[np.arange(40), y] for _, m in members]
    assert_allclose(vote.weights_, model_probabilities(np.log(P).sum(axis=1)).posterior, rtol=1e-9)
    heavy = VotingClassifier(members, voting="soft", weights="evidence", cv=KFold(4)).fit(
        X, y, np.full(40, 2.0)
    )
    assert (heavy.weights_.max() > vote.weights_.max()) or heavy.weights_.max() > 0.999
    t = X @ [1.0, 2.0] + rng.normal(size=40)
    numbers = VotingRegressor([("a", Ridge(1.0)), ("b", Ridge(30.0))], weights="evidence", cv=KFold(4)).fit(
        X, t
    )
    mse = [np.mean((predicted(Ridge(a), X, t, cv=KFold(4)) - t) ** 2) for a in (1.0, 30.0)]
    assert_allclose(numbers.weights_, model_probabilities(-20 * np.log(mse)).posterior, rtol=1e-9)


MAKERS = {
    "vote": lambda members, **more: VotingClassifier(members, voting="soft", weights="simplex", **more),
    "stack": StackingClassifier,
    "dynamic": DynamicSelectionClassifier,
    "selection": EnsembleSelectionClassifier,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_members_that_fail_are_left_out_and_reported(make, n_jobs, tmp_path):
    """Missing values stop two of four members; the others make the committee that they make alone."""
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[3, 1] = np.nan
    able = [("bayes", NaiveBayes()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    members = [("line", LogisticRegression()), able[0], ("near", LinearDiscriminantAnalysis()), able[1]]
    with pytest.raises(DataError, match="missing") as caught:
        make(members).fit(X, y)
    assert any("the member 'line'" in note for note in caught.value.__notes__)
    with pytest.warns(AssayWarning, match="failed and is left out"):
        some = make(members, on_error="leave out", n_jobs=n_jobs).fit(X, y)
    assert set(some.failures_) == {"line", "near"} and "missing" in some.failures_["line"]
    alone = make(able).fit(X, y)
    assert alone.failures_ == {}
    assert_array_equal(some.predict_proba(X), alone.predict_proba(X))
    assert some.named_estimators_["line"] == "drop" and len(some.get_params()["estimators"]) == 4
    save(some, tmp_path / "some.assay")
    again = load(tmp_path / "some.assay")
    assert again.failures_ == some.failures_
    assert_array_equal(again.predict_proba(X), some.predict_proba(X))
    complete = some.fit(np.nan_to_num(X), y)  # what failed before is tried again
    assert complete.failures_ == {} and complete.named_estimators_["near"] != "drop"


def test_a_committee_of_members_that_all_fail_says_what_each_said():
    X = np.array([[0.0], [np.nan], [1.0], [2.0]])
    with pytest.raises(DataError, match=r"all members failed\. a: LogisticRegression.*b: LogisticRegression"):
        VotingClassifier(
            [("a", LogisticRegression()), ("b", LogisticRegression(C=2))], on_error="leave out"
        ).fit(X, [0, 1, 0, 1])
