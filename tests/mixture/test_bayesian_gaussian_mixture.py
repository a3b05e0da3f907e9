"""Variational mixtures: oracles, scikit-learn's class as the peer, and moves that find the groups."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import t as student_t
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import BayesianGaussianMixture as Peer
from tests.calibration import assert_covers

from assay import load, save
from assay.core.sums import Rows
from assay.errors import ParameterError
from assay.mixture import BayesianGaussianMixture
from assay.mixture.components import FORMS, Estimates
from assay.mixture.moves import merged, split, with_moves, without

TYPES = ["full", "tied", "diag", "spherical"]
PROCESSES = ["dirichlet_process", "dirichlet_distribution"]
FITTED = (
    "weights_",
    "means_",
    "covariances_",
    "precisions_",
    "precisions_cholesky_",
    "weight_concentration_",
    "mean_precision_",
    "degrees_of_freedom_",
    "covariance_prior_",
    "mean_prior_",
    "lower_bound_",
)


def five_groups(n=1500, d=4, seed=0):
    rng = np.random.default_rng(seed)
    centers = 3 * rng.normal(size=(5, d))
    y = rng.integers(5, size=n)
    shapes = 0.4 * rng.normal(size=(5, d, d)) + np.eye(d)
    return np.einsum("nij,nj->ni", shapes[y], rng.normal(size=(n, d))) + centers[y], y


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("covariance_type", TYPES)
@pytest.mark.parametrize("load_data", [load_iris, load_wine])
def test_same_posterior_as_scikit_learn(load_data, covariance_type, process):
    """Peer: scikit-learn 1.9, all attributes, the same seed."""
    X = load_data().data[:, :4]
    settings = {
        "n_components": 4,
        "covariance_type": covariance_type,
        "weight_concentration_prior_type": process,
        "weight_concentration_prior": 0.3,
        "mean_precision_prior": 0.5,
        "degrees_of_freedom_prior": 5.5,
        "random_state": 1,
        "max_iter": 15,
        "tol": 1e-9,
    }
    with pytest.warns(ConvergenceWarning):
        peer = Peer(**settings).fit(X)
    with pytest.warns(ConvergenceWarning):
        ours = BayesianGaussianMixture(**settings).fit(X)
    for name in FITTED:
        assert_allclose(
            getattr(ours, name), np.squeeze(getattr(peer, name)), rtol=1e-6, atol=1e-8, err_msg=name
        )
    assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-7)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("covariance_type", TYPES)
def test_given_priors_are_those_of_scikit_learn(covariance_type):
    X = load_iris().data
    prior = {"full": np.eye(4), "tied": 2 * np.eye(4), "diag": np.arange(1.0, 5), "spherical": 1.5}[
        covariance_type
    ]
    settings = {
        "n_components": 3,
        "covariance_type": covariance_type,
        "covariance_prior": prior,
        "mean_prior": [5, 3, 3, 1],
        "random_state": 0,
        "max_iter": 300,
    }
    peer, ours = Peer(**settings).fit(X), BayesianGaussianMixture(**settings).fit(X)
    assert_allclose(ours.means_, peer.means_, rtol=1e-6)


@pytest.mark.capability("IML-16-22")
def test_the_variational_step_of_four_points():
    """Oracle: specification of 16.7, the same points, responsibilities and prior as the step of MAP-EM."""
    X = np.array([[0.0, 0], [1, 0], [4, 4], [5, 4]])
    h = np.array([[1, 0.9, 0.2, 0], [0, 0.1, 0.8, 1]]).T
    model = BayesianGaussianMixture(
        n_components=2,
        weight_concentration_prior_type="dirichlet_distribution",
        weight_concentration_prior=2.0,
        mean_prior=[0.0, 0.0],
        mean_precision_prior=1.0,
        degrees_of_freedom_prior=4.0,
        covariance_prior=np.eye(2),
        reg_covar=0.0,
        max_iter=0,
        random_state=0,
    ).fit(X)
    state = model._maximise(FORMS["full"].estimates_of(X, h), None)
    assert_allclose(state.concentration, [4.1, 3.9])
    assert_allclose(state.mean_precision, [3.1, 2.9])
    assert_allclose(state.dof, [6.1, 5.9])
    model._adopt_state(state)
    new = model.predict_proba(X)[:, 0]
    assert_allclose(new, [0.89656924, 0.90005966, 0.00003756, 0.00000114], atol=5e-9)


@pytest.mark.capability("IML-16-22")
@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("covariance_type", TYPES)
def test_the_bound_never_falls(covariance_type, process):
    """But for "tied", where the peer's posterior, which this is, gives each component an equal part of the rows."""
    X = load_wine().data[:, :5]
    model = BayesianGaussianMixture(
        n_components=6,
        covariance_type=covariance_type,
        weight_concentration_prior_type=process,
        reg_covar=0.0,
        max_iter=2000,
        random_state=0,
    ).fit(X)
    if covariance_type in ("full", "diag"):
        assert (np.diff(model.lower_bounds_) > -1e-8).all()
    assert model.converged_


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_moves_find_the_true_groups(seed, process):
    X, y = five_groups()
    settings = {
        "n_components": 12,
        "weight_concentration_prior_type": process,
        "random_state": seed,
        "max_iter": 200,
    }
    moved = BayesianGaussianMixture(moves=True, **settings).fit(X)
    assert moved.converged_
    assert int((moved.weights_ > 0.01).sum()) == 5
    assert adjusted_rand_score(y, moved.predict(X)) > 0.96
    assert (np.diff(moved.lower_bounds_) > -1e-6 * abs(moved.lower_bound_)).all()


def test_moves_never_end_below_plain_steps():
    X, _ = five_groups(600)
    for covariance_type in TYPES:
        settings = {
            "n_components": 8,
            "covariance_type": covariance_type,
            "random_state": 0,
            "max_iter": 1000,
        }
        plain = BayesianGaussianMixture(**settings).fit(X)
        moved = BayesianGaussianMixture(moves=True, **settings).fit(X)
        assert moved.lower_bound_ >= plain.lower_bound_ - 0.01


def test_moves_can_split_what_the_start_left_together():
    X, _ = five_groups()
    model = BayesianGaussianMixture(n_components=6, moves=True, random_state=0, max_iter=300)
    model._check_parameters()
    model._remember(model._read(X, fitting=True).schema)
    source = Rows(X)
    model._prepare_prior(source)
    shares = np.zeros((len(X), 6))
    shares[:, 0] = 1  # all rows in one component
    run = with_moves(model, source, model._begin(FORMS["full"].estimates_of(X, shares)), 300, 1e-3)
    assert int((run.estimates.counts > 15).sum()) == 5


@pytest.mark.parametrize("form", FORMS)
def test_merging_is_exact_and_undoes_a_split(form):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 3)), np.arange(60) % 3
    shape = FORMS[form]
    estimates = shape.estimates_of(X, np.eye(3)[labels])
    joined = merged(shape, estimates, 0, 2)
    direct = shape.estimates_of(X, np.eye(3)[np.where(labels == 2, 0, labels)])
    assert_allclose(joined.counts[:2], direct.counts[:2])
    assert_allclose(joined.means[:2], direct.means[:2], atol=1e-12)
    assert_allclose(
        shape.keep(joined.scatter, np.arange(2)), shape.keep(direct.scatter, np.arange(2)), atol=1e-10
    )
    back = merged(shape, split(shape, joined, 0, 2), 0, 2)
    assert_allclose(back.means[0], joined.means[0], atol=1e-12)
    assert_allclose(back.scatter, joined.scatter, atol=1e-9)
    assert without(shape, estimates, 1).counts[1] == 0
    assert isinstance(back, Estimates)


def test_priors_that_are_none_are_refused():
    X = load_iris().data
    for wrong, message in [
        ({"degrees_of_freedom_prior": 2.0}, "greater than 3"),
        ({"mean_prior": [1.0]}, "shape of"),
        ({"covariance_prior": np.eye(3)}, "shape of"),
        ({"covariance_prior": -np.eye(4)}, "positive-definite"),
        ({"covariance_prior": np.ones(4), "covariance_type": "spherical"}, "shape of|number"),
        ({"covariance_prior": -np.ones(4), "covariance_type": "diag"}, "positive"),
    ]:
        with pytest.raises(ParameterError, match=message):
            BayesianGaussianMixture(**wrong).fit(X)


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("covariance_type", TYPES)
def test_a_model_file_gives_the_model_back(tmp_path, covariance_type, process):
    X = load_iris().data
    model = BayesianGaussianMixture(
        n_components=3,
        covariance_type=covariance_type,
        weight_concentration_prior_type=process,
        random_state=0,
        max_iter=1000,
    ).fit(X)
    save(model, tmp_path / "model.assay")
    assert (load(tmp_path / "model.assay").predict_proba(X) == model.predict_proba(X)).all()


def test_blocks_give_the_same_posterior():
    X = load_iris().data
    model = BayesianGaussianMixture(n_components=3, random_state=0, max_iter=300)
    means = model.fit(X).means_.copy()
    model.fit_blocks([(X[:60],), (X[60:],)])
    assert_allclose(model.means_, means, rtol=1e-8)


@pytest.mark.capability("IML-16-22")
@pytest.mark.parametrize("process", PROCESSES)
def test_intervals_of_the_means_of_separate_groups_hold_the_truth(process):
    """The variational posterior of each mean is a t; it is exact where groups do not overlap."""

    def simulate(rng):
        precisions = 0.05 + rng.gamma(2.0, 1.0, size=2)
        means = rng.normal([0.0, 100.0], 3.0)
        x = np.concatenate([rng.normal(means[k], precisions[k] ** -0.5, 15) for k in range(2)])
        model = BayesianGaussianMixture(
            n_components=2, mean_prior=[50.0], mean_precision_prior=1e-6, degrees_of_freedom_prior=4.0,
            covariance_prior=[[2.0]], weight_concentration_prior_type=process, weight_concentration_prior=1.0,
            random_state=0,
        ).fit(x[:, None])  # fmt: skip
        order = np.argsort(model.means_[:, 0])
        mean, dof = model.means_[order, 0], model.degrees_of_freedom_[order]
        deviation = np.sqrt(model.covariances_[order, 0, 0] / model.mean_precision_[order])
        half = student_t.ppf(0.975, dof) * deviation
        return means, (mean - half, mean + half)

    assert_covers(simulate, rounds=600, slack=0.025)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean_prior", "x"),
        ("mean_prior", {}),
        ("mean_prior", [np.inf, 0, 0, 0, 0, 0]),
        ("covariance_prior", np.full((6, 6), np.inf)),
        ("reg_covar", np.inf),
        ("weight_concentration_prior", np.inf),
        ("mean_precision_prior", np.inf),
    ],
)
def test_priors_that_are_no_numbers_are_named(name, value):
    with pytest.raises(ParameterError, match=f"{name} must be"):
        BayesianGaussianMixture(**{name: value}).fit(np.eye(6))
