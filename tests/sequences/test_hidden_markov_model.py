"""Hidden Markov models: the oracles of the urns, EM, gaps, known states, topologies, sums, extremes."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from tests.sequences.urns import START, A, B, O, urns

import assay
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, SchemaWarning
from assay.mixture import GaussianMixture
from assay.sequences import (
    GMMHMM,
    CategoricalHMM,
    GaussianHMM,
    MarkovChain,
    MixedHMM,
    MultinomialHMM,
    PoissonHMM,
    Sequences,
    choose_n_states,
    grow_states,
    left_to_right,
)
from assay.sequences.chain import Chain, Frames, pad

rng = np.random.default_rng(0)
WALK = np.cumsum(rng.normal(size=(120, 2)), axis=0)
MODELS = {
    "CategoricalHMM": (CategoricalHMM(3, random_state=0), rng.integers(0, 4, size=(120, 1))),
    "MultinomialHMM": (MultinomialHMM(2, random_state=0), rng.multinomial(5, [0.2, 0.3, 0.5], size=120)),
    "PoissonHMM": (PoissonHMM(2, random_state=0), rng.poisson(3, size=(120, 2))),
    "GaussianHMM": (GaussianHMM(3, random_state=0, covariance_type="full"), WALK),
    "GMMHMM": (GMMHMM(2, 2, random_state=0), WALK),
    "MixedHMM": (MixedHMM(2, random_state=0), WALK),
}
EVERY = pytest.mark.parametrize("name", MODELS)


@pytest.mark.capability("IML-15-06")
def test_urns_of_one_colour_are_the_chain_itself():
    model = urns()
    model.emissionprob_ = np.eye(3)
    assert_allclose(np.exp(model.score([[0, 0, 2, 2]])), 0.048, rtol=1e-12)
    assert_allclose(model.score([[0, 0, 2, 2]]), MarkovChain.of(START, A).score([[0, 0, 2, 2]]))
    X, states = urns(random_state=0).sample(5000)
    assert_allclose(np.bincount(X.ravel()[states == 1]) / (states == 1).sum(), B[1], atol=0.03)
    with pytest.raises(ParameterError, match="rows that sum to 1"):
        broken = urns()
        broken.transmat_ = np.ones((3, 3))
        broken.score([O])


@pytest.mark.capability("IML-15-07")
def test_evaluation():
    # Oracle: IML 15.5, by enumeration of all paths.
    assert_allclose(np.exp(urns().score([O])), 0.0007938592, rtol=1e-9)
    assert_allclose(urns().score([O * 400]), -3135.671592, atol=5e-7)
    filtered = urns().filter([O])
    alpha = np.array([0.0001187018, 0.000247099, 0.0004280584])
    assert_allclose(filtered[-1], alpha / alpha.sum(), rtol=1e-6)


@pytest.mark.capability("IML-15-07")
def test_the_tables_of_the_forward_and_the_backward_recursion():
    """Oracle: IML 15.5, by enumeration. The posterior is alpha times beta, the filter is alpha, both scaled to 1."""
    alpha = np.array(
        [
            [0.25, 0.02, 0.03],
            [0.0535, 0.009, 0.0103],
            [0.004846, 0.004496, 0.015654],
            [0.0008806, 0.00343008, 0.00148762],
            [0.0001187018, 0.000247099, 0.0004280584],
        ]
    )
    beta = np.array(
        [
            [0.00281492, 0.00195328, 0.00170212],
            [0.010468, 0.01064, 0.013404],
            [0.0374, 0.052, 0.0242],
            [0.13, 0.12, 0.18],
            [1, 1, 1],
        ]
    )
    model, shares = urns(), alpha / alpha.sum(axis=1, keepdims=True)
    assert_allclose(model.filter([O]), shares, atol=5e-7)
    assert_allclose(model.predict_proba([O]), alpha * beta / 0.0007938592, atol=2e-6)
    assert_allclose(model.score([O]), -7.1386044424, atol=5e-11)
    scaled = [3.33333333, 4.12087912, 2.91246599, 4.31091872, 7.30394004]  # 1 / p(row | rows before)
    stream = model.stream()
    logs = []
    for symbol in O:
        stream.update([symbol])
        logs.append(stream.log_likelihood)
    assert_allclose(np.exp(-np.diff(logs, prepend=0.0)), scaled, atol=5e-9)


@pytest.mark.capability("IML-15-08")
def test_pointwise_posterior():
    gamma = urns().predict_proba([O])
    rows = [
        (0.88646702, 0.04920973, 0.06432325),
        (0.70546263, 0.12062592, 0.17391144),
        (0.22830295, 0.29450059, 0.47719646),
        (0.14420441, 0.51849194, 0.33730364),
        (0.14952500, 0.31126300, 0.53921199),
    ]
    assert_allclose(gamma, rows, atol=1e-8)
    assert_array_equal(urns(algorithm="map").predict([O]), [0, 0, 2, 1, 2])
    ways = CategoricalHMM(3)  # pointwise states may make a path that is impossible
    ways.startprob_, ways.emissionprob_ = np.array([0.4, 0.3, 0.3]), np.ones((3, 1))
    ways.transmat_ = np.array([[1.0, 0, 0], [0, 0, 1], [0, 0, 1]])
    assert_allclose(ways.predict_proba([[0, 0]])[1], [0.4, 0, 0.6], atol=1e-12)
    assert_array_equal(ways.decode([[0, 0]], algorithm="map")[1], [0, 2])
    assert_array_equal(ways.predict([[0, 0]]), [0, 0])


@pytest.mark.capability("IML-15-09")
def test_best_path_and_its_trellis():
    log, path = urns().decode([O])
    assert_array_equal(path, [0, 0, 2, 2, 2])
    assert_allclose(np.exp(log), 0.0001152, rtol=1e-9)
    assert_allclose(log, -9.0688408, atol=5e-8)
    explanation = urns().explain([O])
    trellis = explanation.sections[0].rows
    delta = [[0.25, 0.02, 0.03], [0.05, 0.0075, 0.0075], [0.004, 0.003, 0.009], [0.00032, 0.00108, 0.00072]]
    assert_allclose(np.exp([row[2:5] for row in trellis[:4]]), delta, rtol=1e-9)
    assert [row[5:] for row in trellis[1:]] == [[0, 0, 0], [0, 0, 0], [0, 1, 2], [1, 1, 2]]
    ((leaves, ends, odds),) = explanation.sections[1].rows
    assert (leaves, ends) == (2, 1)
    assert_allclose(odds, np.log(0.0001152 / 0.0000648))


@pytest.mark.capability("IML-15-10")
def test_one_step_of_baum_welch():
    model = urns(n_iter=1, init_params="").fit([O])
    assert_allclose(
        model.transmat_,
        [
            [0.49317160, 0.24226668, 0.26456172],
            [0.16197949, 0.60105569, 0.23696482],
            [0.09450856, 0.16930127, 0.73619016],
        ],
        atol=5e-9,
    )
    assert_allclose(
        model.emissionprob_,
        [
            [0.75305499, 0.06821523, 0.10799766, 0.07073211],
            [0.13123933, 0.40066106, 0.22757329, 0.24052633],
            [0.14964991, 0.21188123, 0.29975654, 0.33871232],
        ],
        atol=1e-8,
    )
    assert_allclose(model.startprob_, [0.88646702, 0.04920973, 0.06432325], atol=5e-9)
    assert_allclose(np.exp(model.score([O])), 0.0036965623, atol=5e-11)


@pytest.mark.capability("IML-15-10")
def test_expected_transitions_before_they_are_shares():
    """Oracle: IML 15.7, the sums of xi over time."""
    model = urns()
    frames = Frames(3, pad(np.log(model.emissionprob_[:, O].T)))
    counts = Chain(model.startprob_, model.transmat_).expect(frames, np.array([0, 5])).transitions
    expected = [
        [0.96880454, 0.47591764, 0.51971483],
        [0.15919800, 0.59073448, 0.23289571],
        [0.09949245, 0.17822934, 0.77501300],
    ]
    assert_allclose(counts, expected, atol=1e-8)


@pytest.mark.capability("IML-15-10")
def test_two_sequences_and_a_likelihood_that_never_falls():
    two = [O, [3, 2, 2]]
    model = urns(n_iter=1, init_params="").fit(two)
    assert_allclose(model.monitor_.history, [-10.8406907], atol=5e-8)
    assert_allclose(model.startprob_, [0.58104155, 0.06870344, 0.35025501], atol=5e-9)
    assert_allclose(
        model.transmat_,
        [
            [0.44874761, 0.22630900, 0.32494339],
            [0.15731749, 0.56728954, 0.27539297],
            [0.05821478, 0.08849293, 0.85329229],
        ],
        atol=1e-8,
    )
    assert_allclose(
        model.emissionprob_,
        [
            [0.62918582, 0.05699459, 0.14578909, 0.16803050],
            [0.11053618, 0.33745633, 0.29202204, 0.25998544],
            [0.06056732, 0.08575400, 0.55485252, 0.29882616],
        ],
        atol=1e-8,
    )
    assert_allclose(model.score(two), -9.6949540, atol=5e-8)
    long = urns(n_iter=200, tol=-1, init_params="").fit(two)
    assert np.diff(long.monitor_.history).min() > -1e-11 and long.n_iter_ == 200
    assert_allclose(long.score(two), -10 * np.log(2), atol=1e-6)


@pytest.mark.capability("IML-15-12")
def test_gaussian_oracle():
    model = GaussianHMM(2, covars_prior=0, n_iter=1, init_params="")
    model.startprob_, model.transmat_ = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
    model.means_, model.covars_ = np.array([[0.0], [3.0]]), np.ones((2, 1))
    X = [[-0.5, 0.2, 2.8, 3.5, 0.1, 2.9]]
    assert_allclose(model.score(X), -10.39463294, atol=5e-9)
    log, path = model.decode(X)
    assert_array_equal(path, [0, 0, 1, 1, 0, 1])
    assert_allclose(log, -10.51619373, atol=5e-9)
    assert_allclose(
        model.predict_proba(X)[:, 0],
        [0.99901708, 0.98318500, 0.02295121, 0.00295610, 0.95803349, 0.03280343],
        atol=5e-9,
    )
    model.fit(X)
    assert_allclose(model.means_.ravel(), [-0.01244721, 3.01138514], atol=5e-9)
    assert_allclose(model.covars_.ravel(), [0.26350052, 0.26471858], atol=5e-9)
    assert_allclose(model.transmat_, [[0.35083470, 0.64916530], [0.47166704, 0.52833296]], atol=5e-9)
    assert_allclose(model.score(X), -5.94098375, atol=5e-9)


@pytest.mark.capability("IML-15-13")
def test_identities_of_mixtures():
    """One component is a Gaussian, one state an ordinary mixture; so is a pool of which each state has one."""
    plain = GaussianHMM(2, covars_prior=0, min_covar=1e-9, n_iter=4, init_params="")
    one = GMMHMM(2, 1, min_covar=1e-9, n_iter=4, init_params="")
    pool = GMMHMM(2, 2, min_covar=1e-9, n_iter=4, init_params="", params="stmc", shared=True)
    for model in (plain, one, pool):
        model.startprob_, model.transmat_ = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
    plain.means_, plain.covars_ = WALK[[0, 100]], np.ones((2, 2))
    one.weights_, one.means_, one.covars_ = np.ones((2, 1)), WALK[[0, 100]][:, None], np.ones((2, 1, 2))
    pool.weights_, pool.means_, pool.covars_ = np.eye(2), WALK[[0, 100]], np.ones((2, 2))
    for model in (plain, one, pool):
        model.fit(WALK)
    assert_allclose(one.means_[:, 0], plain.means_, rtol=1e-9)
    assert_allclose(pool.means_, plain.means_, rtol=1e-9)
    assert_allclose(one.score(WALK), plain.score(WALK), rtol=1e-10)
    single = GMMHMM(1, 2, random_state=0, n_iter=200, tol=1e-10, min_covar=1e-9, covariance_type="full").fit(
        WALK
    )
    peer = GaussianMixture(2, reg_covar=0, tol=1e-13, max_iter=2000, means_init=single.means_[0]).fit(WALK)
    assert_allclose(single.score(WALK) / len(WALK), peer.score(WALK), atol=1e-4)


def test_rows_of_transitions_equal_to_the_start_are_an_independent_mixture():
    model = urns()
    model.transmat_ = np.tile(START, (3, 1))
    assert_allclose(model.score([O]), np.log(START @ B)[O].sum(), rtol=1e-12)


@EVERY
def test_the_likelihood_never_falls_without_priors(name):
    model, X = MODELS[name]
    free = {"covars_prior": 0} if name == "GaussianHMM" else {}
    history = clone(model).set_params(n_iter=25, tol=-1, **free).fit(X, [50, 70]).monitor_.history
    assert np.diff(history).min() > -1e-8


@EVERY
def test_blocks_weights_and_copies_are_the_same_sums(name):
    model, X = MODELS[name]
    parts = [X[:30], X[30:70], X[70:]]
    first = clone(model).set_params(n_iter=1).fit(parts)
    for other in ("memory", "blocks", "weights"):
        again = clone(first).set_params(init_params="", n_iter=3)
        for attribute in [a for a in vars(first) if a.endswith("_") and a not in ("schema_", "history_")]:
            setattr(again, attribute, getattr(first, attribute))
        if other == "memory":
            expected = again.fit([*parts, parts[1]]).predict_proba(X)
        elif other == "blocks":
            found = again.fit_blocks([[parts[0]], [parts[1], parts[2]], [parts[1]]]).predict_proba(X)
            assert_allclose(found, expected, atol=1e-9)
        else:
            found = again.fit(parts, sample_weight=[1, 2, 1]).predict_proba(X)
            assert_allclose(found, expected, atol=1e-9)


def test_a_dask_bag_gives_the_same_numbers():
    bag = pytest.importorskip("dask.bag", reason="Dask is an extra")
    parts = [WALK[:30], WALK[30:70], WALK[70:]]
    start = GaussianHMM(2, random_state=0, n_iter=1).fit(parts)
    models = []
    for X in (parts, bag.from_sequence(parts, npartitions=2)):
        model = GaussianHMM(2, init_params="", n_iter=3)
        model.startprob_, model.transmat_ = start.startprob_, start.transmat_
        model.means_, model._covars_ = start.means_, start._covars_
        models.append(model.fit(X))
    assert_allclose(models[1].means_, models[0].means_, rtol=1e-10)


def test_online_steps_lead_to_the_same_model():
    true = urns(random_state=0)
    batches = [[true.sample(50, random_state=100 * b + i)[0] for i in range(10)] for b in range(20)]
    online = urns(init_params="")
    online.emissionprob_ = 0.5 * B + 0.125
    for batch in batches:
        online.partial_fit(batch)
    everything = [part for batch in batches for part in batch]
    fitted = urns(init_params="", n_iter=30)
    fitted.emissionprob_ = 0.5 * B + 0.125
    fitted.fit(everything)
    assert online.score(everything) > fitted.history_[0]["log_likelihood"]
    assert abs(online.score(everything) - fitted.score(everything)) / 10_000 < 0.01
    one = urns(init_params="").partial_fit([O, [3, 2, 2]])
    assert_allclose(one.score([O, [3, 2, 2]]), -9.6949540, atol=5e-8)  # the first call is a step of EM


@EVERY
def test_missing_rows_say_nothing(name):
    """A gap of g rows is the g-step transition matrix: the same as a sequence with that matrix there."""
    model, X = MODELS[name]
    fitted = clone(model).fit(X)
    gapped = X[:5].astype(float)
    gapped[2:4] = np.nan
    posterior, K = fitted.predict_proba(gapped), fitted.n_components
    logs = fitted.family_.log_density(np.asarray(X[[0, 1, 4]], dtype=float))
    steps = [fitted.transmat_, np.linalg.matrix_power(fitted.transmat_, 3)]
    alpha = fitted.startprob_ * np.exp(logs[0])
    for A_, log in zip(steps, logs[1:]):
        alpha = (alpha @ A_) * np.exp(log)
    assert_allclose(fitted.score(gapped), np.log(alpha.sum()), rtol=1e-9)
    assert posterior.shape == (5, K) and np.allclose(posterior.sum(axis=1), 1)


def test_gaps_are_learned_around():
    X = WALK.copy()
    X[rng.uniform(size=X.shape) < 0.2] = np.nan
    for kind in ("diag", "full"):
        model = GaussianHMM(2, covariance_type=kind, covars_prior=0, n_iter=20, tol=-1, random_state=0).fit(X)
        assert np.diff(model.monitor_.history).min() > -1e-8
        assert np.isfinite(model.means_).all()


def test_known_states_are_kept():
    X, states = urns(random_state=1).sample(1500)
    some = np.where(np.arange(1500) % 3 == 0, states, -1)
    model = CategoricalHMM(3, random_state=0, n_iter=200).fit(X, states=some)
    gamma = model.predict_proba(X, states=some)
    assert_allclose(gamma[::3][np.arange(500), states[::3]], 1.0)
    assert np.abs(model.emissionprob_ - B).max() < 0.12
    whole = CategoricalHMM(3, random_state=0, n_iter=1).fit(X, states=states)
    counted = MarkovChain(n_states=3).fit([states])
    assert_allclose(whole.transmat_, counted.transmat_, atol=1e-12)
    with pytest.raises(DataError, match="states must be from 0 to 2"):
        CategoricalHMM(3).fit(X, states=np.full(1500, 7))


@pytest.mark.capability("IML-15-22")
def test_topologies_keep_their_zeros():
    mask = left_to_right(4, jump=2)
    X = [rng.normal(size=(15, 1)) + np.arange(15)[:, None] for _ in range(5)]
    model = GaussianHMM(4, topology=mask, random_state=0, n_iter=20).fit(X)
    assert (model.transmat_[~mask] == 0).all() and model.startprob_.tolist() == [1, 0, 0, 0]
    assert (np.diff(model.predict(X[0])) >= 0).all()
    by_hand = urns(n_iter=20, init_params="")
    by_hand.transmat_ = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1.0]])
    by_hand.fit([O] * 3)
    assert (by_hand.transmat_[np.tril_indices(3, -1)] == 0).all() and by_hand.transmat_[0, 2] == 0
    assert GaussianHMM(4, topology="left-to-right", random_state=0).fit(X).transmat_[0, 2] == 0
    with pytest.raises(ParameterError, match="no way out of state 1"):
        GaussianHMM(2, topology=[[1, 1], [0, 0]]).fit(WALK)


@pytest.mark.capability("IML-15-23")
def test_number_of_states():
    assert urns().n_parameters() == 17
    true = GaussianHMM(2)
    true.startprob_, true.transmat_ = np.array([0.5, 0.5]), np.array([[0.8, 0.2], [0.3, 0.7]])
    true.means_, true.covars_ = np.array([[0.0], [5.0]]), np.ones((2, 1))
    X = [true.sample(30, random_state=i)[0] for i in range(12)]
    curve = choose_n_states(GaussianHMM(random_state=0), X, [1, 2, 3], folds=3)
    assert curve.best("bic") == 2
    one, two, three = curve.choices
    assert two.low > one.held_out and abs(three.held_out - two.held_out) < two.held_out - one.held_out
    assert two.low < two.held_out < two.high and "held-out" in repr(curve)


@pytest.mark.capability("IML-15-27")
def test_states_are_added_while_validation_gains():
    true = CategoricalHMM(2)
    true.startprob_, true.transmat_ = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])
    true.emissionprob_ = np.array([[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]])
    X = [true.sample(60, random_state=i)[0] for i in range(30)]
    grown = grow_states(
        CategoricalHMM(n_iter=50, n_features=3, emissionprob_prior=1.01), X[:15], X[15:], most=5
    )
    assert grown.n_components in (2, 3)


def test_two_streams_are_the_product_of_their_emissions():
    # Oracle: the same chain with one symbol for each pair, whose probabilities are products.
    first, second = rng.dirichlet(np.ones(2), size=3), rng.dirichlet(np.ones(3), size=3)
    two = MixedHMM(3, families={"a": "categorical", "b": "categorical"})
    two.startprob_, two.transmat_ = START, A
    two.families_, two.emissions_ = ["categorical", "categorical"], [first, second]
    pairs = CategoricalHMM(3)
    pairs.startprob_, pairs.transmat_ = START, A
    pairs.emissionprob_ = (first[:, :, None] * second[:, None, :]).reshape(3, 6)
    X = np.column_stack([rng.integers(0, 2, 10), rng.integers(0, 3, 10)])
    assert_allclose(two.score(X), pairs.score(X[:, :1] * 3 + X[:, 1:]), rtol=1e-12)
    sums = two._summarize(assay.core.sums.Block(Sequences.of(X)))
    gamma = two.predict_proba(X)
    assert_allclose(sums["emissions"]["0"]["symbols"][:, 1], gamma[X[:, 0] == 1].sum(axis=0))
    assert_allclose(sums["emissions"]["1"]["symbols"][:, 2], gamma[X[:, 1] == 2].sum(axis=0))


def test_mixed_columns():
    table = pd.DataFrame(
        {"sky": list("ssrr" * 10), "degrees": [20.0, 21, 12, 11] * 10, "calls": [1, 0, 7, 9] * 10}
    )
    model = MixedHMM(2, families={"calls": "poisson"}, random_state=0).fit(table)
    path = model.predict(table)
    assert ((path == path[0]).reshape(-1, 4) == [True, True, False, False]).all()
    table.loc[3, ["sky", "degrees"]] = None
    assert (model.predict(table) == path).all()


def test_several_starts_keep_the_best():
    X = urns(random_state=3).sample(200)[0]
    one = CategoricalHMM(3, random_state=0, n_iter=30).fit(X)
    many = CategoricalHMM(3, random_state=0, n_iter=30, n_init=5).fit(X)
    assert many.log_likelihood_ >= one.log_likelihood_ and many.score(X) >= one.score(X) - 1e-9


def test_forecasts_and_streams():
    model = clone(MODELS["GaussianHMM"][0]).fit(WALK)
    ahead = model.forecast(WALK, 3)
    belief = model.filter(WALK)[-1] @ model.transmat_
    assert_allclose(ahead.states[0], belief)
    assert_allclose(ahead.mean[0], belief @ model.means_)
    assert (ahead.low < ahead.mean).all() and (ahead.mean < ahead.high).all()
    stream = model.stream()
    for row in WALK[:20]:
        last = stream.update(row)
    assert_allclose(last, model.filter(WALK)[19], atol=1e-9)
    assert_allclose(stream.log_likelihood, model.score(WALK[:20]), rtol=1e-9)
    assert urns().forecast([O], 2).mean is None


# ------------------------------------------------------------------ bad input, extremes


def test_impossible_rows_are_named_with_their_time():
    model = urns()
    model.emissionprob_ = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0.5, 0.5, 0, 0]])
    with pytest.warns(DegenerateWarning, match="row 2"):
        assert model.score([[0, 1, 3, 0]]) == -np.inf
    with pytest.warns(DegenerateWarning, match=r"row 2 .* of sequence 1"):
        score, path = model.decode([[0, 1], [0, 1, 3, 0]])
    assert score == -np.inf and path.shape == (6,)
    with pytest.raises(DegenerateError, match=r"row 1 .* of sequence 1"):
        model.set_params(init_params="").fit([[0, 1], [0, 2]])
    assert not hasattr(model, "transmat_")


def test_symbols_that_training_did_not_have_are_missing():
    model = CategoricalHMM(2, random_state=0).fit([list("abba")])
    with pytest.warns(SchemaWarning):
        assert np.isfinite(model.score([list("abz")]))
    numbers = CategoricalHMM(2, random_state=0).fit([[0, 1, 1]])
    with pytest.warns(SchemaWarning, match="from 2 up"):
        assert_allclose(numbers.score([[0, 5]]), numbers.score([[0.0, np.nan]]))


def test_states_that_empty_keep_their_rows():
    model = urns(n_iter=5, init_params="")
    model.startprob_, model.transmat_ = (
        np.array([1.0, 0, 0]),
        np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]),
    )
    model.fit([O])
    assert_allclose(model.transmat_[2], [0.2, 0.3, 0.5])
    assert_allclose(model.emissionprob_[2], B[2])


@pytest.mark.parametrize("T", [1, 1_000_000])
def test_very_short_and_very_long(T):
    X = np.tile([0, 1], T)[:T].reshape(-1, 1)
    model = urns(n_iter=1, init_params="").fit(X)
    assert np.isfinite(model.score(X)) and len(model.predict(X)) == T


def test_many_sequences_of_one_row():
    X = np.arange(100_000).reshape(-1, 1) % 4
    model = urns(n_iter=1, init_params="").fit(X, np.ones(100_000, dtype=int))
    assert_allclose(model.transmat_, A)  # nothing was seen to move
    assert_allclose(model.startprob_.sum(), 1)
    assert_allclose(urns().score(X[:4], [1] * 4), np.log(START @ B).sum())


def test_a_thousand_columns_do_not_underflow():
    X = rng.normal(size=(40, 1000)) + 3 * (np.arange(40) % 2)[:, None]
    model = GaussianHMM(2, random_state=0, topology="left-to-right").fit(X)
    assert np.isfinite(model.log_likelihood_) and np.isfinite(model.score(X))
    free = GaussianHMM(2, random_state=0).fit(X)
    path = free.predict(X)
    assert (path == path[0]).tolist() == (np.arange(40) % 2 == 0).tolist()


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e120])
def test_equal_rows_and_extreme_scales(scale):
    X = np.full((10, 2), scale)
    model = GaussianHMM(2, random_state=0, n_iter=3).fit(X)
    assert np.isfinite(model.score(X))


@pytest.mark.parametrize("kind", ["full", "tied"])
@pytest.mark.parametrize(
    "X", [np.ones((30, 3)), np.arange(3.0)[None], np.outer(np.arange(9.0), [1.0, -2.0, 3.0])]
)
def test_rows_that_fill_no_volume_keep_the_least_variance(kind, X):
    """Covariance matrices of equal rows, of a single one, and of rows on a line."""
    for model in (
        GaussianHMM(2, kind, random_state=0),
        GMMHMM(2, n_mix=2, covariance_type=kind, random_state=0),
    ):
        model.fit(X)
        assert np.isfinite(model.score(X)) and np.isfinite(model.predict_proba(X)).all()
        assert np.linalg.eigvalsh(model.covars_).min() >= 1e-3 * (1 - 1e-6)
    with pytest.raises(DegenerateError, match="min_covar above 0"):
        GaussianHMM(2, kind, min_covar=0.0, random_state=0).fit(X)


def test_wrong_questions_about_what_follows():
    model = clone(MODELS["GaussianHMM"][0]).fit(WALK)
    for wrong, words in (
        ({"steps": 0}, "steps must be a whole number from 1 up, got 0"),
        ({"coverage": 2}, "coverage must be a number from 0 to 1"),
    ):
        with pytest.raises(ParameterError, match=words):
            model.forecast(WALK, **wrong)
    with pytest.raises(ParameterError, match="n_samples must be"):
        model.sample(0)
    with pytest.raises(ParameterError, match="currstate must be a whole number from 0 to"):
        model.sample(3, currstate=99)


@pytest.mark.parametrize(
    ("model", "X", "words"),
    [
        (GaussianHMM(2), [[0.0, np.inf]], "infinity"),
        (GaussianHMM(2), [list("ab")], "MixedHMM"),
        (GaussianHMM(2), np.empty((0, 2)), "no row|Found array|0 sample"),
        (CategoricalHMM(2), [[0.5, 1.0]], "whole numbers"),
        (CategoricalHMM(2), [[np.nan, np.nan]], "missing"),
        (CategoricalHMM(2, n_features=2), [[0, 1, 2]], "n_features is 2"),
        (CategoricalHMM(2), [[0, 1], [2, -1]], r"row 3 \(counted from 0\) has -1"),
        (CategoricalHMM(2), [[0, 10**9]], "the largest symbol is 1000000000, so 2 states would have"),
        (
            PoissonHMM(2),
            [[1, -1]],
            r"whole numbers from 0 up; row 1 \(counted from 0\) of column 'x0' has -1",
        ),
        (PoissonHMM(2), [list("ab")], "column 'x0' holds categories"),
        (MultinomialHMM(2), np.array([[1, 2], [0.5, 1]]), r"row 1 \(counted from 0\) of column 'x0' has 0.5"),
        (MultinomialHMM(2, n_trials=3), np.array([[1, 1]]), "n_trials"),
        (GaussianHMM(2), [], "there is no sequence"),
        (GaussianHMM(2), np.array([[1.0, np.nan], [2.0, np.nan]]), "column 'x1' is missing in every row"),
        (GMMHMM(2, n_mix=2), np.array([[1.0, np.nan], [2.0, np.nan]]), "'x1' is missing in every row"),
        (GaussianHMM(0), WALK, "n_components"),
        (GaussianHMM(2, covariance_type="round"), WALK, "covariance_type"),
    ],
)
def test_what_cannot_be_learned_from_is_said(model, X, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X)
    assert not hasattr(model, "startprob_")


@EVERY
def test_models_are_cloned_pickled_and_stored(name, tmp_path):
    model, X = MODELS[name]
    fitted = clone(model).fit(X)
    assay.save(fitted, tmp_path / "model.assay")
    for again in (pickle.loads(pickle.dumps(fitted)), assay.load(tmp_path / "model.assay")):
        assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
        assert again.get_params()["n_components"] == model.n_components
    assert str(fitted.show())
