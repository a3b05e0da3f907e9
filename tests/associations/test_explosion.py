"""Too many sets are refused before they are found."""

import numpy as np
import pytest

import assay.associations.eclat as branches
from assay.associations.baskets import Baskets
from assay.associations.collector import Collector
from assay.associations.explosion import Guard, in_words
from assay.associations.frequent_sets import frequent_sets
from assay.associations.threshold import Threshold
from assay.errors import ParameterError

RNG = np.random.default_rng(0)
MANY = Baskets.from_lists([np.flatnonzero(row).tolist() for row in RNG.random((500, 60)) < 0.7])


@pytest.mark.parametrize("method", ["eclat", "fp-growth"])
def test_said_before_it_happens_with_a_threshold_that_would_do(method):
    with pytest.raises(ParameterError) as told:
        frequent_sets(MANY, 0.01, method=method)
    text = str(told.value)
    assert text.startswith("frequent_sets: at a support of 0.01 (5 of 500 baskets) there would be about ")
    assert ", more than limit=10,000,000. A support of 0." in text and told.value.code == "too-many-sets"
    better = float(text.split(" A support of ")[1].split()[0])
    assert 0.01 < better < 1
    assert len(frequent_sets(MANY, better)) <= 10_000_000  # as promised


def test_a_count_is_answered_with_a_count():
    with pytest.raises(
        ParameterError, match=r"at a support of 5 \(5 of 500 baskets\).* A support of \d+ would give"
    ):
        frequent_sets(MANY, 5)


@pytest.mark.parametrize("method", ["eclat", "fp-growth", "apriori"])
def test_the_limit_is_hard(method):
    lists = ["abcdefgh"] * 2
    assert len(frequent_sets(Baskets.from_lists(lists), 2, method=method, limit=255)) == 255
    with pytest.raises(ParameterError, match="there are more than 254 item sets"):
        frequent_sets(Baskets.from_lists(lists), 2, method=method, limit=254)


def test_condensed_sets_may_be_few_where_all_are_many():
    alike = Baskets.from_lists([range(100)] * 10)
    assert len(frequent_sets(alike, 1.0, kind="closed")) == 1
    with pytest.raises(ParameterError, match=r"about 1\.\de\+30 item sets"):
        frequent_sets(alike, 1.0)


def test_many_closed_sets_are_refused_too(monkeypatch):
    monkeypatch.setattr(branches, "GLANCE", 1 << 20)
    with pytest.raises(ParameterError, match="there are more than 5,000 closed item sets"):
        frequent_sets(MANY, 0.05, kind="closed", limit=5000)


def test_memory_stays_bounded_by_the_limit(monkeypatch):
    """A search that has found more than the limit does not go on."""
    seen = []
    add = branches.Collector.add

    def counted(self, items, sizes, counts):
        seen.append(len(sizes))
        add(self, items, sizes, counts)

    monkeypatch.setattr(branches.Collector, "add", counted)
    with pytest.raises(ParameterError):
        frequent_sets(MANY, 0.05, kind="closed", limit=5000)
    assert sum(seen) <= 2 * 5001


def test_few_sets_may_be_too_large():
    """The limit is also one of memory: 16 items a set on average."""
    told = []
    collector = Collector(2, told.append)
    collector.add(np.arange(32, dtype=np.int32), np.array([32], np.int32), np.array([1]))
    assert told == []
    collector.add(np.arange(1, dtype=np.int32), np.array([1], np.int32), np.array([1]))
    assert told == [2]
    guard = Guard(MANY, Threshold.of(MANY, 200), 200, 2, None, "closed")
    with pytest.raises(
        ParameterError, match="closed item sets are so large that 2 take the memory of limit=2"
    ):
        guard.too_many(2)


def test_numbers_in_words():
    assert [in_words(v) for v in (0.0, 9.6, 94.0, 123456.0, 1.5e9)] == ["0", "10", "94", "120,000", "1.5e+09"]
