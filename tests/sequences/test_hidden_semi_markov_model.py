"""States with explicit durations: sums over all segmentations, the model of all (state, rows left), EM, extremes."""

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.errors import DegenerateError, DegenerateWarning, ParameterError
from assay.sequences import CategoricalHMM, HiddenSemiMarkovModel
from assay.sequences.chain import Chain, Frames, pad
from assay.sequences.segments import SegmentChain

rng = np.random.default_rng(0)


def drawn(K=2, D=3, M=3, **settings):
    model = HiddenSemiMarkovModel(K, D, **settings)
    model.startprob_, model.durations_ = rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(D), size=K)
    A = rng.dirichlet(np.ones(K), size=K) * (1 - np.eye(K) if K > 1 else 1.0)
    model.transmat_ = A / A.sum(axis=1, keepdims=True)
    model.families_, model.emissions_ = ["categorical"], [rng.dirichlet(np.ones(M), size=K)]
    return model


def by_segmentations(model, O):
    """Twin: probability, posterior and best path by all segmentations; a last segment may be cut off."""
    K, D = model.durations_.shape
    T, total, gamma, best = len(O), 0.0, np.zeros((len(O), K)), (-1.0, None)
    for n_segments in range(1, T + 1):
        for lengths in product(range(1, D + 1), repeat=n_segments):
            if sum(lengths[:-1]) >= T or sum(lengths) < T:
                continue
            for states in product(range(K), repeat=n_segments):
                p = model.startprob_[states[0]] * np.prod(
                    [model.durations_[k, r - 1] for k, r in zip(states, lengths)]
                )
                p *= np.prod([model.transmat_[a, b] for a, b in pairwise(states)])
                path = np.repeat(states, lengths)[:T]
                p *= np.prod(model.emissions_[0][path, O])
                total += p
                gamma[np.arange(T), path] += p
                best = max(best, (p, tuple(path.tolist())))
    return total, gamma / total, best


@pytest.mark.parametrize(("K", "D"), [(2, 3), (3, 2), (3, 1), (1, 4)])
def test_passes_equal_sums_over_all_segmentations(K, D):
    model = drawn(K, D)
    O = rng.integers(0, 3, 5)
    total, gamma, (p, path) = by_segmentations(model, O)
    assert_allclose(np.exp(model.score([O])), total, rtol=1e-12)
    assert_allclose(model.predict_proba([O]), gamma, atol=1e-12)
    log_p, states = model.decode([O])
    assert_allclose(np.exp(log_p), p, rtol=1e-12)
    assert_array_equal(states, path)


def test_it_is_the_chain_of_states_and_rows_left():
    model = drawn(3, 4)
    X = [model.sample(n, random_state=n)[0].ravel() for n in (1, 7, 20)]
    data = model._read_sequences(X, None)
    start, moves = model._moves_left()
    logs = np.repeat(model.family_.log_density(data.values), 4, axis=1)
    wide = Chain(start, moves).expect(Frames(12, pad(logs)), data.offsets, np.array([1.0, 2.0, 0.5]))
    ours = model._chain(data).expect(
        model._frames(model.family_, data), data.offsets, np.array([1.0, 2.0, 0.5])
    )
    assert_allclose(ours.log_likelihoods, wide.log_likelihoods, rtol=1e-12)
    assert_allclose(ours.gamma, wide.gamma.reshape(-1, 3, 4).sum(axis=2), atol=1e-12)
    assert_allclose(ours.start, wide.start.reshape(3, 4).sum(axis=1), atol=1e-12)
    left = wide.transitions.reshape(3, 4, 3, 4)[:, 0].sum(axis=2)
    assert_allclose(ours.transitions, left, atol=1e-12)
    entered = wide.start.reshape(3, 4) + wide.transitions.reshape(3, 4, 3, 4)[:, 0].sum(axis=0)
    assert_allclose(ours.lasted, entered, atol=1e-12)
    filtered = Chain(start, moves).filter(Frames(12, pad(logs)), data.offsets).gamma
    assert_allclose(model.filter(X), filtered.reshape(-1, 3, 4).sum(axis=2), atol=1e-12)
    stream = model.stream()
    for symbol in X[2]:
        belief = stream.update([symbol])
    assert_allclose(belief, model.filter(X[2:])[-1], atol=1e-12)
    assert_allclose(stream.log_likelihood, model.score(X[2:]), rtol=1e-12)
    ahead = model.forecast(X[2:], 2).states
    assert_allclose(ahead[0], (filtered[-1] @ moves).reshape(3, 4).sum(axis=1), atol=1e-12)


def test_durations_of_one_row_are_a_hidden_markov_model():
    A = rng.dirichlet(np.ones(3), size=3)
    plain = CategoricalHMM(3)
    plain.startprob_, plain.transmat_ = rng.dirichlet(np.ones(3)), A
    plain.emissionprob_ = rng.dirichlet(np.ones(4), size=3)
    model = HiddenSemiMarkovModel(3, 1)
    model.startprob_, model.transmat_, model.durations_ = plain.startprob_, A, np.ones((3, 1))
    model.families_, model.emissions_ = ["categorical"], [plain.emissionprob_]
    O = rng.integers(0, 4, 50)
    assert_allclose(model.score([O]), plain.score([O]), rtol=1e-12)
    assert_array_equal(model.predict([O]), plain.predict([O]))


def test_the_likelihood_rises_and_durations_are_learned(tmp_path):
    level = np.repeat(np.tile([0.0, 4.0], 12), np.tile([3, 8], 12))
    y = level + rng.normal(size=len(level))
    model = HiddenSemiMarkovModel(2, 12, random_state=0, n_iter=30, tol=-np.inf).fit(y)
    history = [record["log_likelihood"] for record in model.history_]
    assert np.all(np.diff(history) > -1e-9)
    order = np.argsort(model.emissions_[0][:, 0])
    assert (model.durations_[order].argmax(axis=1) + 1).tolist() == [3, 8]
    assert np.mean((model.emissions_[0][model.predict(y), 0] > 2) == (level > 2)) > 0.97
    parts = model.segments(y)[0]
    assert sum(length for _, _, length in parts) == len(y) and abs(len(parts) - 24) <= 1
    explained = model.explain(y)
    assert_allclose(explained.row["log probability"], model.decode(y)[0], rtol=1e-9)
    assay.save(model, tmp_path / "m.assay")
    assert assay.load(tmp_path / "m.assay").score(y) == model.score(y)


def test_lost_numbers_are_found_by_logarithms_and_impossible_rows_are_named():
    logs = np.zeros((6, 2))
    logs[:3, 1] = logs[3:, 0] = -900.0  # scaled numbers lose state 1, which the second half needs
    chain = SegmentChain(
        np.array([0.5, 0.5]), np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0, 0, 0, 0, 0, 1.0]] * 2)
    )
    expected = chain.expect(Frames(2, pad(logs)), np.array([0, 6]))
    assert not expected.impossible
    assert_allclose(expected.log_likelihoods, -2700.0, rtol=1e-12)
    assert_allclose(expected.gamma, 0.5)
    filtered = chain.filter(Frames(2, pad(logs)), np.array([0, 6]))
    assert_allclose(filtered.log_likelihoods, -2700.0, rtol=1e-12)
    assert_allclose(filtered.gamma[-1], 0.5)
    model = drawn(2, 3, 2)
    model.emissions_ = [np.array([[1.0, 0.0], [1.0, 0.0]])]
    with pytest.warns(DegenerateWarning, match=r"row 2 \(counted from 0\) is impossible"):
        assert model.score([[0, 0, 1, 0]]) == -np.inf
    with pytest.raises(DegenerateError, match="row 2"):
        model.set_params(init_params="").fit([[0, 0, 1, 0]])


def test_zeros_stay_known_states_hold_and_wrong_tables_are_said():
    model = drawn(2, 3, 2, init_params="", n_iter=3)
    model.durations_ = np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    X = [model.sample(30, random_state=0)[0]]
    model.fit(X)
    assert_array_equal(model.durations_ == 0, [[True, False, False], [False, True, True]])
    gamma = model.predict_proba(X, states=[1] + [-1] * 29)
    assert gamma[0, 0] == 0
    model.durations_ = np.ones((2, 3))
    with pytest.raises(ParameterError, match="durations_ must be probabilities"):
        model.score(X)
