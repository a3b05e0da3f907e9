"""What a fit will cost, asked beforehand and said by itself."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification

import assay.svm.exact_machine as exact_machine
from assay.errors import AssayWarning, DataError
from assay.svm import SVC, SVCCV, SVDD, SVR, MultipleKernelSVC, MultipleKernelSVR, NuSVC, NuSVR, OneClassSVM


@pytest.mark.parametrize(
    "model",
    [
        SVC(gamma=0.05),
        SVC(C="auto", gamma="auto"),
        SVC(C=np.inf),
        SVCCV(),
        NuSVC(nu=0.4, gamma=0.05),
        MultipleKernelSVC(["linear", "rbf"]),
        SVR(gamma=0.05),
        NuSVR(),
        MultipleKernelSVR(["linear", "rbf"]),
        OneClassSVM(),
        SVDD(nu=0.2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_cost_of_each_machine_is_told_without_a_fit(model):
    X, y = make_classification(3000, 20, n_informative=10, flip_y=0.05, class_sep=0.5, random_state=0)
    cost = model.fit_cost(X, y.astype(float) if "SVR" in type(model).__name__ else y)
    assert 0 < cost.support <= 3000 and cost.steps > 0 and cost.seconds > 0
    assert 0 < cost.megabytes <= model.cache_size
    assert not [name for name in vars(model) if name.endswith("_")] and model._posed is None


def test_the_support_vectors_are_about_as_many_as_told():
    X, y = make_classification(3000, 20, n_informative=10, flip_y=0.05, class_sep=0.5, random_state=0)
    model = SVC(gamma=0.05)
    told = model.fit_cost(X, y, sample_weight=np.ones(3000))
    assert 0.5 < told.support / len(model.fit(X, y).support_) < 2


def test_of_many_pairs_a_few_are_tried():
    X, y = load_digits(return_X_y=True)
    model = SVC().fit(X, y)
    told, alone = (
        model.fit_cost(X, y).support,
        sum(np.count_nonzero(model._machine_coefficients(p)) for p in range(45)),
    )
    assert 0.5 < told / alone < 2


def test_wrong_tables_are_refused_as_in_fit():
    with pytest.raises(DataError, match="SVC: The number of classes"):
        SVC().fit_cost([[1.0], [2.0]], [1, 1])


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (SVC(), "LandmarkSVC.*error_bound_"),
        (SVR(), "LandmarkSVR.*error_bound_"),
        (OneClassSVM(), "IsolationForest"),
    ],
    ids=str,
)
def test_a_long_fit_says_so_and_names_the_machine_for_many_rows(model, remedy, monkeypatch):
    X, y = make_classification(300, random_state=0)
    monkeypatch.setattr(exact_machine, "LEAST_ROWS_ESTIMATED", 200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)  # 300 rows are no long fit
    monkeypatch.setattr(exact_machine, "LONG_FIT_SECONDS", 0.0)
    with pytest.warns(
        AssayWarning, match=rf"{type(model).__name__}: on one thread .* support vectors.*{remedy}"
    ):
        model.fit(X, y)
