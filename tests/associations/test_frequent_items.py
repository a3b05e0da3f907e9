"""FrequentItems: the same sets from memory, blocks and Dask; transform tells which a row holds."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import check_estimator

import assay
from assay.associations.baskets import Baskets
from assay.associations.frequent_items import FrequentItems
from assay.associations.frequent_sets import frequent_sets
from assay.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame((RNG.random((500, 6)) < 0.4).astype(float), columns=list("abcdef")).assign(
    job=RNG.choice(["x", "y", None], 500)
)
WEIGHTS = RNG.exponential(1.0, 500)


def whole(sets):
    return sets.items, sets.indptr.tolist(), sets.indices.tolist(), sets.counts.tolist()


def blocks(w=None):
    return [
        (TABLE[a : a + 120], None, None if w is None else w[a : a + 120]) for a in range(0, len(TABLE), 120)
    ]


@pytest.mark.parametrize("kind", ["all", "closed", "maximal"])
@pytest.mark.parametrize("w", [None, WEIGHTS], ids=["counts", "weights"])
def test_blocks_give_the_sets_of_the_table(kind, w):
    model = FrequentItems(0.05, kind=kind, max_size=3).fit(TABLE, sample_weight=w)
    again = FrequentItems(0.05, kind=kind, max_size=3).fit_blocks(blocks(w))
    assert whole(model.sets_) == whole(again.sets_)
    assert len(model.sets_) > 5 and model.sets_.n == again.sets_.n


def test_files_larger_than_a_block(tmp_path):
    TABLE[:250].to_parquet(tmp_path / "a.parquet")
    TABLE[250:].to_parquet(tmp_path / "b.parquet")
    model = FrequentItems(0.1).fit_blocks(str(tmp_path / "*.parquet"))
    assert whole(model.sets_) == whole(FrequentItems(0.1).fit(TABLE).sets_)
    assert model.sets_.levels[0].size == 1  # by passes


def test_dask_gives_the_sets_of_the_table():
    dd = pytest.importorskip("dask.dataframe", reason="the extra dask is not installed")
    numbers = TABLE.drop(columns="job")
    model = FrequentItems(0.1).fit(dd.from_pandas(numbers, npartitions=3))
    assert whole(model.sets_) == whole(FrequentItems(0.1).fit(numbers).sets_)


def test_items_are_columns_above_the_threshold_and_values():
    model = FrequentItems(1, threshold=2.0).fit({"n": [1.0, 2.0, 3.0, np.nan], "job": ["x", "y", "x", None]})
    assert {s.items: s.count for s in model.sets_} == {
        ("n",): 1,
        ("job = 'x'",): 2,
        ("job = 'y'",): 1,
        ("n", "job = 'x'"): 1,
    }


def test_sparse_and_dense_are_the_same():
    X = TABLE.drop(columns="job").to_numpy()
    assert whole(FrequentItems(0.1).fit(sp.csr_matrix(X)).sets_) == whole(FrequentItems(0.1).fit(X).sets_)
    with pytest.raises(DataError, match="threshold below 0"):
        FrequentItems(0.1, threshold=-1.0).fit(sp.csr_matrix(X))


def test_same_as_baskets():
    X = TABLE.drop(columns="job")
    assert whole(FrequentItems(0.1).fit(X).sets_) == whole(frequent_sets(Baskets.from_wide(X), 0.1))


def test_transform_tells_which_sets_a_row_holds():
    model = FrequentItems(0.05).fit(TABLE)
    told = model.transform(TABLE)
    assert sp.issparse(told) and told.shape == (500, len(model.sets_))
    assert np.array_equal(np.asarray(told.sum(axis=0)).ravel(), model.sets_.counts)
    dense = FrequentItems(0.05, sparse_output=False).fit(TABLE).transform(TABLE[:7])
    assert np.array_equal(dense, told.toarray()[:7])
    names = model.get_feature_names_out()
    assert names[-1] == " & ".join(model.sets_[-1].items)
    unseen = TABLE[:1].assign(job="z")
    with pytest.warns(UserWarning, match="treated as missing"):
        assert model.transform(unseen).shape == (1, len(names))


def test_kept_in_a_file(tmp_path):
    model = FrequentItems(0.1).fit(TABLE, sample_weight=WEIGHTS)
    assay.save(model, tmp_path / "sets.assay")
    again = assay.load(tmp_path / "sets.assay")
    assert whole(again.sets_) == whole(model.sets_)
    assert (again.transform(TABLE) != model.transform(TABLE)).nnz == 0


def test_too_many_on_blocks():
    with pytest.raises(
        ParameterError, match=r"FrequentItems: at a support of 0.01 there are more than 10 item sets"
    ):
        FrequentItems(0.01, limit=10).fit_blocks(blocks())
    with pytest.raises(ParameterError, match="FrequentItems: min_support must be a share"):
        FrequentItems(2.5).fit(TABLE)
    with pytest.raises(DataError, match="no row weighs anything"):
        FrequentItems(0.5).fit_blocks(blocks(np.zeros(500)))


def test_the_learner_speaks_for_itself():
    with pytest.raises(
        ParameterError, match=r"^FrequentItems: at a support of 1\.0 .* there would be about 1\.3e\+30"
    ):
        FrequentItems(1.0).fit(np.ones((5, 100)))


def test_the_checks_of_scikit_learn():
    """With max_size: some checks use tables whose every number is positive, where all 2^30 sets are frequent."""
    check_estimator(FrequentItems(max_size=2), on_skip=None)
