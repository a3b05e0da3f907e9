"""What embeddings share: training rows keep their places, missing values or not."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_s_curve

from assay.errors import DataError
from assay.reduce import (
    MDS,
    SNE,
    TSNE,
    ClassicalMDS,
    ClassInformedEmbedding,
    Isomap,
    LandmarkIsomap,
    LocallyLinearEmbedding,
    ParametricSammon,
    SammonMapping,
    SpectralEmbedding,
)

GROUP = np.arange(45) % 3


def table_with_gaps():
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"a": random.normal(size=45), "b": random.normal(size=45), "c": np.array(["x", "y", "z"])[GROUP]}
    )
    frame.loc[::5, "b"] = np.nan
    frame.loc[7, "c"] = None
    return frame


EMBEDDINGS = [
    ClassicalMDS(metric="heom"),
    MDS(metric="heom", n_init=1, max_iter=30, random_state=0),
    MDS(metric="heom", metric_mds=False, n_init=1, max_iter=30, random_state=0),
    SammonMapping(metric="heom"),
    SammonMapping(metric="heom", extension="weights"),
    Isomap(metric="heom", n_neighbors=20),
    LandmarkIsomap(metric="heom", n_neighbors=20, n_landmarks=10),
    LocallyLinearEmbedding(metric="heom", n_neighbors=20),
    SpectralEmbedding(metric="heom", n_neighbors=20),
    SNE(metric="heom", perplexity=8),
    TSNE(metric="heom", perplexity=8, max_iter=250),
    ClassInformedEmbedding(metric="heom", alpha=0.3),
]


@pytest.mark.parametrize(
    "embedding", EMBEDDINGS, ids=lambda model: f"{type(model).__name__}-{model.extension}"
)
def test_training_rows_with_missing_values_keep_their_places(embedding):
    """By HEOM a missing value is 1 away from everything, itself included, so that such a row is not its own nearest."""
    frame = table_with_gaps()
    embedding.fit(frame, GROUP)
    size = np.abs(embedding.embedding_).max()
    assert_allclose(embedding.transform(frame), embedding.embedding_, atol=1e-9 * size)
    assert_allclose(embedding.transform(frame[::-1])[::-1], embedding.embedding_, atol=1e-9 * size)
    new = frame.assign(a=frame.a + 0.5)
    assert np.isfinite(embedding.transform(new)).all()


def test_a_row_is_not_away_from_itself():
    frame = table_with_gaps()
    for model in (ClassicalMDS(metric="heom"), MDS(metric="heom", n_init=1, max_iter=5, random_state=0)):
        D = model.fit(frame).dissimilarity_matrix_
        assert_array_equal(D.diagonal(), 0)
        assert D.min(initial=1, where=~np.eye(len(D), dtype=bool)) > 0


def test_a_function_of_the_columns_says_who_takes_missing_values():
    with pytest.raises(DataError, match=r"Use SammonMapping\(metric='heom'\)"):
        ParametricSammon(metric="heom").fit(table_with_gaps())


@pytest.mark.parametrize("model", [ClassicalMDS(), Isomap(n_neighbors=4), ClassicalMDS(metric="manhattan")])
def test_distances_that_cannot_be_squared_are_refused(model):
    rng = np.random.default_rng(0)
    with pytest.raises(DataError, match="power of ten"):
        model.fit(rng.normal(size=(20, 3)) * 1e160)


@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_modified_weights_do_not_depend_on_units(scale):
    X = make_s_curve(120, random_state=0)[0]
    plain, scaled = (LocallyLinearEmbedding(n_neighbors=10, method="modified").fit(A) for A in (X, X * scale))
    assert_allclose(np.abs(scaled.embedding_), np.abs(plain.embedding_), atol=1e-6)
