"""What all regressors with a predictive distribution promise."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.core.learner import INTERVAL_ROWS
from assay.core.persistence import load, save
from assay.learners import learners
from assay.linear import GeneralizedLinearModel, LinearRegression
from assay.neighbors import KNeighborsRegressor, RadiusNeighborsRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 2))
Y = np.exp(0.4 * X[:, 0]) * rng.gamma(4, 0.25, 150)
NEW = rng.normal(size=(30, 2))
WITH = [
    "MeanRegressor",
    "GaussianProcessRegressor",
    "SparseGaussianProcessRegressor",
    "BayesianMixtureOfExperts",
    "HierarchicalMixtureOfExpertsRegressor",
    "MixtureOfExpertsRegressor",
    "ARDRegression",
    "BayesianGeneralizedLinearModel",
    "BayesianLinearRegression",
    "BayesianRidge",
    "ModelAveragingRegressor",
    "GeneralizedLinearModel",
    "LinearRegression",
    "PoissonRegressor",
    "PolynomialRegressor",
    "Ridge",
    "KNeighborsRegressor",
    "RadiusNeighborsRegressor",
    "AdditiveModel",
    "IncrementalRunningMean",
    "KernelSmoother",
    "Loess",
    "Regressogram",
    "RidgeCV",
    "TweedieRegressor",
    "RunningLine",
    "RunningMean",
    "SmoothingSpline",
    "BaggingRegressor",
    "ElasticNet",
    "ElasticNetCV",
    "ExtraTreesRegressor",
    "GammaRegressor",
    "Lasso",
    "LassoCV",
    "PLSRegression",
    "RandomForestRegressor",
]


def fitted(entry):
    columns = slice(0, 1) if entry.class_name == "SmoothingSpline" else slice(None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows without neighbours, few rows: said elsewhere
        return entry.make().fit(X[:, columns], Y), NEW[:, columns]


def test_the_learners_with_a_distribution_are_these():
    has = []
    for entry in learners("regressor").values():
        if entry.class_name in ("ConformalRegressor",):
            continue
        model, _ = fitted(entry)
        if hasattr(model, "predict_distribution"):
            has.append(entry.class_name)
        else:
            assert not hasattr(model, "predict_interval")
            with pytest.raises(AttributeError) as error:
                model.predict_interval(NEW)
            assert entry.class_name in str(error.value.__cause__)
    assert sorted(has) == sorted(WITH)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WITH)
def test_mean_and_interval_agree_with_the_prediction_and_survive_a_file(name, tmp_path):
    entry = next(e for e in learners("regressor").values() if e.class_name == name)
    model, new = fitted(entry)
    distribution = model.predict_distribution(new)
    assert_allclose(distribution.mean, model.predict(new), rtol=1e-9)
    ends = model.predict_interval(new, coverage=0.8)
    assert ends.shape == (30, 2) and (ends[:, 0] <= ends[:, 1]).all() and np.isfinite(ends).all()
    assert_array_equal(ends, np.column_stack(distribution.interval(0.8)))
    wider = model.predict_interval(new, coverage=0.95)
    assert (wider[:, 0] <= ends[:, 0]).all() and (wider[:, 1] >= ends[:, 1]).all()
    save(model, tmp_path / "m.assay")
    assert_array_equal(load(tmp_path / "m.assay").predict_interval(new, coverage=0.8), ends)


def test_intervals_of_many_rows_are_made_some_at_a_time():
    model = LinearRegression().fit(X, Y)
    many = np.tile(NEW, (INTERVAL_ROWS // 30 + 2, 1))
    ends = model.predict_interval(many)
    assert len(many) > INTERVAL_ROWS
    assert_allclose(ends, np.tile(model.predict_interval(NEW), (len(many) // 30, 1)), rtol=1e-12)


@pytest.mark.parametrize(
    ("family", "kind"),
    [
        ("gaussian", "Normal"),
        ("poisson", "Poisson"),
        ("gamma", "Gamma"),
        ("inverse_gaussian", "InverseGaussian"),
        ("negative_binomial", "NegativeBinomial"),
        ("tweedie", "Tweedie"),
        ("binomial", "BinomialShare"),
    ],
)
def test_generalised_linear_models_answer_with_their_family(family, kind):
    y = {
        "binomial": (Y > 1).astype(float),
        "poisson": np.round(Y),
        "negative_binomial": np.round(3 * Y**2),
    }.get(family, Y)
    model = GeneralizedLinearModel(family=family).fit(X, y)
    mu = model.predict(NEW)
    whole = model.predict_distribution(NEW)  # with the error of the coefficients
    assert_allclose(whole.mean, mu, rtol=1e-9)
    model._noise = None
    ours = model.predict_distribution(NEW)
    assert type(ours).__name__ == kind
    wider = whole.sd / ours.sd
    assert (wider > (1 - 1e-9 if family == "binomial" else 1)).all() and (wider < 1.5).all()
    alpha = model.overdispersion_ or model._get_family()
    variance = mu + alpha * mu**2 if family == "negative_binomial" else model.dispersion_ * alpha.variance(mu)
    assert_allclose(ours.sd, np.sqrt(variance), rtol=1e-9)
    # the log density of the family with the same mean and dispersion, at numbers that it can have
    at = y[:30]
    expected = model._fitted_family().log_density(at, mu, np.ones(30), model.dispersion_)
    assert_allclose(ours.logpdf(at), expected, rtol=1e-8, atol=1e-10)


def test_neighbours_answer_with_their_numbers():
    ours = KNeighborsRegressor(4, weights="distance").fit(X, Y).predict_distribution(NEW)
    distance = np.linalg.norm(NEW[:, None] - X, axis=2)
    near = np.argsort(distance, axis=1)[:, :4]
    w = 1 / np.take_along_axis(distance, near, 1)
    assert_allclose(ours.mean, (w * Y[near]).sum(axis=1) / w.sum(axis=1), rtol=1e-9)
    assert_allclose(ours.quantile(0.999), Y[near].max(axis=1))


def test_a_row_without_neighbours_has_the_number_that_answers():
    model = RadiusNeighborsRegressor(radius=0.5).fit(X, Y)
    far = np.vstack([NEW[:3] * 0.1, [[50.0, 50.0]], NEW[3:5] * 0.1])
    with pytest.warns(UserWarning, match="no neighbors"):
        ours = model.predict_distribution(far)
    with pytest.warns(UserWarning, match="no neighbors"):
        assert_allclose(ours.mean, model.predict(far), rtol=1e-9)
    assert ours.sd[3] == 0 and len(ours) == 6


def test_additive_model_of_many_rows_is_close_to_the_exact_one():
    from assay.smoothers import AdditiveModel, additive_model

    Z = np.random.default_rng(1).normal(size=(400, 2))
    y = np.sin(Z[:, 0]) + np.random.default_rng(2).normal(size=400)
    model = AdditiveModel().fit(Z, y)
    exact = model.predict_interval(Z)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(additive_model, "EXACT_ROWS", 10)
        quick = model.predict_interval(Z)
    assert_allclose(np.ptp(quick, axis=1).mean(), np.ptp(exact, axis=1).mean(), rtol=0.01)


def test_wrappers_pass_distributions_and_intervals_on():
    from assay.decide import ConformalRegressor
    from assay.linear import QuantileRegressor, Ridge
    from assay.prepare import PreparedRegressor, StandardScaler
    from assay.tuning import TunedRegressor

    scaled = StandardScaler().fit(X).transform(X)
    inner = Ridge().fit(scaled, Y)
    prepared = PreparedRegressor(Ridge(), scale=True).fit(X, Y)
    assert_allclose(
        prepared.predict_interval(X, coverage=0.8), inner.predict_interval(scaled, 0.8), rtol=1e-9
    )
    assert_allclose(prepared.predict_distribution(X).sd, inner.predict_distribution(scaled).sd, rtol=1e-9)
    tuned = TunedRegressor(Ridge(), {"alpha": [1.0]}, random_state=0).fit(X, Y)
    assert_allclose(tuned.predict_interval(X), Ridge().fit(X, Y).predict_interval(X), rtol=1e-9)
    conformal = ConformalRegressor(Ridge(), coverage=0.7)
    around = PreparedRegressor(conformal).fit(X, Y)
    assert_array_equal(
        around.predict_interval(X), conformal.fit(X, Y).predict_interval(X)
    )  # of its own coverage
    for bare in (
        PreparedRegressor(QuantileRegressor()),
        TunedRegressor(QuantileRegressor(), {"alpha": [1.0]}),
    ):
        assert not hasattr(bare, "predict_interval") and not hasattr(bare.fit(X, Y), "predict_distribution")
