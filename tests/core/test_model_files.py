"""Model files of every format version: each loads, and says today what it said when it was written."""

import json
import pathlib

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.core.persistence import container, describe
from assay.core.persistence.registry import FORMER_NAMES, class_of, name_of
from assay.errors import PersistenceError
from assay.learners import all_learners
from assay.tables import Table

FILES = sorted((pathlib.Path(__file__).parents[1] / "data" / "models").glob("*.assay"))


def test_there_are_files_of_every_version():
    found = {int(path.stem.rpartition("-")[2]) for path in FILES}
    assert found == set(range(1, container.VERSION + 1))


def test_every_room_of_learners_has_a_file():
    """Which learners have none of their own is listed beside the files, by tools/registry.py."""
    held = {type(assay.load(path)).__module__.split(".")[1] for path in FILES}
    assert {entry.room for entry in all_learners()} <= held


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_any_version_gives_the_answers_of_its_time(path):
    said = json.loads(path.with_suffix(".json").read_text())
    model = assay.load(path)
    X = Table.of(said["rows"]) if isinstance(said["rows"], dict) else np.array(said["rows"])
    single = (
        "TabularNet" in type(model).__name__
    )  # computes in 32 bits, whose sums processors round otherwise
    for way, expected in said["answers"].items():
        answer = getattr(model, way)(
            *(said["rows"] if hasattr(model, "recommend") else [X])
        )  # users and items
        answer = answer.toarray() if hasattr(answer, "toarray") else answer
        several = isinstance(answer, list)  # one for each target
        for one, wanted in zip(answer, expected, strict=True) if several else [(answer, expected)]:
            if one.dtype.kind == "f":
                assert_allclose(one, wanted, rtol=1e-5 if single else 1e-12, atol=1e-300, err_msg=way)
            else:
                assert_array_equal(one, wanted, err_msg=way)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_any_version_goes_through_today_s_format(path, tmp_path):
    model = assay.load(path)
    assay.save(model, tmp_path / "again.assay")
    again = assay.load(tmp_path / "again.assay")
    assert str(again) == str(model)
    if hasattr(model, "get_params"):
        assert repr(again.get_params()) == repr(model.get_params())
    assert describe(path)["learner"] == type(model).__name__


@pytest.mark.parametrize("former", sorted(FORMER_NAMES))
def test_names_of_earlier_files_stand_for_classes_of_today(former):
    assert name_of(class_of(former)) == FORMER_NAMES[former]


def test_every_class_that_files_of_the_first_format_may_name_is_still_known():
    """Names that moved since then stand in FORMER_NAMES; losing one makes models of users unreadable."""
    names = (FILES[0].parent / "classes-1.txt").read_text().split()
    assert len(names) > 250
    lost = []
    for name in names:
        try:
            class_of(name)
        except PersistenceError:
            lost.append(name)
    assert not lost
