"""The lists of learners and rooms are derived from the classes, and a new learner is in all of them."""

import importlib.util
import json
import pathlib
import re

import pytest
from click.testing import CliRunner

import assay
from assay import compare, learners
from assay.cli import commands
from assay.core import Card
from assay.tables.data import load_iris

ROOT = pathlib.Path(__file__).parents[1]

TOY = '''"""A toy."""
from assay.core import Card, Classifier
from assay.baselines import MajorityClassifier


class Toy(MajorityClassifier):
    """Answer with the most frequent class."""

    card = Card("toy", "a toy for this test", also=("plaything",))
'''


@pytest.fixture(scope="module")
def registry():
    spec = importlib.util.spec_from_file_location("registry", ROOT / "tools" / "registry.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def toy(tmp_path, monkeypatch, registry):
    """A module of a new learner in a room that lists it, as its author would write it; and the tool run once."""
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.setattr(assay.baselines, "__path__", [*assay.baselines.__path__, str(tmp_path)])
    cls = importlib.import_module("assay.baselines.toy").Toy
    monkeypatch.setattr(assay.baselines, "Toy", cls, raising=False)
    monkeypatch.setattr(assay.baselines, "__all__", [*assay.baselines.__all__, "Toy"])
    (tmp_path / "learners.json").write_text(registry.short_names(registry.entries()))
    monkeypatch.setattr(learners, "LIST", tmp_path / "learners.json")
    known = (learners.all_learners, learners.learners)
    for cached in known:
        cached.cache_clear()
    yield cls
    for cached in known:
        cached.cache_clear()
    monkeypatch.delattr(assay.baselines, "toy", raising=False)


def test_what_is_derived_is_up_to_date(registry, capsys):
    assert registry.main(["--check"]) == 0, capsys.readouterr().out


def test_a_new_learner_is_compared_listed_and_documented(toy, registry):
    assert registry.complaints() == []
    assert compare(["toy", "plaything"], load_iris(), design="2-fold").failures == {}
    runner = CliRunner()
    assert re.search(r"^  toy +a toy for this test$", runner.invoke(commands, ["learners"]).output, re.M)
    shown = json.loads(runner.invoke(commands, ["learners", "--json"]).output)
    assert [entry["class"] for entry in shown if entry["name"] == "toy"] == ["assay.baselines.Toy"]
    pages = registry.files()
    row = "| [`Toy`](../src/assay/baselines/toy.py) | **toy**, plaything | classifier | a toy for this test |"
    assert row in pages["docs/learners.md"]
    assert "| `Toy` | native |" in pages["docs/classes.md"]
    assert "| 2 classifiers, 1 regressor |" in next(
        line for line in pages["README.md"].splitlines() if "assay.baselines" in line
    )
    assert "- baselines: `Toy`" in pages["tests/data/models/README.md"]


@pytest.mark.parametrize(
    ("card", "complaint"),
    [
        (None, "baselines.Toy has no card"),
        (Card("majority", "taken"), "the name 'majority' is taken by baselines.MajorityClassifier"),
        (Card("toy", "other tables", suits="all"), "its card suits 'all'"),
        (Card("toy", "a typo", settings={"randomstate": 0}), "its card sets 'randomstate'"),
    ],
)
def test_a_wrong_card_is_named(toy, registry, monkeypatch, card, complaint):
    if card is None:
        monkeypatch.delattr(toy, "card")  # the one of its base is not its own
    else:
        monkeypatch.setattr(toy, "card", card)
    (found,) = registry.complaints()
    assert complaint in found


def test_a_stale_list_is_named(registry, monkeypatch, capsys):
    monkeypatch.setattr(registry, "short_names", lambda listed: "[]\n")
    assert registry.main(["--check"]) == 1
    assert "src/assay/learners.json is out of date; write it anew: make registry" in capsys.readouterr().out
