"""Several hidden chains: factorial, coupled and switching models against sums over all paths of all chains."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.errors import ParameterError
from assay.sequences import CategoricalHMM, CoupledHMM, FactorialHMM, GaussianHMM, SwitchingHMM, factorial_hmm

rng = np.random.default_rng(0)


def drawn(model, symbols):
    """The model with tables at random, and symbols as emissions."""
    sizes = model._sizes
    model.startprobs_ = [rng.dirichlet(np.ones(k)) for k in sizes]
    model.transmats_ = [
        rng.dirichlet(np.ones(k), size=tuple(sizes[p] for p in model._parents(m)))
        for m, k in enumerate(sizes)
    ]
    model.families_ = ["categorical"] * len(symbols)
    model.emissions_ = [
        rng.dirichlet(np.ones(M), size=model._emitting(j, len(symbols))[0]) for j, M in enumerate(symbols)
    ]
    return model


def by_all_paths(model, rows):
    """Probability of the rows, and the posterior of each chain at each row, summed over all joint paths."""
    states = list(product(*(range(k) for k in model._sizes)))
    total, marginal = 0.0, [np.zeros((len(rows), k)) for k in model._sizes]
    for path in product(states, repeat=len(rows)):
        p = 1.0
        for t, (now, row) in enumerate(zip(path, rows)):
            for m, q in enumerate(now):
                before = tuple(path[t - 1][parent] for parent in model._parents(m))
                p *= model.startprobs_[m][q] if t == 0 else model.transmats_[m][before][q]
            for j, symbol in enumerate(row):
                p *= model.emissions_[j][emitter(model, now, j)][symbol]
        total += p
        for t, now in enumerate(path):
            for m, q in enumerate(now):
                marginal[m][t, q] += p
    return total, [part / total for part in marginal]


def emitter(model, now, column):
    """Which line of the emissions a joint state uses, worked out by hand."""
    if isinstance(model, CoupledHMM):
        return now[column]
    if isinstance(model, SwitchingHMM):
        return sum(model.n_components[: now[0]]) + now[1 + now[0]]
    return now[0] * model._sizes[1] + now[1]


MODELS = [
    pytest.param(
        lambda: drawn(FactorialHMM((2, 3)), [3]),
        [[1], [0], [2]],
        id="factorial",
        marks=pytest.mark.capability("IML-15-17"),
    ),
    pytest.param(
        lambda: drawn(CoupledHMM((2, 3)), [2, 3]),
        [[1, 2], [0, 0], [1, 1]],
        id="coupled",
        marks=pytest.mark.capability("IML-15-18"),
    ),
    pytest.param(
        lambda: drawn(SwitchingHMM((2, 2)), [3]),
        [[1], [2], [0]],
        id="switching",
        marks=pytest.mark.capability("IML-15-19"),
    ),
]


@pytest.mark.parametrize(("make", "rows"), MODELS)
def test_inference_equals_sums_over_all_paths(make, rows):
    model = make()
    total, marginals = by_all_paths(model, rows)
    assert_allclose(np.exp(model.score([rows])), total, rtol=1e-12)
    for ours, theirs in zip(model.chain_posteriors([rows]), marginals):
        assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize(("make", "rows"), MODELS)
def test_the_likelihood_rises_and_models_are_stored(make, rows, tmp_path):
    model = make()
    X = [model.sample(30, random_state=i)[0] for i in range(4)]
    fresh = type(model)(model.n_components, random_state=1, n_iter=15, tol=-np.inf)
    fresh.families = dict.fromkeys(["x0", "x1"][: len(rows[0])], "categorical")
    fresh.fit(X)
    history = [record["log_likelihood"] for record in fresh.history_]
    assert np.all(np.diff(history) > -1e-9)
    assert history[-1] > history[0] + 0.5
    for table in fresh.transmats_:
        assert_allclose(table.sum(axis=-1), 1)
    assay.save(fresh, tmp_path / "m.assay")
    again = assay.load(tmp_path / "m.assay")
    assert_array_equal(again.predict_chains(X), fresh.predict_chains(X))
    assert again.bic(X) == fresh.bic(X)


@pytest.mark.capability("IML-15-17")
def test_factorial_oracle():
    # Oracle: IML 15.9; equal to the HMM whose transitions are the Kronecker product.
    model = FactorialHMM((2, 2))
    model.startprobs_ = [np.array([0.5, 0.5]), np.array([0.3, 0.7])]
    model.transmats_ = [np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.6, 0.4], [0.5, 0.5]])]
    lit = np.array([0.1, 0.4, 0.6, 0.9])
    model.families_, model.emissions_ = ["categorical"], [np.column_stack([1 - lit, lit])]
    X = [[1, 0, 1]]
    assert_allclose(np.exp(model.score(X)), 0.101311, atol=5e-7)
    first, second = model.chain_posteriors(X)
    assert_allclose(first[:, 1], [0.68372141, 0.53771851, 0.61904097], atol=5e-9)
    assert_allclose(second[:, 1], [0.80546535, 0.29447938, 0.61191875], atol=5e-9)
    flat = CategoricalHMM(4)
    flat.startprob_, flat.transmat_ = np.kron(*model.startprobs_), np.kron(*model.transmats_)
    flat.emissionprob_ = model.emissions_[0]
    assert_allclose(model.score(X), flat.score(X), rtol=1e-14)


@pytest.mark.capability("IML-15-19")
def test_a_switch_with_one_chain_is_that_chain():
    X = rng.normal(size=(40, 1))
    plain = GaussianHMM(3, random_state=0).fit(X)
    model = SwitchingHMM((3,))
    model.startprobs_, model.transmats_ = [np.ones(1), plain.startprob_], [np.ones((1, 1)), plain.transmat_]
    model.families_ = ["gaussian"]
    model.emissions_ = [np.column_stack([plain.means_, np.einsum("kii->ki", plain.covars_)])]
    assert_allclose(model.score(X), plain.score(X), rtol=1e-12)
    assert_array_equal(model.predict_chains(X)[:, 1], plain.predict(X))
    ahead = model.forecast(X, 2)
    assert_allclose(ahead.mean, plain.forecast(X, 2).mean, rtol=1e-10)


@pytest.mark.capability("IML-15-18")
def test_coupled_chains_that_ignore_each_other_are_two_models():
    X = np.column_stack([rng.integers(0, 2, 50), rng.integers(0, 3, 50)])
    apart = [drawn(CoupledHMM((2,)), [2]), drawn(CoupledHMM((3,)), [3])]
    both = CoupledHMM((2, 3))
    both.startprobs_ = [part.startprobs_[0] for part in apart]
    first, second = (part.transmats_[0] for part in apart)
    both.transmats_ = [np.repeat(first[:, None], 3, axis=1), np.repeat(second[None], 2, axis=0)]
    both.families_, both.emissions_ = ["categorical"] * 2, [part.emissions_[0] for part in apart]
    alone = sum(part.score(X[:, [j]]) for j, part in enumerate(apart))
    assert_allclose(both.score(X), alone, rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (CoupledHMM((2, 2), streams=[[0], [0]]), "streams must give each of 2 columns"),
        (FactorialHMM((20, 20, 20)), "8000 joint states are too many"),
        (FactorialHMM(2), "n_components must be numbers of states"),
    ],
)
def test_what_cannot_be_is_said(model, words):
    with pytest.raises(ParameterError, match=words):
        model.fit(rng.normal(size=(20, 2)))


def test_tables_that_do_not_fit_are_named():
    model = drawn(FactorialHMM((2, 2)), [2])
    model.transmats_[1] = np.full((2, 2, 2), 0.5)
    with pytest.raises(ParameterError, match=r"transmats_\[1\] must have the shape \(2, 2\)"):
        model.score([[0, 1]])


@pytest.mark.parametrize("sizes", [(2, 3), (3, 1, 2), (4, 4)])
def test_steps_chain_by_chain_are_those_of_joint_states(sizes, monkeypatch):
    """Fits of weighted sequences of unequal length, and what the models answer, by both passes."""
    X, parts = rng.normal(size=(60, 2)), [1, 20, 39]

    def learned():
        model = FactorialHMM(sizes, n_iter=4, tol=-np.inf, random_state=0)
        return model.fit(X, parts, sample_weight=[1.0, 2.0, 0.5])

    pairs = learned()
    by_pairs = pairs.predict_proba(X, parts), pairs.score(X, parts), pairs.predict(X, parts)
    monkeypatch.setattr(factorial_hmm, "CHAINWISE", 0)
    chains = learned()
    for ours, theirs in zip(chains.transmats_, pairs.transmats_):
        assert_allclose(ours, theirs, atol=1e-12)
    assert_allclose(chains.log_likelihood_, pairs.log_likelihood_, rtol=1e-12)
    assert_allclose(chains.predict_proba(X, parts), by_pairs[0], atol=1e-12)
    assert_allclose(chains.score(X, parts), by_pairs[1], rtol=1e-12)
    assert_array_equal(chains.predict(X, parts), by_pairs[2])


def test_steps_chain_by_chain_survive_rows_that_turn(monkeypatch):
    """A state that was ruled out by 1e-900 comes back: scaled numbers lose it, the passes with logarithms do not."""
    monkeypatch.setattr(factorial_hmm, "CHAINWISE", 0)
    model = FactorialHMM((2, 2))
    model.startprobs_ = [np.array([0.5, 0.5])] * 2
    model.transmats_ = [np.eye(2)] * 2
    model.families_, model.emissions_ = (
        ["gaussian"],
        [np.array([[0.0, 1.0], [0.0, 1.0], [50.0, 1.0], [50.0, 1.0]])],
    )
    X = np.array([[0.0], [50.0], [50.0]])
    assert_allclose(model.predict_proba(X)[:, 2:].sum(axis=1), 1.0, atol=1e-12)
    assert np.isfinite(model.score(X))
