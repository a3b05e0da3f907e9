"""What all models with EM keep: extremes of length, gaps, equal rows, blocks, and likelihoods that never fall."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.sequences import (
    GMMHMM,
    ArcEmissionHMM,
    AutoregressiveHMM,
    CategoricalHMM,
    CoupledHMM,
    FactorialHMM,
    GaussianHMM,
    HiddenSemiMarkovModel,
    InputOutputHMM,
    LinearDynamicalSystem,
    MarkovMixtureOfExperts,
    SwitchingHMM,
)
from assay.sequences.monotone import warn_if_fell

rng = np.random.default_rng(0)
WALK = np.cumsum(rng.normal(size=(80, 2)), axis=0)
MODELS = {
    "ArcEmissionHMM": ArcEmissionHMM(2, random_state=0, n_iter=5),
    "AutoregressiveHMM": AutoregressiveHMM(2, random_state=0, n_iter=5),
    "CoupledHMM": CoupledHMM((2, 2), random_state=0, n_iter=5),
    "FactorialHMM": FactorialHMM((2, 2), random_state=0, n_iter=5),
    "HiddenSemiMarkovModel": HiddenSemiMarkovModel(2, 5, random_state=0, n_iter=5),
    "InputOutputHMM": InputOutputHMM(2, random_state=0, n_iter=5),
    "MarkovMixtureOfExperts": MarkovMixtureOfExperts(2, random_state=0, n_iter=5),
    "SwitchingHMM": SwitchingHMM((2, 1), random_state=0, n_iter=5),
}
EVERY = pytest.mark.parametrize("name", MODELS)


def fresh(name, **settings):
    return MODELS[name].__class__(**{**MODELS[name].get_params(), **settings})


@EVERY
def test_the_likelihood_never_falls_and_blocks_are_the_same_sums(name):
    parts = [WALK[:30], WALK[30:]]
    model = fresh(name, tol=-np.inf).fit(parts)
    history = [record["log_likelihood"] for record in model.history_]
    assert np.all(np.diff(history) > -1e-8 * np.abs(history[:-1]))
    again = fresh(name, tol=-np.inf)
    vars(again).update({k: v for k, v in vars(fresh(name, n_iter=0).fit(parts)).items() if k.endswith("_")})
    again.set_params(init_params="")
    again.fit_blocks([[part] for part in parts])
    assert_allclose([r["log_likelihood"] for r in again.history_], history, rtol=1e-8)
    twice = fresh(name, n_iter=0, init_params="")
    vars(twice).update({k: v for k, v in vars(model).items() if k.endswith("_")})
    assert_allclose(twice.score([*parts, parts[0]]), model.score(parts) + model.score(parts[:1]), rtol=1e-10)


@EVERY
def test_gaps_one_row_and_many_short_sequences(name):
    model = fresh(name).fit(WALK)
    gap = WALK[:10].copy()
    gap[4, 1] = np.nan
    if name != "MarkovMixtureOfExperts":
        gap[7] = np.nan
    assert np.isfinite(model.score(gap))
    assert np.isfinite(model.predict_proba(gap)).all()
    assert_allclose(model.predict_proba(gap).sum(axis=1), 1)
    assert model.predict(WALK[:1]).shape == (1,)
    short = model.score(WALK, lengths=np.ones(80, dtype=int))
    assert_allclose(short, sum(model.score(WALK[t : t + 1]) for t in range(80)), rtol=1e-9, atol=1e-9)
    assert_allclose(model.log_likelihoods(WALK[:3], lengths=[0, 3, 0])[[0, 2]], 0.0)  # nothing is certain


@EVERY
def test_equal_rows_are_learned_without_a_crash(name):
    model = fresh(name).fit(np.ones((12, 2)))
    assert np.isfinite(model.score(np.ones((12, 2))))


@EVERY
def test_long_sequences_do_not_underflow(name):
    model = fresh(name).fit(WALK)
    long = np.tile(WALK[:50], (200, 1))
    assert np.isfinite(model.score(long))
    stream = model.stream()
    for row in WALK[:6]:
        belief = stream.update(row)
    assert_allclose(belief.sum(), 1)
    assert_allclose(stream.log_likelihood, model.score(WALK[:6]), rtol=1e-9)


def test_numbers_that_cannot_be_squared_are_named():
    X = np.ones((20, 2))
    X[7, 1] = 1e200
    for model in (GaussianHMM(2), GMMHMM(2), LinearDynamicalSystem(1)):
        with pytest.raises(DataError, match=r"'x1' has 1e\+200 in row 7"):
            model.fit(X)


def test_a_hundred_thousand_sequences_of_one_row_and_a_thousand_columns():
    rng = np.random.default_rng(0)
    symbols = rng.integers(0, 3, (100_000, 1))
    model = CategoricalHMM(2, n_iter=3, tol=-np.inf, random_state=0).fit(symbols, [1] * 100_000)
    shares = np.bincount(symbols[:, 0]) / 1e5
    assert_allclose(model.startprob_ @ model.emissionprob_, shares, atol=1e-3)
    wide = rng.normal(size=(60, 1000))
    wide[30:] += 3.0  # densities of 1e-600 a row
    learned = GaussianHMM(2, n_iter=5, random_state=0).fit(wide)
    states = learned.predict(wide)
    assert np.isfinite(learned.score(wide)) and len(set(states[:30])) == len(set(states[30:])) == 1
    assert states[0] != states[-1]


def test_dask_frames_and_arrays_are_no_bags():
    """A partition of rows may end within a sequence."""
    array = pytest.importorskip("dask.array")
    frame = pytest.importorskip("dask.dataframe")
    bag = pytest.importorskip("dask.bag")
    rows = np.random.default_rng(0).normal(size=(20, 2))
    for wrong in (array.from_array(rows), frame.from_pandas(pd.DataFrame(rows), npartitions=2)):
        with pytest.raises(DataError, match="sequences on Dask are a bag, one item a sequence"):
            GaussianHMM(2).fit(wrong)
    with pytest.raises(DataError, match="of a Dask bag every sequence counts once"):
        GaussianHMM(2).fit(bag.from_sequence([rows, rows]), sample_weight=[1, 2])


def test_weights_that_are_all_zero_are_refused():
    rows = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(DataError, match="sample_weight is 0 for every sequence"):
        GaussianHMM(2).fit([rows, rows], sample_weight=[0, 0])


SMALL = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (30, 2))]) * 1e-4


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (GaussianHMM(2, random_state=0), "covars_prior=0.01 adds 0.000333"),
        (GaussianHMM(2, covars_prior=0.0, random_state=0), "min_covar=0.001 lets"),
        (GMMHMM(2, 2, random_state=0), "min_covar=0.001 lets"),
        (AutoregressiveHMM(2, random_state=0), "min_covar=0.001 lets"),
        (HiddenSemiMarkovModel(2, 5, random_state=0), "min_covar=0.001 lets"),
        (InputOutputHMM(2, random_state=0), "min_covar=0.001 lets"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_numbers_smaller_than_the_least_variance_are_warned_of(model, parameter):
    """Such as daily returns: the defaults are hmmlearn's, and with them the states would be lost without a word."""
    column = "x1" if isinstance(model, InputOutputHMM) and not isinstance(model, AutoregressiveHMM) else "x0"
    with pytest.warns(DegenerateWarning, match=rf"column {column}.* has variance 2\S*e-07, and {parameter}"):
        model.fit(SMALL)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DegenerateWarning)
        model.fit(SMALL * 1e4)
        model.fit(np.ones((20, 2)))  # a constant has no variance in any unit


@pytest.mark.parametrize("name", ["AutoregressiveHMM", "InputOutputHMM"])
def test_units_and_origins_of_columns_do_not_matter_to_regressions_in_states(name):
    X = np.round(WALK * 1024) / 1024
    model = fresh(name, n_iter=30, tol=-np.inf).fit(X)
    for unit, origin in ((2.0**60, 0.0), (1.0, 2.0**20)):
        other = fresh(name, n_iter=30, tol=-np.inf).fit(X * unit + origin)
        numbers = 2 * (len(X) - 1) if name == "AutoregressiveHMM" else len(X)
        scaled = other.score(X * unit + origin) + numbers * np.log(unit)
        assert_allclose(scaled, model.score(X), atol=1e-3)


def test_inputs_of_what_is_to_come_are_checked():
    for name in ("InputOutputHMM", "MarkovMixtureOfExperts"):
        model = fresh(name).fit(WALK)
        for wrong, sentence in (
            (2, r"a column for each of the 1 inputs, got an array of shape \(\)"),
            ([[1.0, 2.0]], r"got an array of shape \(1, 2\)"),
            ([], r"got an array of shape \(0, 1\)"),
            ("ab", "inputs must be numbers, got 'ab'"),
            ([0.5, np.nan], "inputs must be finite, got nan in row 1, column 0"),
        ):
            with pytest.raises(ParameterError, match=sentence):
                model.forecast(WALK[:5], wrong)
            with pytest.raises(ParameterError, match=sentence):
                model.sample(wrong)
        assert model.forecast(WALK[:5], [0.5, 1.0]).mean.shape == (2, 1)


def test_what_is_no_sequence_is_named():
    for wrong, sentence in (
        ({1, 2, 3}, "X is a set, which has no order"),
        ((row for row in WALK), "X is a generator, which .* is read only once.* Give a list"),
        ([[[1, 2], [3]], [[1, 2]]], "the rows of a sequence must have the same columns"),
    ):
        with pytest.raises(DataError, match=sentence):
            GaussianHMM(2).fit(wrong)
    absent = WALK.copy()
    absent[:, 1] = np.nan
    with pytest.raises(DataError, match="column 'x1' is missing in every row"):
        LinearDynamicalSystem(1).fit(absent)


def test_a_likelihood_that_falls_is_reported():
    with pytest.warns(DegenerateWarning, match="Model: the log likelihood fell by 2 in a step of EM"):
        warn_if_fell([-5.0, -3.0, -5.0, -4.0], "Model")
    warn_if_fell([-5.0, -3.0, -3.0 - 1e-9], "Model")  # rounding


def test_draws_of_a_system_in_unequal_units():
    unequal = WALK * [1e100, 1e-100]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        drawn = LinearDynamicalSystem(1, n_iter=5).fit(unequal).sample(50, random_state=0)[0]
    assert (
        np.isfinite(drawn).all() and 1e97 < drawn[:, 0].std() < 1e103 and 1e-103 < drawn[:, 1].std() < 1e-97
    )


@pytest.mark.parametrize(
    ("exact", "seed"), [("constant", 1), ("constant", 2), ("large constant", 3), ("wave", 0), ("zero", 0)]
)
def test_a_column_without_noise_leaves_the_noise_of_the_others(exact, seed):
    """Its variance is what rounding leaves of the difference of squares, also 0 or less; it became 1e272 of others."""
    other = np.random.default_rng(seed).normal(size=60)
    column = {
        "constant": np.full(60, 3.0),
        "large constant": np.full(60, 1e6),
        "wave": np.sin(np.arange(60) / 5),
        "zero": np.zeros(60),
    }[exact]
    both = np.column_stack([column, other])
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DegenerateWarning
        )  # rounding decides of the likelihood of such a column
        model = LinearDynamicalSystem(2, n_iter=150, tol=1e-12).fit(both)
    noise = model.observation_noise_
    assert 0 < noise[1, 1] < 4 * other.var()
    assert np.linalg.eigvalsh(noise).min() >= 0 and noise[0, 0] >= np.finfo(float).tiny
    ahead = model.forecast(both, 1)
    assert np.isfinite(ahead.mean).all() and ahead.high[0, 1] - ahead.low[0, 1] < 10 * other.std()
