"""What is installed: the version in one place, the extras that tests have, and what the source archive holds."""

import pathlib
import tomllib

import pytest
from click.testing import CliRunner

import assay
from assay.cli import commands

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_developers_have_every_optional_dependency():
    optional = {name for names in PROJECT["project"]["optional-dependencies"].values() for name in names}
    assert set(PROJECT["dependency-groups"]["extras"]) == optional


def test_the_version_is_the_same_everywhere():
    shown = CliRunner().invoke(commands, ["--version"]).output
    assert shown.split()[-1] == assay.__version__ == PROJECT["project"]["version"]


def test_the_source_archive_holds_what_the_build_needs(tmp_path, monkeypatch):
    import tarfile

    backend = pytest.importorskip("scikit_build_core.build", reason="the build backend comes with make test")
    monkeypatch.chdir(ROOT)
    name = backend.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        held = {path.partition("/")[2] for path in archive.getnames()}
    sources = {
        str(path.relative_to(ROOT))
        for kind in ("*.py", "*.cpp", "*.hpp")
        for path in (ROOT / "src").rglob(kind)
    }
    assert {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", *sources} <= held
    assert not any(path.startswith((".venv", "build", ".ci", "docs/_build")) for path in held)
