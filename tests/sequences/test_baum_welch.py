"""Steps of Baum-Welch in native code against the same steps one by one in Python, its readable twin."""

import numpy as np
import pytest

from assay.errors import DegenerateError, ParameterError
from assay.sequences import CategoricalHMM, GaussianHMM, MultinomialHMM, PoissonHMM, baum_welch

LENGTHS = [1, 40, 0, 25, 34]
CHAIN = {
    "startprob_": np.array([0.5, 0.3, 0.2]),
    "transmat_": np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]),
}
MEANS = np.array([[-1.0, 0.0], [0.5, 1.0], [2.0, -1.0]])
EMISSIONS = np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.6, 0.2, 0.1], [0.1, 0.1, 0.6, 0.2]])
RATES = np.array([[1.0, 4.0], [3.0, 2.0], [6.0, 0.5]])


def numbers():
    rng = np.random.default_rng(0)
    return MEANS[rng.integers(0, 3, 100)] + rng.normal(size=(100, 2))


def symbols():
    return np.random.default_rng(1).integers(0, 4, (100, 1)).astype(float)


def counts():
    return np.random.default_rng(2).poisson(3.0, (100, 2)).astype(float)


def trials():
    return np.random.default_rng(3).multinomial(6, [0.3, 0.3, 0.2, 0.2], 100).astype(float)


def with_gaps(X, share=0.1, rows=False):
    X, gone = X.copy(), np.random.default_rng(4).random(X.shape) < share
    X[gone.any(axis=1) if rows else gone] = np.nan
    return X


def gaussian(kind, scale=1.0, **settings):
    matrix = scale * np.array([[1.0, 0.3], [0.3, 2.0]])
    covars = {"diag": np.ones((3, 2)), "spherical": np.ones((3, 2)), "tied": matrix}
    settings = {"n_iter": 6, "tol": -np.inf, **settings}
    model = GaussianHMM(3, covariance_type=kind, init_params="", **settings)
    model.means_ = MEANS
    model.covars_ = covars.get(kind, np.tile(matrix, (3, 1, 1)))
    return model, numbers()


def of_symbols(**settings):
    model = CategoricalHMM(3, n_iter=6, tol=-np.inf, init_params="", **settings)
    model.emissionprob_ = EMISSIONS
    return model, symbols()


def of_counts(**settings):
    model = PoissonHMM(3, n_iter=6, tol=-np.inf, init_params="", **settings)
    model.lambdas_ = RATES
    return model, counts()


def of_trials(**settings):
    model = MultinomialHMM(3, n_iter=6, tol=-np.inf, init_params="", **settings)
    model.emissionprob_ = EMISSIONS
    return model, trials()


CASES = {
    "symbols": of_symbols,
    "symbols with priors": lambda: of_symbols(
        startprob_prior=np.array([1.0, 2.0, 0.5]), transmat_prior=1.5, emissionprob_prior=0.8
    ),
    "symbols, missing": lambda: (of_symbols()[0], with_gaps(symbols())),
    "symbols, emissions alone": lambda: of_symbols(params="e"),
    "symbols, chain alone": lambda: of_symbols(params="st"),
    "symbols, left to right": lambda: of_symbols(topology="left-to-right"),
    "diag": lambda: gaussian("diag"),
    "diag with priors": lambda: gaussian(
        "diag", means_prior=np.array([0.0, 1.0, 2.0]), means_weight=3.0, covars_prior=0.5, covars_weight=4.0
    ),
    "diag, missing": lambda: (gaussian("diag")[0], with_gaps(numbers())),
    "diag, means alone": lambda: gaussian("diag", params="m"),
    "diag, covariances alone": lambda: gaussian("diag", params="c"),
    "diag, maximum likelihood": lambda: gaussian("diag", covars_prior=0.0),
    "spherical": lambda: gaussian("spherical"),
    "full": lambda: gaussian("full"),
    "full with priors": lambda: gaussian(
        "full",
        means_prior=np.array([0.0, 1.0, 2.0]),
        means_weight=np.array([1.0, 2.0, 3.0]),
        covars_weight=5.0,
    ),
    "full, maximum likelihood": lambda: gaussian("full", covars_prior=0.0),
    "full, at the floor": lambda: gaussian("full", 4.0, covars_prior=0.0, min_covar=3.0),
    "full, missing": lambda: (gaussian("full")[0], with_gaps(numbers())),
    "tied": lambda: gaussian("tied"),
    "tied, at the floor": lambda: gaussian("tied", 4.0, covars_prior=0.0, min_covar=3.0),
    "counts": of_counts,
    "counts with priors": lambda: of_counts(lambdas_prior=2.0, lambdas_weight=np.array([0.5, 1.0, 2.0])),
    "counts, missing": lambda: (of_counts()[0], with_gaps(counts())),
    "trials": of_trials,
    "trials, missing": lambda: (of_trials()[0], with_gaps(trials(), 0.05)),
}


def both_ways(make, monkeypatch, **settings):
    """The model fitted by native steps, and step by step."""
    fitted = []
    for natively in (True, False):
        model, X = make()
        vars(model).update({name: value.copy() for name, value in CHAIN.items()})
        if model.topology is not None:
            model.startprob_, model.transmat_ = np.eye(3)[0], np.triu(CHAIN["transmat_"])
            model.transmat_ /= model.transmat_.sum(axis=1, keepdims=True)
        monkeypatch.setattr(type(model), "_has_native_steps", natively)
        fitted.append(model.fit(X, LENGTHS, **settings))
    return fitted


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 2.0, 0.0, 1.5]])
def test_native_steps_are_the_steps_of_python(case, weights, monkeypatch):
    native, plain = both_ways(CASES[case], monkeypatch, sample_weight=weights)
    assert native.n_iter_ == plain.n_iter_ == 6
    for name, value in vars(plain).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_allclose(getattr(native, name), value, rtol=1e-9, atol=1e-12, err_msg=name)
    logs = [[record["log_likelihood"] for record in model.history_] for model in (native, plain)]
    np.testing.assert_allclose(*logs, rtol=1e-10)


@pytest.mark.parametrize("case", ["symbols", "diag", "full", "tied", "counts", "trials"])
def test_native_code_takes_the_steps(case, monkeypatch):
    calls = []
    monkeypatch.setattr(type(CASES[case]()[0]), "_summarize", lambda *_: calls.append(1))
    model, X = CASES[case]()
    vars(model).update(CHAIN)
    model.fit(X, LENGTHS)
    assert not calls
    assert model.n_iter_ == 6


@pytest.mark.parametrize("make", [of_symbols, lambda: gaussian("full"), of_counts])
def test_calls_of_one_step_each_give_the_same_numbers(make, monkeypatch):
    """Between calls Ctrl-C is heard."""
    at_once = both_ways(make, monkeypatch)[0]
    monkeypatch.setattr(baum_welch, "WORK_OF_A_CALL", 1)
    one_by_one = both_ways(make, monkeypatch)[0]
    assert one_by_one.history_ == at_once.history_
    assert np.array_equal(one_by_one.transmat_, at_once.transmat_)


def test_ctrl_c_ends_long_learning_and_leaves_no_model(monkeypatch):
    model, X = of_symbols()
    vars(model).update(CHAIN)
    model.n_iter = 10**6
    took, real = [], baum_welch.Steps.take

    def take(self, *given):
        took.append(1)
        if len(took) > 2:
            raise KeyboardInterrupt
        return real(self, *given)

    monkeypatch.setattr(baum_welch.Steps, "take", take)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, LENGTHS)
    assert len(took) == 3
    assert not hasattr(model, "transmat_")


@pytest.mark.parametrize("tol", [0.5, 0.05, 1e-3])
def test_it_stops_when_the_likelihood_rises_by_less_than_tol(tol, monkeypatch):
    native, plain = both_ways(lambda: gaussian("diag", tol=tol, n_iter=500), monkeypatch)
    logs = [record["log_likelihood"] for record in native.history_]
    assert native.converged_ and native.n_iter_ == plain.n_iter_ < 500
    rises = np.diff(logs)
    assert rises[-1] < tol <= rises[:-1].min()


def test_a_lost_state_is_found_again_by_logarithms(monkeypatch):
    """Two states that never change into each other, and evidence for the second that comes late."""

    def make():
        model = GaussianHMM(2, n_iter=3, tol=-np.inf, init_params="", params="mc")
        model.means_, model.covars_ = np.array([[0.0], [60.0]]), np.ones((2, 1))
        return model, np.array([[0.0]] * 3 + [[60.0]] * 5)

    fitted = []
    for natively in (True, False):
        model, X = make()
        model.startprob_, model.transmat_ = np.array([0.5, 0.5]), np.eye(2)
        monkeypatch.setattr(GaussianHMM, "_has_native_steps", natively)
        fitted.append(model.fit(X))
    np.testing.assert_allclose(fitted[0].means_, fitted[1].means_, rtol=1e-12)
    np.testing.assert_allclose(fitted[0].log_likelihood_, fitted[1].log_likelihood_, rtol=1e-12)


def test_impossible_rows_and_singular_covariances_are_named_as_in_python():
    model, X = of_symbols()
    vars(model).update(CHAIN)
    model.emissionprob_ = np.array([[0.5, 0.5, 0.0, 0.0]] * 3)
    with pytest.raises(DegenerateError, match=r"row 0 \(counted from 0\) is impossible"):
        model.fit(np.full((5, 1), 2.0))
    plane = GaussianHMM(1, covariance_type="full", covars_prior=0.0, min_covar=0.0, init_params="", n_iter=5)
    plane.startprob_, plane.transmat_ = np.ones(1), np.ones((1, 1))
    plane.means_, plane.covars_ = np.zeros((1, 2)), np.eye(2)[None]
    with pytest.raises(DegenerateError, match="covariance of state 0 is singular"):
        plane.fit(np.outer(np.arange(9.0), [1.0, 0.0]))


def test_priors_that_do_not_fit_the_states_are_named():
    with pytest.raises(ParameterError, match=r"startprob_prior must be a number or fit the shape \(3,\)"):
        CategoricalHMM(3, startprob_prior=np.ones(2)).fit([[0, 1, 0]])
    with pytest.raises(ParameterError, match=r"covars_prior must be a number or fit the shape \(3, 2\)"):
        GaussianHMM(3, covars_prior=np.ones(5), random_state=0).fit(numbers())
