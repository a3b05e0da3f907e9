"""Baskets of files, block by block."""

import numpy as np
import pandas as pd
import pytest

from assay.associations.basket_stream import BasketStream
from assay.associations.baskets import Baskets
from assay.associations.frequent_sets import frequent_sets
from assay.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
SIZES = RNG.integers(1, 9, 400)
LONG = pd.DataFrame(
    {
        "bill": np.repeat(RNG.permutation(400), SIZES),
        "what": RNG.choice(["tea", "milk", "bread", "jam", None], SIZES.sum(), p=[0.3, 0.3, 0.2, 0.1, 0.1]),
        "w": np.repeat(RNG.exponential(1.0, 400), SIZES),
    }
)


def whole(sets):
    return sets.items, sets.indptr.tolist(), sets.indices.tolist(), sets.counts.tolist(), sets.n


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("kind", ["all", "closed", "maximal"])
@pytest.mark.parametrize("rows", [150, 10_000])
def test_blocks_of_any_size_give_the_sets_of_the_whole(tmp_path, rows, kind, weights):
    LONG.to_parquet(tmp_path / "long.parquet")
    stream = BasketStream(tmp_path / "long.parquet", "bill", "what", weights, rows=rows)
    sets = frequent_sets(stream, 0.2, kind=kind)
    wanted = frequent_sets(Baskets.from_long(LONG, "bill", "what", weights), 0.2, kind=kind)
    assert whole(sets) == whole(wanted)
    assert sets.levels  # by passes


def test_a_basket_longer_than_a_block(tmp_path):
    long = pd.DataFrame({"bill": [1] + [2] * 9 + [3], "what": list("aabcdefghia")})
    long.to_csv(tmp_path / "long.csv", index=False)
    sets = frequent_sets(BasketStream(tmp_path / "long.csv", "bill", "what", rows=2), 3)
    assert [s.items for s in sets] == [("a",)] and sets.n == 3


def test_several_files_and_wanted_items(tmp_path):
    cut = int(SIZES[:150].sum())
    LONG[:cut].to_csv(tmp_path / "a.csv", index=False)
    LONG[cut:].to_csv(tmp_path / "b.csv", index=False)
    sets = frequent_sets(
        BasketStream(str(tmp_path / "*.csv"), "bill", "what", rows=50), 5, containing=["jam"]
    )
    wanted = frequent_sets(Baskets.from_long(LONG, "bill", "what"), 5, containing=["jam"])
    assert whole(sets) == whole(wanted)


def test_a_basket_that_comes_again_is_refused(tmp_path):
    pd.DataFrame({"bill": [1, 2, 1], "what": ["tea"] * 3}).to_csv(tmp_path / "long.csv", index=False)
    with pytest.raises(
        DataError, match=r"stand together, but some value of 'bill' comes again.*Sort the file"
    ):
        frequent_sets(BasketStream(tmp_path / "long.csv", "bill", "what", rows=1), 1)


def test_a_stream_is_searched_by_passes(tmp_path):
    LONG.to_csv(tmp_path / "long.csv", index=False)
    with pytest.raises(ParameterError, match="a stream is searched by apriori only, got method='eclat'"):
        frequent_sets(BasketStream(tmp_path / "long.csv", "bill", "what"), 0.1, method="eclat")


def test_numbers_below_zero_name_different_baskets(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("bill,what\n-1,tea\n-2,tea\n-2,milk\n", encoding="utf-8")
    sets = frequent_sets(BasketStream(path, "bill", "what", rows=1), 1)
    assert (sets.n, sets.counts.tolist()) == (2, [2, 1, 1])
