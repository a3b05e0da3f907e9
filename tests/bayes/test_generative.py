"""What every generative classifier gives besides the posterior: joint, density, and new rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from sklearn.datasets import load_iris

from assay.bayes import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)
from assay.decide import DecisionRule

X, Y = load_iris(return_X_y=True)


@pytest.mark.capability("BC-03")
@pytest.mark.parametrize(
    "model", [GaussianNB(), LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), NaiveBayes()]
)
def test_joint_density_and_posterior_are_one_model(model):
    model.fit(X, Y)
    joint, P = model.predict_joint_log_proba(X), model.predict_proba(X)
    assert_allclose(P.sum(axis=1), 1, rtol=1e-12)
    assert_allclose(np.logaddexp.reduce(joint, axis=1), model.log_density(X), rtol=1e-12)
    assert_allclose(np.exp(joint - model.log_density(X)[:, None]), P, rtol=1e-9, atol=1e-300)
    far = model.log_density(X + 100.0)
    assert (far < model.log_density(X).min()).all()  # unlike the training rows


@pytest.mark.capability("BC-03")
def test_a_density_integrates_to_one_and_a_distribution_of_categories_sums_to_one():
    model = GaussianNB().fit(X[:, [0]], Y)
    total, _ = quad(lambda x: float(np.exp(model.log_density([[x]])[0])), -5, 20, limit=200)
    assert_allclose(total, 1, rtol=1e-8)
    frame = pd.DataFrame({"a": list("xxyyz"), "b": list("ppqqq")})
    bayes = CategoricalNB(alpha=1.0).fit(frame, [0, 0, 1, 1, 1])
    cells = pd.DataFrame([(a, b) for a in "xyz" for b in "pq"], columns=["a", "b"])
    assert_allclose(np.exp(bayes.log_density(cells)).sum(), 1, rtol=1e-12)


@pytest.mark.capability("BC-03")
def test_a_loss_changes_decisions_and_no_posterior():
    model = GaussianNB().fit(X, Y)
    careful = DecisionRule(model, loss={(0, 1): 10, (1, 2): 10, (2, 1): 1})
    assert_allclose(careful.predict_proba(X), model.predict_proba(X), rtol=0)
    assert (careful.predict(X) != model.predict(X)).any()


def test_a_row_that_no_class_can_have_has_density_zero():
    model = BernoulliNB(alpha=0.0, force_alpha=True).fit([[1, 0], [1, 0], [1, 1]], [0, 0, 1])
    with np.errstate(divide="ignore"):
        density = model.log_density([[0, 0], [1, 0]])
    assert np.isneginf(density[0]) and np.isfinite(density[1])


@pytest.mark.capability("BC-04")
@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(store_covariance=True), QuadraticDiscriminantAnalysis()]
)
def test_parameters_of_a_refit_to_drawn_rows_converge(model):
    model.fit(X, Y)
    gaps = []
    for n in (300, 30_000):
        drawn, labels = model.sample(n, random_state=0)
        again = type(model)(**model.get_params()).fit(drawn, labels)
        gaps.append(np.abs(again.means_ - model.means_).max())
    assert gaps[1] < 0.05 and gaps[1] < gaps[0] / 3  # as 1 / sqrt(n)


@pytest.mark.capability("BC-04")
def test_drawn_tables_look_like_the_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"kind": rng.choice(list("abc"), 400, p=[0.5, 0.3, 0.2]), "size": rng.normal(2, 1, 400)}
    )
    y = np.where(frame["kind"] == "a", "yes", "no")
    model = NaiveBayes().fit(frame, y)
    drawn, labels = model.sample(20_000, random_state=1)
    drawn = pd.DataFrame(drawn.to_columns() if hasattr(drawn, "to_columns") else drawn)
    assert list(drawn.columns) == ["kind", "size"]
    assert_allclose(np.mean(labels == "yes"), np.mean(y == "yes"), atol=0.015)
    assert_allclose(drawn["size"].astype(float).mean(), frame["size"].mean(), atol=0.05)
    share = drawn["kind"].value_counts(normalize=True)
    assert_allclose(
        [share[k] for k in "abc"], frame["kind"].value_counts(normalize=True)[list("abc")], atol=0.02
    )
