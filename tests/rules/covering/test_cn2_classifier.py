import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2

from assay.rulebase.measures import class_entropy, laplace, likelihood_ratio
from assay.rules import CN2Classifier
from assay.tables.data import (
    load_breast_cancer,
    load_charity_donors,
    load_contact_lenses,
    load_iris,
    load_wine,
)

CHARITY = load_charity_donors()
LENSES = load_contact_lenses()


def star_by_the_book(codes, y, K, prior, beam, threshold, measure):
    """CN2's search over nominal columns in plain Python: sets of (column, code), each conjunction with its rows."""

    def judged(rows):
        counts = np.bincount(y[rows], minlength=K)
        k = int(counts.argmax())
        value = (
            -class_entropy(counts) if measure == "entropy" else laplace(counts[k], len(rows) - counts[k], K)
        )
        good = likelihood_ratio(counts, prior) > threshold
        return (round(float(value), 11), len(rows)), good, counts

    def hopeful(rows):  # whether the purest subset would be the best rule, and any subset can be significant
        counts = np.bincount(y[rows], minlength=K)
        if 2 * (counts * -np.log(prior)).sum() <= threshold:
            return False
        most = counts.max()
        pure = 0.0 if measure == "entropy" else round(float(laplace(most, 0, K)), 11)
        return best is None or (pure, most) > best[0]

    star, best = [((), np.arange(len(y)))], None
    while star:
        new, seen = [], {rows.tobytes() for _, rows in star}
        for conjunction, rows in [member for member in star if hopeful(member[1])]:
            for j in range(codes.shape[1]):
                for code in np.unique(codes[rows, j]):
                    kept = rows[codes[rows, j] == code]
                    if len(kept) == len(rows):
                        continue
                    rank, good, counts = judged(kept)
                    new.append((rank, (*conjunction, (j, int(code))), kept))
                    if good and (best is None or rank > best[0]):
                        best = rank, (*conjunction, (j, int(code))), kept, counts
        new.sort(key=lambda one: (-one[0][0], -one[0][1]))
        star = []
        for _, conjunction, rows in new:
            if rows.tobytes() not in seen and len(star) < beam:
                seen.add(rows.tobytes())
                star.append((conjunction, rows))
    return best


def list_by_the_book(codes, y, K, beam, alpha, measure):
    prior, left, result = np.bincount(y, minlength=K) / len(y), np.arange(len(y)), []
    threshold = chi2.isf(alpha, K - 1)
    while len(left) and (best := star_by_the_book(codes[left], y[left], K, prior, beam, threshold, measure)):
        k = int(
            np.lexsort((-prior, -best[3]))[0]
        )  # equally many: the class that is more frequent among all rows
        result.append((dict(best[1]), k))
        left = np.delete(left, best[2])
    return result


@pytest.mark.capability("DC-51")
@pytest.mark.parametrize("measure", ["entropy", "laplace"])
@pytest.mark.parametrize("beam", [1, 2, 5])
def test_the_ordered_list_is_that_of_the_book(measure, beam):
    draw = np.random.default_rng(beam)
    for n, K in ((60, 2), (90, 3)):
        codes = draw.integers(0, 3, (n, 4))
        y = np.where((codes[:, 0] == 1) & (codes[:, 1] == 2), 1, (codes[:, 2] > 1) * (K - 1))
        y = np.where(draw.random(n) < 0.15, draw.integers(0, K, n), y)
        names = np.array(list("abc"), dtype=object)[codes]  # text makes the columns nominal
        model = CN2Classifier(measure=measure, beam=beam, alpha=0.1).fit(names, y)
        ours = [({c.column: c.codes[0] for c in rule.conditions}, rule.answer) for rule in model.rules_]
        assert ours == list_by_the_book(codes, y, K, beam, 0.1, measure) and len(ours) > 1


@pytest.mark.capability("DC-51")
def test_significance_on_charity():
    """(5, 0) passes 3.841459, (5, 1) does not; a stricter level finds nothing."""
    assert chi2.isf(0.05, 1) == pytest.approx(3.841459, abs=5e-7)
    assert_array_equal(likelihood_ratio([[0, 5], [1, 5]], [5, 6]) > 3.841459, [True, False])
    model = CN2Classifier(beam=1).fit(CHARITY.X, CHARITY.y)
    assert str(model) == "R1: IF Salary > 55500 THEN Y\nR2: IF Age <= 61 THEN N\nELSE Y"
    assert (
        CN2Classifier(alpha=0.001).fit(CHARITY.X, CHARITY.y).n_rules_ == 0
    )  # six rows: at most 7.27 < 10.83


@pytest.mark.capability("DC-51")
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_every_rule_is_significant_where_it_was_learned(ordered, alpha):
    """And its class is more frequent there than among all rows."""
    for load in (load_iris, load_wine, load_breast_cancer):
        data = load()
        X, y = data.X.values, np.unique(data.y, return_inverse=True)[1]
        K = y.max() + 1
        model = CN2Classifier(ordered=ordered, alpha=alpha).fit(X, y)
        left, prior = np.ones(len(y), bool), np.bincount(y) / len(y)
        last = None
        for rule, growth in zip(model.rules_, model.history_, strict=True):
            if not ordered and rule.answer != last:
                left[:], last = True, rule.answer
            covered = rule.covers(X) & left
            counts = np.bincount(y[covered], minlength=K)
            assert_array_equal(counts, growth.counts)
            assert likelihood_ratio(counts, prior) > chi2.isf(alpha, K - 1)
            assert ordered or counts[rule.answer] > prior[rule.answer] * counts.sum()
            left &= ~covered if ordered else ~(covered & (y == rule.answer))
        assert model.n_rules_ > 0


@pytest.mark.capability("DC-51")
def test_unordered_rules_add_their_counts_of_all_training_rows():
    data = load_iris()
    X, y = data.X.values, np.unique(data.y, return_inverse=True)[1]
    model = CN2Classifier(ordered=False).fit(X, y)
    fired = np.column_stack([rule.covers(X) for rule in model.rules_])
    counts = np.array([np.bincount(y[rule.covers(X)], minlength=3) for rule in model.rules_])
    assert_array_equal([rule.counts for rule in model.rules_], counts)
    votes = fired @ counts
    some = fired.any(axis=1)
    assert_array_equal(model.predict(X)[some], votes[some].argmax(axis=1))
    assert_array_equal(
        model.predict([[np.nan] * 4]), [0]
    )  # none fires: the most frequent class, here the first


def test_several_rules_fire_and_the_sum_decides():
    model = CN2Classifier(ordered=False).fit(LENSES.X, LENSES.y)
    fired = model.rules_.covers(LENSES.X)
    assert fired.sum(axis=1).max() > 1
    assert model.score(LENSES.X, LENSES.y) > 0.9


def test_a_dnf_is_recovered():
    bits = (np.arange(64)[:, None] >> np.arange(6) & 1).astype(float)
    y = (bits[:, 0] * bits[:, 1] + bits[:, 2] * bits[:, 3] > 0).astype(int)
    X, labels = np.tile(bits, (10, 1)), np.tile(y, 10)
    for ordered in (True, False):
        assert_array_equal(CN2Classifier(ordered=ordered).fit(X, labels).predict(bits), y)


@given(seed=st.integers(0, 2**32 - 1), ordered=st.booleans())
@settings(max_examples=15, deadline=None)
def test_weights_are_repetitions(seed, ordered):
    draw = np.random.default_rng(seed)
    X, y = draw.integers(0, 4, (40, 3)).astype(float), draw.integers(0, 2, 40)
    y[X[:, 0] > 2] = 1
    w = draw.integers(0, 4, 40)
    rows = np.repeat(np.arange(40), w)
    if len(np.unique(y[rows])) < 2:
        return
    a = CN2Classifier(ordered=ordered, beam=3, alpha=0.2).fit(X, y, sample_weight=w.astype(float))
    b = CN2Classifier(ordered=ordered, beam=3, alpha=0.2).fit(X[rows], y[rows])
    assert str(a) == str(b)
    assert_allclose(a.predict_proba(X), b.predict_proba(X), rtol=1e-12)


def test_limits_are_kept():
    data = load_breast_cancer()
    model = CN2Classifier(min_coverage=20, max_conditions=2).fit(data.X, data.y)
    assert all(rule.n >= 20 and len(rule.conditions) <= 2 for rule in model.rules_)
    assert CN2Classifier(residual_priors=True).fit(data.X, data.y).score(data.X, data.y) > 0.95
