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


def test_one_wheel_serves_every_python():
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp311"
    assert PROJECT["tool"]["cibuildwheel"]["build"] == "cp311-*"
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert oldest == "311"


def test_recipes_need_what_the_package_needs():
    """The recipe of conda-forge names the same packages; there nanobind is linked in."""
    lines = (
        (ROOT / "recipes" / "conda-forge.yaml").read_text().split("  run:")[1].split("tests:")[0].splitlines()
    )
    needed = {line.strip(" -").replace(" ", "") for line in lines if line.strip().startswith("-")}
    own = {name for name in PROJECT["project"]["dependencies"] if not name.startswith("nanobind")}
    assert needed == own | {f"python{PROJECT['project']['requires-python']}"}


@pytest.mark.parametrize("name", ["CITATION.cff", "recipes/conda-forge.yaml"])
def test_other_files_name_the_same_version(name):
    import re

    versions = re.findall(r"^\s*version: \"?(\d+\.\d+\.\d+)", (ROOT / name).read_text(), flags=re.MULTILINE)
    assert versions == [PROJECT["project"]["version"]]


def test_notes_become_a_section_of_the_changelog(tmp_path, monkeypatch):
    import datetime
    import importlib.util

    spec = importlib.util.spec_from_file_location("changelog", ROOT / "tools" / "changelog.py")
    changelog = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(changelog)
    monkeypatch.setattr(changelog, "NOTES", tmp_path / "changes")
    monkeypatch.setattr(changelog, "CHANGELOG", tmp_path / "CHANGELOG.md")
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "README.md").write_text("How notes are written.")
    (tmp_path / "changes" / "faster-trees.md").write_text("Trees are grown in half the time.\n")
    (tmp_path / "changes" / "rules.md").write_text("# Rules that vote\n\n- Sets of rules may vote.\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\nGathered.\n\n## 0.1.0 (2026-01-01)\n\nThe first.\n")
    changelog.release("0.2.0", datetime.date(2026, 5, 1))
    assert (tmp_path / "CHANGELOG.md").read_text() == (
        "# Changes\n\nGathered.\n\n## 0.2.0 (2026-05-01)\n\n### Faster trees\n\nTrees are grown in half the time.\n\n"
        "### Rules that vote\n\n- Sets of rules may vote.\n\n## 0.1.0 (2026-01-01)\n\nThe first.\n"
    )
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["README.md"]
    with pytest.raises(SystemExit, match="three numbers"):
        changelog.release("next", datetime.date(2026, 5, 1))
    with pytest.raises(SystemExit, match=r"has 0\.2\.0 already"):
        changelog.release("0.2.0", datetime.date(2026, 5, 1))
