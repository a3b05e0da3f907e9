"""Baskets: their arrays, printing, choosing."""

import numpy as np
import pytest

from assay.associations.baskets import Baskets
from assay.errors import DataError, ParameterError

SHOP = [["milk", "bread"], ["bread"], [], ["tea", "milk", "milk"]]


def test_items_are_sorted_and_each_once():
    baskets = Baskets.from_lists(SHOP)
    assert baskets.items == ("bread", "milk", "tea")
    assert baskets.indptr.tolist() == [0, 2, 3, 3, 5]
    assert baskets.indices.tolist() == [0, 1, 0, 1, 2]
    assert list(baskets) == [("bread", "milk"), ("bread",), (), ("milk", "tea")]
    assert baskets.counts.tolist() == [2, 2, 1]
    assert len(baskets) == baskets.n == baskets.total == 4


def test_weights_are_what_counts():
    baskets = Baskets.from_lists(SHOP, weights=[1, 2, 3, 0.5])
    assert baskets.counts.tolist() == [3, 1.5, 0.5]
    assert baskets.total == 6.5


@pytest.mark.parametrize("which", [slice(1, 3), [3, 0], np.array([True, False, False, True])])
def test_some_baskets_keep_their_items_weights_and_ids(which):
    baskets = Baskets.from_lists(SHOP, weights=[1, 2, 3, 4], ids="abcd")
    some = baskets[which]
    chosen = np.arange(4)[which]
    assert [some[i] for i in range(some.n)] == [baskets[int(i)] for i in chosen]
    assert some.weights.tolist() == (chosen + 1).tolist()
    assert some.ids == tuple("abcd"[i] for i in chosen)
    assert some.items == baskets.items


def test_holding_is_what_the_lists_say():
    baskets = Baskets.from_lists(SHOP)
    assert baskets.holding("milk").tolist() == [True, False, False, True]
    assert baskets.holding("milk", "bread").tolist() == [True, False, False, False]
    assert baskets.holding().all()


def test_segment_by_label():
    baskets = Baskets.from_lists(SHOP)
    assert list(baskets.of_segment(["x", "y", "x", "y"], "y")) == [("bread",), ("milk", "tea")]
    with pytest.raises(DataError, match="no basket has the label 'z'"):
        baskets.of_segment(["x", "y", "x", "y"], "z")
    with pytest.raises(DataError, match="4 baskets need as many labels"):
        baskets.of_segment(["x"], "x")


def test_sparse_matrix_of_ones():
    assert Baskets.from_lists(SHOP).to_sparse().toarray().tolist() == [
        [1, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
        [0, 1, 1],
    ]


def test_print_shows_the_most_frequent():
    text = repr(Baskets.from_lists([[f"item {i}" for i in range(j)] for j in range(1, 13)]))
    assert text.splitlines()[0] == "12 baskets of 12 items: 6.5 items on average, density 0.54"
    assert "item 0  12  1.000" in text and text.endswith("... and 4 more items")
    assert repr(Baskets.from_lists([])) == "0 baskets of 0 items: 0 items on average, density 0"


def test_unknown_items_are_named():
    with pytest.raises(ParameterError, match=r"there is no item 'beer'. Items: bread, milk, tea\."):
        Baskets.from_lists(SHOP).holding("beer")
    with pytest.raises(ParameterError, match="there is no item"):
        Baskets.from_lists(SHOP).code(["unhashable"])


@pytest.mark.parametrize(
    ("indptr", "indices", "what"),
    [
        ([0, 2], [1, 0], "ascending"),
        ([0, 2], [1, 1], "ascending"),
        ([0, 1], [2], "numbers of items"),
        ([0, 1], [-1], "numbers of items"),
        ([0, 2], [0], "indptr"),
        ([0, 1, 0, 1], [0], "indptr"),
        ([], [], "indptr"),
    ],
)
def test_damaged_arrays_are_refused(indptr, indices, what):
    with pytest.raises(DataError, match=what):
        Baskets(np.array(indptr, np.int64), np.array(indices, np.int32), ("a", "b"))


def test_items_may_fall_from_one_basket_to_the_next():
    assert Baskets(np.array([0, 0, 1, 2, 2]), np.array([1, 0]), ("a", "b"))[1] == ("b",)


@pytest.mark.parametrize("weights", [[1.0], [-1.0, 1, 1, 1], [np.nan, 1, 1, 1], ["x", "y", "z", "a"]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(DataError, match="weights"):
        Baskets.from_lists(SHOP, weights=weights)
