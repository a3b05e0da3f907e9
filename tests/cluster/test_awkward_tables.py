"""Tables that are hardly tables, given to every estimator of three rooms: a sound answer, or a sentence that helps.

That a row of weight 2 is two rows is among the promises of all learners (scikit-learn's checks of sample weights).
"""

import re
import warnings
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning

import assay
from assay.errors import AssayError, AssayWarning
from assay.linear import Ridge

LEARNERS = {
    name: cls
    for room in (assay.cluster, assay.mixture, assay.local)
    for name in room.__all__
    if isinstance(cls := getattr(room, name), type) and issubclass(cls, BaseEstimator)
}

# Settings that make a learner quick.
QUICK = {
    "BayesianMixtureOfExperts": {"n_init": 1, "max_iter": 200},
    "BernoulliMixture": {"binarize": 1.0},
    "ConsensusClustering": {"n_estimators": 5},
    "DirichletProcessMixture": {"n_sweeps": 5, "burn_in": 5},
    "FuzzyRuleRegressor": {"n_rules": 2},
    "GenerativeTopographicMapping": {"shape": (3, 3), "basis": (2, 2)},
    "GrowingSelfOrganizingMap": {"max_units": 9},
    "MixtureOfEstimatorsClassifier": {"max_iter": 5, "tol": 0.1},
    "MixtureOfEstimatorsRegressor": {"estimator": Ridge(), "tol": 0.1},
    **{
        f"{kind}MixtureOfExperts{task}": {"n_init": 1, "max_iter": 50}
        for kind in ("", "Hierarchical")
        for task in ("Classifier", "Regressor")
    },
    "SelfOrganizingMap": {"shape": (4, 4)},
}

rng = np.random.default_rng(0)
TWO_CLOUDS = np.concatenate([rng.normal(m, 1, (15, 3)) for m in (0, 8)])


def with_second_column(value):
    X = TWO_CLOUDS.copy()
    X[:, 1] = value
    return X


FEW = {"one row": TWO_CLOUDS[:1], "two rows": TWO_CLOUDS[:2]}  # most have more groups by default
USABLE = {
    "all rows equal": np.full((20, 3), 2.5),
    "all rows zero": np.zeros((20, 3)),
    "a constant column": with_second_column(7.0),
    "equal rows, large float32": np.array([[9999, 0]] * 12, dtype=np.float32),
    "two kinds of rows, large float32": np.array([[9999, 0]] * 6 + [[0, 9999]] * 6, dtype=np.float32),
    "many copies of four rows": np.repeat(TWO_CLOUDS[[0, 1, 2, 20]], 30, axis=0),
}

# Learners that divide equal rows into as many groups as they were asked for; all others put them into one group, or
# call them noise (docs/clustering.md).
DIVIDE_EQUAL_ROWS = {
    "AgglomerativeClustering",
    "ConsensusClustering",
    "DivisiveClustering",
    "Genie",
    "KMedoids",
    "KernelKMeans",
    "SpectralClustering",
}


def make(name):
    cls = LEARNERS[name]
    usual = {"n_clusters": 3, "n_components": 2, "random_state": 0}
    known = cls._get_param_names()
    return cls(**{key: value for key, value in usual.items() if key in known} | QUICK.get(name, {}))


def fit(name, X):
    """The fitted model; only warnings of ours are allowed, not those of the arithmetic."""
    model = make(name)
    y = np.arange(len(X)) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssayWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        if is_classifier(model):
            return model.fit(X, y)
        return model.fit(X, y.astype(float)) if is_regressor(model) else model.fit(X)


def answers(model, X):
    return np.asarray(model.predict(X) if hasattr(model, "predict") else model.transform(X))


def odd_numbers(name, value):
    """The names of those numbers of a fitted attribute that are not finite."""
    if isinstance(value, (list, tuple)):
        return [odd for i, v in enumerate(value) for odd in odd_numbers(f"{name}[{i}]", v)]
    if isinstance(value, dict):
        return [odd for key, v in value.items() for odd in odd_numbers(f"{name}[{key!r}]", v)]
    if is_dataclass(value):
        return [odd for f in fields(value) for odd in odd_numbers(f"{name}.{f.name}", getattr(value, f.name))]
    if isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        return [] if np.isfinite(value).all() else [name]
    return []


def assert_sound(model, X):
    said = answers(model, X)
    assert len(said) == len(X)
    odd = [o for name, value in vars(model).items() if name.endswith("_") for o in odd_numbers(name, value)]
    assert not odd, odd
    if is_classifier(model):
        assert np.isin(said, model.classes_).all()
    else:
        assert np.isfinite(said).all()
        labels = getattr(model, "labels_", None)
        if labels is not None:
            assert labels.dtype.kind == "i" and len(labels) == len(X)
            assert labels.min() >= -1 and labels.max() < min(getattr(model, "n_clusters", len(X)), len(X))
            assert np.isin(said, [-1, *labels]).all()
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        assert (shares >= 0).all() and np.allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("table", FEW)
@pytest.mark.parametrize("name", LEARNERS)
def test_fewer_rows_than_groups_give_a_sound_answer_or_an_error_that_counts(name, table):
    X = FEW[table]
    try:
        model = fit(name, X)
    except AssayError as error:
        assert re.search(
            rf"n_samples ?= ?{len(X)}\b|\({len(X)}\)|\b{len(X)} (sample|lea[fv])|has 1 rows", str(error)
        )
    else:
        assert_sound(model, X)


@pytest.mark.parametrize("table", USABLE)
@pytest.mark.parametrize("name", LEARNERS)
def test_tables_of_few_values_give_a_sound_answer(name, table):
    assert_sound(fit(name, USABLE[table]), USABLE[table])


@pytest.mark.parametrize("name", LEARNERS)
def test_a_column_without_values_is_named_or_left_out(name):
    X = with_second_column(np.nan)
    try:
        model = fit(name, X)
    except AssayError as error:
        assert "x1" in str(error)
        return
    said = answers(model, X)
    assert np.isfinite(said).all()
    other = with_second_column(np.nan)
    other[:, [0, 2]] = X[::-1, [0, 2]]
    assert np.array_equal(answers(model, other), said[::-1])


@pytest.mark.parametrize(
    "name", [name for name in LEARNERS if "n_clusters" in LEARNERS[name]._get_param_names()]
)
def test_equal_rows_are_one_group_or_as_many_as_asked_for(name):
    X = USABLE["all rows equal"]
    model = fit(name, X)
    groups = np.unique(model.labels_[model.labels_ >= 0])
    assert len(groups) == (3 if name in DIVIDE_EQUAL_ROWS else 1)
    assert len(np.unique(model.predict(X))) == 1


@pytest.mark.parametrize("name", LEARNERS)
def test_one_thread_and_two_give_the_same_answers(name, monkeypatch):
    X = USABLE["many copies of four rows"]
    said = []
    for threads in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        said.append(answers(fit(name, X), X))
    assert np.array_equal(*said)


# Parameters in the units of the columns (distances, variances, penalties), as their peers or the literature have them.
IN_UNITS = {
    "BayesianGaussianMixture": "reg_covar",
    "BernoulliMixture": "binarize",
    "DBSCAN": "eps",
    "FactorAnalyzerMixture": "reg_covar",
    "GaussianMixture": "reg_covar",
    "LeaderClustering": "threshold",
    "LocalModelRegressor": "alpha",
    "MixedMixture": "reg_covar",
    "MixtureClassifier": "reg_covar",
    "MixtureOfEstimatorsRegressor": "alpha of the ridge regression",
    "OnlineKMeans": "tol",
    "ResourceAllocatingNetwork": "spreads and distances",
    "SemiSupervisedMixture": "reg_covar",
    "SpectralClustering": "gamma",
}


@pytest.mark.parametrize("power", [-330, 400])
@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in IN_UNITS])
def test_units_do_not_matter(name, power):
    """Powers of two, so that the rows are the same but for the unit, from 1e-100 to 1e120."""
    said, again = (answers(fit(name, X), X) for X in (TWO_CLOUDS, TWO_CLOUDS * 2.0**power))
    if name == "HebbianFeatures":  # answers in the unit of the columns
        again = again / 2.0**power
    np.testing.assert_allclose(again, said, rtol=1e-9, atol=1e-9)


HUGE = 1e200  # whose square is no number


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_of_huge_numbers_are_refused_or_learned_from_soundly(name):
    X = TWO_CLOUDS * HUGE
    try:
        model = fit(name, X)
    except AssayError as error:
        assert re.search("overflow|no number|squared|[Ss]cale", str(error))
    else:
        assert_sound(model, X)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_huge_row_is_refused_by_its_column_or_gets_an_answer(name):
    """Not a NaN: an error that names the column, or an answer."""
    model, far = fit(name, TWO_CLOUDS), TWO_CLOUDS[:2].copy()
    far[1, 2] = -HUGE
    for method in ("predict", "predict_proba", "transform", "decision_function", "memberships", "explain"):
        if not hasattr(model, method):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AssayWarning)
                answer = getattr(model, method)(far)
        except AssayError as error:
            assert "x2" in str(error), error
        else:
            assert method == "explain" or np.isfinite(answer).all(), method


@pytest.mark.parametrize("name", [name for name in LEARNERS if hasattr(LEARNERS[name], "partial_fit")])
def test_rows_that_are_refused_leave_the_model_as_it_was(name):
    model = fit(name, TWO_CLOUDS)
    before, y = answers(model, TWO_CLOUDS), np.arange(30.0)
    for wrong in (TWO_CLOUDS[:, :2], TWO_CLOUDS * np.inf):
        with pytest.raises(AssayError):
            model.partial_fit(wrong, y)
    assert np.array_equal(answers(model, TWO_CLOUDS), before)
    model.partial_fit(TWO_CLOUDS, y)


def test_infinite_numbers_of_single_precision_are_seen():
    X = np.concatenate([TWO_CLOUDS, TWO_CLOUDS[:2]]).astype(np.float32)
    X[[0, 1], [2, 1]] = [np.inf, -np.inf]
    X[2, 0] = np.nan
    labels = fit("HDBSCAN", X).labels_
    assert labels[:3].tolist() == [-2, -2, -3] and labels[3:].min() >= -1


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (assay.cluster.KMedoids(2), "KMeans"),
        (assay.cluster.DivisiveClustering(2), "KMeans"),
        (assay.cluster.AgglomerativeClustering(2, linkage="average"), "ward"),
        (assay.cluster.Genie(2, metric="canberra"), "KMeans"),
        (assay.cluster.HDBSCAN(metric="canberra", algorithm="brute"), "KMeans"),
        (assay.cluster.SpectralClustering(2), "nearest_neighbors"),
        (assay.cluster.KernelKMeans(2), "Nystroem"),
        (assay.cluster.ConsensusClustering(2), "KMeans"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_pairs_of_too_many_rows_are_refused_beforehand(model, remedy):
    X = np.random.default_rng(0).normal(size=(2_000_000, 2))
    with pytest.raises(AssayError, match=f"each pair of 2000000 rows takes 3.2e\\+04 GB.*{remedy}"):
        model.fit(X)
