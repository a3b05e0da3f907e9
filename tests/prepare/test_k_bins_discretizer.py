"""KBinsDiscretizer: numbers cut into bins, from memory, blocks and Dask alike."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import KBinsDiscretizer as Peer

import assay
from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.prepare import KBinsDiscretizer
from assay.prepare.k_bins_discretizer import PLACES
from assay.tables.data import load_breast_cancer, load_iris, load_wine

LOADS = [load_iris, load_wine, load_breast_cancer]
few_values = pytest.mark.filterwarnings(
    "ignore::assay.errors.DegenerateWarning", "ignore:Bins whose width:UserWarning"
)


@few_values
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "ordinal"])
@pytest.mark.parametrize(
    ("strategy", "method"),
    [("uniform", "linear"), *(("quantile", m) for m in ("averaged_inverted_cdf", "inverted_cdf", *PLACES))],
)
def test_same_bins_as_scikit_learn(load, encode, strategy, method):
    """Peer: KBinsDiscretizer, scikit-learn 1.9; fitted on half of the rows, so that some lie beyond."""
    X = load().X.values
    options = {"encode": encode, "strategy": strategy, "quantile_method": method}
    ours, peer = (cls(4, **options).fit(X[::2]) for cls in (KBinsDiscretizer, Peer))
    for a, b in zip(ours.bin_edges_, peer.bin_edges_):
        assert_allclose(a, b, rtol=1e-12)
    assert_array_equal(ours.n_bins_, peer.n_bins_)
    A, B = ours.transform(X), peer.transform(X)
    assert_array_equal(*((A, B) if encode != "onehot" else (A.toarray(), B.toarray())))
    assert_allclose(ours.inverse_transform(A), peer.inverse_transform(B), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()


@few_values
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_same_bins_as_scikit_learn_with_weights(strategy):
    X = load_breast_cancer().X.values
    w = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    ours, peer = (
        cls(4, strategy=strategy, encode="ordinal").fit(X, sample_weight=w)
        for cls in (KBinsDiscretizer, Peer)
    )
    assert_array_equal(ours.transform(X), peer.transform(X))


def squares(x, edges):
    """The sum of squares within bins."""
    b = np.searchsorted(edges[1:-1], x, side="right")
    return sum(((x[b == g] - x[b == g].mean()) ** 2).sum() for g in np.unique(b))


@few_values
@pytest.mark.parametrize("load", LOADS)
def test_groups_are_about_as_close_as_those_of_scikit_learn(load):
    """Peer: its KMeans from the same start; it stops by a tolerance, and both end in a local optimum (7 % at most)."""
    X = load().X.values
    for k in (3, 5, 9):
        ours, peer = (cls(k, strategy="kmeans").fit(X) for cls in (KBinsDiscretizer, Peer))
        for j in range(X.shape[1]):
            assert squares(X[:, j], ours.bin_edges_[j]) <= 1.07 * squares(X[:, j], peer.bin_edges_[j])


@few_values
@given(seed=st.integers(0, 10**6), k=st.integers(2, 8))
@settings(max_examples=40, deadline=None)
def test_edges_lie_in_the_middle_between_the_means_of_neighbouring_groups(seed, k):
    """Property: what one-dimensional k-means ends in; no group is empty."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.normal(size=40), rng.normal(9, 3, size=20), [200.0]])
    edges = KBinsDiscretizer(k, strategy="kmeans").fit(x[:, None]).bin_edges_[0]
    b = np.searchsorted(edges[1:-1], x, side="left")
    means = np.array([x[b == g].mean() for g in range(len(edges) - 1)])
    assert_allclose(edges[1:-1], (means[1:] + means[:-1]) / 2, rtol=1e-9)
    assert edges[0] == x.min() and edges[-1] == x.max()


@few_values
@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_and_partial_fit_in_any_order_give_the_bins_of_all_rows(strategy, weighted):
    """To the last bit while the sketches are exact; the weights are whole, so that their sums are."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    w = rng.integers(1, 4, 500).astype(float) if weighted else np.ones(500)
    parts = [slice(0, 90), slice(90, 91), slice(91, 500)]
    make = KBinsDiscretizer(6, encode="ordinal", strategy=strategy).set_params
    whole = make().fit(X, sample_weight=w)
    edges = [e.copy() for e in whole.bin_edges_]
    streamed = make().fit_blocks([(X[s], None, w[s]) for s in parts])
    assert all(map(np.array_equal, streamed.bin_edges_, edges))
    model = KBinsDiscretizer(6, encode="ordinal", strategy=strategy)
    for s in parts[::-1]:
        model.partial_fit(X[s], sample_weight=w[s])
    assert all(map(np.array_equal, model.bin_edges_, edges))


def test_more_rows_than_a_sketch_holds():
    """Quantiles of blocks are off by no more than the sketch says; those in memory are exact."""
    x = np.random.default_rng(0).normal(size=(200_000, 1))
    exact = KBinsDiscretizer(10).fit(x).bin_edges_[0]
    places = np.arange(20_000, 200_000, 20_000)  # a tenth of the rows each: midway between two neighbours
    ordered = np.sort(x[:, 0])
    assert_allclose(exact[1:-1], (ordered[places - 1] + ordered[places]) / 2, rtol=1e-12)
    edges = (
        KBinsDiscretizer(10).fit_blocks([x[a : a + 30_000] for a in range(0, 200_000, 30_000)]).bin_edges_[0]
    )
    shares = np.searchsorted(np.sort(x[:, 0]), edges) / len(x)
    assert_allclose(shares, np.linspace(0, 1, 11), atol=2e-4)
    assert edges[0] == x.min() and edges[-1] == x.max()


def table():
    return pd.DataFrame(
        {"age": [20.0, 30.0, None, 50.0, 60.0], "town": ["Ulm", "Bonn", "Ulm", None, "Bonn"]},
        index=list("abcde"),
    )


def test_mixed_frames_with_missing_values():
    """Worked by hand: the median of 20, 30, 50, 60 is 40."""
    codes = KBinsDiscretizer(2, encode="ordinal").fit_transform(table())
    assert codes["age"].tolist()[:2] == [0, 0] and codes["age"].isna().tolist() == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert codes["town"].equals(table()["town"])
    dense = KBinsDiscretizer(2, encode="onehot-dense").fit(table())
    shown = dense.transform(table())
    assert (
        list(shown)
        == ["age_0.0", "age_1.0", "town_Bonn", "town_Ulm"]
        == dense.get_feature_names_out().tolist()
    )
    assert shown.index.tolist() == list("abcde")
    assert shown.to_numpy().tolist() == [
        [1, 0, 0, 1],
        [1, 0, 1, 0],
        [0, 0, 0, 1],
        [0, 1, 0, 0],
        [0, 1, 1, 0],
    ]
    assert_array_equal(KBinsDiscretizer(2).fit(table()).transform(table()).toarray(), shown)
    back = dense.inverse_transform(shown)
    assert back[:, 0].tolist()[:2] == [30.0, 30.0] and np.isnan(back[2, 0]) and back[1, 1] == "Bonn"


def test_a_bin_number_for_each_column_and_the_type_of_the_numbers():
    X = np.arange(12.0).reshape(6, 2)
    made = KBinsDiscretizer([2, 3], encode="ordinal", dtype=np.float32).fit(X)
    assert made.n_bins_.tolist() == [2, 3]
    assert made.transform(X).dtype == np.float32
    assert KBinsDiscretizer(2).fit(X).transform(X.astype(np.float32)).dtype == np.float32


def test_few_values_and_none_are_fewer_bins_and_said():
    X = np.array([[1.0, 5.0, np.nan], [1.0, 5.0, np.nan], [2.0, 5.0, np.nan]])
    with pytest.warns(DegenerateWarning, match=r"x0 \(1\), x1 \(1\), x2 \(1\). Lower n_bins"):
        made = KBinsDiscretizer(3, encode="ordinal").fit(X[:2])
    assert made.n_bins_.tolist() == [1, 1, 1]
    assert_array_equal(made.transform([[7.0, -1.0, np.nan]]), [[0, 0, np.nan]])
    assert np.isnan(made.inverse_transform([[0, 0, 0]])).all()
    with pytest.warns(DegenerateWarning, match="x0"):
        assert KBinsDiscretizer(3, strategy="kmeans").fit(X).bin_edges_[0].tolist() == [1.0, 1.5, 2.0]


@pytest.mark.filterwarnings("ignore::assay.errors.DegenerateWarning")
def test_what_cannot_be_is_explained():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ParameterError, match="n_bins must be a whole number from 2 up"):
        KBinsDiscretizer(1).fit(X)
    with pytest.raises(ParameterError, match="n_bins has 3 numbers, and the table 2 columns"):
        KBinsDiscretizer([2, 2, 2]).fit(X)
    with pytest.raises(ParameterError, match="'linear' is for rows that count alike"):
        KBinsDiscretizer(2, quantile_method="linear").fit(X, sample_weight=np.arange(6.0))
    made = KBinsDiscretizer(2, encode="ordinal").fit(X)
    with pytest.raises(DataError, match="Expecting 2, received 3"):
        made.inverse_transform([[0, 1, 1]])
    for strange in ([[0, 2]], [[-1, 0]], [[0.5, 0]]):
        with pytest.raises(DataError, match="whole numbers from 0 up"):
            made.inverse_transform(strange)


@pytest.mark.parametrize("fit", ["fit", "partial_fit"])
def test_a_saved_model_gives_the_same_bins_and_goes_on(tmp_path, fit):
    """To the bins of all rows, whether the first ones came by fit or by partial_fit."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    made = getattr(KBinsDiscretizer(3), fit)(X)
    assay.save(made, tmp_path / "bins.assay")
    loaded = assay.load(tmp_path / "bins.assay")
    assert_array_equal(loaded.transform(X).toarray(), made.transform(X).toarray())
    whole = KBinsDiscretizer(3).fit(np.vstack([X, X + 1]))
    assert all(map(np.array_equal, loaded.partial_fit(X + 1).bin_edges_, whole.bin_edges_))
