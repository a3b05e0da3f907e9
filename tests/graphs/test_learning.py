"""Learning networks: counts, Dirichlet, EM, structure with constraints, equivalence, bootstrap."""

import contextlib
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.graphs import (
    BayesianNetwork,
    Node,
    arc_strength,
    chow_liu_arcs,
    equivalence_class,
    expectation_maximization,
    fit_parameters,
    learn_network,
    learn_structure,
    load_network,
    network_score,
)
from assay.graphs.learning import structure
from assay.graphs.learning.chow_liu import spanning_tree, tree_within
from assay.graphs.learning.constraints import Constraints
from assay.graphs.learning.scores import FamilyScorer
from assay.graphs.learning.states import state_table


def empty(network):
    """The same graph without tables."""
    return BayesianNetwork([Node(n.name, n.states, None, n.parents) for n in network.nodes])


@pytest.mark.capability("IML-14-26")
def test_counts_and_smoothed_counts():
    """(N_jk + a) / (N_j + a r); a configuration that never occurs is even without a pseudo-count."""
    graph = BayesianNetwork([Node("a", ["x", "y", "z"]), Node("b", [0, 1], None, ["a"])])
    rows = {"a": list("xxxy"), "b": [0, 0, 1, 1]}
    plain = fit_parameters(graph, rows)
    assert_allclose(plain.table("a"), [0.75, 0.25, 0])
    assert_allclose(plain.table("b"), [[2 / 3, 1 / 3], [0, 1], [0.5, 0.5]])
    smooth = fit_parameters(graph, rows, alpha=1)
    assert_allclose(smooth.table("a"), [4 / 7, 2 / 7, 1 / 7])
    assert_allclose(smooth.table("b"), [[3 / 5, 2 / 5], [1 / 3, 2 / 3], [0.5, 0.5]])
    weighted = fit_parameters(graph, rows, sample_weight=[2, 0, 1, 1])
    assert_allclose(weighted.table("a"), [0.75, 0.25, 0])
    true = load_network("sprinkler")
    large = empty(true).fit(true.sample(40_000, random_state=0))
    for name in true.names:
        assert_allclose(large.table(name), true.table(name), atol=0.03)


def test_counts_are_sums_over_blocks_and_clusters():
    dd = pytest.importorskip("dask.dataframe")
    true = load_network("student")
    frame = pd.DataFrame(true.sample(300, random_state=0))
    whole = empty(true).fit(frame, alpha=1)
    blocks = empty(true).fit([frame[:100], frame[100:250], frame[250:]], alpha=1)
    cluster = empty(true).fit(dd.from_pandas(frame, npartitions=3), alpha=1)
    for name in true.names:
        assert_allclose(blocks.table(name), whole.table(name), rtol=1e-14)
        assert_allclose(cluster.table(name), whole.table(name), rtol=1e-14)


def test_structures_are_learned_from_blocks_and_clusters(tmp_path, monkeypatch):
    """A frame, its parts (of which one lacks a state), a function, files and Dask give the same."""
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(load_network("asia").sample(600, random_state=0))
    frame["score"] = np.random.default_rng(0).normal(size=600) + (frame["lung"] == "yes")
    frame.loc[::7, "xray"] = None
    parts = [frame[:100], frame[100:420], frame[420:]]
    paths = []
    for k, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{k}.parquet")
        paths.append(tmp_path / f"{k}.parquet")
    whole = learn_network(frame, cuts=3, missing="state", smoothing=1.0)
    monkeypatch.setattr(structure, "ROWS_AT_ONCE", 250)
    cluster = dd.from_pandas(frame, npartitions=3)
    for rows in (parts, lambda: iter(parts), paths, cluster, [p.to_dict("list") for p in parts]):
        other = learn_network(rows, cuts=3, missing="state", smoothing=1.0)
        assert other.arcs == whole.arcs and other.names == whole.names
        for name in whole.names:
            assert other[name].states == whole[name].states
            assert_allclose(other.table(name), whole.table(name), rtol=1e-12)
    assert learn_structure(cluster, "tabu", cuts=3, missing="em") == learn_structure(
        frame, "tabu", cuts=3, missing="em"
    )
    complete = frame.drop(columns=["xray", "score"])
    halves = [complete[:300], complete[300:]]
    assert chow_liu_arcs(halves) == chow_liu_arcs(complete)
    assert network_score(halves, [("smoke", "lung")]) == network_score(complete, [("smoke", "lung")])
    assert arc_strength(halves, n_boot=3).rows == arc_strength(complete, n_boot=3).rows
    with pytest.raises(ParameterError, match="sample_weight goes with rows in memory"):
        whole.fit([frame], sample_weight=np.ones(600))


@pytest.mark.capability("IML-14-27")
def test_em_with_a_hidden_node_never_loses_likelihood():
    """A hidden common cause of three purchases: the observed-data likelihood rises at every step."""
    true = BayesianNetwork(
        [
            Node("baby", ["yes", "no"], [0.3, 0.7]),
            Node("food", ["yes", "no"], [[0.9, 0.1], [0.1, 0.9]], ["baby"]),
            Node("diapers", ["yes", "no"], [[0.8, 0.2], [0.05, 0.95]], ["baby"]),
            Node("milk", ["yes", "no"], [[0.7, 0.3], [0.4, 0.6]], ["baby"]),
        ]
    )
    rows = true.sample(3000, random_state=0)
    del rows["baby"]
    result = expectation_maximization(empty(true), rows, random_state=1, max_iter=2000)
    steps = np.diff(result.history)
    assert (steps >= -1e-9).all() and result.converged
    assert_allclose(result.history[-1], result.network.log_likelihood(rows).sum(), rtol=1e-6)
    assert result.history[-1] >= true.log_likelihood(rows).sum()  # at least as likely as the truth
    share = result.network.table("baby")
    assert min(abs(share - 0.3)) < 0.08


def test_em_uses_every_row_with_missing_values():
    true = load_network("sprinkler")
    rows = pd.DataFrame(true.sample(4000, random_state=5))
    gaps = rows.mask(np.random.default_rng(0).random(rows.shape) < 0.2)
    learned = expectation_maximization(empty(true), gaps)
    assert (np.diff(learned.history) >= -1e-9).all()
    for name in true.names:
        assert_allclose(learned.network.table(name), true.table(name), atol=0.09)
    by_hand = BayesianNetwork([Node("a", [0, 1]), Node("b", [0, 1], None, ["a"])])
    exact = fit_parameters(by_hand, {"a": [0, 0, 1, 1], "b": [0, 0, 1, None]}, tol=0, max_iter=300)
    assert_allclose(exact.table("b"), [[1, 0], [0, 1]], atol=1e-12)
    assert_allclose(exact.table("a"), [0.5, 0.5], atol=1e-12)


@pytest.mark.capability("IML-14-28")
def test_the_structure_of_the_sprinkler_network_is_learned():
    """20 000 samples: its equivalence class, S -> W <- R with C - S and C - R undirected."""
    true = load_network("sprinkler")
    rows = true.sample(20_000, random_state=1)
    wanted = equivalence_class(true.names, true.arcs)
    assert {("sprinkler", "wet"), ("rain", "wet")} == set(wanted.arcs)
    for method in ("hill climbing", "tabu", "pc"):
        assert learn_structure(rows, method).partial == wanted
    tied = [
        [("cloudy", "sprinkler"), ("cloudy", "rain")],
        [("rain", "cloudy"), ("cloudy", "sprinkler")],
        [("sprinkler", "cloudy"), ("cloudy", "rain")],
    ]
    effect = [("sprinkler", "wet"), ("rain", "wet")]
    scores = [network_score(rows, [*arcs, *effect]) for arcs in tied]
    assert_allclose(scores, scores[0], rtol=1e-12)
    other = network_score(rows, [("sprinkler", "cloudy"), ("rain", "cloudy"), *effect])
    assert other < scores[0] - 10
    best = max(network_score(rows, arcs) for arcs in ([*t, *effect] for t in tied))
    assert_allclose(learn_structure(rows).score, best, rtol=1e-12)


def test_scores_of_two_columns():
    """Counts 4, 4, 1, 1. Oracle: BIC -16.16553 and -15.38937, BDeu (s = 1) -16.66703 and -16.22413."""
    rows = {"a": list("0000011111"), "b": list("0000101111")}
    assert_allclose(network_score(rows, []), -16.16553, atol=5e-6)
    assert_allclose(network_score(rows, [], "bdeu"), -16.66703, atol=5e-6)
    for arc in (("a", "b"), ("b", "a")):
        assert_allclose(network_score(rows, [arc]), -15.38937, atol=5e-6)
        assert_allclose(network_score(rows, [arc], "bdeu"), -16.22413, atol=5e-6)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_native_counts_equal_those_of_numpy(seed):
    """Weights of 1 go through NumPy, no weights through the native code: the same scores."""
    rng = np.random.default_rng(seed)
    rows = {f"x{j}": rng.integers(0, 2 + j % 3, 60).astype(str) for j in range(5)}
    data = state_table(rows, "test")
    for score in ("bic", "bdeu", "k2", "aic"):
        fast, slow = FamilyScorer(data, score), FamilyScorer(data, score, weights=np.ones(60))
        for child, parents in ((0, ()), (1, (0, 3)), (4, (2,))):
            z = np.array([c for c in range(5) if c != child and c not in parents] + [-1])
            assert_allclose(fast.with_each(child, parents, z), slow.with_each(child, parents, z), rtol=1e-10)


def test_hill_climbing_ends_where_no_move_gains():
    """By brute force: no structure one arc away has a better score."""
    rows = load_network("student").sample(1500, random_state=2)
    learned = learn_structure(rows)
    names = learned.names
    arcs = set(learned.arcs)
    for a, b in itertools.permutations(names, 2):
        for other in (arcs | {(a, b)}, arcs - {(a, b)}, (arcs - {(a, b)}) | {(b, a)}):
            try:
                equivalence_class(names, sorted(other))
            except DataError:
                continue  # a cycle
            assert network_score(rows, sorted(other)) <= learned.score + 1e-6
    assert learned.history[-1]["score"] == pytest.approx(learned.score)


def test_what_an_expert_knows_is_kept():
    true = load_network("sprinkler")
    rows = true.sample(5000, random_state=0)
    for method in ("hill climbing", "tabu"):
        learned = learn_structure(
            rows, method, required=[("wet", "cloudy")], forbidden=[("rain", "wet"), ("wet", "rain")]
        )
        assert ("wet", "cloudy") in learned.arcs
        assert not {("rain", "wet"), ("wet", "rain")} & set(learned.arcs)
    tiers = [["cloudy"], ["sprinkler", "rain"], ["wet"]]
    level = {n: t for t, tier in enumerate(tiers) for n in tier}
    learned = learn_structure(rows, tiers=tiers)
    assert all(level[a] <= level[b] for a, b in learned.arcs)
    assert set(learned.arcs) == set(true.arcs)
    assert all(
        len([a for a, c in learn_structure(rows, max_parents=1).arcs if c == b]) <= 1 for b in true.names
    )
    with pytest.raises(ParameterError, match="required and cannot be"):
        learn_structure(rows, required=[("wet", "rain")], tiers=tiers)
    with pytest.raises(DataError, match="cycle"):
        learn_structure(rows, required=[("wet", "rain"), ("rain", "wet")])


def test_independent_columns_have_no_arcs():
    rng = np.random.default_rng(0)
    rows = {name: rng.integers(0, 2, 20_000).astype(str) for name in "abcd"}
    assert learn_structure(rows).arcs == []


def test_restarts_never_lose():
    rows = load_network("asia").sample(800, random_state=0)
    once, again = learn_structure(rows, "tabu", restarts=0), learn_structure(rows, "tabu", restarts=8)
    assert again.score >= once.score


def test_chow_liu_is_the_best_tree():
    """Of all trees over four columns none is more likely."""
    rows = load_network("sprinkler").sample(2000, random_state=0)
    names = list(rows)
    arcs = chow_liu_arcs(rows, root="wet")
    assert arcs[0][0] == "wet" and len(arcs) == 3
    value = network_score(rows, arcs, "log-likelihood")
    for parents in itertools.product(range(-1, 4), repeat=4):
        tree = [(names[p], names[j]) for j, p in enumerate(parents) if p >= 0 and p != j]
        if len(tree) != 3:
            continue
        with contextlib.suppress(DataError):  # a cycle
            assert network_score(rows, tree, "log-likelihood") <= value + 1e-6
    assert spanning_tree(np.array([[0, 1, 5], [1, 0, 2], [5, 2, 0.0]])).tolist() == [-1, 2, 0]


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), rooted=st.booleans())
def test_the_best_forest_within_constraints(seed, rooted):
    """Oracle: every assignment of a parent, or none, to four columns."""
    rng = np.random.default_rng(seed)
    d = 4
    names = [f"x{i}" for i in range(d)]
    weight = np.triu(rng.choice([0.0, 0.5, 1.0, 2.0], (d, d)) + rng.random((d, d)), 1)
    weight += weight.T
    forbidden = [(a, b) for a, b in itertools.permutations(names, 2) if rng.random() < 0.4]
    free = [pair for pair in itertools.permutations(names, 2) if pair not in forbidden and pair[1] != "x0"]
    required = [free[int(rng.integers(len(free)))]] if free and rng.random() < 0.5 else []
    root = 0 if rooted else None
    constraints = Constraints(names, required, forbidden)
    parent = tree_within(weight, constraints, root)
    assert all(parent[names.index(b)] == names.index(a) for a, b in required)
    assert all(constraints.allowed[p, j] for j, p in enumerate(parent) if p >= 0)
    assert root is None or parent[root] < 0

    def value(parents):
        return sum(weight[p, j] for j, p in enumerate(parents) if p >= 0)

    def is_forest(parents):
        return all(_steps_up(parents, j) < d for j in range(d))

    assert is_forest(parent)
    for other in itertools.product(range(-1, d), repeat=d):
        if (
            all(p < 0 or constraints.allowed[p, j] for j, p in enumerate(other))
            and all(other[names.index(b)] == names.index(a) for a, b in required)
            and (root is None or other[root] < 0)
            and value(other) > value(parent) + 1e-9
        ):
            assert not is_forest(other)


def _steps_up(parents, j):
    steps = 0
    while parents[j] >= 0 and steps < len(parents):
        j, steps = parents[j], steps + 1
    return steps


def test_chow_liu_keeps_what_is_known():
    rows = load_network("asia").sample(2000, random_state=0)
    learned = learn_structure(rows, "chow-liu", required=[("asia", "dysp")])
    assert ("asia", "dysp") in learned.arcs and ("asia", "dysp") in learned.partial.arcs
    tiers = [["dysp"], ["asia", "tub", "smoke", "lung", "bronc", "either", "xray"]]
    learned = learn_structure(rows, "chow-liu", tiers=tiers)
    assert ("dysp", "bronc") in learned.arcs and len(learned.arcs) == 7  # the other way round, not left out
    with pytest.raises(ParameterError, match="2 arcs to 'dysp' are required"):
        learn_structure(rows, "chow-liu", required=[("asia", "dysp"), ("tub", "dysp")])
    with pytest.raises(ParameterError, match="'dysp' is the root"):
        learn_structure(rows, "chow-liu", required=[("asia", "dysp")], root="dysp")


def test_what_is_known_directs_edges_of_the_class():
    """Of the sprinkler network data direct two arcs; tiers, one required arc, and what follows direct the others."""
    true = load_network("sprinkler")
    rows = true.sample(3000, random_state=0)
    tiers = [["cloudy"], ["sprinkler", "rain"], ["wet"]]
    for method in ("hill climbing", "tabu", "pc"):
        assert set(learn_structure(rows, method, tiers=tiers).partial.arcs) == set(true.arcs)
    known = equivalence_class(
        true.names, [("rain", "cloudy"), ("cloudy", "sprinkler")], required=[("rain", "cloudy")]
    )
    assert set(known.arcs) == {("rain", "cloudy"), ("cloudy", "sprinkler")} and not known.edges
    strength = arc_strength(rows, n_boot=5, tiers=tiers)
    arcs = {(r["from"], r["to"]): r["direction"] for r in strength.rows}
    assert arcs["cloudy", "rain"] == 1.0 and ("rain", "cloudy") not in arcs
    with pytest.raises(DataError, match="the arc cloudy -> rain is forbidden"):
        equivalence_class(true.names, true.arcs, forbidden=[("cloudy", "rain")])


def test_strong_arcs_stay_in_bootstrap_samples():
    rows = load_network("sprinkler").sample(2000, random_state=0)
    strength = arc_strength(rows, n_boot=10, random_state=0)
    top = strength.rows[0]
    assert top["strength"] == 1.0 and top["low"] < 1.0 == top["high"]
    assert ("sprinkler", "wet") in strength.above(0.5)
    again = arc_strength(rows, n_boot=10, random_state=0)
    assert again.rows == strength.rows


def test_numbers_are_cut_and_missing_values_are_a_state_if_asked():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    frame = pd.DataFrame({"x": x, "y": np.where(x + rng.normal(size=500) > 0, "high", "low")})
    with pytest.raises(DataError, match="Cut it into intervals"):
        learn_network(frame)
    network = learn_network(frame, cuts=3)
    assert len(network.arcs) == 1 and len(network["x"].states) == 3
    frame["z"] = (x > 0.3).astype(int)
    assert learn_network(frame, cuts=3)["z"].states == (0, 1)  # whole numbers, fewer than intervals
    frame = frame.drop(columns="z")
    frame.loc[::5, "y"] = None
    with pytest.raises(DataError, match="missing='state'"):
        learn_network(frame, cuts=3)
    assert "missing" in learn_network(frame, cuts=3, missing="state")["y"].states


@pytest.mark.parametrize(("name", "edges"), [("sprinkler", 4), ("child", 23)])
def test_structures_are_learned_with_missing_values(name, edges):
    """A seventh of all values is missing, so that few rows are complete: as many right edges as from complete rows."""
    true = load_network(name)
    full = pd.DataFrame(true.sample(3000, random_state=3))
    gaps = full.mask(np.random.default_rng(0).random(full.shape) < 0.15)
    learned = learn_structure(gaps, missing="em", method="tabu", restarts=10)
    right = {frozenset(arc) for arc in true.arcs}
    edges_of = {frozenset(arc) for arc in learned.arcs}
    assert len(edges_of & right) >= edges and not edges_of - right
    network = learn_network(gaps, "tabu", missing="em", restarts=10)
    assert set(network.arcs) == set(learned.arcs)
    score = network.log_likelihood(gaps).sum() - 0.5 * np.log(3000) * network.n_parameters
    assert_allclose(learned.score, score, rtol=1e-4)  # what is observed, less the penalty
    again = learn_structure(gaps, missing="em", method="tabu", restarts=10)
    assert again == learned


def test_without_missing_values_em_changes_nothing():
    rows = load_network("asia").sample(500, random_state=0)
    assert learn_structure(rows, missing="em") == learn_structure(rows)
    with pytest.raises(ParameterError, match="'raise' or 'state'"):
        network_score(rows, [], missing="em")
    with pytest.raises(ParameterError, match="'raise' or 'state'"):
        chow_liu_arcs(rows, missing="em")


def test_every_way_of_learning_takes_missing_values():
    full = pd.DataFrame(load_network("student").sample(1500, random_state=2))
    gaps = full.mask(np.random.default_rng(1).random(full.shape) < 0.1)
    for method in ("hill climbing", "chow-liu", "pc"):
        assert learn_structure(gaps, method, missing="em").arcs
    for score in ("aic", "bdeu", "k2"):
        assert learn_structure(gaps, score=score, missing="em", max_parents=2).arcs
    strength = arc_strength(gaps, n_boot=3, missing="em")
    assert strength.rows[0]["strength"] == 1.0


def test_rows_are_completed_by_their_posterior():
    """Draws given evidence have the frequencies of the exact answer."""
    network = load_network("asia")
    rows = np.tile(network.encode({"xray": "yes", "smoke": "no"}), (20_000, 1))
    rows = np.where(np.isnan(rows), -1, rows).astype(np.int64)
    drawn = network.junction_tree().draw(network._flat({}), rows, np.random.default_rng(0))
    assert (drawn[:, network.index("smoke")] == 1).all()
    for name in ("lung", "either", "dysp"):
        share = (drawn[:, network.index(name)] == 0).mean()
        assert_allclose(share, network.query(name, {"xray": "yes", "smoke": "no"})["yes"], atol=0.01)
    impossible = np.where(rows < 0, -1, rows)[:1].copy()
    impossible[0, [network.index("either"), network.index("lung")]] = [1, 0]
    assert (network.junction_tree().draw(network._flat({}), impossible, np.random.default_rng(0)) == -1).all()


def test_moves_are_those_of_numpy():
    """The best legal move by brute force over all arcs, on drawn structures."""
    from assay.graphs.learning import _structure_moves

    rng = np.random.default_rng(0)
    for _ in range(60):
        d = int(rng.integers(2, 7))
        order = rng.permutation(d)
        arcs = np.zeros((d, d), bool)
        arcs[np.ix_(order, order)] = np.triu(rng.random((d, d)) < 0.4, 1)
        gains, allowed = rng.normal(size=(d, d)), (rng.random((d, d)) < 0.8) & ~np.eye(d, dtype=bool)
        required, until = arcs & (rng.random((d, d)) < 0.2), rng.integers(0, 3, (d, d))

        def cyclic(matrix):
            return np.linalg.matrix_power(np.eye(len(matrix)) + matrix, len(matrix)).T[matrix].any()

        legal = []
        for i, j in itertools.permutations(range(d), 2):
            if until[i, j] > 1:
                continue
            other = arcs.copy()
            if not arcs[i, j]:
                other[i, j] = True
                if allowed[i, j] and not cyclic(other) and arcs[:, j].sum() < 2:
                    legal.append((gains[i, j], 0, i, j))
                continue
            if required[i, j]:
                continue
            legal.append((gains[i, j], 1, i, j))
            other[i, j], other[j, i] = False, True
            if allowed[j, i] and not cyclic(other) and arcs[:, i].sum() < 2:
                legal.append((gains[i, j] + gains[j, i], 2, i, j))
        reach, move = np.empty((d, d), np.uint8), np.empty(3, np.int64)
        _structure_moves.paths(arcs.view(np.uint8), reach)
        paths = np.linalg.matrix_power(np.eye(d) + arcs, d) - np.eye(d) > 0
        assert np.array_equal(reach > 0, paths)
        gain = _structure_moves.best_move(
            arcs=arcs.view(np.uint8), reach=reach, gains=gains, allowed=allowed.view(np.uint8),
            required=required.view(np.uint8), until=until, step=1, max_parents=2, least_gain=1e-9, move=move,
        )  # fmt: skip
        assert (gain, *move.tolist()) == max(legal) if legal else move[0] == -1


def test_wrong_parameters_are_refused():
    rows = {"a": ["x", "y"], "b": ["x", "x"]}
    for wrong in (
        {"method": "magic"},
        {"score": "magic"},
        {"restarts": -1},
        {"alpha": 2.0},
        {"missing": "drop"},
    ):
        with pytest.raises(ParameterError):
            learn_structure(rows, **wrong)
    with pytest.raises(ParameterError, match="alpha"):
        fit_parameters(load_network("rain"), {"rain": ["yes"], "wet": ["no"]}, alpha=-1)
    with pytest.raises(DataError, match="no node"):
        fit_parameters(load_network("rain"), {"snow": ["yes"]})
    assert learn_structure({"a": ["x"], "b": ["y"]}).arcs == []  # one row, constant columns


def test_a_category_that_is_called_missing_stays_beside_missing_values():
    frame = pd.DataFrame({"a": ["missing", "there", None, "there"] * 30, "b": list("xyzy") * 30})
    network = learn_network(frame, missing="state")
    assert network["a"].states == ("missing", "there", "missing_")
    assert network.query("b", {"a": "missing_"})["z"] > 0.9
