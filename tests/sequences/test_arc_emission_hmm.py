"""Emissions of arcs, two streams, and vector quantisation."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline

import assay
from assay.errors import DataError
from assay.sequences import ArcEmissionHMM, CategoricalHMM, MixedHMM, Sequences, VectorQuantizer

rng = np.random.default_rng(0)


def drawn(K=2, M=3):
    model = ArcEmissionHMM(K)
    model.startprob_, model.transmat_ = rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), size=K)
    model.families_, model.emissions_ = ["categorical"], [rng.dirichlet(np.ones(M), size=K * K)]
    return model


@pytest.mark.capability("IML-15-28")
@pytest.mark.parametrize("K", [1, 2, 3])
def test_arcs_equal_pairs_of_states_and_sums_over_all_paths(K):
    model, O = drawn(K), [2, 0, 1, 1]
    total, gamma = 0.0, np.zeros((4, K))
    for path in product(range(K), repeat=5):  # q_1 .. q_T+1
        p = model.startprob_[path[0]]
        for t, symbol in enumerate(O):
            i, j = path[t], path[t + 1]
            p *= model.transmat_[i, j] * model.emissions_[0][i * K + j, symbol]
        total += p
        gamma[np.arange(4), path[:4]] += p
    assert_allclose(np.exp(model.score([O])), total, rtol=1e-12)
    assert_allclose(np.exp(model.of_pairs().score([O])), total, rtol=1e-12)
    assert_allclose(model.predict_proba([O]), gamma / total, atol=1e-12)
    assert model.forecast([O], 2).states.shape == (2, K)


@pytest.mark.capability("IML-15-28")
def test_arcs_that_emit_by_their_end_are_an_ordinary_model(tmp_path):
    plain = CategoricalHMM(2)
    plain.startprob_, plain.transmat_ = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.2, 0.8]])
    plain.emissionprob_ = np.array([[0.9, 0.1], [0.3, 0.7]])
    model = ArcEmissionHMM(2)
    model.startprob_, model.transmat_, model.families_ = plain.startprob_, plain.transmat_, ["categorical"]
    model.emissions_ = [np.repeat(plain.emissionprob_, 2, axis=0)]  # by the state that the arc leaves
    O = rng.integers(0, 2, 30)
    assert_allclose(model.score([O]), plain.score([O]), rtol=1e-12)
    X = [model.sample(40, random_state=i)[0].ravel() for i in range(3)]
    fresh = ArcEmissionHMM(2, {"x0": "categorical"}, random_state=0, n_iter=20, tol=-np.inf).fit(X)
    history = [record["log_likelihood"] for record in fresh.history_]
    assert np.all(np.diff(history) > -1e-9) and history[-1] > history[0]
    assert_allclose(fresh.transmat_.sum(axis=1), 1)
    assert_array_equal(fresh.decode(X, algorithm="map")[1], fresh.predict_proba(X).argmax(axis=1))
    assay.save(fresh, tmp_path / "m.assay")
    assert assay.load(tmp_path / "m.assay").score(X) == fresh.score(X)


@pytest.mark.capability("IML-15-28")
def test_two_streams_are_the_model_of_pairs_of_symbols():
    B1, B2 = rng.dirichlet(np.ones(2), size=3), rng.dirichlet(np.ones(3), size=3)
    start, A = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), size=3)
    streams = MixedHMM(3, {"x0": "categorical", "x1": "categorical"}, n_iter=1, init_params="")
    streams.startprob_, streams.transmat_ = start, A
    streams.families_, streams.emissions_ = ["categorical"] * 2, [B1, B2]
    flat = CategoricalHMM(3, n_iter=1, init_params="")
    flat.startprob_, flat.transmat_ = start, A
    flat.emissionprob_ = np.einsum("km,kn->kmn", B1, B2).reshape(3, 6)
    X = np.column_stack([rng.integers(0, 2, 25), rng.integers(0, 3, 25)])
    codes = (3 * X[:, 0] + X[:, 1])[:, None]
    assert_allclose(streams.score(X), flat.score(codes), rtol=1e-12)
    streams.fit(X)
    flat.fit(codes)
    assert_allclose(streams.transmat_, flat.transmat_, rtol=1e-10)  # from the combined posterior
    table = flat.emissionprob_.reshape(3, 2, 3)
    assert_allclose(streams.emissions_[0], table.sum(axis=2), rtol=1e-10)  # each from its own stream
    assert_allclose(streams.emissions_[1], table.sum(axis=1), rtol=1e-10)


@pytest.mark.capability("IML-15-11")
def test_symbols_are_the_nearest_codes():
    X = [rng.normal(size=(n, 2)) * [1, 100] for n in (30, 50)]
    model = VectorQuantizer(5, random_state=0).fit(X)
    symbols = model.transform(X)
    rows = np.concatenate(X)
    gaps = ((rows[:, None] - model.codebook_) / rows.std(axis=0)) ** 2
    assert_array_equal(symbols.values[:, 0], gaps.sum(axis=2).argmin(axis=1))
    assert symbols.lengths.tolist() == [30, 50]
    assert_allclose(
        model.inverse_transform(symbols).values, model.codebook_[symbols.values[:, 0].astype(int)]
    )


@pytest.mark.capability("IML-15-11")
def test_quantised_numbers_before_a_model_of_symbols(tmp_path):
    state = np.repeat([0, 1, 0, 1], 50)
    X = np.column_stack([state * 3.0, -state * 3.0]) + rng.normal(size=(200, 2))
    model = make_pipeline(
        VectorQuantizer(8, random_state=0), CategoricalHMM(2, random_state=0, n_iter=50, n_init=5)
    ).fit(X)
    agree = np.mean(model.predict(X) == state)
    assert max(agree, 1 - agree) > 0.97
    by_hand = CategoricalHMM(2, random_state=0, n_iter=50, n_init=5).fit(model[0].transform(X))
    assert_allclose(model.score(X), by_hand.score(model[0].transform(X)))
    assay.save(model[0], tmp_path / "m.assay")
    assert_array_equal(assay.load(tmp_path / "m.assay").transform(X).values, model[0].transform(X).values)


def test_gaps_few_rows_and_wrong_input_of_codes():
    X = np.array([[0.0, 0.0], [10.0, 10.0], [0.1, np.nan], [np.nan, np.nan]])
    model = VectorQuantizer(8, random_state=0).fit(X)
    assert len(model.codebook_) == 2  # no more than distinct rows
    symbols = model.transform(X).values[:, 0]
    assert symbols[2] == symbols[0] and np.isnan(symbols[3])
    with pytest.raises(DataError, match="no row is complete"):
        VectorQuantizer().fit([[[np.nan, 1.0]]])
    with pytest.raises(DataError, match="holds categories"):
        VectorQuantizer().fit(Sequences.of([["a", "b"]]))
    with pytest.raises(DataError, match="from 0 to 1"):
        model.inverse_transform([[7.0]])
