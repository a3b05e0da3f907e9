"""One pass over a block: the sums of NumPy; quantiles by digits: those of sorting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import assay.ensembles._hist_passes as _hist_passes
from assay.core.sums import Block, Stream
from assay.ensembles.hist_bins import find_bins
from assay.ensembles.hist_losses import HistLoss
from assay.ensembles.hist_order import node_of_rows
from assay.ensembles.hist_passes import BlockView
from assay.ensembles.hist_quantiles import quantiles

CHUNK = 1 << 15  # rows of a block that are sorted together


def sorted_by(node):
    """The rows of each chunk by node, as numbers within the chunk, and the nodes in that order."""
    chunks = [node[a : a + CHUNK] for a in range(0, len(node), CHUNK)]
    orders = [np.argsort(some, kind="stable") for some in chunks]
    nodes = [some[order] for some, order in zip(chunks, orders)]
    return np.concatenate(orders).astype(np.uint16), np.concatenate(nodes).astype(np.int32)


def pass_by_the_book(codes, cells, node, splits, goes_left):
    """The child of each row, and for each child the sums of its rows' cells by column and bin."""
    child = node.copy()
    for k, (column, left, right) in splits.items():
        rows = node == k
        child[rows] = np.where(goes_left[k][codes[rows, column]], left, right)
    histograms = {}
    for c in np.unique(child):
        h = np.zeros((codes.shape[1], 256, cells.shape[1]), np.int64)
        for j in range(codes.shape[1]):
            np.add.at(h[j], codes[child == c, j], cells[child == c])
        histograms[c] = h
    return child, histograms


@pytest.mark.parametrize(
    ("d", "n"), [(1, 500), (3, 500), (8, 500), (20, 500), (70, 500), (5, 70_000)]
)  # the last: several tiles
@pytest.mark.parametrize("wide", [False, True])
def test_a_pass_is_that_of_the_book(d, n, wide):
    rng = np.random.default_rng(d)
    bits = n.bit_length() + 1
    X = rng.integers(0, 40, (n, d)).astype(float)
    bins = find_bins(X, np.zeros(d, int), 255)
    bins = type(bins)(
        *[getattr(bins, f) for f in ("bins", "thresholds", "nominal", "bin_of", "category_start", "place")],
        True,
    )
    codes = bins.codes(X)
    y, held = rng.integers(-99, 99, n) * 1.0, (rng.random(n) < 0.2).astype(np.uint8)
    view = BlockView.of(bins, HistLoss("squared_error"), 1.0)
    block = view.codes({"panels": codes.panels, "wide": codes.wide, "y": y})
    rows = _hist_passes.BlockRows(
        kind=0, parameter=0.5, heaviest=1.0, raw=np.zeros(n), y=y, w=None, top=None, inverse=None, held=held
    )
    units = _hist_passes.BlockUnits(wide=wide, count_bits=bits, g=1.0, h=1.0)
    one = 1 - held.astype(np.int64)
    g = -y.astype(np.int64) * one
    cells = np.column_stack([g, (one << bits) + one]) if wide else ((g << bits) + one)[:, None]
    node = rng.integers(0, 3, n).astype(np.int32)
    order, of_place = sorted_by(node)
    sets = np.zeros((2, 8), np.uint32)
    sets[0, 0], sets[1, 0] = 0b1011, 0xFFFF
    goes_left = {0: np.isin(np.arange(256), [0, 1, 3]), 2: np.arange(256) < 16}
    last = d - 1
    child, sums = pass_by_the_book(codes.columns.T, cells, node, {0: (0, 3, 4), 2: (last, 5, 6)}, goes_left)
    plan = _hist_passes.SplitPlan(
        action=np.array([0, -1, 1, -1, -1, -1, -1], np.int32),
        place=np.array([0, last], np.int32),
        child=np.array([3, 4, 5, 6], np.int32),
        slot=np.array([0, -2, -1, 1], np.int32),
        set_start=np.array([0, 8, 16]),
        sets=sets.ravel(),
        slots=2,
    )
    step = 2 if wide else 1
    h, parts = np.zeros((2, view.cells * step), np.int64), np.zeros((4, 2), np.int64)
    _hist_passes.expand(
        codes=block, rows=rows, units=units, plan=plan, order=order, node=of_place, h=h, parts=parts
    )
    assert_array_equal(node_of_rows({"order": order[None], "node": of_place[None]}), child)
    for a in range(0, n, CHUNK):  # the rows of a node stand side by side, in their order
        nodes, places = np.unique(of_place[a : a + CHUNK], return_index=True)
        for k, place in zip(nodes, places):
            rows_of_k = np.flatnonzero(child[a : a + CHUNK] == k)
            assert_array_equal(order[a + place : a + place + len(rows_of_k)], rows_of_k)
    value, raw = rng.normal(size=7), np.ones(n)
    _hist_passes.add_values(order, of_place, value, raw)
    assert_array_equal(raw, 1 + value[child])
    for slot, c in ((0, 3), (1, 6)):
        ours = h[slot].reshape(-1, 256, step)[:d]
        used = np.arange(256)[None, :, None] <= bins.bins[:, None, None]
        assert_array_equal(ours * used, sums[c] * used)
    assert not parts.any()
    root, total = np.zeros(view.cells * step, np.int64), np.zeros(6, np.int64)
    _hist_passes.sum_root(block, rows, units, root, total)
    assert_array_equal(root.reshape(-1, 256, step)[0, :40], sum(s[0, :40] for s in sums.values()))
    assert_array_equal(total, [g.sum(), one.sum(), one.sum(), 0, 0, np.abs(g).sum()])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=40),
    st.booleans(),
    st.sampled_from(["absolute_error", "quantile"]),
    st.floats(0.01, 0.99),
)
def test_quantiles_by_digits_are_those_of_sorting(rows, weighted, name, share):
    y, leaf, w = (np.array(column) for column in zip(*rows, strict=True))
    y, w, loss = y.astype(float), w + 0.5, HistLoss(name, quantile=share)
    order, node = sorted_by(leaf)
    arrays = {"y": y, "raw": np.zeros((1, len(y))), "order": order[None], "node": node[None]}
    if weighted:
        arrays["w"] = w
    counts = np.bincount(leaf, minlength=4)
    out = quantiles(lambda task: task(arrays), loss, np.arange(4), np.arange(4)[:, None], counts, weighted)
    for k in np.flatnonzero(counts):
        assert out[k] == loss.leaf_value(y[leaf == k], w[leaf == k] if weighted else None)


def test_a_tree_takes_about_as_many_passes_as_it_has_levels():
    from assay.ensembles import HistGradientBoostingClassifier, hist_learner

    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    passes = []

    class Counted(hist_learner.PassBoosting):
        def round(self, *args):
            before = self.passes
            trees = super().round(*args)
            passes.append((self.passes - before, trees[0].depth))
            return trees

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hist_learner, "PassBoosting", Counted)
        HistGradientBoostingClassifier(max_iter=5, early_stopping=False).fit_blocks([(X, y)])
    first, *later = [done - depth for done, depth in passes]
    assert (
        2 <= first <= 5
    )  # the root, each level, what adds the values and begins the next tree, and some in vain
    assert all(1 <= more <= 4 for more in later)


def test_a_kept_block_is_a_byte_a_cell():
    from assay.ensembles.hist_blocks import BlockTargets, KeptRows

    X = np.random.default_rng(0).normal(size=(300, 20))
    bins = find_bins(X, np.zeros(20, int), 255)
    dense = type(bins)(
        bins.bins, bins.thresholds, bins.nominal, bins.bin_of, bins.category_start, bins.place, True
    )
    with Stream([(X, X[:, 0])], lambda raw: Block(*raw)).keep(
        KeptRows(dense, BlockTargets(), np.zeros(1))
    ) as kept:
        assert kept.add_up(lambda arrays: arrays["panels"].nbytes) == X.size
