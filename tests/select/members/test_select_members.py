import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from assay import load, save
from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.ensembles import combine
from assay.errors import DataError, ParameterError
from assay.linear import Ridge
from assay.neighbors import KNeighborsClassifier
from assay.select import EnsembleSelectionClassifier, EnsembleSelectionRegressor, select_members
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor

# Oracle: four classifiers of accuracy 2/3; the majority decides, ties go to class 0.
TRUTH = [1, 1, 0, 0, 1, 0]
VOTES = np.eye(2)[[[1, 1, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1], [0, 1, 1, 0, 1, 0], [1, 1, 0, 0, 0, 1]]]


@pytest.mark.capability("IML-17-15")
def test_searches_of_the_worked_example():
    settings = {"metric": "error", "rule": "plurality"}
    forward = select_members(VOTES, TRUTH, "forward", **settings)
    assert_allclose(forward.single, [1 / 3] * 4)
    assert forward.members == (0, 3) and forward.value == pytest.approx(1 - 0.8333, abs=1e-4)
    backward = select_members(VOTES, TRUTH, "backward", **settings)
    assert backward.members == (0, 1, 2) and backward.value == 0
    first = backward.trace.rounds[0]
    assert first.means.max() == pytest.approx(-(1 - 0.8333), abs=1e-4)  # all four together
    best = select_members(VOTES, TRUTH, "exhaustive", **settings)
    assert best.value == 0
    floating = select_members(VOTES, TRUTH, "floating", **settings)
    assert floating.value <= forward.value


@pytest.mark.capability("IML-17-15")
def test_forward_with_replacement_is_never_worse_than_the_best_model():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=80)
    outputs = np.stack([rng.dirichlet(1 + s * np.eye(3)[k]) for s in (0.5, 1, 2, 3) for k in y]).reshape(
        4, 80, 3
    )
    result = select_members(outputs, y)
    assert result.metric == "log-loss" and result.value <= result.single.min()
    assert_allclose(result.weights.sum(), 1)
    values = [value for _, value in result.history]
    assert len(values) == 30 and result.value == pytest.approx(min(values))
    taken = [j for j, _ in result.history[: int(np.argmin(values)) + 1]]
    assert_array_equal(result.counts, np.bincount(taken, minlength=4))
    mean = combine(outputs, "mean", result.counts)
    assert -np.mean(np.log(mean[np.arange(80), y])) == pytest.approx(result.value)
    assert "together, the best alone" in str(result)


def test_numbers_and_weights():
    rng = np.random.default_rng(0)
    r = rng.normal(size=50)
    outputs = np.stack([r + rng.normal(0, s, 50) for s in (0.3, 0.4, 2.0)])
    result = select_members(outputs, r, names=["a", "b", "c"])
    assert result.weights[2] < 0.1 and result.value < result.single.min()
    times = rng.integers(1, 4, 50)
    weighted = select_members(outputs, r, sample_weight=times)
    repeated = select_members(np.repeat(outputs, times, axis=1), np.repeat(r, times))
    assert_array_equal(weighted.counts, repeated.counts)
    assert weighted.value == pytest.approx(repeated.value)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: select_members([0.5], [0]), DataError, "finite outputs"),
        (lambda: select_members(VOTES, TRUTH, metric="mse"), ParameterError, "measure of classification"),
        (lambda: select_members(VOTES, TRUTH, metric="nothing"), ParameterError, "measure of classification"),
        (lambda: select_members(VOTES, [1] * 6), DataError, "y has 1"),
        (lambda: select_members(VOTES, TRUTH, rule="median"), ParameterError, "averages"),
        (lambda: select_members(VOTES, TRUTH, names=["a"]), ParameterError, "4 models and 1 names"),
        (lambda: select_members(np.ones((2, 3)), [1, 2]), DataError, "3 finite numbers"),
    ],
)
def test_what_cannot_be_selected_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.capability("IML-17-15")
@pytest.mark.parametrize("search", ["forward with replacement", "backward", "exhaustive"])
def test_an_ensemble_from_a_library(search, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    library = [
        ("bayes", GaussianNB()),
        ("lda", LinearDiscriminantAnalysis()),
        *((f"{k}-nn", KNeighborsClassifier(k)) for k in (1, 9)),
    ]
    model = EnsembleSelectionClassifier(library, search).fit(X[::2], y[::2])
    assert model.value_ <= model.single_.min() + 1e-12
    assert model.score(X[1::2], y[1::2]) > 0.92
    assert len(model.estimators_) == len(model.chosen_) == (model.weights_ > 0).sum()
    P = sum(
        w * model.named_estimators_[name].predict_proba(X)
        for name, w in zip(model.library_, model.weights_)
        if w
    )
    assert_allclose(model.predict_proba(X), P, rtol=1e-9)
    save(model, tmp_path / "m.assay")
    assert_array_equal(load(tmp_path / "m.assay").predict_proba(X), model.predict_proba(X))
    assert 0 <= model.gain(X[1::2], y[1::2]).p <= 1
    assert f"of {len(library)}" in str(model.explain(X[:1]))


def test_models_that_came_fitted_raw_tables_and_numbers():
    frame = load_iris(as_frame=True).data
    y = load_iris().target
    frame["kind"] = np.where(frame.iloc[:, 0] > 5.8, "long", None)
    fitted = [
        ("bayes", NaiveBayes().fit(frame[::2], y[::2])),
        ("tree", DecisionTreeClassifier(max_depth=1).fit(frame[::2], y[::2])),
    ]
    model = EnsembleSelectionClassifier(fitted, cv="prefit").fit(frame[1::2], y[1::2])
    assert "bayes" in model.chosen_ and model.estimators_[0] is fitted[0][1]
    X, r = load_diabetes(return_X_y=True)
    library = [("ridge", Ridge(0.1)), ("tree", DecisionTreeRegressor(max_depth=3, random_state=0))]
    numbers = EnsembleSelectionRegressor(library).fit(pd.DataFrame(X), r)
    assert numbers.value_ <= numbers.single_.min() and numbers.score(pd.DataFrame(X), r) > 0.45
    assert "weight" in str(numbers.explain(pd.DataFrame(X[:1])))
