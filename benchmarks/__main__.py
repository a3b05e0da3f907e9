"""``python -m benchmarks [word ...]``: run races, print ratios.

Words that name modules (``trees`` for bench_trees) run those, and their sections of docs/benchmarks.md are written
anew; without words all modules run. Other words run the races whose names hold one of them and write nothing.
"""

import importlib
import os
import pathlib
import pkgutil
import platform
import sys

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"


def main(words: list[str]) -> None:
    modules = sorted(m.name[6:] for m in pkgutil.iter_modules([str(HERE)]) if m.name.startswith("bench_"))
    whole = all(word in modules for word in words)
    sections = {} if not words else written()
    for name in [m for m in modules if not words or not whole or m in words]:
        bench = importlib.import_module(f"benchmarks.bench_{name}")
        section = measured(bench, [] if whole else words)
        if section and whole:
            sections[bench.__doc__.splitlines()[0].rstrip(".")] = section
            PAGE.write_text(head() + "\n\n".join(f"## {t}\n\n{text}" for t, text in sections.items()) + "\n")


def measured(bench, words: list[str]) -> str:
    """The races of a module as Markdown; also printed, one by one."""
    from benchmarks.harness import run, table

    results = []
    for race in bench.races():
        if not words or any(w in f"{race.name} {race.size}" for w in words):
            results.append(run(race))
            print(table(results[-1:]).splitlines()[-1], flush=True)
    notes = bench.growths() if hasattr(bench, "growths") and not words else []
    for note in notes:
        print(note, flush=True)
    shown = f"{table(results)}\n\n" if results else ""
    return (shown + "\n".join(f"- {n}" for n in notes)).rstrip()


def written() -> dict[str, str]:
    """The sections that the page has now."""
    parts = PAGE.read_text().split("\n## ")[1:] if PAGE.exists() else []
    return {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in parts}


def head() -> str:
    import lightgbm
    import numpy
    import scipy
    import sklearn
    import xgboost

    return (
        "# Benchmarks\n\n"
        "Ratios of Assay's time to the peer's, measured by turns in one process on the same data with the same\n"
        "threads, best of several rounds; below 1 Assay is ahead. Made by `make bench`; run it to get the figures\n"
        f"of your own machine. These are from {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"NumPy {numpy.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__},\n"
        f"LightGBM {lightgbm.__version__}, XGBoost {xgboost.__version__}.\n\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
