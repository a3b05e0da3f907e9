import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.smoothers.running_median import RunningMedian


@pytest.mark.capability("IML-8-24")
@pytest.mark.parametrize(("h", "expected"), [(1.5, [1.5, 2, 4, 6]), (2.5, [1.5, 2, 4, 5.5])])
def test_the_table(eight, h, expected):
    x, r, q = eight
    assert_allclose(RunningMedian(h).fit(x, r).predict(q), expected, rtol=1e-14)


@given(seed=st.integers(0, 1000), k=st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_the_median_of_the_nearest(seed, k):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(20, 2)), random.normal(size=20)
    model, at = RunningMedian(n_neighbors=k).fit(X, y), random.normal(size=2)
    nearest = np.argsort(((X - at) ** 2).sum(axis=1))[:k]
    assert_allclose(model.predict([at]), [np.median(y[nearest])], rtol=1e-14)
    assert_allclose(model.weights([at]) @ y, model.predict([at]), rtol=1e-14)


def test_a_row_of_weight_two_is_two_rows(waves):
    x, y = waves
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    for chosen in ({"bandwidth": 0.7}, {"bandwidth": "loo"}, {"n_neighbors": 9}):
        once = RunningMedian(**chosen).fit(x, y, sample_weight=counts)
        twice = RunningMedian(**chosen).fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
        assert_allclose(once.predict(x), twice.predict(x), rtol=1e-12)


def test_gross_errors_move_it_little(waves):
    x, y = waves
    model, clean = (
        RunningMedian(0.8).fit(x, np.where(np.arange(len(y)) % 10, y, 1e6)),
        RunningMedian(0.8).fit(x, y),
    )
    assert np.abs(model.predict(x) - clean.predict(x)).max() < 1


def test_what_a_median_does_not_have(eight):
    x, r, _ = eight
    model = RunningMedian(1.5).fit(x, r)
    for what in (model.degrees_of_freedom, lambda: model.confidence_band(x)):
        with pytest.raises(TypeError, match="no weighted mean"):
            what()
    again = [RunningMedian(1.5).fit(np.delete(x, i, 0), np.delete(r, i)).predict(x[[i]])[0] for i in range(8)]
    assert_allclose(model.leave_one_out(), again)
