"""Choosing a covariance structure: parameter counts, the fold arithmetic, structures that cannot be."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

from assay.bayes import (
    GaussianClassifierCV,
    GaussianNB,
    LinearDiscriminantAnalysis,
    NearestMean,
    QuadraticDiscriminantAnalysis,
    SharedDiagonalNB,
    covariance_parameters,
)
from assay.errors import DegenerateError, ParameterError


# Oracle: IML table 5-1.
@pytest.mark.capability("IML-5-18")
@pytest.mark.parametrize(
    ("structure", "small", "large"),
    [
        ("spherical", 1, 1),
        ("shared diagonal", 2, 10),
        ("shared", 3, 55),
        ("full", 6, 165),
        ("diagonal", 4, 30),
    ],
)
def test_parameter_counts_of_the_book(structure, small, large):
    assert covariance_parameters(structure, 2, 2) == small
    assert covariance_parameters(structure, 10, 3) == large


LEARNERS = {
    "spherical": NearestMean(priors="empirical"),
    "shared diagonal": SharedDiagonalNB(),
    "diagonal": GaussianNB(),
    "shared": LinearDiscriminantAnalysis(),
    "full": QuadraticDiscriminantAnalysis(),
}


@pytest.mark.capability("IML-5-18")
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_errors_are_those_of_plain_cross_validation(load):
    X, y = load(return_X_y=True)
    splits = StratifiedKFold(5, shuffle=True, random_state=1)
    model = GaussianClassifierCV(cv=splits).fit(X, y)
    places = []
    for record in model.cv_results_:
        errors = 1 - cross_val_score(LEARNERS[record["structure"]], X, y, cv=splits)
        assert_allclose(record["error"], errors.mean(), atol=1e-12)
        assert_allclose(record["standard_error"], errors.std(ddof=1) / np.sqrt(5), atol=1e-12)
        places.append((round(errors.mean(), 12), record["parameters"], record["structure"]))
    assert model.structure_ == min(places)[2]


@pytest.mark.capability("IML-5-18")
def test_sums_of_other_folds_train_as_their_rows_do():
    """The ten folds dealt inside, given from outside, give the same errors."""
    X, y = load_wine(return_X_y=True)
    inside = GaussianClassifierCV(cv=10, random_state=4).fit(X, y)
    shuffled = np.random.RandomState(4).permutation(len(y))
    dealt = shuffled[np.argsort(y[shuffled], kind="stable")]
    rows = np.arange(len(y))
    splits = [(np.setdiff1d(rows, dealt[f::10]), np.sort(dealt[f::10])) for f in range(10)]
    outside = GaussianClassifierCV(cv=splits).fit(X, y)
    for a, b in zip(inside.cv_results_, outside.cv_results_):
        assert_allclose(a["error"], b["error"], atol=1e-12)


def test_the_best_learner_is_fitted_to_all_rows():
    X, y = load_iris(return_X_y=True)
    model = GaussianClassifierCV().fit(X, y)
    alone = LEARNERS[model.structure_].fit(X, y)
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-12)
    assert_array_equal(model.predict(X), alone.predict(X))
    assert model.explain(X[:1]).sections == model.best_estimator_.explain(X[:1]).sections


@pytest.mark.parametrize(("true", "few"), [("spherical", "spherical"), ("full", "full")])
def test_enough_rows_reveal_the_structure(true, few):
    """Seeded: spheres about two means need one parameter; different shapes about one mean need them all."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 300)
    X = rng.normal(size=(600, 2))
    X = (
        X + 1.5 * y[:, None]
        if true == "spherical"
        else X @ np.array([[1, 0.9], [0, 0.4]]) * (1 + 3 * y[:, None])
    )
    assert GaussianClassifierCV(structures=["spherical", "full"]).fit(X, y).structure_ == few


def test_a_singular_structure_is_out_and_says_why():
    X, y = load_digits(return_X_y=True)
    model = GaussianClassifierCV(cv=3, structures=["full", "shared"]).fit(X, y)
    assert model.structure_ == "shared"
    assert "not full rank" in model.cv_results_[0]["reason"] and np.isnan(model.cv_results_[0]["error"])
    with pytest.raises(DegenerateError, match=r"no structure fits.*not full rank"):
        GaussianClassifierCV(cv=3, structures=["full"]).fit(X, y)


def test_unknown_structures_are_refused():
    X, y = load_iris(return_X_y=True)
    for wrong in (["round"], "full", []):
        with pytest.raises(
            ParameterError, match="structures must be None or a list of names among spherical"
        ):
            GaussianClassifierCV(structures=wrong).fit(X, y)
    with pytest.raises(ParameterError, match="cv must be a whole number from 2 up"):
        GaussianClassifierCV(cv=1).fit(X, y)


def test_priors_reach_the_learner():
    X, y = load_iris(return_X_y=True)
    model = GaussianClassifierCV(priors=[0.1, 0.1, 0.8], structures=["shared"]).fit(X, y)
    peer = LinearDiscriminantAnalysis(priors=[0.1, 0.1, 0.8]).fit(X, y)
    assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-12)
