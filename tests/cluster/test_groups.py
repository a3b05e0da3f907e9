"""Spectral groups, medoids, modes, prototypes, consensus, ART, constraints, codes, measures, numbers of groups."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as peers
from sklearn.datasets import load_iris, make_blobs

from assay.cluster import (
    ConsensusClustering,
    ConstrainedKMeans,
    FuzzyART,
    KMeans,
    KMedoids,
    KModes,
    KPrototypes,
    SpectralClustering,
    adjusted_mutual_info_score,
    adjusted_rand_score,
    calinski_harabasz_score,
    choose_clusters,
    chord_elbow,
    co_association,
    compare_clusterings,
    davies_bouldin_score,
    gap_statistic,
    kmeans_plusplus,
    merge_rows,
    normalized_mutual_info_score,
    profile_clusters,
    quantize_blocks,
    quantize_colors,
    quantize_vectors,
    rand_score,
    silhouette_samples,
    silhouette_score,
    stability_of_clusters,
)
from assay.cluster.quality import _euclidean_sums
from assay.errors import AssayError, DataError
from assay.mixture import choose_mixture
from assay.sequences import GaussianHMM, choose_n_states, left_to_right

IRIS = load_iris()


def two_triangles(bridge=True):
    B = np.zeros((6, 6))
    for a, b in ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), *([(2, 3)] if bridge else [])):
        B[a, b] = B[b, a] = 1
    return B


@pytest.mark.capability("IML-7-24")
@pytest.mark.parametrize(
    ("laplacian", "values", "vector"),
    [
        ("unnormalized", [0, 0.438447, 3, 3, 3, 4.561553], [0.464705, 0.464705, 0.260956]),
        ("rw", [0, 0.204666, 1.166667, 1.5, 1.5, 1.628667], [0.461375, 0.461375, 0.272519]),
        ("sym", [0, 0.204666, 1.166667, 1.5, 1.5, 1.628667], [0.445141, 0.445141, 0.322023]),
    ],
)
def test_two_triangles_by_three_laplacians(laplacian, values, vector):
    options = {"affinity": "precomputed", "laplacian": laplacian, "random_state": 0}
    full = SpectralClustering(2, n_components=6, **options).fit(
        two_triangles()
    )  # rows of length 1 by themselves
    assert_allclose(full.eigenvalues_, values, atol=5e-7)
    second = full.embedding_[:, 1] / full.embedding_[0, 1] * vector[0]
    assert_allclose(second, [*vector, *(-np.array(vector[::-1]))], atol=2e-6)
    model = SpectralClustering(2, **options).fit(two_triangles())
    assert_allclose(model.eigenvalues_, values[:2], atol=5e-7)
    assert_array_equal(model.labels_ == model.labels_[0], [True] * 3 + [False] * 3)
    with pytest.warns(match="not fully connected"):
        apart = SpectralClustering(2, affinity="precomputed", laplacian=laplacian, random_state=0).fit(
            two_triangles(False)
        )
    assert apart.n_connected_components_ == 2
    assert_allclose(apart.eigenvalues_, [0, 0], atol=1e-9)


@pytest.mark.capability("IML-7-24")
@pytest.mark.parametrize("laplacian", ["unnormalized", "rw", "sym"])
def test_two_rings_that_k_means_cannot_tell_apart(laplacian):
    turn = np.arange(60) * 2 * np.pi / 60
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    X = np.vstack([circle, 3 * circle])
    options = {
        "affinity": "heat",
        "radius": 2.1,
        "gamma": 1 / (2 * 0.5**2),
        "laplacian": laplacian,
        "random_state": 0,
    }
    model = SpectralClustering(2, **options).fit(X)
    assert model.n_connected_components_ == 1
    expected = [0, 0.003706, 0.057798] if laplacian == "unnormalized" else [0, 0.000779, 0.019233]
    assert_allclose(SpectralClustering(2, n_components=3, **options).fit(X).eigenvalues_, expected, atol=6e-7)
    assert_allclose(model.eigenvalues_, expected[:2], atol=5e-7)
    truth = np.repeat([0, 1], 60)
    assert adjusted_rand_score(truth, model.labels_) == 1
    assert adjusted_rand_score(truth, KMeans(2, random_state=0).fit(X).labels_) < 0.5


def test_spectral_groups_are_those_of_scikit_learn():
    from sklearn.cluster import SpectralClustering as Peer

    X, _ = make_blobs(120, 2, centers=3, cluster_std=1.0, random_state=1)
    for settings in ({"gamma": 0.1}, {"affinity": "nearest_neighbors", "n_neighbors": 15}):
        for assign in ("kmeans", "discretize", "cluster_qr"):
            options = {"n_clusters": 3, "random_state": 0, "assign_labels": assign, **settings}
            peer, ours = Peer(**options), SpectralClustering(**options)
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert adjusted_rand_score(ours.fit(X).labels_, peer.fit(X).labels_) == 1


@pytest.mark.capability("IML-17-18")
def test_co_association_counts():
    counts = co_association([[1, 1, 2, 2, 3], [1, 1, 1, 2, 2], [2, 2, 1, 1, 1]])
    expected = [[3, 3, 1, 0, 0], [3, 3, 1, 0, 0], [1, 1, 3, 2, 1], [0, 0, 2, 3, 2], [0, 0, 1, 2, 3]]
    assert_array_equal(counts, expected)
    X, y = make_blobs(90, 2, centers=3, random_state=3)
    model = ConsensusClustering(3, n_estimators=15, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert_allclose(np.diag(model.co_association_), 1)


def test_medoids_are_the_best_of_all_subsets():
    from itertools import combinations

    rng = np.random.default_rng(0)
    X = rng.normal(size=(16, 2))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    best = min(D[:, list(rows)].min(axis=1).sum() for rows in combinations(range(16), 3))
    model = KMedoids(3).fit(X)
    assert_allclose(model.inertia_, best)
    again = KMedoids(3, metric="precomputed").fit(D)
    assert_array_equal(again.labels_, model.labels_)
    assert KMedoids(1).fit(X).medoid_indices_[0] == D.sum(axis=1).argmin()


def test_prototypes_and_modes_of_raw_tables():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": np.r_[rng.normal(0, 1, 40), rng.normal(9, 1, 40)],
            "colour": np.r_[rng.choice(["red", "pink"], 40, p=[0.9, 0.1]), ["blue"] * 40],
        }
    )
    table.loc[3, "size"] = np.nan
    table.loc[50, "colour"] = None
    model = KPrototypes(2, random_state=0).fit(table)
    assert adjusted_rand_score(np.repeat([0, 1], 40), model.labels_) == 1
    labels = model.labels_
    means = [table["size"][labels == k].mean() for k in range(2)]
    assert_allclose(model.cluster_centers_[:, 0], means)  # the optimum of (1) for its labels
    modes = [table["colour"][labels == k].mode()[0] for k in range(2)]
    words = [model.schema_[1].categories[int(c)] for c in model.cluster_centers_[:, 1]]
    assert words == modes
    rows = [["a", "x", "u"], ["a", "x", "v"], ["b", "y", "w"], ["b", "y", "u"]]
    assert KModes(2, random_state=0).fit(rows).cost_ == 2
    assert KModes(4, random_state=0).fit(rows).cost_ == 0


def test_limits_of_size_and_pairs_are_kept():
    X, _ = make_blobs(60, 2, centers=3, random_state=0)
    sized = ConstrainedKMeans(4, min_size=15, max_size=15, n_init=2, random_state=0).fit(X)
    assert np.bincount(sized.labels_).tolist() == [15] * 4
    pairs = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 3), (3, 4)]}
    linked = ConstrainedKMeans(3, random_state=0, **pairs).fit(X).labels_
    assert linked[0] == linked[1] == linked[2] and linked[0] != linked[3] and linked[3] != linked[4]
    with pytest.raises(AssayError, match="contradict"):
        ConstrainedKMeans(2, must_link=[(0, 1)], cannot_link=[(1, 0)]).fit(X)
    with pytest.raises(AssayError, match="cannot hold"):
        ConstrainedKMeans(2, max_size=10).fit(X)
    free = KMeans(3, n_init=10, random_state=0).fit(X)
    assert_allclose(
        ConstrainedKMeans(3, min_size=1, random_state=0).fit(X).inertia_, free.inertia_, rtol=1e-9
    )


def test_art_boxes_are_no_larger_than_vigilance_allows():
    X = np.random.default_rng(0).uniform(size=(80, 3))
    for vigilance in (0.5, 0.8):
        model = FuzzyART(vigilance).fit(X)
        assert (model.weights_.sum(axis=1) >= vigilance * 3 - 1e-9).all()
    assert len(FuzzyART(0.8).fit(X).weights_) > len(FuzzyART(0.5).fit(X).weights_)
    assert len(FuzzyART(0.0).fit(X).weights_) == 1
    seen_twice = FuzzyART(0.8).fit(X).partial_fit(X[:5])
    assert len(seen_twice.weights_) >= 1


@pytest.mark.capability("IML-7-04", "IML-7-05", "IML-1-07")
def test_compression_by_codes():
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (60, 80, 3))
    coded = quantize_colors(image, 64)
    n = 60 * 80
    assert coded.bits_per_vector == 6
    assert_allclose(coded.ratio, 24 * n / (6 * n + 64 * 24))
    assert_allclose(24 / coded.bits_per_vector, 4)  # the bits of a pixel alone
    assert coded.decode().shape == image.shape
    assert_allclose(coded.error, np.mean((coded.decode() - image) ** 2), rtol=1e-9)
    assert len(np.unique(coded.decode().reshape(-1, 3), axis=0)) <= 64
    many = 10**9
    assert_allclose(24 * many / (8 * many + 256 * 24), 3, rtol=1e-5)
    grey = rng.integers(0, 256, (41, 30))
    blocks = quantize_blocks(grey, 16, block=3)
    assert blocks.decode().shape == grey.shape
    tiles = 14 * 10
    assert_allclose(blocks.ratio, 8 * 41 * 30 / (tiles * 4 + 8 * 16 * 9))
    whole = quantize_blocks(grey[:39], 16, block=3)
    assert_allclose(whole.ratio, 8 * 39 * 30 / (39 * 30 / 9 * 4 + 8 * 16 * 9))
    exact = quantize_vectors([[1.0], [5.0], [1.0]], 4)
    assert exact.error == 0 and len(exact.codebook) == 2
    lossy = quantize_vectors(IRIS.data, 3)
    assert_allclose(lossy.error * 600, np.sum((lossy.decode() - IRIS.data) ** 2))


def test_measures_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    a, b = rng.integers(0, 4, 200), rng.integers(0, 3, 200)
    assert_allclose(silhouette_samples(X, a), peers.silhouette_samples(X, a), atol=1e-12)
    D = np.abs(X[:, None] - X[None]).sum(axis=2)
    assert_allclose(
        silhouette_score(X, a, metric="manhattan"), peers.silhouette_score(D, a, metric="precomputed")
    )
    assert_allclose(
        silhouette_score(D, a, metric="precomputed"), peers.silhouette_score(D, a, metric="precomputed")
    )
    for ours in (calinski_harabasz_score, davies_bouldin_score):
        assert_allclose(ours(X, a), getattr(peers, ours.__name__)(X, a), rtol=1e-10)
    for ours in (adjusted_rand_score, rand_score, normalized_mutual_info_score, adjusted_mutual_info_score):
        alone = np.arange(200)
        for first, second in ((a, b), (a, a), (a, a * 0), (alone, a), (a * 0, a * 0), (alone, alone[::-1])):
            assert_allclose(ours(first, second), getattr(peers, ours.__name__)(first, second), atol=1e-10)
    assert compare_clusterings(a, 3 - a)["matched_rows"] == 1
    for odd, message in (([0, np.nan, 1], r"row 2 of the labels is missing"), (["a", None, "b"], "row 2"),
                         (["a", 1, "b"], "of one kind, got int and str")):  # fmt: skip
        with pytest.raises(DataError, match=message):
            compare_clusterings([0, 1, 0], np.array(odd, dtype=object))
    with pytest.raises(AssayError, match="a clusterer with fit and predict"):
        stability_of_clusters(X, range(2, 4))
    lonely = np.r_[a[:-1], 9]
    assert silhouette_samples(X, lonely)[-1] == 0
    with pytest.raises(AssayError, match="Number of labels is 1"):
        silhouette_score(X, a * 0)


@pytest.mark.capability("IML-7-31")
def test_the_elbow_of_iris():
    losses = [KMeans(k, n_init=300, random_state=0).fit(IRIS.data).inertia_ for k in range(1, 8)]
    expected = [681.3706, 152.347952, 78.851441, 57.228473, 46.446182, 39.039987, 34.298230]
    assert_allclose(losses, expected, atol=5e-5)
    assert range(1, 8)[chord_elbow(range(1, 8), losses)] == 2
    fall = (np.array(losses) - losses[-1]) / (losses[0] - losses[-1])
    below = 1 - np.arange(7) / 6 - fall  # the chord, less the curve
    assert_allclose(below[1:3], [0.6509, 0.5978], atol=5e-5)


@pytest.mark.capability("IML-7-32")
def test_the_gap_of_a_dendrogram():
    assert merge_rows(IRIS.data, "single").largest_gap()[0] == 2


def test_the_number_of_groups_by_several_rules():
    X, _ = make_blobs(150, 2, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    choice = choose_clusters(X, max_clusters=6, n_references=4, n_resamples=6)
    assert choice.n_clusters == 3 and "3 groups" in str(choice)
    assert set(choice.votes) == {"elbow", "silhouette", "gap", "bic", "dendrogram", "stability"}
    mean, low, high = choice.stability[3]
    assert low <= mean <= high <= 1
    noise = np.random.default_rng(0).uniform(size=(100, 2))
    assert choose_clusters(noise, max_clusters=5, rules=["gap"], n_references=5).n_clusters == 1
    assert choose_clusters(np.ones((20, 2)), max_clusters=4).n_clusters == 1


@pytest.mark.parametrize("n", [3, 5, 8, 12, 19])
def test_few_rows_have_a_number_of_groups(n):
    """Halves of few rows fall into few groups, and a group of one or two rows has no variance to speak of."""
    X = np.concatenate([np.arange(n - n // 2), 100.0 + np.arange(n // 2)])[:, None]
    choice = choose_clusters(X, n_references=3, n_resamples=4)
    assert choice.n_clusters == 2 or n < 8
    assert set(choice.stability) == set(range(2, min(10, max(n // 2, 2), n - 1) + 1))
    assert choice.votes["bic"] <= max(n // 3, 1)


@pytest.mark.capability("IML-7-22")
def test_the_profile_of_iris():
    model = KMeans(3, n_init=10, random_state=0).fit(IRIS.data)
    profile = profile_clusters(IRIS.data, model.labels_)
    assert sorted(g.size for g in profile.groups) == [38, 50, 62]
    for k, group in enumerate(profile.groups):
        assert_allclose([c["typical"] for c in group.columns], model.cluster_centers_[k], rtol=1e-6)
        inside = IRIS.data[model.labels_ == k]
        low = [c["low"] for c in group.columns]
        assert_allclose(low, np.quantile(inside, 0.05, axis=0))
        assert model.labels_[group.prototype] == k
    small = profile_clusters(IRIS.data, np.r_[model.labels_[:-1], -1], min_share=0.3)
    assert len(small.groups) == 2 and len(small.outside) == 39
    assert "39 rows" in str(small) and small.view().parts


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean", "seuclidean", "chebyshev", "cosine"])
def test_silhouettes_by_every_metric_are_those_of_scikit_learn(metric):
    X, groups = np.random.default_rng(2).uniform(size=(50, 3)), np.arange(50) % 3
    assert_allclose(
        silhouette_samples(X, groups, metric=metric),
        peers.silhouette_samples(X, groups, metric=metric),
        atol=1e-10,
    )


@pytest.mark.parametrize("d", [1, 4, 7])
def test_silhouettes_of_many_rows_are_those_of_all_pairs(d, monkeypatch):
    """Several blocks, strips of a block and parts at a time, by NumPy and by scikit-learn."""
    draw = np.random.default_rng(d)
    X, groups = draw.normal(size=(1500, d)) + 1e6, draw.choice(4, 1500, p=[0.7, 0.2, 0.0995, 0.0005])
    apart = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    sums = np.stack([apart[:, groups == k].sum(axis=1) for k in range(4)], axis=1)
    assert_allclose(_euclidean_sums(X, groups, 4), sums, rtol=1e-12)
    assert_allclose(silhouette_samples(X - 1e6, groups), peers.silhouette_samples(X - 1e6, groups), atol=1e-8)
    ours = []
    for threads in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        ours.append(silhouette_samples(X, groups).tobytes())
    assert ours[0] == ours[1]


def test_prototypes_of_numbers_whose_squares_overflow_are_refused():
    with pytest.raises(DataError, match="x0 has numbers too large to be squared"):
        KPrototypes(3, random_state=0).fit([[1e300, 0.0], [-1e300, 0.0], [0.0, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize("wrong", [None, "a", [], [[]], 1.5, float("nan"), -1, 0, {"a": 1}], ids=repr)
def test_numbers_that_are_none_are_refused_by_functions_of_groups(wrong):
    X = np.random.default_rng(0).normal(size=(20, 2))
    tree = merge_rows(X, "single")
    calls = [
        lambda: choose_clusters(X, max_clusters=wrong),
        lambda: choose_clusters(X, n_references=wrong),
        lambda: gap_statistic(X, wrong),
        lambda: gap_statistic(X, [1, wrong]),
        lambda: gap_statistic(X, [1, 2], n_references=wrong),
        lambda: stability_of_clusters(X, KMeans(2), n_resamples=wrong),
        lambda: kmeans_plusplus(X, wrong),
        lambda: quantize_vectors(X, wrong),
        lambda: tree.cut(n_groups=wrong),
        lambda: chord_elbow([1, 2], wrong),
        lambda: co_association(wrong if not isinstance(wrong, (str, list, dict)) else None),
        lambda: left_to_right(wrong),
        lambda: choose_n_states(GaussianHMM(), [X, X], wrong),
        lambda: choose_mixture(X, n_components=wrong),
        lambda: GaussianHMM(2).fit(X, states=0 if wrong is None else wrong),
    ]
    for call in calls:
        with pytest.raises(AssayError):
            call()


def test_a_number_that_should_be_a_list_is_shown_as_it_came():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(AssayError, match=r"ks must be a list of whole numbers from 1 to 20.*got 2\.$"):
        gap_statistic(X, 2)
    with pytest.raises(AssayError, match=r"n_states must be a list of whole numbers from 1 up, got 2\.$"):
        choose_n_states(GaussianHMM(), [X, X], 2)
    with pytest.raises(AssayError, match=r"n_groups must be a whole number from 1 to 20, got 2\.0\.$"):
        merge_rows(X, "single").cut(n_groups=2.0)
