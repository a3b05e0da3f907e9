"""What folds choose for few rows: the end of learning, the temperature of the scores, and waves or none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from scipy.stats import f as fisher

from assay.errors import DegenerateError
from assay.neural import TabularNetClassifier, TabularNetRegressor, tabular_net
from assay.neural.tabular_folds import (
    ENOUGH_JUDGED,
    FREQUENCIES,
    TEMPERATURES,
    curves_left,
    parts_of,
    softened,
)
from assay.neural.tabular_network import TabularNetwork

QUICK = {"hidden_layer_sizes": (24, 24), "members": 3, "random_state": 0}


def log_loss(model, X, y):
    return -np.log(np.maximum(model.predict_proba(X)[np.arange(len(y)), y], 1e-7)).mean()


def turning(n, random):
    """Classes by a curve of several turns, in one of two columns."""
    X = random.uniform(-3, 3, size=(n, 2))
    return X, (np.sin(5 * X[:, 0]) + 0.1 * random.normal(size=n) > 0).astype(int)


# ------------------------------------------------------------------ the parts


@pytest.mark.parametrize("n", [40, 199, 320, 499])
def test_parts_have_all_classes_in_proportion_and_no_row_twice(n):
    codes = np.arange(n) % 3
    codes[0] = 3  # a class of one row
    parts = parts_of(np.arange(n), np.random.default_rng(n), codes)
    together = np.concatenate(parts)
    assert len(set(together)) == len(together) and 0 not in together
    for part in parts:
        counts = np.bincount(codes[part], minlength=3)
        assert np.ptp(counts) <= 1 and abs(len(part) - n / 4) <= 3
    assert len(parts) == 4 or ENOUGH_JUDGED <= len(together) < ENOUGH_JUDGED + n / 4 + 3


def test_a_class_for_each_row_leaves_no_parts():
    assert parts_of(np.arange(50), np.random.default_rng(0), np.arange(50)) == []


# ------------------------------------------------------------------ curves that are left


def test_the_chance_to_see_a_curve_in_noise_is_a_twentieth():
    """400 tables without any: 20 expected, standard deviation 4.4."""
    seen = 0
    for seed in range(400):
        random = np.random.default_rng(seed)
        seen += curves_left(*(random.normal(size=(120, k)) for k in (3, 2, 1)))
    assert seen <= 20 + 3 * 4.4


def test_the_statistic_is_that_of_nested_least_squares():
    """Found just where Fisher's F of the two regressions, computed apart, has that probability."""
    random = np.random.default_rng(1)
    n, terms = 80, 2 * len(FREQUENCIES)
    x, noise = random.normal(size=(n, 1)), random.normal(size=n)
    curve = np.sin(2 * np.pi * x[:, 0])
    turns = 2 * np.pi * x * FREQUENCIES
    known = random.normal(size=(n, 2))
    base = np.hstack([np.ones((n, 1)), known, known[:, :1] - known[:, 1:]])  # of rank 3
    design = np.hstack([base, np.cos(turns), np.sin(turns)])
    outcomes = set()
    for share in np.linspace(0, 2, 41):
        e = noise + share * curve + known @ [3.0, -2.0]
        before, after = (((e - part @ np.linalg.lstsq(part, e)[0]) ** 2).sum() for part in (base, design))
        p = fisher.sf((before - after) / terms / (after / (n - terms - 3)), terms, n - terms - 3)
        assert curves_left(x, e[:, None], base[:, 1:]) == (p < 0.05)
        outcomes.add(bool(p < 0.05))
    assert outcomes == {True, False}


def test_rows_without_weight_have_no_say_in_curves():
    """Where only they follow a curve, none is seen; and all weights may be of any unit."""
    random = np.random.default_rng(2)
    x = random.normal(size=(200, 1))
    counts = np.arange(200) < 100
    e = random.normal(size=(200, 1)) + np.where(counts, 0, 5)[:, None] * np.sin(6 * x)
    assert curves_left(x, e, np.zeros((200, 0)))
    assert not curves_left(x, e, np.zeros((200, 0)), counts * 7.0)


def test_constant_columns_and_errors_have_no_curves():
    random = np.random.default_rng(0)
    noise, nothing = random.normal(size=(60, 2)), np.zeros((60, 0))
    assert not curves_left(np.full((60, 2), np.nan), noise, nothing)
    assert not curves_left(noise, np.zeros((60, 3)), nothing)
    assert not curves_left(noise, 3 * noise[:, :1] + 1, noise)  # all of it is known
    assert not curves_left(np.zeros((5, 2)), np.ones((5, 1)), np.zeros((5, 0)))


# ------------------------------------------------------------------ softer scores


def test_softened_scores_are_divided_in_each_member():
    net = TabularNetwork(3, 0, np.zeros(0, np.int64), 0, 0, 2, 3, np.array([7, 4]), "softmax", "log_loss")
    net.draw(np.random.default_rng(0))
    rows = np.random.default_rng(1).normal(size=(20, 3)).astype(np.float32)
    block = rows, np.zeros((20, 0), np.float32), np.zeros((20, 0), np.int32)
    before = net.theta.copy()
    by_hand = np.zeros((20, 4))
    for m in range(3):
        coefs, biases = net.member(m)
        hidden = np.maximum(rows @ coefs[0] + biases[0], 0)
        by_hand += softmax((hidden @ coefs[1] + biases[1]) / 3.0, axis=1) / 3
    assert_allclose(softened(net, 3.0).answers(block), by_hand, atol=1e-6)
    assert_array_equal(net.theta, before)


def test_probabilities_of_overlapping_classes_are_honest():
    """Labels of which 3 of 10 are wrong: no answer can have a log loss below 0.61 on new rows, and half and half has
    0.69. All passes over few rows are sure of what they have seen."""
    random = np.random.default_rng(0)
    X, new = random.normal(size=(120, 5)), random.normal(size=(2000, 5))
    labels = [(part[:, 0] > 0) ^ (random.random(len(part)) < 0.3) for part in (X, new)]
    y, truth = (part.astype(int) for part in labels)
    sure = log_loss(TabularNetClassifier(early_stopping=False, random_state=0).fit(X, y), new, truth)
    honest = log_loss(TabularNetClassifier(random_state=0).fit(X, y), new, truth)
    assert honest < 0.73 < 0.9 < sure


def test_rows_that_judge_choose_a_temperature():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 5))
    y = (X[:, 0] > 0).astype(int)
    y[100:] ^= random.random(50) < 0.3  # surer than is right for these
    others = X[100:], y[100:]
    model = TabularNetClassifier(max_iter=1, batch_size=2, random_state=0)
    model.fit(X[:100], y[:100], validation=others)
    found = -log_loss(model, *others)
    unsoftened = max(record.score for record in model.history_)
    assert found > unsoftened + 0.01
    for factor in (TEMPERATURES[1], 1 / TEMPERATURES[1]):  # the best of the grid
        other = softened(model.network_, factor)
        assert (
            model._loss_of(other.answers(model.inputs_.apply(others[0])), model._goal(others[1]), None)
            > -found
        )


# ------------------------------------------------------------------ what fits do


def test_a_curve_of_several_turns_is_embedded_and_a_line_is_not():
    random = np.random.default_rng(0)
    (X, y), (new, truth) = turning(240, random), turning(500, random)
    model = TabularNetClassifier(random_state=0).fit(X, y)
    assert model.network_.embedded == 2
    plain = TabularNetClassifier(embedding=None, random_state=0).fit(X, y)
    assert model.score(new, truth) > plain.score(new, truth) + 0.1
    numbers = TabularNetRegressor(random_state=0).fit(X, np.sin(5 * X[:, 0]))
    assert numbers.network_.embedded == 2
    line = TabularNetClassifier(random_state=0).fit(X, (X[:, 0] > 0).astype(int))
    assert line.network_.embedded == 0


def test_what_is_asked_for_is_not_asked_of_folds():
    random = np.random.default_rng(0)
    X, y = turning(100, random)
    assert TabularNetClassifier(embedding="periodic", max_iter=4, **QUICK).fit(X, y).network_.embedded == 2
    assert TabularNetClassifier(embedding=None, max_iter=4, **QUICK).fit(X, y).network_.embedded == 0


def test_columns_of_few_values_are_left_as_they_are_and_keep_their_names():
    """Of 600 rows fine columns are embedded; what a coarse column adds stands under its own name."""
    random = np.random.default_rng(0)
    X = np.column_stack(
        [random.integers(17, size=600), random.normal(size=600), random.integers(31, size=600)]
    )
    y = (X[:, 0] > 8).astype(int)
    model = TabularNetClassifier(max_iter=20, **QUICK).fit(X, y)
    assert (model.network_.waves, model.network_.embedded, model.inputs_.fine) == (16, 1, 1)
    assert_array_equal(model.inputs_.numbers, [1, 0, 2])
    assert model.score(X, y) > 0.9
    adds = np.abs(model.explain(X[:20]).to_frame()[["x0", "x1", "x2"]].to_numpy()).mean(axis=0)
    assert adds[0] > 3 * adds[1:].max()
    everything = TabularNetClassifier(embedding="periodic", max_iter=1, **QUICK).fit(X, y)
    assert everything.network_.embedded == 3
    coarse = TabularNetClassifier(max_iter=1, **QUICK).fit(X[:, [0, 2]], y)
    assert (coarse.network_.waves, coarse.network_.embedded) == (0, 0)


def test_the_last_rows_judge_where_that_is_asked_for():
    random = np.random.default_rng(0)
    X, y = turning(100, random)
    model = TabularNetClassifier(validation_split="last", max_iter=3, **QUICK).fit(X, y)
    assert all(record.score is not None for record in model.history_)


@pytest.mark.parametrize("groups, split", [(np.arange(60) // 2, "random"), (None, "last")])
def test_no_folds_judge_where_too_few_rows_could_be_set_aside_as_asked_for(monkeypatch, groups, split):
    X, y = turning(60, np.random.default_rng(0))
    learned = []

    def counted(self, *arguments, original=TabularNetwork.epoch):
        learned.append(len(arguments[3]))
        return original(self, *arguments)

    monkeypatch.setattr(TabularNetwork, "epoch", counted)
    few = {"validation_fraction": 0.03, "validation_split": split, "max_iter": 3}
    TabularNetClassifier(**few, **QUICK).fit(X, y, groups=groups)  # folds by chance would part the groups
    assert learned == [60] * 3


def test_learning_that_diverges_in_all_folds_is_refused():
    X, y = turning(80, np.random.default_rng(0))
    for learner, target in ((TabularNetClassifier, y), (TabularNetRegressor, X[:, 0])):
        with pytest.raises(DegenerateError, match="Lower learning_rate_init"):
            learner(learning_rate_init=1e30, **QUICK).fit(X, target)


@pytest.mark.parametrize("at, kept", [(4, 3), (14, 10), (40, 10)])  # passes; the folds make ten each
def test_ctrl_c_in_a_fold_keeps_the_network_of_most_passes(monkeypatch, at, kept):
    X, y = turning(80, np.random.default_rng(0))
    passes = []

    def interrupted(self, *arguments, original=TabularNetwork.epoch):
        passes.append(1)
        if len(passes) == at:
            raise KeyboardInterrupt
        return original(self, *arguments)

    monkeypatch.setattr(TabularNetwork, "epoch", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = TabularNetClassifier(max_iter=10, **QUICK).fit(X, y)
    assert (model.n_iter_, len(model.history_), len(passes)) == (kept, kept, at)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-9)


def test_ctrl_c_before_the_first_pass_of_a_fold_gives_a_model(monkeypatch):
    X, y = turning(80, np.random.default_rng(0))
    drawn = []

    def interrupted(self, *arguments, original=TabularNetwork.draw):
        drawn.append(1)
        if len(drawn) == 1:
            raise KeyboardInterrupt
        original(self, *arguments)

    monkeypatch.setattr(TabularNetwork, "draw", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = TabularNetClassifier(max_iter=10, **QUICK).fit(X, y)
    assert model.n_iter_ == 0
    assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-9)


def test_ctrl_c_while_the_temperature_is_looked_for_keeps_the_network(monkeypatch):
    X, y = turning(80, np.random.default_rng(0))

    def interrupted(net, temperature):
        raise KeyboardInterrupt

    monkeypatch.setattr(tabular_net, "softened", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = TabularNetClassifier(max_iter=10, **QUICK).fit(X, y, validation=(X, y))
    assert model.n_iter_ > 0
