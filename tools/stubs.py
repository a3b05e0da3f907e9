"""Write what the native modules say of their functions, so that mypy and editors know their arguments.

    python tools/stubs.py            write src/assay/<room>/_<name>.pyi for every native module
    python tools/stubs.py --check    fail if one of them is out of date

The signatures come from the built modules, by nanobind's own generator.
"""

import importlib
import pathlib
import sys

from nanobind.stubgen import StubGen

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"


def main() -> int:
    check = "--check" in sys.argv[1:]
    stubs = {path: stub(path) for path in sorted((SOURCE / "assay").rglob("*.cpp"))}
    wanted = {path.with_name(f"_{path.stem}.pyi"): text for path, text in stubs.items()}
    present = set((SOURCE / "assay").rglob("_[!_]*.pyi"))
    changed = [path for path, text in wanted.items() if path not in present or path.read_text() != text]
    superfluous = sorted(present - set(wanted))
    if check:
        for path in (*changed, *superfluous):
            print(f"{path.relative_to(SOURCE.parent)} is out of date. Write it again: make stubs")
        return 1 if changed or superfluous else 0
    for path in superfluous:
        path.unlink()
    for path in changed:
        path.write_text(wanted[path])
    print(f"{len(changed)} of {len(wanted)} stubs written.")
    return 0


def stub(native: pathlib.Path) -> str:
    """What the module of a C++ file offers, as Python would declare it."""
    name = ".".join((*native.relative_to(SOURCE).parent.parts, f"_{native.stem}"))
    generator = StubGen(importlib.import_module(name), quiet=True)
    generator.put(generator.module)
    return generator.get()


if __name__ == "__main__":
    sys.exit(main())
