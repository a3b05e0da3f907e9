"""What belongs to each row is checked, kept with its row, and left out with it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.bayes import GaussianNB
from assay.errors import AssayError, DataError, ParameterError
from assay.evaluate.bootstrap import bootstrap_error
from assay.evaluate.curves import learning_curve
from assay.evaluate.rows import gather
from assay.evaluate.three_way import three_way
from assay.tables import Table
from assay.tables.data import load_iris, load_wine

X, Y = load_wine()
FRAME = pd.DataFrame(X.values, columns=[f"c{j}" for j in range(X.shape[1])])
HELD = np.arange(178) % 3 == 0


def test_times_order_the_rows_and_go_with_them():
    rng = np.random.default_rng(0)
    when = pd.Series(pd.date_range("2020-01-01", periods=178)).sample(frac=1, random_state=0)
    labels = rng.permutation(Y).astype(object)
    labels[3] = None
    result = compare(["majority", "lda"], X, labels, times=when.astype(str).tolist())
    assert result.design.name == "5-time" and result.settings["timed"]
    kept = when.to_numpy()[np.delete(np.arange(178), 3)]
    for split in result.splits:
        assert kept[split.train].max() < kept[split.test].min()


def test_times_of_every_kind_give_the_same_order():
    days = pd.Series(pd.date_range("2020-01-01", periods=178, freq="7h")).sample(frac=1, random_state=1)
    berlin = days.dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")
    kinds = [days, days.astype(str).tolist(), days.tolist(), pl.Series(days.tolist()), days.to_numpy().astype("int64"),
             berlin, [t.isoformat() for t in berlin]]  # fmt: skip
    first, *others = (gather(X, Y, None, times=k).data.times.argsort().tolist() for k in kinds)
    assert all(other == first for other in others)


@pytest.mark.parametrize("seed", [None, -1, 1.5, "one", True])
def test_a_seed_is_a_whole_number(seed):
    for call in (compare, bootstrap_error, learning_curve):
        with pytest.raises(ParameterError, match="random_state must be a whole number"):
            call("majority", X, Y, random_state=seed)
    with pytest.raises(ParameterError, match="three_way: random_state"):
        three_way(X, Y, random_state=seed)
    for call in (compare, bootstrap_error, learning_curve):
        with pytest.raises(ParameterError, match="y is missing"):
            call("majority", X)


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "arrow", "dict", "sparse", "table"])
def test_a_second_table_is_tested_once_by_the_first(kind):
    make = {
        "array": lambda rows: X.values[rows],
        "pandas": lambda rows: FRAME[rows],
        "polars": lambda rows: pl.from_pandas(FRAME[rows]),
        "arrow": lambda rows: pa.Table.from_pandas(FRAME[rows], preserve_index=False),
        "dict": lambda rows: {k: FRAME[k][rows].tolist() for k in FRAME},
        "sparse": lambda rows: csr_array(X.values[rows]),
        "table": lambda rows: Table.of(FRAME[rows]),
    }[kind]
    learner = GaussianNB() if kind != "sparse" else DecisionTreeClassifier(random_state=0)
    result = compare({"it": learner}, make(~HELD), Y[~HELD], test=(make(HELD), Y[HELD]))
    model = type(learner)(**learner.get_params()).fit(X.values[~HELD], Y[~HELD])
    assert_allclose(result.values("it"), np.mean(model.predict(X.values[HELD]) != Y[HELD]), rtol=1e-12)
    assert str(result.design) == "holdout with 60 given test rows"


def test_a_mask_of_test_rows_is_the_same_holdout():
    masked = compare([GaussianNB()], X, Y, test=HELD, design="holdout")
    numbered = compare([GaussianNB()], X, Y, test=np.flatnonzero(HELD))
    assert_array_equal(masked.tests[0], np.flatnonzero(HELD))
    assert masked.values("GaussianNB") == numbered.values("GaussianNB")


@pytest.mark.parametrize(
    ("options", "words"),
    [({"test": HELD, "design": "10-fold"}, 'so the design is "holdout"'),
     ({"test": HELD[:5]}, "a mask of rows needs 178"), ({"test": np.zeros(178, bool)}, "has no row to test"),
     ({"test": np.ones(178, bool)}, "has no row to teach"),
     ({"test": (FRAME.rename(columns={"c0": "z"}), Y)}, "c0, z are in one of them alone"),
     ({"test": (FRAME, Y), "groups": np.arange(178)}, "have no entries for its rows"),
     ({"times": np.arange(5)}, "times must have 178 entries"),
     ({"times": np.where(HELD, np.nan, 1.0)}, "times is missing in 60 of 178 rows, the first is row 1"),
     ({"test": (FRAME, Y[:5])}, "178 rows and 5 labels"), ({"test": (X.values[:, :3], Y)}, "must have the columns"),
     ({"times": HELD}, "times must be numbers, dates"), ({"n_jobs": "two"}, "n_jobs must be a number of processes"),
     ({"n_jobs": 1.5}, "n_jobs must be"), ({"alpha": "0.05"}, "alpha must be a number"),
     ({"times": ["soon"] * 178}, "times must be numbers, dates or ISO text"),
     ({"times": np.arange(178), "design": "10-fold"}, "times puts rows in order for a design by time"),
     ({"times": np.arange(178), "groups": np.arange(178)}, "Give times or groups, not both"),
     ({"times": np.zeros(178)}, "at 1 moments"), ({"times": np.arange(178)}, "all of the class"),
     ({"groups": [None] * 178}, "groups is missing in 178"), ({"design": "leave-one-group-out"}, "needs groups="),
     ({"groups": pd.Series([pd.NA] + ["g"] * 177, dtype="string")}, "groups is missing in 1 of"),
     ({"reject": "x"}, "reject must be a number from 0"), ({"reject": True}, "reject must be a number from 0"),
     ({"budget": -1}, "budget must be"), ({"budget": "long"}, "budget must be")],
)  # fmt: skip
def test_what_does_not_fit_the_rows_is_refused_in_words(options, words):
    with pytest.raises(AssayError, match=words):
        compare(["majority"], FRAME, Y, **options)


def test_columns_of_any_library_belong_to_the_rows():
    groups, weights = np.arange(178) // 6, np.arange(178) % 3 + 1
    held = np.isin(groups, np.arange(0, 30, 3))
    plain = compare(["lda"], X, Y, test=held, groups=groups, sample_weight=weights).values("lda")
    for column in (pa.array, pl.Series, pd.Series, lambda v: pa.chunked_array([v])):
        parts = {k: column(v.tolist()) for k, v in
                 (("test", held), ("groups", groups), ("sample_weight", weights))}  # fmt: skip
        assert compare(["lda"], X, column(Y.tolist()), **parts).values("lda") == plain


def test_every_group_is_left_out_once():
    groups = np.array(list("abcdef"))[np.arange(178) % 6]
    result = compare(["majority", "lda"], X, Y, design="leave-one-group-out", groups=groups)
    assert [set(groups[t]) for t in result.tests] == [{g} for g in "abcdef"]


def test_rows_of_no_class_take_their_entries_with_them():
    labels = Y.astype(object)
    labels[HELD] = None
    rows = gather(X, labels, "5-fold", groups=np.arange(178), weights=np.arange(178) + 1.0)
    assert_array_equal(rows.data.groups, np.flatnonzero(~HELD))
    assert_array_equal(rows.data.weight, np.flatnonzero(~HELD) + 1.0)
    with pytest.raises(DataError, match="every row with a class has the weight 0"):
        gather(X, labels, "5-fold", weights=HELD.astype(float))
    with pytest.raises(ParameterError, match="design must be a name"):
        gather(*load_iris(), "often")
