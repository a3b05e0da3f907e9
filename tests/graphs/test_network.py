"""Bayesian networks: joint, queries, sampling, interventions, conditionals; numbers of chapter 14's examples."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import assay
from assay.errors import AssayError, DataError, DegenerateError, ParameterError
from assay.graphs import (
    BayesianNetwork,
    LinearGaussianConditional,
    LogisticConditional,
    Node,
    NoisyOrConditional,
    SoftmaxConditional,
    TableConditional,
    explaining_away,
    independent_in,
    load_network,
)
from assay.graphs.classic import NETWORKS
from assay.tables import Column

YES = ["yes", "no"]


def random_network(seed, d=5, chance=0.5):
    """A network of d nodes with two or three states, arcs by chance, tables drawn evenly."""
    rng = np.random.default_rng(seed)
    nodes, cards = [], rng.integers(2, 4, d)
    for i in range(d):
        parents = [j for j in range(i) if rng.random() < chance]
        shape = (int(np.prod(cards[parents], dtype=int)), cards[i])
        table = rng.dirichlet(np.ones(shape[1]), shape[0])
        nodes.append(Node(f"n{i}", list(range(shape[1])), table, [f"n{j}" for j in parents]))
    return BayesianNetwork(nodes)


def whole_joint(network):
    """The joint table by the definition, entry by entry."""
    states = [node.states for node in network.nodes]
    table = np.empty([len(s) for s in states])
    for at in itertools.product(*(range(len(s)) for s in states)):
        p = 1.0
        for i, node in enumerate(network.nodes):
            row = network.table(node.name)[tuple(at[network.index(q)] for q in node.parents)]
            p *= row[at[i]]
        table[at] = p
    return table


@pytest.mark.capability("IML-14-01")
def test_rain_and_wet_grass():
    """Oracle: printed 0.48 and 0.75; 1/13 follows by Bayes' rule."""
    network = load_network("rain")
    assert_allclose(network.probability({"wet": "yes"}), 0.48, rtol=1e-12)
    assert_allclose(network.query("rain", {"wet": "yes"})["yes"], 0.75, rtol=1e-12)
    assert_allclose(network.query("rain", {"wet": "no"})["yes"], 1 / 13, rtol=1e-12)
    assert_allclose(network.joint({"rain": "yes", "wet": "yes"}), 0.36, rtol=1e-12)


def test_the_likeliest_configurations_of_the_sprinkler_network():
    """Oracle: the ten largest of sixteen entries in the order cloudy, sprinkler, rain, wet."""
    largest = {"TFTT": 0.324, "FFFF": 0.2025, "FTFT": 0.2025, "TFFF": 0.081, "TTTT": 0.038, "TFTF": 0.036}
    largest |= {"FTTT": 0.02375, "FFFT": 0.0225, "FFTT": 0.0225, "FTFF": 0.0225}
    network = load_network("sprinkler")
    assert network.names == ["cloudy", "sprinkler", "rain", "wet"]
    entries = {}
    for key in itertools.product("TF", repeat=4):
        assignment = {name: "yes" if k == "T" else "no" for name, k in zip(network.names, key)}
        entries["".join(key)] = network.joint(assignment)
    assert set(sorted(entries, key=entries.get)[-10:]) == set(largest)
    assert_allclose([entries[key] for key in largest], list(largest.values()), rtol=1e-12)
    assert_allclose(sum(entries.values()), 1.0, rtol=1e-12)


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([Node("a", YES, [0.5, 0.6])], "sum to 1"),
        ([Node("a", YES, [0.5, 0.5, 0.0])], "needs 1 x 2"),
        (
            [Node("a", YES, [[0.5, 0.5]], parents=["b"]), Node("b", YES, [[0.5, 0.5]] * 2, parents=["a"])],
            "cycle",
        ),
        ([Node("a", YES, [0.5, 0.5], parents=["zebra"])], "no node"),
        ([Node("a", YES), Node("a", YES)], "two nodes"),
        ([Node("a", YES, [1.5, -0.5])], "from 0 up"),
        ([Node("a", YES, [float("nan"), 1.0])], "from 0 up"),
        ([], "list of nodes"),
    ],
)
def test_networks_that_are_none_are_refused_in_a_sentence(nodes, words):
    with pytest.raises(AssayError, match=words):
        BayesianNetwork(nodes)


@pytest.mark.capability("IML-14-02")
def test_queries_of_a_common_effect():
    """Oracle: printed 0.52, 0.92, 0.35, 0.21; the others follow from the tables."""
    network = load_network("rain or sprinkler")
    yes = {"wet": "yes"}
    expected = {
        ("wet", ()): 0.52,
        ("wet", (("sprinkler", "yes"),)): 0.92,
        ("sprinkler", (("wet", "yes"),)): 0.184 / 0.52,
        ("sprinkler", (("wet", "yes"), ("rain", "yes"))): 0.076 / 0.364,
        ("sprinkler", (("wet", "yes"), ("rain", "no"))): 0.108 / 0.156,
        ("wet", (("rain", "yes"),)): 0.91,
        ("rain", (("wet", "yes"),)): 0.70,
        ("rain", (("wet", "yes"), ("sprinkler", "yes"))): 0.076 / 0.184,
        ("rain", (("wet", "yes"), ("sprinkler", "no"))): 0.288 / 0.336,
    }
    for (of, evidence), p in expected.items():
        for method in ("exact", "enumeration"):
            assert_allclose(network.query(of, dict(evidence), method=method)["yes"], p, rtol=1e-12)
    assert round(network.query("sprinkler", yes)["yes"], 4) == 0.3538


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), observed=st.sets(st.integers(0, 4), max_size=3))
def test_every_method_agrees_with_the_joint_table(seed, observed):
    network = random_network(seed)
    joint = whole_joint(network)
    assert_allclose(joint.sum(), 1.0, rtol=1e-12)
    rng = np.random.default_rng(seed)
    evidence = {f"n{i}": int(rng.integers(joint.shape[i])) for i in observed}
    cut = joint.copy()
    for name, state in evidence.items():
        i = network.index(name)
        cut *= np.reshape(np.arange(joint.shape[i]) == state, [-1 if j == i else 1 for j in range(5)])
    marginals = network.marginals(evidence)
    assert_allclose(np.exp(marginals.log_evidence), cut.sum(), rtol=1e-10)
    for i in range(5):
        direct = cut.sum(axis=tuple(j for j in range(5) if j != i)) / cut.sum()
        assert_allclose(marginals[f"n{i}"].probabilities, direct, atol=1e-12)
        assert_allclose(network.query(f"n{i}", evidence).probabilities, direct, atol=1e-12)
    pair = network.query(["n3", "n0"], evidence).probabilities
    assert_allclose(pair, cut.sum(axis=(1, 2, 4)).T / cut.sum(), atol=1e-12)
    states, p = network.most_probable(evidence)
    at = tuple(states[f"n{i}"] for i in range(5))
    assert_allclose(cut[at], cut.max(), rtol=1e-12)
    assert_allclose(p, cut.max() / cut.sum(), rtol=1e-9)


@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_rows_at_once_agree_with_one_at_a_time(seed):
    network = random_network(seed, d=6)
    rows = network.sample(20, random_state=seed)
    codes = np.stack([np.asarray(rows[n], np.int64) for n in network.names], axis=1)
    codes[np.random.default_rng(seed).random(codes.shape) < 0.3] = -1
    table = network.posterior("n2", codes)
    for row, line in zip(codes, table):
        evidence = {f"n{i}": int(c) for i, c in enumerate(row) if c >= 0 and i != 2}
        assert_allclose(line, network.query("n2", evidence).probabilities, atol=1e-12)
    logs = network.log_likelihood(codes)
    one = {f"n{i}": int(c) for i, c in enumerate(codes[0]) if c >= 0}
    assert_allclose(np.exp(logs[0]), network.probability(one) if one else 1.0, rtol=1e-10)


@pytest.mark.capability("IML-14-03")
def test_independence_on_the_joint_tables():
    """Chain and fork: ends independent given the middle; collider: causes independent, dependent given the effect."""
    chain = whole_joint(load_network("wet grass chain"))
    assert independent_in(chain, 0, 2, [1]) and not independent_in(chain, 0, 2)
    fork = whole_joint(load_network("cloudy fork"))
    assert independent_in(fork, 1, 2, [0]) and not independent_in(fork, 1, 2)
    collider = whole_joint(load_network("rain or sprinkler"))
    assert independent_in(collider, 0, 1) and not independent_in(collider, 0, 1, [2])
    with pytest.raises(DataError, match="table of probabilities"):
        independent_in([0.5, 0.5], 0, 1)


@pytest.mark.capability("IML-14-04")
def test_the_three_building_blocks():
    """Oracles: printed 0.38, 0.76, 0.65, 0.45, 0.89, 0.22, 0.55; P(W) of the chain is 0.466, not 0.48."""
    chain = load_network("wet grass chain")
    for of, evidence, p in [
        ("rain", {}, 0.38),
        ("wet", {}, 0.466),
        ("wet", {"cloudy": "yes"}, 0.76),
        ("cloudy", {"wet": "yes"}, 0.304 / 0.466),
        ("wet", {"cloudy": "no"}, 0.27),
        ("rain", {"wet": "yes"}, 0.342 / 0.466),
        ("cloudy", {"rain": "yes"}, 0.32 / 0.38),
        ("cloudy", {"wet": "no"}, 0.096 / 0.534),
        ("rain", {"cloudy": "yes", "wet": "yes"}, 0.72 / 0.76),
    ]:
        assert_allclose(chain.query(of, evidence)["yes"], p, rtol=1e-12)
    fork = load_network("cloudy fork")
    for of, evidence, p in [
        ("rain", {}, 0.45),
        ("cloudy", {"rain": "yes"}, 0.4 / 0.45),
        ("rain", {"sprinkler": "yes"}, 0.065 / 0.3),
        ("rain", {"sprinkler": "no"}, 0.55),
        ("sprinkler", {}, 0.3),
        ("cloudy", {"sprinkler": "yes"}, 1 / 6),
        ("sprinkler", {"rain": "yes"}, 0.065 / 0.45),
    ]:
        assert_allclose(fork.query(of, evidence)["yes"], p, rtol=1e-12)
    full = load_network("sprinkler")
    for of, evidence, p in [
        ("wet", {"cloudy": "yes"}, 0.76),
        ("wet", {"cloudy": "no"}, 0.5425),
        ("wet", {}, 0.65125),
        ("cloudy", {"wet": "yes"}, 0.58349),
        ("rain", {"wet": "yes"}, 0.62687),
        ("sprinkler", {"wet": "yes"}, 0.41958),
        ("sprinkler", {"wet": "yes", "rain": "yes"}, 0.15126),
        ("wet", {"sprinkler": "yes"}, 0.91083),
        ("wet", {"rain": "yes"}, 0.90722),
        ("cloudy", {"wet": "yes", "sprinkler": "yes"}, 0.17200),
        ("rain", {"wet": "yes", "sprinkler": "yes"}, 0.22598),
        ("cloudy", {"wet": "no"}, 0.34409),
    ]:
        assert_allclose(full.query(of, evidence)["yes"], p, atol=5e-6)
    assert set(NETWORKS) >= {"asia", "cancer", "earthquake", "survey", "sprinkler"}
    for name in NETWORKS:
        assert_allclose(sum(load_network(name).query(load_network(name).names[-1]).values()), 1.0)


@pytest.mark.capability("IML-14-05")
def test_another_cause_explains_the_first_away():
    report = explaining_away(load_network("rain or sprinkler"), "sprinkler", {"wet": "yes"}, {"rain": "yes"})
    assert_allclose(
        [report.prior, report.before, report.after], [0.2, 0.184 / 0.52, 0.076 / 0.364], rtol=1e-12
    )
    assert report.explained_away and "falls to 0.2088" in str(report)
    other = explaining_away(load_network("rain or sprinkler"), "sprinkler", {"wet": "yes"}, {"rain": "no"})
    assert not other.explained_away and round(other.after, 4) == 0.6923


@pytest.mark.capability("IML-14-06")
def test_the_number_of_parameters():
    assert load_network("sprinkler").n_parameters == 9  # instead of 15 of a joint table
    assert load_network("survey").n_parameters == 21
    noisy = Node("w", YES, NoisyOrConditional([0.1, 0.2]), ["a", "b"])
    assert BayesianNetwork([Node("a", YES, [0.5, 0.5]), Node("b", YES, [0.5, 0.5]), noisy]).n_parameters == 4


@pytest.mark.capability("IML-14-07")
def test_numbers_are_linear_and_normal():
    """Two nodes x ~ N(1, 2), y | x ~ N(3 + 0.5 x, 1): P(x | y) by the normal equations, worked by hand."""
    network = BayesianNetwork(
        [
            Node("x", None, LinearGaussianConditional(1.0, (), 2.0)),
            Node("y", None, LinearGaussianConditional(3.0, [0.5], 1.0), ["x"]),
        ]
    )
    y = network.query("y")
    assert_allclose([y.mean, y.variance], [3.5, 1.5], rtol=1e-12)
    x = network.query("x", {"y": 5.0})
    assert_allclose([x.mean, x.variance], [1 + 1 / 1.5 * 1.5, 2 - 1 / 1.5], rtol=1e-12)
    # a class above the number: the posterior is Bayes' rule with normal densities
    mixed = BayesianNetwork(
        [
            Node("kind", ["a", "b"], [0.3, 0.7]),
            Node("size", None, LinearGaussianConditional([0.0, 2.0], (), [1.0, 4.0]), ["kind"]),
            Node(
                "weight",
                None,
                LinearGaussianConditional([0.0, 1.0], [[2.0], [1.0]], [1.0, 1.0]),
                ["kind", "size"],
            ),
        ]
    )

    def density(x, mean, variance):
        return math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)

    a, b = 0.3 * density(1.5, 0, 1), 0.7 * density(1.5, 2, 4)
    assert_allclose(mixed.query("kind", {"size": 1.5})["a"], a / (a + b), rtol=1e-12)
    a, b = 0.3 * density(3.0, 0, 5), 0.7 * density(3.0, 3, 5)  # size summed out
    assert_allclose(mixed.query("kind", {"weight": 3.0})["a"], a / (a + b), rtol=1e-12)
    size = mixed.query("size", {"weight": 3.0})
    means = np.array([2 / 5 * 3.0, 2 + 4 / 5 * 0.0])
    assert_allclose(size.mean, (a * means[0] + b * means[1]) / (a + b), rtol=1e-12)
    rows = mixed.sample(4000, random_state=0)
    assert_allclose(rows["weight"].mean(), 0.7 * 3, atol=0.15)
    again = mixed.fit(rows)
    assert_allclose(again["weight"].conditional.weights, [[2.0], [1.0]], atol=0.1)
    assert_allclose(
        mixed.log_likelihood({"kind": ["a"], "size": [1.5], "weight": [3.0]})[0],
        math.log(0.3 * density(1.5, 0, 1) * density(3, 3, 1)),
        rtol=1e-12,
    )


@pytest.mark.capability("IML-14-10")
def test_bayesian_regression_is_a_network():
    """x = 1, 2, 3, r = 2, 4, 6, alpha = beta = 1: mean 28/15, variance 16/15 at x' = 1."""
    nodes = [Node("w", None, LinearGaussianConditional(0.0, (), 1.0))]
    nodes += [Node(f"r{x}", None, LinearGaussianConditional(0.0, [x], 1.0), ["w"]) for x in (1, 2, 3)]
    nodes.append(Node("new", None, LinearGaussianConditional(0.0, [1], 1.0), ["w"]))
    answer = BayesianNetwork(nodes).query("new", {"r1": 2.0, "r2": 4.0, "r3": 6.0})
    assert_allclose([answer.mean, answer.variance], [28 / 15, 16 / 15], rtol=1e-12)


@pytest.mark.capability("IML-14-08")
def test_ancestral_samples_have_the_marginals():
    network = load_network("sprinkler")
    n = 20_000
    rows = network.sample(n, random_state=3)
    for name in network.names:
        p = network.query(name)["yes"]
        assert abs((rows[name] == "yes").mean() - p) < 4 * math.sqrt(p * (1 - p) / n)
    some = network.sample(5000, random_state=0, evidence={"wet": "yes"})
    assert (some["wet"] == "yes").all()
    assert abs((some["rain"] == "yes").mean() - 0.62687) < 4 * math.sqrt(0.25 / 5000)


@pytest.mark.capability("IML-14-30")
@pytest.mark.parametrize("method", ["likelihood weighting", "gibbs"])
def test_sampling_agrees_with_enumeration_within_its_error(method):
    network = load_network("sprinkler")
    exact = network.query("rain", {"wet": "yes"}, method="enumeration")["yes"]
    answer = network.query("rain", {"wet": "yes"}, method=method, n_samples=10_000, random_state=1)
    error = float(answer.error[0])
    assert abs(answer["yes"] - exact) < 4 * error and 0 < error < 0.02


@pytest.mark.capability("IML-14-16")
def test_noisy_or():
    """q = 0.1 each: 0.9 and 0.99 [printed]; 0 without a cause; with a leak 1 - (1 - l) prod q."""
    wet, rain, sprinkler = (Column(n, "nominal", ("yes", "no")) for n in ("wet", "rain", "sprinkler"))
    table = NoisyOrConditional([0.1, 0.1]).table(wet, [rain, sprinkler])
    assert_allclose(table[:, 0], [0.99, 0.9, 0.9, 0.0], atol=1e-15)
    assert_allclose(
        NoisyOrConditional([0.1, 0.2], 0.5).table(wet, [rain, sprinkler])[:, 0], [0.99, 0.95, 0.9, 0.5]
    )
    counts = 1e6 * NoisyOrConditional([0.3, 0.6], 0.1).table(wet, [rain, sprinkler])
    again = NoisyOrConditional([0.5, 0.5], 0.5).fitted(counts, wet, [rain, sprinkler])
    assert_allclose([*again.failures, again.leak], [0.3, 0.6, 0.1], atol=1e-6)


@pytest.mark.capability("IML-14-17")
def test_logistic_and_softmax_conditionals_equal_logistic_regression():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    U = rng.integers(0, 2, (400, 2))
    y = (rng.random(400) < 1 / (1 + np.exp(-(U @ [1.5, -1.0] + 0.3)))).astype(int)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(U, y)
    parents = [Column("a", "nominal", (0, 1)), Column("b", "nominal", (0, 1))]
    counts = np.bincount((U[:, 0] * 2 + U[:, 1]) * 2 + y, minlength=8).reshape(4, 2)
    ours = LogisticConditional([0, 0]).fitted(counts, Column("y", "nominal", (0, 1)), parents)
    assert_allclose([*ours.weights, ours.intercept], [*peer.coef_[0], *peer.intercept_], atol=1e-5)
    y3 = np.minimum(rng.integers(0, 3, 400) + (rng.random(400) < 0.5) * U[:, 1], 2)
    peer3 = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(U, y3)
    counts3 = np.bincount((U[:, 0] * 2 + U[:, 1]) * 3 + y3, minlength=12).reshape(4, 3)
    kind = SoftmaxConditional(np.zeros((3, 2)), np.zeros(3))
    soft = kind.fitted(counts3, Column("y", "nominal", (0, 1, 2)), parents)
    P = soft.table(Column("y", "nominal", (0, 1, 2)), parents)
    Z = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert_allclose(P, peer3.predict_proba(Z), atol=1e-6)
    gradient = (counts3 - counts3.sum(axis=1, keepdims=True) * P).T @ np.column_stack([np.ones(4), Z])
    assert np.abs(gradient).max() < 1e-6  # the likelihood is at its maximum
    network = BayesianNetwork(
        [Node("a", [0, 1], [0.5, 0.5]), Node("b", [0, 1], [0.4, 0.6]), Node("y", [0, 1], ours, ["a", "b"])]
    )
    rows = network.sample(500, random_state=0)
    again = network.fit(rows)
    assert isinstance(again["y"].conditional, LogisticConditional)


def test_interventions_cut_arcs():
    network = load_network("sprinkler")
    assert_allclose(network.do({"sprinkler": "yes"}).query("rain")["yes"], 0.45, rtol=1e-12)
    assert (
        network.do({"sprinkler": "yes"}).query("wet")["yes"]
        > network.query("wet", {"sprinkler": "no"})["yes"]
    )


def test_impossible_evidence_names_the_conflict():
    network = load_network("asia")
    with pytest.raises(DegenerateError, match="either=yes, lung=no and tub=no together have probability 0"):
        network.query("smoke", {"either": "yes", "lung": "no", "tub": "no", "dysp": "yes"})
    rows = {
        "either": ["no", "yes"],
        "smoke": ["no", None],
        "lung": ["no"] * 2,
        "tub": ["no"] * 2,
        "dysp": ["no"] * 2,
    }
    with pytest.raises(
        DegenerateError, match=r"row 2 is impossible.*: tub=no, lung=no and either=yes together have"
    ):
        network.posterior("xray", pd.DataFrame(rows))
    assert np.isnan(network.posterior("xray", pd.DataFrame(rows), impossible="nan")).all(axis=1).tolist() == [
        False,
        True,
    ]


def test_errors_are_sentences():
    network = load_network("asia")
    with pytest.raises(DataError, match="Did you mean smoke"):
        network.query("smok")
    with pytest.raises(DataError, match="no state 'maybe'"):
        network.query("lung", {"smoke": "maybe"})
    with pytest.raises(ParameterError, match="method must be one of"):
        network.query("lung", method="magic")
    with pytest.raises(DataError, match="no probabilities yet"):
        BayesianNetwork([Node("a", YES)]).marginals()
    with pytest.raises(DataError, match="every node needs a state"):
        network.joint({"asia": "yes"})


def test_a_table_that_is_too_large_is_refused_before_it_is_taken():
    """Thirty-two parents of one child: a clique of 2^33 entries."""
    parents = [Node(f"p{i}", YES, [0.5, 0.5]) for i in range(32)]
    child = Node("c", YES, NoisyOrConditional(np.full(32, 0.5)), [p.name for p in parents])
    with pytest.raises(DataError, match="8,589,934,592 entries"):
        BayesianNetwork([*parents, child])
    network = load_network("asia")
    with pytest.raises(DataError, match="Ask approximately"):
        network.marginals(max_entries=10)


def test_uncertain_evidence_is_a_likelihood():
    network = load_network("rain")
    prior = np.array([0.4, 0.6])
    like = np.array([0.9, 0.2]) * 0.7 + np.array([0.1, 0.8]) * 0.3
    answer = network.query("rain", {"wet": {"yes": 0.7, "no": 0.3}})
    assert_allclose(answer.probabilities, prior * like / (prior @ like), rtol=1e-12)
    with pytest.raises(DataError, match="likelihood"):
        network.query("rain", {"wet": [0.0, 0.0]})


def test_networks_are_saved_and_loaded(tmp_path):
    network = random_network(3)
    network.marginals()
    assay.save(network, tmp_path / "network.assay")
    again = assay.load(tmp_path / "network.assay")
    for name in network.names:
        assert np.array_equal(again.table(name), network.table(name))
    assert again.arcs == network.arcs
    gaussian = BayesianNetwork([Node("x", None, LinearGaussianConditional(1.0, (), 2.0))])
    assay.save(gaussian, tmp_path / "g.assay")
    assert assay.load(tmp_path / "g.assay").query("x").variance == 2.0


def test_an_explanation_weighs_each_piece_of_evidence():
    network = load_network("earthquake")
    evidence = {"JohnCalls": "True", "MaryCalls": "True"}
    text = str(network.explain("Burglary", evidence))
    assert (
        "Weight of the evidence" in text
        and "Most probable explanation" in text
        and "Messages in order" in text
    )


def test_parity_with_pyagrum_on_the_classic_networks():
    """Peer: pyAgrum, exact inference; it keeps tables in single precision when it reads them from text."""
    gum = pytest.importorskip("pyagrum")
    for name in ("asia", "student", "survey"):
        network = load_network(name)
        peer = gum.BayesNet()
        for node in network.nodes:
            peer.add(gum.LabelizedVariable(node.name, node.name, [str(s) for s in node.states]))
        for a, b in network.arcs:
            peer.addArc(a, b)
        for node in network.nodes:
            for key in itertools.product(*(range(len(network[p].states)) for p in node.parents)):
                place = dict(zip(node.parents, map(int, key)))
                peer.cpt(node.name)[place] = network.table(node.name)[key].tolist()
        last = network.names[-1]
        evidence = {last: str(network[last].states[0])}
        inference = gum.LazyPropagation(peer)
        inference.setEvidence(evidence)
        inference.makeInference()
        ours = network.marginals(evidence)
        for node in network.names:
            assert_allclose(ours[node].probabilities, inference.posterior(node).toarray(), atol=1e-12)


def test_table_conditional_counts():
    table = TableConditional.from_counts(np.array([[3.0, 1.0], [0.0, 0.0]]), 0.0)
    assert_allclose(table.values, [[0.75, 0.25], [0.5, 0.5]])


def test_a_limit_holds_for_the_question_that_gives_it():
    network = load_network("asia")
    for ask in (network.marginals, lambda **limit: network.query("smoke", **limit)):
        with pytest.raises(DataError, match="the limit is 5"):
            ask(max_entries=5)
    assert_allclose(network.query("smoke")["yes"], 0.5, rtol=1e-12)
    assert_allclose(network.most_probable()[1], 0.2904, atol=5e-5)


def test_numbers_that_are_none_are_named():
    network = BayesianNetwork([Node("x", None, LinearGaussianConditional(0.0, (), 1.0))])
    for ask in (network.joint, network.do, lambda e: network.query("x", e)):
        for wrong in ("many", None, np.nan):
            with pytest.raises(DataError, match="node 'x' is a number, got"):
                ask({"x": wrong})
    with pytest.raises(DataError, match="explain weighs the evidence for a state"):
        network.explain("x", {})


def test_one_parent_may_be_a_name():
    assert Node("wet", YES, [[0.9, 0.1], [0.2, 0.8]], parents="rain").parents == ("rain",)


@pytest.mark.parametrize("method", ["likelihood weighting", "gibbs"])
def test_sampling_names_the_conflict_too(method):
    with pytest.raises(DegenerateError, match="either=yes, lung=no and tub=no together have probability 0"):
        load_network("asia").query("smoke", {"either": "yes", "lung": "no", "tub": "no"}, method=method)


def test_tables_of_every_kind_give_the_same_codes():
    """Texts, categories with an unused one, whole numbers, missing values, columns in another order."""
    network = BayesianNetwork(
        [
            Node("a", ["x", "y"], [0.4, 0.6]),
            Node("b", [0, 1, 2], [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], ["a"]),
            Node("c", None, LinearGaussianConditional([0.0, 1.0], (), [1.0, 1.0]), ["a"]),
        ]
    )
    text = pd.DataFrame({"b": [2, 0, None], "c": [0.5, None, 1.5], "a": ["y", None, "x"]})
    categories = text.assign(a=pd.Categorical(["y", None, "x"], ["unused", "x", "y"]))
    wanted = [[1.0, 2.0, 0.5], [np.nan, 0.0, np.nan], [0.0, np.nan, 1.5]]
    for frame in (text, categories, text.to_dict("list")):
        assert_allclose(network._rows(frame), wanted)
    with pytest.raises(DataError, match="'b' has no state 7"):
        network._rows(text.assign(b=[7, 0, 1]))


def lattice(k, seed=0):
    """k x k binary nodes, each below its neighbours above and to the left."""
    rng = np.random.default_rng(seed)
    nodes = []
    for i, j in itertools.product(range(k), repeat=2):
        parents = [f"x{i - 1}_{j}"] * (i > 0) + [f"x{i}_{j - 1}"] * (j > 0)
        nodes.append(Node(f"x{i}_{j}", [0, 1], rng.dirichlet([1, 1], 2 ** len(parents)), parents))
    return BayesianNetwork(nodes)


def test_evidence_cuts_tables_that_no_memory_holds(monkeypatch):
    """Every second column of a lattice is observed, so that chains are left: a few missing values in each row, too."""
    large = lattice(34)
    assert large.junction_tree().largest > 2**40
    row = {name: values[0] for name, values in large.sample(1, random_state=0).items()}
    known = {name: row[name] for name in large.names if int(name.partition("_")[2]) % 2 == 0}
    answer = large.query("x5_5", known)
    assert_allclose(large.marginals(known)["x5_5"].probabilities, answer.probabilities, rtol=1e-9)
    rest = {**row, "x5_5": None, "x6_7": None}
    direct = np.array([[large.joint({**row, "x5_5": a, "x6_7": b}) for b in (0, 1)] for a in (0, 1)])
    assert_allclose(
        large.posterior("x5_5", pd.DataFrame([rest]))[0], direct.sum(axis=1) / direct.sum(), rtol=1e-9
    )
    assert_allclose(np.exp(large.log_likelihood(pd.DataFrame([rest])))[0], direct.sum(), rtol=1e-9)
    states, p = large.most_probable(known)
    assert_allclose(large.joint(states) / large.probability(known), p, rtol=1e-9)
    drawn = large.sample(2000, random_state=0, evidence=known)
    assert all((drawn[name] == state).all() for name, state in known.items())
    assert abs((drawn["x5_5"] == 1).mean() - answer[1]) < 4 * np.sqrt(answer[1] * answer[0] / 2000)
    with pytest.raises(DataError, match="Ask approximately"):
        large.query("x33_33")
    with pytest.raises(DataError, match=r"table of some 10\^347 entries"):
        large.query("x33_33", method="enumeration")


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), observed=st.sets(st.integers(0, 5), max_size=5))
def test_sliced_tables_give_the_answers_of_the_whole_tree(seed, observed):
    from assay.graphs import asking

    network = random_network(seed, d=6)
    rng = np.random.default_rng(seed)
    evidence = {f"n{i}": int(rng.integers(len(network[f"n{i}"].states))) for i in sorted(observed)}
    pair, best = ["n4", "n1"], network.most_probable(evidence)
    whole = network.query(pair, evidence).probabilities
    probability = network.probability(evidence) if evidence else 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "SMALL_TREE", 0)
        assert_allclose(network.query(pair, evidence).probabilities, whole, atol=1e-12)
        assert_allclose(network.probability(evidence) if evidence else 1.0, probability, rtol=1e-10)
        assert_allclose(network.most_probable(evidence)[1], best[1], rtol=1e-10)
        rows = network.sample(3, random_state=seed, evidence=evidence)
        assert all((rows[name] == state).all() for name, state in evidence.items())
        for name, answer in network.marginals(evidence).items():
            assert_allclose(answer.probabilities, network.query(name, evidence).probabilities, atol=1e-12)


@pytest.mark.parametrize("small", [0, 100_000])
def test_thousands_of_factors_leave_the_range_of_numbers_nowhere(monkeypatch, small):
    """A class with 1500 columns: the probability of a row is 10^-900, the posterior is naive Bayes' all the same."""
    from assay.graphs import asking

    monkeypatch.setattr(asking, "SMALL_TREE", small)
    d, rng = 1500, np.random.default_rng(0)
    tables = rng.dirichlet(np.ones(4), (d, 2))
    tables[:, 1] = 0.98 * tables[:, 0] + 0.02 * tables[:, 1]
    columns = [Node(f"x{j}", range(4), table, ["c"]) for j, table in enumerate(tables)]
    network = BayesianNetwork([Node("c", ["p", "q"], [0.3, 0.7]), *columns])
    row = {name: values[0] for name, values in network.sample(1, random_state=1).items()}
    del row["c"], row["x3"]
    joint = np.log([0.3, 0.7])
    joint += sum(np.log(tables[j, :, row[f"x{j}"]]) for j in range(d) if j != 3)
    total = np.logaddexp(*joint)
    posterior = np.exp(joint - total)
    assert total < -1000 and posterior.min() > 1e-3
    assert_allclose(network.query("c", row).probabilities, posterior, rtol=1e-8)
    assert_allclose(network.marginals(row)["x3"].probabilities, posterior @ tables[3], rtol=1e-8)
    frame = pd.DataFrame([row])
    assert_allclose(network.posterior("c", frame)[0], posterior, rtol=1e-8)
    assert_allclose(network.log_likelihood(frame)[0], total, rtol=1e-10)
    states, p = network.most_probable(row)
    wanted = int(np.argmax(joint + np.log(tables[3].max(axis=1))))
    assert states["c"] == "pq"[wanted]
    assert_allclose(p, posterior[wanted] * tables[3, wanted].max(), rtol=1e-8)


def test_impossible_rows_are_refused_also_where_the_conflict_is_far_from_the_target():
    network = load_network("asia")
    row = {
        "asia": "no",
        "tub": "no",
        "smoke": "yes",
        "lung": "no",
        "bronc": "yes",
        "either": "yes",
        "xray": "yes",
    }
    for rest in ({"dysp": "yes"}, {"dysp": None}):
        frame = pd.DataFrame([{**row, **rest}, {**row, **rest, "either": "no"}])
        with pytest.raises(
            DegenerateError, match=r"row 1 is impossible.* tub=no, lung=no and either=yes together"
        ):
            network.posterior("smoke", frame)
        answers = network.posterior("smoke", frame, impossible="nan")
        assert np.isnan(answers[0]).all() and np.isfinite(answers[1]).all()
        assert np.isneginf(network.log_likelihood(frame)[0])


def test_conflicts_are_found_by_few_questions():
    """Two pieces of a thousand; parts that are too large to ask about count as possible."""
    from assay.graphs.conflict import smallest_conflict

    asked = []

    def possible(some):
        asked.append(some)
        if len(some) in (3, 7):
            raise DataError("too large", code="too-large")
        return not {"n17", "n700"} <= set(some)

    words = smallest_conflict({f"n{i}": i for i in range(1000)}, possible)
    assert words == "n17=17 and n700=700 together have probability 0"
    assert len(asked) < 30


@pytest.mark.parametrize("wrong", ["smoke", 5, [1, 2]])
def test_evidence_is_a_mapping(wrong):
    network = load_network("asia")
    for ask in (
        network.marginals,
        network.most_probable,
        network.probability,
        lambda e: network.query("lung", e),
    ):
        with pytest.raises(ParameterError, match="evidence must be a mapping of names to states"):
            ask(wrong)


def test_likelihoods_of_states_may_be_arrays():
    network = load_network("asia")
    wanted = network.query("lung", {"smoke": [0.2, 0.8]}).probabilities
    for likelihood in (np.array([0.2, 0.8]), (0.2, 0.8), {"yes": 0.2, "no": 0.8}):
        assert_allclose(network.query("lung", {"smoke": likelihood}).probabilities, wanted)
    for wrong in (["a", "b"], {"yes": "x"}, np.ones((2, 1)), [0.5, np.nan]):
        with pytest.raises(DataError, match="uncertain evidence about 'smoke' must be a likelihood"):
            network.query("lung", {"smoke": wrong})
    with pytest.raises(DataError, match="is in the event and in the evidence"):
        network.probability({"smoke": "yes"}, {"smoke": [0.2, 0.8]})


@pytest.mark.parametrize("of", [None, 5, [], ["lung", "lung"], ["lung", 5]])
def test_what_is_asked_for_has_a_name(of):
    with pytest.raises(ParameterError, match="of must name nodes"):
        load_network("asia").query(of)


def test_missing_values_are_no_states():
    for missing in (None, np.nan):
        with pytest.raises(DataError, match="Call it 'missing'"):
            Node("a", ["x", missing])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Node("a", "yes"), "states must be a list of labels, or None for a number, got 'yes'"),
        (lambda: Node("a", 3), "states must be a list of labels"),
        (lambda: Node("a", YES, None, 3), "parents must be a list of names, got 3"),
        (lambda: NoisyOrConditional(["x"]), r"NoisyOrConditional: failures must be numbers, got \['x'\]"),
        (lambda: NoisyOrConditional([0.1], [0.1, 0.2]), "leak must be one number"),
        (lambda: LogisticConditional(["x"]), "LogisticConditional: weights must be numbers"),
        (lambda: SoftmaxConditional([[1]], "x"), "SoftmaxConditional: intercepts must be numbers"),
        (lambda: LinearGaussianConditional("x"), "LinearGaussianConditional: intercept must be numbers"),
        (lambda: load_network("asia").do(["smoke"]), "evidence must be a mapping"),
        (lambda: load_network("asia").joint(None), "every node needs a state"),
        (lambda: load_network("asia").explain(["lung"], {}), r"there is no node \['lung'\]"),
        (
            lambda: load_network("asia").posterior("lung", {"smoke": ["yes"]}, impossible="no"),
            "impossible must be 'raise' or 'nan'",
        ),
    ],
)
def test_wrong_kinds_of_parameters_get_a_sentence(make, words):
    """A text as states was three states of a letter each, a wrong word for impossible rows was taken for 'raise'."""
    with pytest.raises(AssayError, match=words):
        make()
