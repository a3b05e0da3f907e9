"""A page carries its settings, and they repeat it."""

import json

import pytest

from assay import compare
from assay.bayes import GaussianNB
from assay.errors import DataError
from assay.report import read_settings
from assay.tables.data import load_iris


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    X, y = load_iris()
    result = compare([GaussianNB(var_smoothing=0.1), "majority"], X, y, design="2x3", metrics=["auc", "error"],
                     alpha=0.1, random_state=7, name="</script>iris", reject=0.3)  # fmt: skip
    return result, result.report(tmp_path_factory.mktemp("page") / "page.html")


def test_the_settings_say_everything_that_decides_the_numbers(page):
    result, path = page
    found = read_settings(path)
    assert found["seed"] == 7 and found["alpha"] == 0.1 and found["reject"] == 0.3
    assert found["metrics"] == ["auc", "error", "cost", "rejected"] and found["design"]["name"] == "2x3"
    assert found["learners"] == {
        "GaussianNB": "GaussianNB(var_smoothing=0.1)",
        "majority": "MajorityClassifier()",
    }
    assert found["data"]["name"] == "</script>iris" and found["data"]["rows"] == 150
    assert found["versions"] == result.settings["versions"]


def test_the_python_inside_gives_the_same_numbers(page):
    result, path = page
    X, y = load_iris()
    scope = {"X": X, "y": y, "GaussianNB": GaussianNB}
    exec(read_settings(path)["python"], scope)  # our own text
    assert [r["value"] for r in scope["result"].records] == [r["value"] for r in result.records]


@pytest.mark.parametrize(
    ("content", "said"),
    [("<html></html>", "holds no settings"),
     ('<script type="application/json" id="assay-settings">{"a": </script>', "damaged"),
     ('<script type="application/json" id="assay-settings">{"format": 99}</script>', "format 99, expected 1"),
     ('<script type="application/json" id="assay-settings">[1]</script>', "format None")],
)  # fmt: skip
def test_a_page_that_is_none_of_ours_is_told(tmp_path, content, said):
    path = tmp_path / "other.html"
    path.write_text(content)
    with pytest.raises(DataError, match=said):
        read_settings(path)


def test_a_file_that_is_no_text_is_told(tmp_path):
    path = tmp_path / "picture.html"
    path.write_bytes(b"\xff\xfe\x00\x81" * 10)
    with pytest.raises(DataError, match="is not text"):
        read_settings(path)


def test_settings_are_plain_data(page):
    assert json.loads(json.dumps(read_settings(page[1]))) == read_settings(page[1])
