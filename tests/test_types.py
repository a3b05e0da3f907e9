"""What type checkers see of the front door, and that opening it stays quick."""

import ast
import pathlib
import subprocess
import sys

import pytest

import assay

USE = """
import assay
from assay import compare, load, save

reveal_type(compare)
reveal_type(load)
reveal_type(save)
reveal_type(assay.bayes.GaussianNB().fit([[1.0]], [1]))
reveal_type(assay.tables.read_table("t.csv"))
assay.nothing
"""


def test_a_type_checker_knows_every_name(tmp_path):
    """Takes some ten seconds: mypy reads all rooms to tell their types."""
    api = pytest.importorskip(
        "mypy.api", reason="mypy is a developer's tool, which make test does not install"
    )
    path = tmp_path / "use.py"
    path.write_text(USE)
    arguments = [
        "--config-file=",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--no-error-summary",
    ]
    told, errors, _ = api.run([*arguments, f"--cache-dir={tmp_path}", str(path)])
    assert not errors
    lines = [line.split(":", 2)[2].strip() for line in told.splitlines()]
    types = [
        line.removeprefix('note: Revealed type is "').removesuffix('"')
        for line in lines
        if "Revealed" in line
    ]
    assert types[0].endswith("-> assay.evaluate.comparison.Comparison")
    assert types[1].startswith("def (path: str | os.PathLike[str]) -> ")
    assert types[2].startswith("def (model: Any, path: str | os.PathLike[str])")
    assert types[3:] == ["assay.bayes.gaussian_nb.GaussianNB", "assay.tables.readers.read.FileData"]
    assert [line for line in lines if "error" in line] == [
        'error: Module has no attribute "nothing"  [attr-defined]'
    ]


def test_names_for_checkers_are_the_names_there_are():
    tree = ast.parse(pathlib.Path(assay.__file__).with_suffix(".pyi").read_text())
    names = {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert names == {*assay._ROOMS, *assay._FUNCTIONS} == set(assay.__all__) - {"__version__"}
    for name in names:
        assert getattr(assay, name) is not None


def test_opening_the_door_imports_no_room():
    code = "import sys, assay; print([m for m in sys.modules if m.split('.')[0] in ('assay', 'numpy', 'sklearn')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['assay']"


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'nothing'"):
        assay.nothing  # noqa: B018
