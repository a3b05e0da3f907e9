"""Install the wheel in every Python from 3.11 up that is on this machine, and use it there.

    python tools/check_wheel.py build/dist/*.whl

One wheel serves them all (stable ABI). Pythons are looked for on the PATH and beside the versions that pyenv has.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SMOKE = Path(__file__).with_name("smoke.py")
OLDEST = (3, 11)


def pythons() -> dict[tuple[int, int], str]:
    """The newest of each minor version."""
    names = [f"python3.{minor}" for minor in range(OLDEST[1], 30)]
    candidates = [shutil.which(name) for name in names]
    candidates += [str(p) for p in sorted(Path.home().glob(".pyenv/versions/*/bin/python"))]
    by_version: dict[tuple[int, int], str] = {}
    for path in filter(None, candidates):
        shown = subprocess.run([path, "--version"], capture_output=True, text=True)
        version = re.match(r"Python (\d+)\.(\d+)", shown.stdout)
        if version and (minor := (int(version[1]), int(version[2]))) >= OLDEST:
            by_version[minor] = path
    return dict(sorted(by_version.items()))


def check(wheel: Path) -> None:
    for version, python in pythons().items():
        print(f"Python {version[0]}.{version[1]}:", end=" ", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([python, "-m", "venv", folder], check=True)
            inside = f"{folder}/bin/python"
            subprocess.run([inside, "-m", "pip", "install", "--quiet", str(wheel.resolve())], check=True)
            subprocess.run([inside, "-I", str(SMOKE)], check=True, cwd=folder)


if __name__ == "__main__":
    if len(sys.argv) != 2 or "-abi3-" not in sys.argv[1]:
        raise SystemExit("Give one wheel of the stable ABI, as `make wheel` builds it.")
    check(Path(sys.argv[1]))
