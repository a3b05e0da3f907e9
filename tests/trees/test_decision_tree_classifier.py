"""Classification trees: printed numbers, scikit-learn, and awkward tables."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as Peer

import assay
from assay.errors import DataError, ParameterError, SchemaWarning
from assay.tables import Table
from assay.tables.data import load_apples, load_charity_donors, load_german_credit
from assay.trees.decision_tree_classifier import DecisionTreeClassifier, class_weighted
from assay.trees.growing import grow, rank_columns
from assay.trees.tree import SUBSET, THRESHOLD


def after_split(tree):
    """Impurity after the first cut, I' of (9-8)."""
    children = tree.children(0)
    return tree.impurity[children] @ tree.weighted_n_node_samples[children] / tree.weighted_n_node_samples[0]


# ---------------------------------------------------------------- printed numbers


@pytest.mark.capability("IML-9-01")
def test_two_questions_about_the_unit_square():
    """IML 9.1, the exact grid: thresholds 0.5, two decision nodes, three leaves, and their regions."""
    side = (np.arange(20) + 0.5) / 20
    X = np.array([(a, b) for a in side for b in side])
    y = (X > 0.5).all(axis=1)
    model = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    tree = model.tree_
    assert (tree.node_count, tree.n_leaves, tree.max_depth) == (5, 3, 2)
    assert_array_equal(tree.feature, [0, -2, 1, -2, -2])
    assert_array_equal(tree.threshold[[0, 2]], [0.5, 0.5])
    assert tree.path(np.array([0.7, 0.2])) == [(0, 1), (2, 0), (3, -1)]
    assert_array_equal(model.decision_path([[0.2, 0.9]]).toarray(), [[1, 1, 0, 0, 0]])
    assert_array_equal(model.apply([[0.2, 0.9], [0.9, 0.9]]), [1, 4])


@pytest.mark.capability("IML-9-04")
def test_sizes_are_cut_at_three():
    """IML 9.2.1: eight rows, the cut at 3.0 leaves nothing impure."""
    size = np.array([1.0, 2.0, 3.5, 1.5, 4.0, 5.0, 2.5, 4.5])[:, None]
    y = ["+", "+", "-", "+", "-", "-", "+", "-"]
    model = DecisionTreeClassifier(criterion="entropy").fit(size, y)
    assert model.tree_.threshold[0] == 3.0
    assert model.tree_.impurity[0] == 1
    assert after_split(model.tree_) == 0
    for threshold, impurity in ((2.25, 0.451205), (3.75, 0.451205), (1.75, 0.688722), (4.75, 0.862075)):
        stump = DecisionTreeClassifier(criterion="entropy", max_depth=1)
        stump.fit((size > threshold).astype(float), y)
        assert_allclose(after_split(stump.tree_), impurity, atol=5e-7)


@pytest.mark.capability("IML-9-12")
def test_xor_is_solved_though_its_first_cut_gains_nothing():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    for criterion in ("gini", "entropy", "error"):
        model = DecisionTreeClassifier(criterion=criterion).fit(X, y)
        assert after_split(model.tree_) == model.tree_.impurity[0]
        assert (~model.tree_.is_leaf).sum() == 3 and model.get_n_leaves() == 4
        assert_array_equal(model.predict(X), y)


@pytest.mark.capability("IML-9-12", "IML-9-14")
def test_a_noisy_label():
    """IML 9.2.1: x = 1..10, one label wrong. The full tree has 4 leaves; one cut leaves posterior (0.8, 0.2)."""
    x = np.arange(1.0, 11)[:, None]
    y = (x[:, 0] > 5).astype(int)
    y[2] = 1
    full = DecisionTreeClassifier(criterion="entropy").fit(x, y)
    assert full.tree_.threshold[0] == 5.5 and full.get_n_leaves() == 4
    assert_allclose(after_split(full.tree_), 0.360964, atol=5e-7)
    assert full.tree_.threshold[1] == 2.5  # 3.5 is as good; the lowest threshold is taken
    once = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(x, y)
    assert_allclose(once.predict_proba([[1.0]]), [[0.8, 0.2]], rtol=1e-15)


@pytest.mark.capability("IML-9-14")
def test_posteriors_and_least_expected_loss():
    x = np.arange(1.0, 11)[:, None]
    y = (x[:, 0] > 5).astype(int)
    y[2] = 1
    loss = [[0, 5], [1, 0]]  # to say 0 where 1 is true costs 5
    model = DecisionTreeClassifier(max_depth=1, loss=loss).fit(x, y)
    assert_allclose(model.predict_proba([[1.0]]), [[0.8, 0.2]])
    assert_array_equal(model.predict([[1.0]]), [1])  # risks 1.0 and 0.8
    assert_array_equal(DecisionTreeClassifier(max_depth=1).fit(x, y).predict([[1.0]]), [0])


@pytest.mark.capability("IML-9-08")
def test_minimum_risk_impurity():
    """IML 9.2.1: row risks 1.3, 0.7, 1.3, so the impurity is 0.7."""
    loss = np.array([[0, 1, 5], [1, 0, 1], [2, 1, 0]])
    y = np.repeat([0, 1, 2], [5, 3, 2])
    tree = DecisionTreeClassifier(criterion="risk", loss=loss).fit(np.ones((10, 1)), y).tree_
    assert_allclose(tree.impurity, [0.7], rtol=1e-14)
    plain = DecisionTreeClassifier(criterion="risk", loss=1 - np.eye(3)).fit(np.ones((10, 1)), y).tree_
    assert_allclose(plain.impurity, [0.5], rtol=1e-14)  # 0/1 loss: the error rate


@pytest.mark.capability("IML-9-19")
def test_nodes_below_five_percent_are_not_split():
    X, y = load_digits(return_X_y=True)
    tree = DecisionTreeClassifier(min_samples_split=0.05).fit(X, y).tree_
    assert (tree.n_node_samples[~tree.is_leaf] >= 0.05 * len(X)).all()
    mixed = tree.is_leaf & (tree.impurity > 0)
    assert mixed.any() and (tree.n_node_samples[mixed] < 0.05 * len(X)).all()


@pytest.mark.capability("DC-21")
def test_charity_donors_end_in_pure_leaves():
    data = load_charity_donors()
    model = DecisionTreeClassifier().fit(data.X, data.y)
    tree = model.tree_
    assert (tree.impurity[tree.is_leaf] == 0).all()
    assert_array_equal(model.predict(data.X), data.y)
    salary = data.X.schema.names.index("Salary")
    assert tree.feature[0] == salary and tree.threshold[0] == 55500  # the greedy root
    assert_allclose(after_split(tree), 0.151515, atol=5e-7)


AGE = {24: (0.4364, 0.8827), 32.5: (0.3636, 0.7513), 40.5: (0.2727, 0.5900), 43.5: (0.3961, 0.8443)}
AGE |= {47.5: (0.2970, 0.6827), 52: (0.3879, 0.8290), 54.5: (0.4481, 0.9220), 57.5: (0.4848, 0.9777)}
AGE |= {60: (0.4040, 0.8109), 62: (0.4545, 0.9091)}
SALARY = {27500: (0.4364, 0.8827), 33500: (0.3636, 0.7513), 39000: (0.2727, 0.5900), 46000: (0.1558, 0.3765)}
SALARY |= {53000: (0.2970, 0.6827), 55500: (0.1515, 0.3546), 58500: (0.2597, 0.5493), 64500: (0.3409, 0.6941)}
SALARY |= {69000: (0.4040, 0.8109), 72000: (0.4545, 0.9091)}


@pytest.mark.capability("DC-27", "DC-28", "DC-29")
def test_the_table_of_all_charity_cuts():
    data = load_charity_donors()
    y = data.codes
    for name, table in (("Age", AGE), ("Salary", SALARY)):
        x = data.X.values[:, data.X.schema.names.index(name)]
        for threshold, (gini, entropy) in table.items():
            sides = (x > threshold).astype(float)[:, None]
            for criterion, wanted in (("gini", gini), ("entropy", entropy)):
                tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(sides, y).tree_
                assert_allclose(after_split(tree), wanted, atol=5e-5)
    old = (data.X.values[:, data.X.schema.names.index("Age")] > 50).astype(float)[:, None]
    trees = {c: DecisionTreeClassifier(criterion=c).fit(old, y).tree_ for c in ("gini", "entropy", "error")}
    assert_allclose(after_split(trees["error"]), 0.181818, atol=5e-7)
    assert_allclose(after_split(trees["gini"]), 0.296970, atol=5e-7)
    assert_allclose(trees["entropy"].impurity[0] - after_split(trees["entropy"]), 0.311323, atol=5e-7)


@pytest.mark.capability("C3-44")
def test_apples_binary_cuts_tie_and_the_first_column_wins():
    """C3 3.2.3: colour = green and weight <= 185 tie at Gini 0.1714286; without colour it is the weight."""
    apples = load_apples()
    model = DecisionTreeClassifier(max_depth=1).fit(apples.X, apples.y)
    tree = model.tree_
    colour = apples.X.schema.names.index("colour")
    assert tree.feature[0] == colour and tree.kind[0] == SUBSET
    assert_allclose(after_split(tree), 0.1714285714, atol=5e-11)
    weight = apples.X.schema.names.index("weight")
    alone = DecisionTreeClassifier(max_depth=1).fit(apples.X.values[:, [weight]], apples.y).tree_
    assert alone.kind[0] == THRESHOLD and alone.threshold[0] == 185
    assert_allclose(after_split(alone), 0.1714285714, atol=5e-11)


@pytest.mark.capability("C3-48")
def test_breast_cancer_as_printed():
    """C3 3.2.3: entropy, standardised on all rows: training accuracy 1, depth 7, 15 leaves, and 7 test errors.

    scikit-learn draws equal cuts by lot (7 or 9 errors); here the lowest column is taken, always: 7.
    """
    X, y = load_breast_cancer(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    a, b, s, t = train_test_split(Z, y, test_size=0.2, random_state=2020)
    model = DecisionTreeClassifier(criterion="entropy").fit(a, s)
    assert model.score(a, s) == 1.0
    assert (b.shape[0], model.get_depth()) == (114, 7)
    assert model.get_n_leaves() == 15
    assert_allclose(model.score(b, t), 0.9385964912280702, rtol=1e-15)
    tree = model.tree_
    assert tree.feature[0] == 20 and tree.n_node_samples[1] == 309  # worst radius
    assert_allclose(tree.threshold[0], 0.110957, atol=5e-7)
    assert_allclose(tree.impurity[0], 0.9430474526, atol=5e-11)
    assert tree.node_count == 29
    left, right = tree.children(0)
    assert (tree.feature[left], tree.feature[right]) == (27, 26)  # worst concave points, worst concavity
    assert_allclose([tree.threshold[left], tree.threshold[right]], [0.322709, -0.259731], atol=5e-7)
    again = DecisionTreeClassifier(criterion="entropy", random_state=7).fit(a, s)
    assert_array_equal(again.tree_.threshold, tree.threshold)


# ---------------------------------------------------------------- scikit-learn

LOADERS = [load_iris, load_wine, load_breast_cancer, load_digits]


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"criterion": "entropy"},
        {"max_depth": 3},
        {"min_samples_leaf": 5},
        {"min_samples_split": 0.1},
        {"max_leaf_nodes": 6},
        {"min_impurity_decrease": 0.01},
        {"min_weight_fraction_leaf": 0.02},
        {"ccp_alpha": 0.01},
        {"class_weight": "balanced"},
    ],
)
def test_grows_what_scikit_learn_grows(load, settings):
    """Peer: DecisionTreeClassifier of scikit-learn 1.9.

    Wherever one cut is best the trees are the same; ties are decided by lot there, so only the impurity that the
    first cut leaves, the fit to the training rows and (within a tenth) the size are compared. Not the size of weighted
    trees: pure nodes whose impurity is rounded to 5e-16 are cut there.
    """
    X, y = load(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)  # the peer's precision
    peer = Peer(random_state=0, **settings).fit(X, y)
    ours = DecisionTreeClassifier(**settings).fit(X, y)
    assert_allclose(ours.tree_.impurity[0], peer.tree_.impurity[0], rtol=1e-12)
    mine, theirs = (m.tree_ for m in (ours, peer))

    def left_over(t):
        at = [t.children_left[0], t.children_right[0]]
        return np.sort(t.impurity[at] * t.weighted_n_node_samples[at])

    assert_allclose(left_over(mine), left_over(theirs), rtol=1e-9, atol=1e-9)
    if "class_weight" not in settings:
        assert abs(mine.n_leaves - theirs.n_leaves) <= 0.1 * theirs.n_leaves
    assert abs(ours.score(X, y) - peer.score(X, y)) < 0.01
    if settings == {}:
        assert ours.score(X, y) == 1.0


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_accuracy_is_that_of_scikit_learn_within_noise(load):
    X, y = load(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    a = cross_val_score(DecisionTreeClassifier(), X, y, cv=cv)
    b = cross_val_score(Peer(random_state=0), X, y, cv=cv)
    assert abs(a.mean() - b.mean()) < 0.012


def test_missing_values_as_scikit_learn():
    """Peer: the same learned direction; its tree on float32-exact data without ties is the same, node by node."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).astype(np.float32).astype(np.float64)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[y == 1, 2] = np.where(rng.random((y == 1).sum()) < 0.5, np.nan, X[y == 1, 2])
    for depth in (2, 4):
        peer = Peer(max_depth=depth, random_state=0).fit(X, y)
        ours = DecisionTreeClassifier(max_depth=depth).fit(X, y)
        assert_array_equal(ours.tree_.feature, peer.tree_.feature)
        assert_allclose(ours.tree_.threshold, peer.tree_.threshold, rtol=1e-6)
        assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-12)


def test_the_pruning_path_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    ours = DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    peer = Peer(random_state=0).cost_complexity_pruning_path(X, y)
    assert ours.ccp_alphas[0] == 0 and (np.diff(ours.ccp_alphas) > 0).all()
    assert_allclose(ours.ccp_alphas[-3:], peer.ccp_alphas[-3:], rtol=1e-9)
    assert_allclose(ours.impurities[-3:], peer.impurities[-3:], rtol=1e-9)
    alpha = ours.ccp_alphas[-2]
    pruned = DecisionTreeClassifier(ccp_alpha=alpha).fit(X, y)
    assert (
        pruned.get_n_leaves() == Peer(ccp_alpha=alpha * (1 + 1e-9), random_state=0).fit(X, y).get_n_leaves()
    )


def test_importances_of_a_tree_without_ties():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)).astype(np.float32).astype(np.float64)
    y = (X[:, 1] + 0.5 * X[:, 3] > 0).astype(int)
    ours = DecisionTreeClassifier(max_depth=3).fit(X, y).feature_importances_
    peer = Peer(max_depth=3, random_state=0).fit(X, y).feature_importances_
    assert_allclose(ours, peer, rtol=1e-9)


# ---------------------------------------------------------------- tables


def frame(n=60, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue", "white"], n),
            "weight": rng.normal(200, 20, n),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
        }
    )
    y = np.where(table.colour.isin(["red", "blue"]) & (table.weight > 190), "yes", "no")
    return table, y


def test_a_frame_of_categories_and_numbers():
    X, y = frame()
    model = DecisionTreeClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert SUBSET in model.tree_.kind
    size = model.tree_.n_categories[2]
    assert size == 0  # ordered categories are cut like numbers


def test_unseen_and_missing_categories_take_the_larger_side():
    X, y = frame(200)
    model = DecisionTreeClassifier().fit(X[["colour"]], y)
    with pytest.warns(SchemaWarning, match="purple"):
        unseen = model.apply(pd.DataFrame({"colour": ["purple"]}))
    assert_array_equal(unseen, model.apply(pd.DataFrame({"colour": [None]})))
    children = model.tree_.children(0)
    larger = children[model.tree_.n_node_samples[children].argmax()]
    assert model.decision_path(pd.DataFrame({"colour": [None]})).toarray()[0, larger] == 1


def test_dense_sparse_frame_and_single_precision_grow_the_same_tree():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (300, 12)) * (rng.random((300, 12)) < 0.4).astype(float)
    y = rng.integers(0, 3, 300)
    first = DecisionTreeClassifier().fit(X, y)
    columns = [f"c{j}" for j in range(12)]
    for other in (sp.csr_matrix(X), sp.csc_array(X), pd.DataFrame(X, columns=columns), X.astype(np.float32)):
        model = DecisionTreeClassifier().fit(other, y)
        assert_array_equal(model.tree_.threshold, first.tree_.threshold)
        assert_array_equal(model.tree_.feature, first.tree_.feature)
        assert_array_equal(model.predict_proba(other), first.predict_proba(X))
        assert_array_equal(model.predict(other), first.predict(X))


def test_duplicate_rows_with_different_labels_share_a_leaf():
    model = DecisionTreeClassifier().fit([[1.0], [1.0], [1.0], [2.0]], ["a", "b", "b", "a"])
    assert_allclose(model.predict_proba([[1.0]]), [[1 / 3, 2 / 3]])


def test_awkward_samples():
    one = DecisionTreeClassifier().fit([[5.0]], ["only"])
    assert one.predict([[7.0]]) == ["only"] and one.get_depth() == 0
    assert_array_equal(one.feature_importances_, [0])
    with_missing = DecisionTreeClassifier().fit([[np.nan, 1.0], [np.nan, 2.0]], [0, 1])
    assert_array_equal(with_missing.predict([[3.0, 1.0], [np.nan, 2.0]]), [0, 1])
    constant = DecisionTreeClassifier().fit([[1.0], [1.0]], [0, 1])
    assert constant.get_n_leaves() == 1


def test_german_credit_without_its_best_column():
    """A column that is lost after training: surrogates make up for it, the larger side does not."""
    data = load_german_credit()
    cut = len(data.y) // 2
    X, rest = Table(data.X.values[:cut], data.X.schema), data.X.values[cut:].copy()
    truth = data.codes[cut:]
    score = {}
    for missing in ("learned", "surrogate"):
        model = DecisionTreeClassifier(missing=missing, min_samples_leaf=10).fit(X, data.codes[:cut])
        assert model.score(Table(rest, data.X.schema), truth) > 0.66
        lost = rest.copy()
        lost[:, model.tree_.feature[0]] = np.nan
        score[missing] = model.score(Table(lost, data.X.schema, False), truth)
    assert score["surrogate"] > score["learned"] + 0.05


@pytest.mark.parametrize("missing", ["learned", "surrogate"])
def test_saved_and_loaded(missing, tmp_path):
    X, y = frame()
    X.loc[::7, "weight"] = np.nan
    model = DecisionTreeClassifier(missing=missing, max_depth=3).fit(X, y)
    assay.save(model, tmp_path / "tree.assay")
    again = assay.load(tmp_path / "tree.assay")
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.tree_.threshold, model.tree_.threshold)


# ---------------------------------------------------------------- weights and parameters


def test_class_weights():
    y = np.array([0, 0, 0, 1])
    classes = np.array(["a", "b"])
    assert_allclose(class_weighted({"b": 3}, classes, y, None, "T"), [1, 1, 1, 3])
    assert_allclose(
        class_weighted("balanced", classes, y, np.array([2.0, 1, 1, 1]), "T"), [4 / 3, 2 / 3, 2 / 3, 2]
    )
    X = [[0.0], [0.0], [0.0], [0.0]]
    model = DecisionTreeClassifier(class_weight={"b": 9}).fit(X, list("aaab"))
    assert_allclose(model.predict_proba([[0.0]]), [[0.25, 0.75]])


@pytest.mark.parametrize(
    "given, message",
    [
        ({"class_weight": {"z": 1}}, "class_weight names the class 'z'"),
        ({"class_weight": "even"}, "class_weight must be None, 'balanced', or a dict"),
        ({"class_weight": {"a": -1.0}}, "numbers from 0 up"),
        ({"min_samples_split": 1}, "min_samples_split must be"),
        ({"min_samples_leaf": 1.0}, "min_samples_leaf must be"),
        ({"max_features": 0}, "max_features must be"),
        ({"criterion": "risk"}, "needs a loss"),
        ({"loss": [[0.0, 1.0]]}, "loss must be 2 x 2"),
        ({"monotonic_cst": [1]}, "monotonic_cst has shape 1"),
        ({"monotonic_cst": [2, 0]}, "-1, 0 or 1"),
        ({"monotonic_cst": {"nobody": 1}}, "nobody"),
    ],
)
def test_parameters_that_cannot_be(given, message):
    with pytest.raises(ParameterError, match=message):
        DecisionTreeClassifier(**given).fit([[1.0, 2.0], [2.0, 1.0]], ["a", "b"])


def test_constraints_need_two_classes_and_numbers():
    with pytest.raises(ParameterError, match="multiclass"):
        DecisionTreeClassifier(monotonic_cst=[1]).fit([[1.0], [2.0], [3.0]], [0, 1, 2])
    X, y = frame()
    with pytest.raises(ParameterError, match="'colour' is nominal"):
        DecisionTreeClassifier(monotonic_cst={"colour": 1}).fit(X, y)
    model = DecisionTreeClassifier(monotonic_cst={"weight": 1}, min_samples_leaf=5).fit(X, y)
    line = X.iloc[[0] * 50].assign(weight=np.linspace(100, 300, 50))
    assert (np.diff(model.predict_proba(line)[:, 1]) >= 0).all()


def test_fractions_and_words_of_max_features():
    X, y = load_wine(return_X_y=True)
    for given, wanted in ((None, 13), (0.5, 6), ("sqrt", 3), ("log2", 3), (4, 4), (1.0, 13), (0.01, 1)):
        model = DecisionTreeClassifier(max_features=given, random_state=0).fit(X, y)
        assert model.max_features_ == wanted
        assert model.score(X, y) == 1.0


def test_seeds_matter_only_where_something_is_drawn():
    X, y = load_wine(return_X_y=True)
    drawn = [DecisionTreeClassifier(max_features=2, random_state=s).fit(X, y).tree_ for s in (0, 0, 1)]
    assert_array_equal(drawn[0].threshold, drawn[1].threshold)
    assert (
        not np.array_equal(drawn[0].feature[:3], drawn[2].feature[:3])
        or drawn[0].node_count != drawn[2].node_count
    )


def several_targets(n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4)).astype(np.float32).astype(np.float64)
    first = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    second = np.array(["low", "mid", "high"])[np.digitize(X[:, 2] + rng.normal(size=n) / 2, [-0.7, 0.7])]
    return X, np.column_stack([first, second]), rng


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_leaf_nodes": 9},
        {"ccp_alpha": 0.01},
        {"class_weight": "balanced"},
        {"min_impurity_decrease": 0.02},
    ],
)
def test_several_targets_as_scikit_learn(criterion, settings):
    """Peer: scikit-learn 1.9. Leaves of 12 rows, so that no two cuts are equally good."""
    X, Y, rng = several_targets()
    w = rng.uniform(0.5, 2, len(X))
    ours = DecisionTreeClassifier(criterion=criterion, min_samples_leaf=12, **settings).fit(X, Y, w)
    peer = Peer(criterion=criterion, min_samples_leaf=12, random_state=0, **settings).fit(X, Y, w)
    assert ours.n_outputs_ == 2 and ours.n_classes_ == [2, 3]
    assert [c.tolist() for c in ours.classes_] == [c.tolist() for c in peer.classes_]
    for a, b in zip(ours.predict_proba(X), peer.predict_proba(X)):
        assert_allclose(a, b, atol=1e-12)
    assert_array_equal(ours.predict(X), peer.predict(X))
    order = (
        np.sort if "max_leaf_nodes" in settings else np.asarray
    )  # the peer numbers these nodes as they come
    assert_allclose(order(ours.tree_.impurity), order(peer.tree_.impurity), atol=1e-12)
    assert_array_equal(order(ours.tree_.feature), order(peer.tree_.feature))
    assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-12)


def test_several_targets_are_kept_explained_and_drawn(tmp_path):
    X, Y, _ = several_targets()
    X[::7, 0] = np.nan
    model = DecisionTreeClassifier(max_depth=3).fit(X, Y)
    assay.save(model, tmp_path / "tree.assay")
    again = assay.load(tmp_path / "tree.assay")
    for a, b in zip(again.predict_log_proba(X), model.predict_log_proba(X)):
        assert_array_equal(a, b)
    explained = model.explain(X[:1])
    assert explained.answer == model.predict(X[:1])[0].tolist()
    assert "y1 = low" in str(explained) and explained.to_dict()["sections"][0]["title"] == "Targets"
    assert ", ".join(explained.answer) in model.to_text()
    assert model.to_svg().startswith("<svg") and "digraph" in model.to_graphviz()
    with pytest.raises(DataError, match="rules are of one target"):
        model.rules()
    one = model.fit(X, Y[:, 0])  # a second fit forgets the several targets
    assert one.n_outputs_ == 1 and one.predict_proba(X).shape == (len(X), 2)


def test_what_is_for_one_target_alone():
    X, Y, _ = several_targets(40)
    for settings, word in (
        ({"criterion": "error"}, "criterion='error' is for one"),
        ({"loss": np.ones((2, 2))}, "loss is for one"),
        ({"class_weight": {"yes": 2}}, "list of dicts"),
        ({"class_weight": [{"yes": 2}]}, "should match number of outputs"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "multiple output"),
    ):
        with pytest.raises(ParameterError, match=word):
            DecisionTreeClassifier(**settings).fit(X, Y)
    with pytest.raises(DataError, match="sparse multilabel-indicator for y is not supported"):
        DecisionTreeClassifier().fit(X, sp.csr_matrix(np.ones((40, 2))))


def test_no_weight_is_no_sample():
    with pytest.raises(DataError, match="zero"):
        DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1], sample_weight=[0, 0])
    model = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], [0, 1, 2], sample_weight=[1, 0, 1])
    assert_array_equal(model.tree_.n_node_samples, [2, 1, 1])
    assert model.tree_.threshold[0] == 2.0


def test_what_the_learner_grows_is_what_grow_grows():
    X, y = load_iris(return_X_y=True)
    assert_array_equal(
        DecisionTreeClassifier().fit(X, y).tree_.threshold, grow(rank_columns(X), y, n_classes=3).threshold
    )


def test_the_path_explains():
    X, y = frame()
    told = str(DecisionTreeClassifier(max_depth=2).fit(X, y).explain(X.iloc[[0]]))
    assert "Path" in told and "colour" in told and "yes" in told
