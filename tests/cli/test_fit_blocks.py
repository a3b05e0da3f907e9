"""assay fit --blocks: the model of the whole file, from blocks; who cannot, and what to do instead."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay import load
from assay.cli import data

rng = np.random.default_rng(0)
N = 200
FRAME = pd.DataFrame(
    {
        "id": np.arange(N),
        "size": rng.normal(size=N),
        "kind": rng.choice(["a", "b"], N),
        "grade": rng.integers(0, 3, N),
    }
)
FRAME["good"] = np.where(FRAME["size"] + rng.normal(size=N) > 0, "yes", "no")
FRAME["price"] = FRAME["size"] * 3 + rng.normal(size=N)


@pytest.fixture(params=["csv", "parquet"])
def file(request, tmp_path, monkeypatch):
    monkeypatch.setattr(data, "BLOCK_ROWS", 37)
    path = tmp_path / f"rows.{request.param}"
    FRAME.to_csv(path, index=False) if request.param == "csv" else FRAME.to_parquet(path)
    return path


@pytest.mark.parametrize(
    ("target", "learner"), [("good", "naive bayes"), ("grade", "gaussian nb"), ("price", "linear regression")]
)
def test_the_model_is_that_of_the_whole_file(run, file, tmp_path, target, learner):
    others = ",".join(
        {"good", "price", "grade", "id", "kind"} - {target, "kind" if learner == "naive bayes" else ""}
    )
    options = ("fit", file, "-t", target, "-l", learner, "--drop", others)
    code, out, err = run(*options, "--blocks", "-o", tmp_path / "blocks.assay")
    assert code == 0, err
    assert f"learned {target} from 200 rows" in out and "in 6 blocks. Saved in" in out
    assert run(*options, "-o", tmp_path / "whole.assay")[0] == 0
    answers = {}
    for way in ("blocks", "whole"):
        model = load(tmp_path / f"{way}.assay")
        X = FRAME[model.schema_.names]
        answers[way] = model.predict(X)
        assert model.target_name_ == target
        if hasattr(model, "classes_"):
            answers[f"{way} classes"] = model.classes_
    if target == "price":
        assert_allclose(answers["blocks"], answers["whole"], rtol=1e-9)
    else:
        assert_array_equal(answers["blocks"], answers["whole"])
        assert answers["blocks classes"].tolist() == answers["whole classes"].tolist()


def test_rows_without_a_target_are_left_out_and_counted(run, tmp_path, monkeypatch):
    monkeypatch.setattr(data, "BLOCK_ROWS", 37)
    path = tmp_path / "rows.csv"
    FRAME.assign(good=FRAME["good"].where(FRAME["id"] >= 40)).to_csv(path, index=False)
    code, out, err = run("fit", path, "-t", "good", "--drop", "id", "--blocks", "-o", tmp_path / "m.assay")
    assert code == 0, err
    assert "from 160 rows" in out and "Left out: 40 rows without a value of good." in out


def test_a_file_is_encoded_once_however_many_passes_follow(run, file, tmp_path, monkeypatch):
    """The first block is looked at, all are encoded, and no pass of the learner reads the file again."""
    from assay.tables.readers import Blocks

    readings, blocks_of = [], Blocks.__iter__

    def read(blocks):
        readings.append(0)
        for block in blocks_of(blocks):
            readings[-1] += 1
            yield block

    monkeypatch.setattr(Blocks, "__iter__", read)
    options = ("fit", file, "-t", "good", "-l", "logistic", "--drop", "id,price", "--blocks")
    counts = {}
    for limit in ("1GB", "0"):
        monkeypatch.setenv("ASSAY_DISK_LIMIT", limit)
        readings.clear()
        code, out, err = run(*options, "-o", tmp_path / f"{limit}.assay")
        assert code == 0, err
        assert "from 200 rows" in out and "in 6 blocks" in out
        counts[limit] = list(readings)
    assert counts["1GB"] == [1, 6] and len(counts["0"]) > 3
    rows = FRAME[["size", "kind", "grade"]]
    once, anew = (load(tmp_path / f"{limit}.assay").predict_proba(rows) for limit in counts)
    assert_array_equal(once, anew)


def test_a_place_that_is_too_small_ends_in_a_sentence(run, file, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_DISK_LIMIT", "1kB")
    code, _, err = run(
        "fit", file, "-t", "good", "-l", "logistic", "--drop", "id", "--blocks", "-o", tmp_path / "m"
    )
    assert code == 2 and "ASSAY_DISK_LIMIT" in err
    assert not (tmp_path / "m").exists()


def test_who_cannot_learn_from_blocks_says_who_can(run, file, tmp_path):
    code, _, err = run("fit", file, "-t", "good", "-l", "knn", "--blocks", "-o", tmp_path / "m.assay")
    assert code == 2 and "needs all rows in memory. In blocks learn: " in err
    assert "naive bayes" in err and "assay compare --sample" in err
    for extra in (("--calibrate",), ("--clean", "all")):
        assert run("fit", file, "-t", "good", "--blocks", *extra, "-o", tmp_path / "m.assay")[0] == 2
    code, _, err = run("fit", "iris", "--blocks", "-o", tmp_path / "m.assay")
    assert code == 2 and "fits into memory" in err
    assert not (tmp_path / "m.assay").exists()
