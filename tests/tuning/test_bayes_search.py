"""Bayesian search inside Tuned and nested, as scikit-learn's search, and by default spaces."""

import inspect
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import loguniform
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.model_selection import RandomizedSearchCV

from assay import load, save
from assay.errors import DataError, ParameterError
from assay.learners import all_learners, find_learner
from assay.linear import Ridge
from assay.neighbors import KNeighborsClassifier
from assay.svm import SVC
from assay.tables.data import load_iris, load_wine
from assay.tuning import BayesSearchCV, Real, Tuned, TunedRegressor, Whole, default_space, nested
from assay.tuning.spaces import SPACES, learners_with_spaces

X, y = (np.asarray(part) for part in load_iris())


def numbers():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 30))
    return A, A[:, 0] + rng.normal(size=40)


def test_tuned_searches_a_space_and_is_saved_with_it(tmp_path):
    space = {
        "kernel": ["linear", "rbf"],
        "C": Real(1e-3, 1e3, log=True),
        "gamma": Real(1e-3, 1, log=True, when={"kernel": "rbf"}),
    }
    model = Tuned(SVC(), space, "3-fold", n_iter=9, random_state=0).fit(X, y)
    assert len(model.results_) == 9
    assert model.best_score_ == min(mean for _, mean in model.results_)
    assert model.best_params_ in [setting for setting, _ in model.results_]
    assert all(("gamma" in s) == (s["kernel"] == "rbf") for s, _ in model.results_)
    save(model, tmp_path / "m.assay")
    back = load(tmp_path / "m.assay")
    assert_array_equal(back.predict(X), model.predict(X))
    assert back.grid == space
    search = back.optimization()
    assert len(search.history) == 9
    assert search.best_setting == model.best_params_


def test_search_finds_a_better_penalty_than_the_default():
    A, b = numbers()
    model = TunedRegressor(Ridge(), {"alpha": Real(1e-3, 1e4, log=True)}, n_iter=12).fit(A, b)
    default = TunedRegressor(Ridge(), {"alpha": [1.0]}).fit(A, b)
    assert model.best_score_ < default.best_score_ - 0.05
    assert model.best_params_["alpha"] > 10


def test_a_metric_to_maximise_is_maximised():
    model = Tuned("knn", {"n_neighbors": Whole(1, 100)}, "3-fold", "accuracy", 0, 8).fit(X, y)
    assert model.best_score_ == max(mean for _, mean in model.results_)


def test_settings_that_fail_are_passed_over():
    with np.errstate(all="ignore"):
        model = Tuned("knn", {"n_neighbors": Whole(1, 140)}, "3-fold", n_iter=8).fit(
            X, y
        )  # training sets have 100
    failed = [s["n_neighbors"] for s, mean in model.results_ if np.isnan(mean)]
    assert failed
    assert min(failed) > 100
    assert np.isfinite(model.best_score_)


def test_if_no_setting_can_be_judged_the_reason_is_given():
    with pytest.raises(DataError, match="no setting could be judged"):
        Tuned("knn", {"n_neighbors": Whole(500, 600)}, "3-fold", n_iter=3).fit(X, y)


def test_a_grid_has_no_search():
    model = Tuned("knn", {"n_neighbors": [1, 5]}, "3-fold").fit(X, y)
    with pytest.raises(ParameterError, match="a grid is tried as a whole"):
        model.optimization()


def test_a_small_space_ends_when_all_is_tried():
    from assay.tuning import Category

    model = Tuned("knn", {"weights": Category(["uniform", "distance"])}, "3-fold", n_iter=9).fit(X, y)
    assert len(model.results_) == 2


def test_nested_judges_the_search_by_rows_that_took_no_part():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)  # nothing to learn
    space = {"n_neighbors": Whole(1, 30), "weights": ["uniform", "distance"]}
    result = nested("knn", space, A, b, "3-fold", "3-fold", n_iter=8)
    assert len(result.chosen) == 3
    assert result.optimism > 0  # the inner splits chose what looked good on them
    again = nested("knn", space, A, b, "3-fold", "3-fold", n_iter=8)
    assert again.mean == result.mean
    assert again.chosen == result.chosen


def test_wrong_spaces_are_refused_before_the_work():
    with pytest.raises(ParameterError, match="does not take"):
        Tuned("knn", {"neighbours": Whole(1, 9)}, n_iter=3).fit(X, y)
    with pytest.raises(ParameterError, match="n_iter must be"):
        Tuned("knn", {"n_neighbors": Whole(1, 9)}, n_iter=0).fit(X, y)


# As scikit-learn's search


def test_results_have_scikit_learns_keys():
    """Peer: RandomizedSearchCV, scikit-learn 1.9: the same attributes and keys, other settings."""
    A, b = numbers()
    space = {"alpha": loguniform(1e-3, 1e4)}
    ours = BayesSearchCV(PeerRidge(), space, n_iter=8, cv=3, random_state=0, return_train_score=True).fit(
        A, b
    )
    peer = RandomizedSearchCV(
        PeerRidge(), space, n_iter=8, cv=3, random_state=0, return_train_score=True
    ).fit(A, b)
    assert ours.cv_results_.keys() == peer.cv_results_.keys()
    assert len(ours.cv_results_["params"]) == 8
    assert ours.best_index_ == np.argmax(ours.cv_results_["mean_test_score"])
    assert ours.best_params_ == ours.cv_results_["params"][ours.best_index_]
    assert_array_equal(ours.predict(A), ours.best_estimator_.predict(A))
    assert ours.best_score_ >= peer.best_score_ - 0.01
    assert ours.optimization_.best_value == -ours.best_score_


def test_several_scores_and_settings_together():
    search = BayesSearchCV(
        SVC(), {"C": Real(0.01, 100, log=True)}, n_iter=5, n_points=2, scoring=["accuracy", "neg_log_loss"],
        refit="accuracy", cv=3, random_state=0,
    )  # fmt: skip
    search.set_params(estimator=SVC(probability=True)).fit(X, y)
    assert len(search.cv_results_["mean_test_accuracy"]) == 5
    with pytest.raises(ParameterError, match="refit must name the one to maximise"):
        search.set_params(refit=False).fit(X, y)


def test_wrong_parameters_of_the_search_are_named():
    for wrong, words in (
        ({"n_iter": 0}, "n_iter must be"),
        ({"acquisition": "pi"}, "acquisition must be"),
        ({"param_distributions": {"C": 1}}, "C must be Real"),
    ):
        with pytest.raises(ParameterError, match=f"BayesSearchCV.*{words}"):
            BayesSearchCV(SVC(), {"C": [1.0]}).set_params(**wrong).fit(X, y)


# Spaces by default


def test_every_space_is_of_parameters_that_the_learner_has():
    classes = {entry.class_name: entry for entry in all_learners()}
    for name, space in SPACES.items():
        parameters = inspect.signature(classes[name].load()).parameters
        for n, d in ((4, 1), (1000, 20)):
            assert set(space(n, d)) <= set(parameters), name


OFTEN_TUNED = {  # all others are checked against what they accept, see test_tuned.py
    "classification": ["adaboost", "bernoulli nb", "c45", "decision tree", "extra trees", "GaussianNB", "boosting",
                       "knn", "logistic", "lda", "forest", "ridge classifier", "ripper", "svm", "linear svc"],
    "regression": ["elastic net", "extra trees", "boosting", "knn", "kernel ridge", "lasso", "forest", "ridge", "svr"],
}  # fmt: skip


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_corners_of_default_spaces_can_be_fitted(task):
    from assay.tuning import Space

    A, b = load_wine()
    A, b = np.asarray(A)[::6, :3], np.asarray(b)[::6]
    kind = "classifier" if task == "classification" else "regressor"
    target = b if task == "classification" else np.asarray(A)[:, 0]
    assert {find_learner(name, kind).name for name in OFTEN_TUNED[task]} <= {*learners_with_spaces(task)}
    for name in OFTEN_TUNED[task]:
        space = Space(default_space(name, *A.shape, task))
        corners = np.array([np.zeros(len(space)), np.ones(len(space))])
        for setting in space.settings(corners):
            if "max_iter" in setting:
                setting["max_iter"] = 3
            if "n_estimators" in setting:
                setting["n_estimators"] = 3
            learner = find_learner(name, kind).make()
            rows = np.round(abs(A))  # counts, for those that need them
            answers = learner.set_params(**setting).fit(rows, target).predict(rows)
            assert len(answers) == len(rows)
            assert np.isin(answers, b).all() if task == "classification" else np.isfinite(answers).all()


def test_learners_without_a_space_are_told_apart():
    with pytest.raises(ParameterError, match="majority has nothing to tune by default: it has no parameters"):
        default_space("majority")


def test_a_setting_that_cannot_be_fitted_does_not_end_the_search():
    X, y = load_iris()
    search = BayesSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [-1, 2, 3]}, n_iter=3, cv=3, random_state=0
    )
    with pytest.warns(FitFailedWarning, match="All fits of"):
        search.fit(X, y)
    assert search.best_params_["n_neighbors"] in (2, 3) and len(search.cv_results_["params"]) == 2
    assert [t.failure for t in search.optimization_.history if t.setting["n_neighbors"] == -1] == [
        "all fits failed"
    ]
    with warnings.catch_warnings(), pytest.raises(ValueError, match="fits failed"):
        warnings.simplefilter("ignore", FitFailedWarning)
        BayesSearchCV(KNeighborsClassifier(), {"n_neighbors": [-1, -2]}, n_iter=2, cv=3).fit(X, y)
