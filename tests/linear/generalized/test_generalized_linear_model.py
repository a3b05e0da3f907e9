"""Generalised linear models against statsmodels, by the book, from blocks, and on awkward targets."""

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import assay
from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear import BayesianGeneralizedLinearModel, GeneralizedLinearModel, LinearRegression

LINKS = sm.families.links
FAMILIES = sm.families
CASES = {
    ("gaussian", "identity"): FAMILIES.Gaussian(LINKS.Identity()),
    ("gaussian", "log"): FAMILIES.Gaussian(LINKS.Log()),
    ("gaussian", "inverse"): FAMILIES.Gaussian(LINKS.InversePower()),
    ("poisson", "log"): FAMILIES.Poisson(LINKS.Log()),
    ("poisson", "identity"): FAMILIES.Poisson(LINKS.Identity()),
    ("poisson", "sqrt"): FAMILIES.Poisson(LINKS.Sqrt()),
    ("gamma", "log"): FAMILIES.Gamma(LINKS.Log()),
    ("gamma", "inverse"): FAMILIES.Gamma(LINKS.InversePower()),
    ("gamma", "identity"): FAMILIES.Gamma(LINKS.Identity()),
    ("inverse_gaussian", "log"): FAMILIES.InverseGaussian(LINKS.Log()),
    ("inverse_gaussian", "inverse_squared"): FAMILIES.InverseGaussian(LINKS.InverseSquared()),
    ("binomial", "logit"): FAMILIES.Binomial(LINKS.Logit()),
    ("binomial", "probit"): FAMILIES.Binomial(LINKS.Probit()),
    ("binomial", "cloglog"): FAMILIES.Binomial(LINKS.CLogLog()),
    ("negative_binomial", "log"): FAMILIES.NegativeBinomial(LINKS.Log(), alpha=0.7),
    ("tweedie", "log"): FAMILIES.Tweedie(LINKS.Log(), var_power=1.5),
}
NAMES = [f"{family}-{link}" for family, link in CASES]


def rows_of(family: str, n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose target is of the family, with means that every link can have."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    eta = X @ [0.05, -0.04, 0.02] + 1
    mu = np.exp(eta)
    y = {
        "gaussian": lambda: mu + 0.3 * rng.normal(size=n),
        "poisson": lambda: rng.poisson(mu),
        "gamma": lambda: rng.gamma(2, mu / 2),
        "inverse_gaussian": lambda: rng.wald(mu, 4),
        "binomial": lambda: (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float),
        "negative_binomial": lambda: rng.negative_binomial(2, 2 / (2 + mu)),
        "tweedie": lambda: rng.poisson(mu) * rng.gamma(2, 0.5, n),
    }[family]()
    return X, np.asarray(y, dtype=float)


def by_statsmodels(case: tuple[str, str], X: np.ndarray, y: np.ndarray, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sm.GLM(y, sm.add_constant(X), family=CASES[case], **more)
        return model.fit(tol=1e-14, tol_criterion="params", maxiter=300)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_agrees_with_statsmodels(case):
    X, y = rows_of(case[0])
    model = GeneralizedLinearModel(*case, overdispersion=0.7).fit(X, y)
    peer = by_statsmodels(case, X, y)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), peer.params, atol=1e-8, rtol=1e-8)
    assert model.deviance_ == pytest.approx(peer.deviance, rel=1e-10)
    assert model.null_deviance_ == pytest.approx(peer.null_deviance, rel=1e-10)
    assert model.dispersion_ == pytest.approx(peer.scale, rel=1e-8)
    np.testing.assert_allclose(model.predict(X), peer.fittedvalues, rtol=1e-8)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_summary_agrees_with_statsmodels(case):
    X, y = rows_of(case[0])
    model = GeneralizedLinearModel(*case, overdispersion=0.7).fit(X, y)
    peer = by_statsmodels(case, X, y)
    table = model.summary(X, y)
    np.testing.assert_allclose(table.standard_error, peer.bse, rtol=1e-7)
    assert table.measures["Pearson chi2"] == pytest.approx(peer.pearson_chi2, rel=1e-8)
    # elsewhere statsmodels takes another dispersion in the likelihood: 1 for Tweedie, Pearson's for gaussian curves
    if (case[0] != "tweedie" and case[0] != "gaussian") or case[1] == "identity":
        assert table.measures["log-likelihood"] == pytest.approx(peer.llf, rel=1e-9)
        assert table.measures["AIC"] == pytest.approx(peer.aic, rel=1e-9)
    for kind in ("deviance", "pearson", "response", "working"):
        np.testing.assert_allclose(
            model.residuals(X, y, kind=kind), getattr(peer, f"resid_{kind}"), rtol=1e-6, atol=1e-8
        )


def test_robust_and_clustered_standard_errors_agree_with_statsmodels():
    X, y = rows_of("poisson")
    groups = np.arange(len(y)) % 40
    model = GeneralizedLinearModel("poisson").fit(X, y)
    design = sm.GLM(y, sm.add_constant(X), family=FAMILIES.Poisson())
    peer = design.fit(cov_type="HC0", tol=1e-14)
    np.testing.assert_allclose(model.summary(X, y, covariance="HC0").standard_error, peer.bse, rtol=1e-7)
    n, k = len(y), 4  # statsmodels leaves the factor of HC1 out
    more = model.summary(X, y, covariance="HC1").standard_error
    np.testing.assert_allclose(more, peer.bse * np.sqrt(n / (n - k)), rtol=1e-7)
    peer = design.fit(cov_type="cluster", cov_kwds={"groups": groups}, tol=1e-14)
    table = model.summary(X, y, covariance="cluster", groups=groups)
    np.testing.assert_allclose(table.standard_error, peer.bse, rtol=1e-7)


def test_weights_divide_the_dispersion():
    X, y = rows_of("gamma")
    w = np.random.default_rng(1).uniform(0.2, 3, len(y))
    model = GeneralizedLinearModel("gamma").fit(X, y, sample_weight=w)
    peer = by_statsmodels(("gamma", "log"), X, y, var_weights=w)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), peer.params, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(model.summary(X, y, w).standard_error, peer.bse, rtol=1e-7)


def test_shares_with_their_numbers_of_trials():
    rng = np.random.default_rng(2)
    X, trials = rng.normal(size=(200, 2)), rng.integers(1, 30, 200)
    successes = rng.binomial(trials, 1 / (1 + np.exp(-X @ [1.0, -0.5])))
    model = GeneralizedLinearModel("binomial").fit(X, successes / trials, sample_weight=trials)
    both = np.column_stack((successes, trials - successes))
    peer = sm.GLM(both, sm.add_constant(X), family=FAMILIES.Binomial()).fit(tol=1e-14)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), peer.params, rtol=1e-9)
    table = model.summary(X, successes / trials, trials)
    np.testing.assert_allclose(table.standard_error, peer.bse, rtol=1e-7)
    assert table.measures["log-likelihood"] == pytest.approx(peer.llf, rel=1e-9)


@pytest.mark.parametrize("role", ["offset", "exposure"])
def test_offset_and_exposure_are_columns(role):
    X, _ = rows_of("poisson")
    rng = np.random.default_rng(3)
    years = rng.uniform(0.5, 4, len(X))
    y = rng.poisson(years * np.exp(X @ [0.2, 0.1, 0.0] + 0.5))
    amount = years if role == "exposure" else np.log(years)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(amount=amount)
    model = GeneralizedLinearModel("poisson", **{role: "amount"}).fit(frame, y)
    peer = by_statsmodels(("poisson", "log"), X, y.astype(float), offset=np.log(years))
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_[:3]), peer.params, rtol=1e-8)
    assert model.coef_[3] == (1.0 if role == "offset" else 0.0)
    assert model.null_deviance_ == pytest.approx(peer.null_deviance, rel=1e-9)
    np.testing.assert_allclose(model.predict(frame), peer.fittedvalues, rtol=1e-9)
    table = model.summary(frame, y)
    assert table.terms == ["constant", "a", "b", "c"]
    np.testing.assert_allclose(table.standard_error, peer.bse, rtol=1e-7)
    by_number = GeneralizedLinearModel("poisson", **{role: 3}).fit(frame.to_numpy(), y)
    np.testing.assert_array_equal(by_number.coef_, model.coef_)


def test_overdispersion_of_largest_likelihood():
    X, y = rows_of("negative_binomial", 800)
    model = GeneralizedLinearModel("negative_binomial").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = sm.NegativeBinomial(y, sm.add_constant(X)).fit(disp=0, gtol=1e-10, maxiter=500)
    np.testing.assert_allclose(
        np.append(model.intercept_, model.coef_), peer.params[:-1], rtol=1e-5, atol=1e-6
    )
    assert model.overdispersion_ == pytest.approx(peer.params[-1], rel=1e-4)
    assert model.summary(X, y).measures["log-likelihood"] == pytest.approx(peer.llf, rel=1e-10)


def test_counts_without_overdispersion_are_poisson():
    X, y = rows_of("poisson", 300)
    y = np.round(np.exp(1 + 0.05 * X[:, 0]))  # less scattered than Poisson's
    model = GeneralizedLinearModel("negative_binomial").fit(X, y)
    plain = GeneralizedLinearModel("poisson").fit(X, y)
    assert model.overdispersion_ < 1e-6
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-6)


def test_gaussian_identity_is_least_squares():
    X, y = rows_of("gaussian")
    model, peer = GeneralizedLinearModel().fit(X, y), LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-9)
    assert model.score(X, y) == pytest.approx(peer.score(X, y), rel=1e-12)
    np.testing.assert_allclose(model.summary(X, y).p_value, peer.summary(X, y).p_value, rtol=1e-9)


def test_the_penalty_leaves_the_constant_free():
    X, y = rows_of("poisson")
    model = GeneralizedLinearModel("poisson", alpha=1e8).fit(X, y)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-7)
    assert np.exp(model.intercept_) == pytest.approx(y.mean(), rel=1e-6)


def test_units_of_columns_do_not_matter():
    X, y = rows_of("gamma")
    plain = GeneralizedLinearModel("gamma").fit(X, y)
    scaled = GeneralizedLinearModel("gamma").fit(X * [1e6, 1e-6, 1] + [0, 0, 1e4], y)
    np.testing.assert_allclose(scaled.coef_ * [1e6, 1e-6, 1], plain.coef_, rtol=1e-6)


def test_units_of_the_target_do_not_matter():
    X, y = rows_of("gamma")
    for unit in (1e-140, 1e140):
        model = GeneralizedLinearModel("gamma").fit(X, y * unit)
        np.testing.assert_allclose(model.coef_, GeneralizedLinearModel("gamma").fit(X, y).coef_, rtol=1e-7)


def test_many_rows_begin_with_a_sample():
    X, y = rows_of("poisson", 30_000)
    model = GeneralizedLinearModel("poisson").fit(X, y)
    peer = by_statsmodels(("poisson", "log"), X, y)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), peer.params, rtol=1e-8, atol=1e-9)


def test_blocks_give_the_weights_of_memory():
    X, y = rows_of("poisson", 900)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(years=1 + np.arange(900) % 5, y=y)
    blocks = [frame[i : i + 300] for i in range(0, 900, 300)]
    whole = GeneralizedLinearModel("poisson", exposure="years").fit(frame.drop(columns="y"), y)
    parts = GeneralizedLinearModel("poisson", exposure="years").fit_blocks(blocks, target="y")
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-10)
    assert parts.deviance_ == pytest.approx(whole.deviance_, rel=1e-12)


def test_dask_gives_the_weights_of_memory():
    da = pytest.importorskip("dask.array", reason="the extra dask is not installed")
    X, y = rows_of("gamma", 900)
    whole = GeneralizedLinearModel("gamma").fit(X, y)
    spread = GeneralizedLinearModel("gamma").fit(da.from_array(X, (300, 3)), da.from_array(y, 300))
    np.testing.assert_allclose(spread.coef_, whole.coef_, rtol=1e-10)


def test_categories_have_a_reference():
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4, 5, 6], "kind": ["a", "b", "a", "b", "a", "b"]})
    model = GeneralizedLinearModel("gamma").fit(frame, [1, 3, 2, 6, 4, 9])
    assert model.design_.names == ["size", "kind=b"]
    assert "kind=b" in model.summary(frame, [1, 3, 2, 6, 4, 9]).terms


def test_saved_and_loaded(tmp_path):
    X, y = rows_of("negative_binomial")
    model = GeneralizedLinearModel("negative_binomial").fit(X, y)
    assay.save(model, tmp_path / "m.assay")
    again = assay.load(tmp_path / "m.assay")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.score(X, y) == model.score(X, y)


def test_explains_the_way_to_the_mean():
    X, y = rows_of("poisson")
    model = GeneralizedLinearModel("poisson").fit(X, y)
    told = model.explain(X[:1])
    link, eta, mean = told.sections[-1].rows[0]
    assert link == "log"
    assert mean == pytest.approx(np.exp(eta))
    assert told.answer == mean


def test_the_terms_of_an_explanation_add_up_to_the_linear_predictor():
    """The exposure is a term, too: its logarithm; the base is the intercept in every row."""
    X, _ = rows_of("poisson")
    years = np.linspace(0.5, 4, len(X))
    y = np.random.default_rng(3).poisson(years)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(years=years)
    model = GeneralizedLinearModel("poisson", exposure="years").fit(frame, y)
    terms, link = model.explain(frame[4:5]).sections
    products = {row[0]: row[-1] for row in terms.rows}
    assert products["years"] == pytest.approx(np.log(years[4]))
    assert products["sum"] == pytest.approx(link.rows[0][1])
    assert np.exp(link.rows[0][1]) == pytest.approx(model.predict(frame[4:5])[0])
    contributions = model.explain(frame[:6]).to_frame()
    np.testing.assert_allclose(contributions["base"], model.intercept_)
    np.testing.assert_allclose(contributions["years"], np.log(years[:6]))


def test_a_target_of_two_columns_is_refused():
    """The second one is no offset."""
    X, y = rows_of("poisson")
    for model in (GeneralizedLinearModel("poisson"), GeneralizedLinearModel("poisson", exposure=0)):
        with pytest.raises(DataError, match="1d array, got several columns"):
            model.fit(np.abs(X) + 1, np.column_stack((y, y)))


def test_warm_start_goes_on():
    X, y = rows_of("gamma")
    model = GeneralizedLinearModel("gamma", warm_start=True).fit(X, y)
    coef = model.coef_.copy()
    assert model.fit(X, y).n_iter_ <= 1
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-9)


@pytest.mark.parametrize(
    ("family", "bad", "words"),
    [
        ("poisson", -1.0, "numbers from 0 up"),
        ("gamma", 0.0, "numbers above 0"),
        ("binomial", 1.5, "shares from 0 to 1"),
        ("tweedie", -0.1, "numbers from 0 up"),
    ],
)
def test_targets_outside_of_the_family_are_named(family, bad, words):
    X, y = rows_of("binomial")
    y = np.clip(y, 0.2, 0.8)
    y[2] = bad
    with pytest.raises(DataError, match=rf"row 3 of y is {bad:g}.*{words}"):
        GeneralizedLinearModel(family).fit(X, y)


def test_wrong_parameters_get_a_sentence():
    X, y = rows_of("poisson")
    with pytest.raises(ParameterError, match="Did you mean logit"):
        GeneralizedLinearModel("binomial", "logitt").fit(X, y)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        GeneralizedLinearModel("tweedie", power=0.5).fit(X, y)
    with pytest.raises(ParameterError, match="none of the columns"):
        GeneralizedLinearModel("poisson", exposure="years").fit(X, y)
    with pytest.raises(ParameterError, match="no column of a table of 3"):
        GeneralizedLinearModel("poisson", offset=3).fit(X, y)
    with pytest.raises(ParameterError, match="needs link='log'"):
        GeneralizedLinearModel("gaussian", exposure=0).fit(X, y)
    with pytest.raises(DataError, match=r"exposure of row \d+ is .*above 0"):
        GeneralizedLinearModel("poisson", exposure=0).fit(X, y)
    with pytest.raises(ParameterError, match="family must be one of"):
        GeneralizedLinearModel("weibull").fit(X, y)


def test_means_that_the_family_cannot_have_are_refused():
    X, y = rows_of("gamma")
    model = GeneralizedLinearModel("gamma", "identity").fit(X, y)
    with pytest.raises(DataError, match="no mean of the gamma family"):
        model.predict([[1e6 * -np.sign(model.coef_[0]), 0, 0]])


def test_dependent_columns_have_no_standard_errors():
    X, y = rows_of("poisson")
    X = np.column_stack((X, X[:, 0] + X[:, 1]))
    model = GeneralizedLinearModel("poisson").fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(DegenerateError, match="combination of the columns before it"):
        model.summary(X, y)


def test_all_zero_counts_and_one_value():
    X, _ = rows_of("poisson")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        none = GeneralizedLinearModel("poisson").fit(X, np.zeros(len(X)))
    assert none.predict(X).max() < 1e-3
    same = GeneralizedLinearModel("gamma").fit(X, np.full(len(X), 7.0))
    np.testing.assert_allclose(same.predict(X), 7.0, rtol=1e-9)


def test_a_row_whose_mean_overflows_is_explained_without_a_raw_warning():
    X = np.random.default_rng(0).normal(size=(40, 1))
    y = np.floor(np.exp(X[:, 0] + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = str(GeneralizedLinearModel("poisson").fit(X, y).explain([[1e4]]))
        with pytest.raises(DegenerateError, match=r"the linear predictor of row 1 is .* beyond all bounds"):
            BayesianGeneralizedLinearModel("poisson").fit(X, y).explain([[1e4]])
    assert "inf" in text
