import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.smoothers.incremental_running_mean import IncrementalRunningMean
from assay.smoothers.running_mean import RunningMean


def stored_by_the_book(x, r, h, threshold):
    kept = []
    for t in range(len(r)):
        near = [s for s in kept if abs(x[s] - x[t]) < h]
        if not near or abs(r[t] - np.mean(r[near])) > threshold:
            kept.append(t)
    return kept


@pytest.mark.capability("IML-8-30")
def test_fewer_rows_are_stored_and_those_forgotten_were_near():
    random = np.random.default_rng(0)
    x = random.uniform(0, 10, 500)
    r = np.sin(x) + random.normal(0, 0.05, 500)
    model = IncrementalRunningMean(0.5, threshold=0.3).fit(x[:, None], r)
    assert len(model.stored_) < 100
    assert np.sqrt(np.mean((model.predict(x[:, None]) - np.sin(x)) ** 2)) < 0.3
    forgotten = np.setdiff1d(np.arange(500), model.stored_)
    for t in forgotten[::20]:  # when it came, it was within the threshold
        before = model.stored_[model.stored_ < t]
        estimate = RunningMean(0.5).fit(x[before][:, None], r[before]).predict(x[[t]][:, None])
        assert abs(estimate[0] - r[t]) <= 0.3


@pytest.mark.capability("IML-8-30")
@given(seed=st.integers(0, 1000), h=st.floats(0.1, 3), threshold=st.floats(0, 2))
@settings(max_examples=30, deadline=None)
def test_what_is_stored(seed, h, threshold):
    random = np.random.default_rng(seed)
    x, r = random.uniform(0, 5, 40), random.normal(size=40)
    model = IncrementalRunningMean(h, threshold=threshold).fit(x[:, None], r)
    assert_array_equal(model.stored_, stored_by_the_book(x, r, h, threshold))
    assert_array_equal(model.X_[:, 0], x[model.stored_])
    parts = IncrementalRunningMean(h, threshold=threshold)
    for some in (slice(0, 7), slice(7, 8), slice(8, 40)):
        parts.partial_fit(x[some][:, None], r[some])
    assert_array_equal(parts.stored_, model.stored_)
    assert parts.n_seen_ == 40
    assert_array_equal(parts.predict(x[:, None]), model.predict(x[:, None]))


def test_it_predicts_by_the_running_mean_of_what_is_stored(waves):
    x, y = waves
    model = IncrementalRunningMean(0.4, threshold=0.5).fit(x, y)
    again = RunningMean(0.4).fit(x[model.stored_], y[model.stored_])
    assert_allclose(model.predict(x), again.predict(x), rtol=1e-12)


def test_the_explanation_counts_rows_as_they_came(waves):
    x, y = waves
    model = IncrementalRunningMean(0.4, threshold=0.5).fit(x, y)
    for row, at, _, number, _ in model.explain(x[:1]).sections[0].rows:
        assert at == x[row - 1, 0] and number == y[row - 1]


def test_several_columns_and_weights():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 2)), random.normal(size=80)
    w = random.integers(0, 3, 80).astype(float)
    model = IncrementalRunningMean(1.0, threshold=0.5).fit(X, y, w)
    assert (w[model.stored_] > 0).all()
    assert_array_equal(model.weight_, w[model.stored_])
    model.partial_fit(X[:3] + 50, y[:3])  # rows without weights count once
    assert_array_equal(model.weight_[-1:], [1.0])
    assert model.n_seen_ == 83
