"""Influence diagrams, dynamic networks, phylogenetic trees."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import AssayError, DataError, DegenerateError, ParameterError
from assay.graphs import (
    Decision,
    DynamicNetwork,
    InfluenceDiagram,
    LinearGaussianConditional,
    Node,
    PhylogeneticTree,
    Utility,
    load_network,
)


def umbrella(knows=()):
    return InfluenceDiagram(
        load_network("rain").nodes,
        [Decision("umbrella", ["take", "leave"], knows)],
        [Utility("comfort", ["rain", "umbrella"], [[70, 0], [20, 100]])],
    )


@pytest.mark.capability("IML-14-29")
def test_umbrella():
    """Prior 40 and 60: leave; wet 57.5 and 25: take; dry 23.85 and 92.31: leave; observing is worth 15.6."""
    diagram = umbrella()
    for evidence, take, leave in (
        ({}, 40, 60),
        ({"wet": "yes"}, 57.5, 25),
        ({"wet": "no"}, 310 / 13, 1200 / 13),
    ):
        values = diagram.expected_utilities("umbrella", evidence)
        assert_allclose([values["take"], values["leave"]], [take, leave], rtol=1e-12)
    assert diagram.best("umbrella") == "leave" and diagram.best("umbrella", {"wet": "yes"}) == "take"
    assert_allclose(diagram.value_of_information("wet", "umbrella"), 15.6, rtol=1e-12)
    plan = umbrella(["wet"]).solve()
    assert_allclose(plan.expected_utility, 75.6, rtol=1e-12)
    assert plan.policies["umbrella"] == {("yes",): "take", ("no",): "leave"}
    assert "Expected utility 75.6" in str(plan)
    shapes = diagram.diagram().to_dot()
    assert "shape=box" in shapes and "shape=diamond" in shapes


def test_two_decisions_are_solved_backwards():
    """Drilling for oil: test or not, then drill or not; by brute force over all policies."""
    oil = Node("oil", ["dry", "wet"], [0.6, 0.4])
    result = Node(
        "result",
        ["none", "good", "bad"],
        [[0.0, 0.2, 0.8], [1.0, 0.0, 0.0], [0.0, 0.9, 0.1], [1.0, 0.0, 0.0]],
        ["oil", "test"],
    )
    cost, profit = [-10.0, 0.0], [[-70.0, 0.0], [200.0, 0.0]]
    diagram = InfluenceDiagram(
        [oil, result],
        [Decision("test", ["yes", "no"]), Decision("drill", ["yes", "no"], ["result"])],
        [Utility("cost", ["test"], cost), Utility("profit", ["oil", "drill"], profit)],
    )
    best = -np.inf
    table = result.conditional.values.reshape(2, 2, 3)
    for test, rule in itertools.product(range(2), itertools.product(range(2), repeat=3)):
        value = cost[test] + sum(
            [0.6, 0.4][o] * table[o, test, r] * profit[o][rule[r]] for o in range(2) for r in range(3)
        )
        best = max(best, value)
    assert_allclose(diagram.solve().expected_utility, best, rtol=1e-12)
    assert diagram.value_of_information("oil", "drill") >= 0


def test_classification_with_losses_is_a_decision():
    """Loss is negative utility: the choice is that of the smallest expected loss."""
    loss = np.array([[0.0, 1.0], [10.0, 0.0]])  # true class, chosen class
    diagram = InfluenceDiagram(
        [Node("class", ["no", "yes"], [0.8, 0.2]), Node("x", [0, 1], [[0.9, 0.1], [0.4, 0.6]], ["class"])],
        [Decision("answer", ["no", "yes"], ["x"])],
        [Utility("loss", ["class", "answer"], -loss)],
    )
    for x, posterior in ((0, np.array([0.72, 0.08]) / 0.8), (1, np.array([0.08, 0.12]) / 0.2)):
        wanted = ["no", "yes"][int(np.argmin(posterior @ loss))]
        assert diagram.solve().policies["answer"][(x,)] == wanted


def test_wrong_diagrams_are_refused():
    with pytest.raises(DataError, match="no node"):
        InfluenceDiagram(load_network("rain").nodes, [Decision("d", ["a"])], [Utility("u", ["snow"], [1, 2])])
    with pytest.raises(DataError, match="shape"):
        InfluenceDiagram(
            load_network("rain").nodes, [Decision("d", ["a"])], [Utility("u", ["rain"], [1, 2, 3])]
        )
    with pytest.raises(DataError, match="no decision"):
        umbrella().best("hat")


def test_decisions_cannot_know_what_comes_of_them():
    same = Node("a", ["x", "y"], [[1.0, 0.0], [0.0, 1.0]], ["d"])
    worth = [Utility("u", "a", [1.0, 0.0])]
    with pytest.raises(DataError, match="decision 'd' cannot know 'a', which depends on it"):
        InfluenceDiagram([same], [Decision("d", ["x", "y"], "a")], worth)
    with pytest.raises(
        DataError, match="decision 'e' cannot know 'a', which depends on the later decision 'd'"
    ):
        InfluenceDiagram([same], [Decision("e", ["x"], ["a"]), Decision("d", ["x", "y"])], worth)
    with pytest.raises(DataError, match="cannot know 'a'"):
        InfluenceDiagram([same], [Decision("d", ["x", "y"])], worth).value_of_information("a", "d")


@pytest.mark.parametrize(
    ("decision", "utility", "words"),
    [
        (Decision("d", []), Utility("u", ["rain"], [1, 2]), "'d' has no options"),
        (
            Decision("d", ["x"], ["snow"]),
            Utility("u", ["rain"], [1, 2]),
            "'d' knows 'snow', which is no node",
        ),
        (Decision("d", ["x", "x"]), Utility("u", ["rain"], [1, 2]), "two states are called 'x'"),
        (Decision("d", ["x"], ["size"]), Utility("u", ["rain"], [1, 2]), "'size', which is a number"),
        (Decision("d", ["x"]), Utility("u", ["size"], [1, 2]), "'size', which is a number"),
        (Decision("d", ["x"]), Utility("u", ["rain", "rain"], np.eye(2)), "each of its parents once"),
        (Decision("d", ["x"]), Utility("rain", ["rain"], [1, 2]), "the name of another node"),
    ],
)
def test_more_wrong_diagrams(decision, utility, words):
    size = Node("size", None, LinearGaussianConditional(0.0, (), 1.0))
    with pytest.raises(DataError, match=words):
        InfluenceDiagram([*load_network("rain").nodes, size], [decision], [utility])


def test_numbers_may_be_evidence_of_a_decision():
    """x ~ N(0, 1) without rain and N(2, 1) with rain: the posterior odds at x = 1 are the prior odds."""
    x = Node("x", None, LinearGaussianConditional([2.0, 0.0], (), [1.0, 1.0]), ["rain"])
    rain = load_network("rain").nodes[0]
    diagram = InfluenceDiagram(
        [rain, x],
        [Decision("umbrella", ["take", "leave"])],
        [Utility("comfort", ["rain", "umbrella"], [[70, 0], [20, 100]])],
    )
    assert_allclose(list(diagram.expected_utilities("umbrella", {"x": 1.0}).values()), [40, 60], rtol=1e-12)
    assert_allclose(diagram.solve().expected_utility, 60, rtol=1e-12)


def test_many_things_may_be_known():
    """The policy of 2^12 situations, each the mean of two utilities; what is impossible has no policy."""
    nodes = [Node(f"k{i}", ["yes", "no"], [0.5, 0.5]) for i in range(11)]
    nodes.append(Node("never", ["yes", "no"], [0.0, 1.0]))
    diagram = InfluenceDiagram(
        nodes,
        [Decision("d", ["a", "b"], [n.name for n in nodes])],
        [Utility("u", ["k0", "d"], [[1, 2], [3, 0]]), Utility("constant", ["k1"], [5, 5])],
    )
    plan = diagram.solve()
    assert_allclose(plan.expected_utility, 7.5, rtol=1e-12)
    assert len(plan.policies["d"]) == 2**11
    assert all(best == ("b" if known[0] == "yes" else "a") for known, best in plan.policies["d"].items())
    more = [*nodes, *(Node(f"m{i}", ["yes", "no"], [0.5, 0.5]) for i in range(9))]
    with pytest.raises(DataError, match="4,194,304 situations"):
        InfluenceDiagram(more, [Decision("d", ["a", "b"], [n.name for n in more])], diagram.utilities)


A = np.array([[0.7, 0.3], [0.2, 0.8]])
B = np.array([[0.9, 0.1], [0.4, 0.6]])


@pytest.mark.capability("IML-14-31")
def test_a_hidden_markov_model_is_an_unrolled_network():
    """The forward pass of a hidden Markov model, and the model of the room of sequences."""
    from assay.sequences import CategoricalHMM

    start = np.array([0.6, 0.4])
    sees = Node("y", [0, 1], B, ["x"])
    model = DynamicNetwork([Node("x", [0, 1], start), sees], [Node("x", [0, 1], A, ["x@before"]), sees])
    y = [0, 1, 1, 0, 1]
    evidence = [{"y": v} for v in y]
    alpha, total, beliefs = start * B[:, y[0]], 0.0, []
    for t in range(len(y)):
        if t:
            alpha = (alpha @ A) * B[:, y[t]]
        total += np.log(alpha.sum())
        alpha = alpha / alpha.sum()
        beliefs.append(alpha)
    assert_allclose(model.filter(evidence, "x"), beliefs, rtol=1e-12)
    assert_allclose(model.log_likelihood(evidence), total, rtol=1e-12)
    network = model.unroll(5)
    assert_allclose(network._log_evidence({f"y[{t}]": v for t, v in enumerate(y)}), total, rtol=1e-12)
    assert_allclose(model.smooth(evidence, "x")[-1], beliefs[-1], rtol=1e-12)
    assert_allclose(model.predict(evidence, "x"), beliefs[-1] @ A, rtol=1e-12)
    hmm = CategoricalHMM(n_components=2, init_params="", params="", n_features=2)
    hmm.startprob_, hmm.transmat_, hmm.emissionprob_ = start, A, B
    column = np.array(y)[:, None]
    assert_allclose(hmm.score(column), total, rtol=1e-10)
    assert [step["x"] for step in model.most_probable(evidence)] == hmm.predict(column).tolist()


def two_slices(seed):
    """Three nodes, two of which the next slice looks back at, all tables drawn."""
    rng = np.random.default_rng(seed)

    def table(*cards):
        return rng.dirichlet(np.ones(cards[-1]), cards[:-1])

    first = [
        Node("a", [0, 1], table(2)),
        Node("b", [0, 1, 2], table(2, 3), ["a"]),
        Node("c", [0, 1], table(3, 2), ["b"]),
    ]
    later = [
        Node("c", [0, 1], table(3, 2), ["b"]),
        Node("a", [0, 1], table(2, 3, 2), ["a@before", "b@before"]),
        Node("b", [0, 1, 2], table(3, 2, 3), ["b@before", "a"]),
    ]
    return DynamicNetwork(first, later)


@pytest.mark.parametrize("seed", range(4))
def test_slice_by_slice_equals_the_unrolled_network(seed):
    """Evidence on carried nodes, on others, uncertain, and none."""
    model = two_slices(seed)
    evidence = [{"c": 1}, {"b": 2}, {}, {"c": [0.2, 0.9]}, {"a": 0, "c": 0}, {"c": {0: 0.5, 1: 0.1}}]
    network = model.unroll(len(evidence))
    known = [{f"{n}[{t}]": v for n, v in part.items()} for t, part in enumerate(evidence)]
    together = {n: v for part in known for n, v in part.items()}
    assert_allclose(model.log_likelihood(evidence), network._log_evidence(together), rtol=1e-12)
    for name in "abc":
        smoothed, filtered = model.smooth(evidence, name), model.filter(evidence, name)
        for t in range(len(evidence)):
            past = {n: v for part in known[: t + 1] for n, v in part.items()}
            assert_allclose(smoothed[t], network.query(f"{name}[{t}]", together).probabilities, atol=1e-12)
            assert_allclose(filtered[t], network.query(f"{name}[{t}]", past).probabilities, atol=1e-12)
        ahead = model.unroll(8).query(f"{name}[7]", together).probabilities
        assert_allclose(model.predict(evidence, name, 2), ahead, atol=1e-12)
    best, _ = network.most_probable(together)
    course = model.most_probable(evidence)
    assert {f"{n}[{t}]": s for t, part in enumerate(course) for n, s in part.items()} == best
    independent = DynamicNetwork([Node("x", [0, 1], [0.3, 0.7])], [Node("x", [0, 1], [0.9, 0.1])])
    assert_allclose(independent.smooth([{}, {}], "x"), [[0.3, 0.7], [0.9, 0.1]], rtol=1e-12)
    assert [part["x"] for part in independent.most_probable([{}, {}])] == [1, 0]


def test_impossible_courses_name_their_times():
    same = [[1.0, 0.0], [0.0, 1.0]]
    x, y = Node("x", ["on", "off"], [0.5, 0.5]), Node("y", ["on", "off"], same, ["x"])
    model = DynamicNetwork([x, y], [Node("x", ["on", "off"], same, ["x@before"]), y])
    evidence = [{}, {"y": "on"}, {}, {"y": "on"}, {"y": "off"}, {"y": "on"}]
    for ask in (lambda: model.smooth(evidence, "x"), lambda: model.most_probable(evidence)):
        with pytest.raises(DegenerateError, match=r"y\[3\]=on and y\[4\]=off together have probability 0"):
            ask()
    assert model.filter(evidence[:4], "x")[-1].tolist() == [1.0, 0.0]
    for wrong in ({"zebra": "on"}, {"y@before": "on"}):
        with pytest.raises(DataError, match="no node"):
            model.smooth([wrong], "x")
    with pytest.raises(DataError, match="no node 'z'"):
        model.smooth([{}], "z")
    with pytest.raises(ParameterError, match="whole number from 1 up"):
        model.predict([{}], "x", 0)
    number = Node("n", None, LinearGaussianConditional(0.0, (), 1.0))
    with pytest.raises(DataError, match="is a number"):
        DynamicNetwork([number], [number])


@pytest.mark.capability("IML-14-31")
def test_the_likelihood_of_a_tree_is_the_sum_over_its_inner_nodes():
    tree = PhylogeneticTree("((a:0.1,b:0.3)inner:0.2,c:0.4)root;", kappa=2.0)
    assert tree.leaves == ["a", "b", "c"]
    P = {n: tree.substitution(tree.length[n]) for n in ("a", "b", "c", "inner")}
    for site in ("ACG", "AAT", "GGG"):
        a, b, c = ("ACGT".index(base) for base in site)
        by_hand = sum(
            0.25 * P["inner"][r, i] * P["a"][i, a] * P["b"][i, b] * P["c"][r, c]
            for r in range(4)
            for i in range(4)
        )
        ours = tree.log_likelihood({"a": site[0], "b": site[1], "c": site[2]})
        assert_allclose(ours, np.log(by_hand), rtol=1e-12)
    gap = tree.site_log_likelihoods({"a": "A-", "b": "AC", "c": "AC"})
    assert_allclose(gap[1], tree.log_likelihood({"b": "C", "c": "C"}), rtol=1e-12)
    assert tree.ancestors({"a": "AC", "b": "AC", "c": "AC"}) == {"root": "AC", "inner": "AC"}


def test_trees_as_programs_write_them():
    """Quotes, comments, numbers of support at inner nodes, one child, spaces; and a tree of 3000 levels."""
    tree = PhylogeneticTree(
        "(('Homo sapiens (x,y)':0.1[&&x],it''s:0.2)95:1e-1, ('O''Hara':.1,b : 2)95,(c)d)[&R] root:1;"
    )
    assert tree.leaves == ["Homo sapiens (x,y)", "it''s", "O'Hara", "b", "c"]
    assert tree.names[:2] == ["root", "node 2"] and "d" in tree.names
    assert tree.length["Homo sapiens (x,y)"] == 0.1 and tree.length["node 2"] == 0.1 and tree.length["b"] == 2
    assert repr(tree) == "PhylogeneticTree of 5 leaves and 4 inner nodes"
    deep = "a0:0.1"
    for i in range(1, 3000):
        deep = f"({deep},a{i}:0.1):0.1"
    assert len(PhylogeneticTree(deep + ";").leaves) == 3000


def test_impossible_alignments_are_named():
    tree = PhylogeneticTree("(a:0,b:0);")
    assert tree.log_likelihood({"a": "AC", "b": "AC"}) == pytest.approx(2 * np.log(0.25))
    assert tree.log_likelihood({"a": "AC", "b": "AG"}) == -np.inf
    with pytest.raises(DegenerateError, match="site 2 has probability 0"):
        tree.ancestors({"a": "AC", "b": "AG"})
    with pytest.raises(DataError, match="at least one leaf"):
        tree.log_likelihood({})
    for kappa in ("x", 0, np.inf, True):
        with pytest.raises(ParameterError, match="kappa must be a number above 0"):
            PhylogeneticTree("(a,b);", kappa)


def test_substitutions_are_those_of_jukes_and_cantor():
    P = PhylogeneticTree("(a:0.5,b:0.5);").substitution(0.5)
    same, other = 0.25 + 0.75 * np.exp(-2 / 3), 0.25 - 0.25 * np.exp(-2 / 3)
    assert_allclose(P, np.where(np.eye(4, dtype=bool), same, other), rtol=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        *(
            "((a:1,b:1)",
            "(a:x,b:1);",
            "(a,a);",
            "(a:1,b:1)) ;",
            "(,b);",
            "(a:-1,b);",
            "",
            ";",
            "(a,b",
            "()",
            "a b(c,d)",
        ),
        *(
            "(a:,b);",
            "(a:1:2,b);",
            "(a,b);(c,d);",
            "('a,b);",
            "(a[b,c);",
            "(a:nan,b);",
            "(a,b)c d:1)e",
            ":1",
            "(a)(b)",
        ),
    ],
)
def test_malformed_trees_are_refused_with_their_place(wrong):
    with pytest.raises(AssayError, match="at character"):
        PhylogeneticTree(wrong)


def test_what_is_known_already_is_worth_nothing_more():
    nodes = load_network("rain").nodes
    comfort = Utility("comfort", ["rain", "umbrella"], [[70, 0], [20, 100]])
    diagram = InfluenceDiagram(nodes, [Decision("umbrella", ["take", "leave"], knows=["wet"])], [comfort])
    assert diagram.value_of_information("wet", "umbrella") == 0
    for wrong, words in (
        ([[np.nan, 0], [1, 1]], "nan is among"),
        ([["a", "b"], ["c", "d"]], "must be numbers"),
    ):
        with pytest.raises(DataError, match=words):
            InfluenceDiagram(nodes, diagram.decisions, [Utility("comfort", ["rain", "umbrella"], wrong)])


def test_sequences_of_species_are_texts():
    with pytest.raises(DataError, match="the sequence of 'b' must be a text"):
        PhylogeneticTree("(a:1,b:1);").log_likelihood({"a": "A", "b": 1})
