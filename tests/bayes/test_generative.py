"""What every generative classifier gives besides the posterior: joint, density, and new rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import kstest
from sklearn.datasets import load_iris

from assay import load, save
from assay.bayes import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)
from assay.core import Generative
from assay.decide import DecisionRule
from assay.errors import DataError, ParameterError
from assay.graphs import AODEClassifier, BayesianNetworkClassifier, KDBClassifier, TANClassifier
from assay.learners import learners
from assay.mixture import MixtureClassifier
from assay.neighbors import ParzenClassifier
from assay.svm import OneClassClassifier

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


NO_DENSITY = {"ComplementNB": "its weights are those of the other classes: it scores, and models no rows"}


@pytest.mark.capability("BC-03", "BC-04")
def test_every_generative_classifier_draws_rows():
    for name, entry in learners("classifier").items():
        cls = entry.load()
        if issubclass(cls, Generative):
            parts = ("predict_joint_log_proba", "log_density", "predict_proba", "sample")
            missing = [part for part in parts if not hasattr(cls, part)]
            assert missing == (["sample"] if cls.__name__ in NO_DENSITY else []), name


@pytest.mark.parametrize("n", [-1, 2.5, "3", None, True])
def test_a_number_of_rows_that_is_none_is_refused(n):
    drawn = 0
    for entry in learners("classifier").values():
        cls = entry.load()
        if issubclass(cls, Generative) and hasattr(cls, "sample"):
            model = entry.make().fit(np.abs(X[:, :2]).round(), Y)
            with pytest.raises(ParameterError, match=r"whole number from [01] up, got"):
                model.sample(n)
            drawn += 1
    assert drawn > 15


NETWORKS = [
    TANClassifier(),
    KDBClassifier(k=2, alpha=0.5),
    BayesianNetworkClassifier(),
    AODEClassifier(),
    AODEClassifier(min_count=1000),  # of no column a state occurs as often: naive Bayes
]


@pytest.mark.capability("BC-04")
@pytest.mark.parametrize("model", NETWORKS, ids=[type(m).__name__ for m in NETWORKS])
def test_networks_draw_every_cell_as_often_as_they_say(model):
    """Oracle: the joint probabilities of all cells, which sum to 1."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, 200), rng.integers(0, 2, 200)
    c = np.where(rng.random(200) < 0.8, a, rng.integers(0, 3, 200))
    frame = pd.DataFrame(
        {"a": np.array(list("xyz"))[a], "b": np.array(list("pq"))[b], "c": np.array(list("uvw"))[c]}
    )
    model.fit(frame, (a + b > 1).astype(int))
    cells = pd.DataFrame([(i, j, k) for i in "xyz" for j in "pq" for k in "uvw"], columns=["a", "b", "c"])
    joint = np.exp(model.predict_joint_log_proba(cells))
    assert_allclose(joint.sum(), 1, rtol=1e-9)
    n = 40_000
    drawn, labels = model.sample(n, random_state=0)
    place = {tuple(row): i for i, row in enumerate(cells.to_numpy().tolist())}
    counts = np.zeros(joint.shape)
    np.add.at(counts, ([place[row] for row in zip(drawn["a"], drawn["b"], drawn["c"])], labels), 1)
    assert (np.abs(counts - n * joint) < 5 * np.sqrt(n * joint * (1 - joint)) + 1).all()
    assert set(model.sample(50, random_state=1)[0]) == {"a", "b", "c"}


@pytest.mark.capability("BC-04")
@pytest.mark.parametrize("model", [TANClassifier(cuts=4), AODEClassifier(cuts=4)], ids=["tan", "aode"])
def test_networks_draw_numbers_of_intervals_within_what_training_had(model, tmp_path):
    model.fit(X, Y)
    drawn, labels = model.sample(5000, random_state=0)
    assert drawn.shape == (5000, 4) and (drawn >= X.min(axis=0)).all() and (drawn <= X.max(axis=0)).all()
    assert_allclose(np.median(drawn, axis=0), np.median(X, axis=0), atol=0.4)
    assert model.score(drawn, labels) > 0.85
    save(model, tmp_path / "m.assay")
    again = load(tmp_path / "m.assay")
    assert_array_equal(again.sample(9, random_state=3)[0], model.sample(9, random_state=3)[0])
    del again.ranges_  # as in files of earlier versions
    with pytest.raises(DataError, match="saved by an earlier version"):
        again.sample(9)


@pytest.mark.capability("BC-04")
@pytest.mark.parametrize(
    "model",
    [
        MixtureClassifier([1, 2, 1], random_state=0),
        ParzenClassifier(bandwidth=0.3),
        ParzenClassifier(bandwidth=0.5, kernel="epanechnikov"),
        OneClassClassifier(nu=0.2),
    ],
    ids=["mixture", "gaussian", "epanechnikov", "one-class"],
)
def test_drawn_numbers_follow_the_density(model):
    """Oracle: the integral of the density, by the test of Kolmogorov and Smirnov; classes by the joint."""
    model.fit(X[:, [2]], Y)
    grid = np.linspace(-4, 14, 4001)
    density = np.exp(model.log_density(grid[:, None]))
    total = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))]) * (grid[1] - grid[0])
    if not isinstance(model, OneClassClassifier):  # a density up to a factor
        assert_allclose(total[-1], 1, rtol=1e-4)
    drawn, labels = model.sample(4000, random_state=0)
    assert kstest(drawn[:, 0], lambda x: np.interp(x, grid, total / total[-1])).pvalue > 1e-3
    P = model.predict_proba(drawn)
    excess = np.eye(3)[labels] - P  # zero on average, whatever it is multiplied by
    for weigh in (np.ones(4000), drawn[:, 0]):
        noise = np.sqrt(np.mean((excess * weigh[:, None]) ** 2, axis=0) / 4000)
        assert (np.abs(np.mean(excess * weigh[:, None], axis=0)) < 4.5 * noise + 1e-12).all()
    with pytest.raises(ParameterError, match="from 1 up"):
        model.sample(0)


def test_a_mixed_distance_makes_no_density_to_draw_from():
    frame = pd.DataFrame({"a": list("xyxyxy"), "b": [1.0, 2, 3, 4, 5, 6]})
    with pytest.raises(ParameterError, match="makes no density to draw from"):
        ParzenClassifier().fit(frame, [0, 1, 0, 1, 0, 1]).sample(3)
