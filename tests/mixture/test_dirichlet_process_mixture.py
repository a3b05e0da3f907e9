"""Dirichlet process mixtures: groups found, posteriors calibrated, answers and files."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.metrics import adjusted_rand_score
from tests.calibration import assert_calibrated

from assay import load, save
from assay.errors import DataError, ParameterError
from assay.mixture import ChineseRestaurant, DirichletProcessMixture, posterior_similarity
from assay.stats import NormalGamma, NormalInverseWishart, NormalMean


def groups(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, 2)) + np.array([[0, 0], [8, 0], [0, 8]])[y], y


QUICK = {"n_sweeps": 30, "burn_in": 30, "random_state": 0}


@pytest.mark.capability("IML-16-29")
@pytest.mark.parametrize("alpha", [0.5, "gamma", "empirical"])
@pytest.mark.parametrize("component", [None, NormalGamma(3.0, 0.05, 2.0, 2.0), NormalMean(3.0, 25.0, 1.0)])
def test_gibbs_sampling_finds_the_groups(component, alpha):
    X, y = groups()
    model = DirichletProcessMixture(component, alpha=alpha, **QUICK).fit(X)
    assert model.n_components_ == 3
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.draws_["groups"].shape == (2, 30)
    assert 2.9 < model.draws_["groups"].mean() < 4
    assert (model.predict(X) == model.labels_).all()
    together = model.similarity()
    assert together[0, 3] > 0.9 > 0.1 > together[0, 1]
    assert_allclose(together, posterior_similarity(model.label_draws_))


@pytest.mark.capability("IML-16-29")
@pytest.mark.parametrize("method", ["sequential", "greedy"])
def test_one_pass_opens_groups_for_far_rows(method):
    X, y = groups()
    model = DirichletProcessMixture(NormalMean(3.0, 25.0, 1.0), alpha=0.1, method=method, random_state=0).fit(
        X
    )
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert model.draws_.n_draws == 1


COVARIANCE = np.array([[1.0, 0.3], [0.3, 1.0]])


@pytest.mark.parametrize(
    "component",
    [
        NormalMean(0.0, 4.0, 1.0),
        [NormalGamma(0.0, 0.3, 3.0, 2.0), NormalGamma(0.0, 0.3, 3.0, 2.0)],
        NormalInverseWishart([0.0, 0.0], COVARIANCE, kappa=0.3, nu=5),
    ],
)
def test_ranks_of_true_values_among_draws_are_uniform(component):
    """Alpha from its prior, tables by the process, groups and rows from the component."""

    def drawn(size, rng):
        if isinstance(component, NormalInverseWishart):
            mean, covariance = component.sample(1, rng)
            return rng.multivariate_normal(np.ravel(mean), np.reshape(covariance, (2, 2)), size)
        if isinstance(component, NormalMean):
            return rng.normal(component.sample(1, rng), 1.0, (size, 1))
        numbers = [np.ravel(column.sample(1, rng)) for column in component]
        return np.column_stack([rng.normal(mean, precision**-0.5, size) for mean, precision in numbers])

    def simulate(rng, n=10, every=8):
        alpha = rng.gamma(2.0) / 2.0
        tables = np.sort(ChineseRestaurant(alpha).sample(n, rng))
        X = np.concatenate([drawn(size, rng) for size in np.bincount(tables)])
        model = DirichletProcessMixture(
            component, alpha_prior=(2.0, 2.0), n_chains=1, burn_in=20, n_sweeps=9 * every, random_state=rng
        ).fit(X)
        draws = np.column_stack([model.draws_[name][0, every - 1 :: every] for name in ("alpha", "groups")])
        return [alpha, tables.max() + 1], draws

    assert_calibrated(simulate, rounds=100, bins=5)


def test_the_density_is_the_average_over_partitions_and_integrates_to_one():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(25, 1))
    model = DirichletProcessMixture(NormalMean(0.0, 4.0, 1.0), **QUICK).fit(X)
    grid = np.linspace(-25, 25, 2001)[:, None]
    assert_allclose(np.trapezoid(np.exp(model.score_samples(grid)), grid[:, 0]), 1, atol=1e-6)
    logs = [logsumexp(t.log_joint(X, model.alpha_), axis=1) for t in model.densities_]
    assert_allclose(model.score_samples(X), logsumexp(logs, axis=0) - np.log(len(logs)))
    assert_allclose(model.score(X), model.score_samples(X).mean())


def test_a_far_row_belongs_to_a_new_group():
    X, _ = groups()
    model = DirichletProcessMixture(**QUICK).fit(X)
    near, far = model.new_group_proba([[0.0, 0.0], [60.0, 60.0]])
    assert near < 0.05 < 0.9 < far
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_the_same_seed_gives_the_same_draws():
    X, _ = groups(30)
    a, b = (DirichletProcessMixture(**QUICK).fit(X) for _ in range(2))
    assert (a.label_draws_ == b.label_draws_).all()
    assert (a.draws_["alpha"] == b.draws_["alpha"]).all()


def test_a_row_is_explained_by_the_groups():
    X, _ = groups()
    frame = pd.DataFrame(X, columns=["length", "width"])
    model = DirichletProcessMixture(**QUICK).fit(frame)
    explanation = model.explain(frame.iloc[[4]])
    assert explanation.answer == model.labels_[4]
    lines = explanation.sections[0].rows
    assert_allclose(sum(line[3] for line in lines), 1)
    assert next(line[0] for line in lines) == model.labels_[4]
    assert "Number of groups" in str(model.show())


@pytest.mark.parametrize("component", [None, NormalGamma(3.0, 0.05, 2.0, 2.0), NormalMean(3.0, 25.0, 1.0)])
def test_a_model_file_gives_the_model_back(tmp_path, component):
    X, _ = groups(30)
    model = DirichletProcessMixture(component, n_sweeps=5, burn_in=5, random_state=0).fit(X)
    save(model, tmp_path / "model.assay")
    back = load(tmp_path / "model.assay")
    assert (back.score_samples(X) == model.score_samples(X)).all()
    assert (back.labels_ == model.labels_).all()
    assert (back.draws_["alpha"] == model.draws_["alpha"]).all()


def test_parameters_that_do_not_fit_are_refused():
    X, _ = groups(10)
    for wrong in ({"alpha_prior": (1.0,)}, {"alpha_prior": (0.0, 1.0)}, {"component": 3}, {"alpha": "flat"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            DirichletProcessMixture(**wrong).fit(X)


def test_rows_that_are_all_alike_are_one_group():
    model = DirichletProcessMixture(**QUICK).fit(np.ones((20, 2)))
    assert model.n_components_ == 1
    assert np.isfinite(model.score_samples([[1.0, 1.0], [5.0, 5.0]])).all()


@pytest.mark.parametrize(
    ("scale", "size"), [(1e-150, ""), (1e150, ""), (1e-200, "small"), (1e153, "large"), (1e300, "large")]
)
def test_units_do_not_matter_as_long_as_squares_are_numbers(scale, size):
    """Two groups 1e-200 apart were answered as one."""
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(size=(40, 2)), random.normal(size=(40, 2)) + 9.0])
    model = DirichletProcessMixture(n_sweeps=30, random_state=0)
    if size:
        with pytest.raises(DataError, match=f"column x0 has numbers too {size} to be squared"):
            model.fit(scale * X)
    else:
        assert adjusted_rand_score(model.fit_predict(scale * X), np.repeat([0, 1], 40)) == 1.0


@pytest.mark.parametrize("prior", ["x", {}, [1.0], [1.0, -1.0], [1.0, np.inf], 3.0])
def test_a_prior_of_alpha_that_is_no_shape_and_rate_is_named(prior):
    with pytest.raises(ParameterError, match="alpha_prior must be"):
        DirichletProcessMixture(alpha_prior=prior).fit(np.eye(6))
