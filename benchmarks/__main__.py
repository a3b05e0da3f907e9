"""``python -m benchmarks [word ...]``: run the races whose names hold one of the words, print ratios.

Without words all races run, and docs/benchmarks.md is written.
"""

import importlib
import os
import pathlib
import pkgutil
import platform
import sys

HERE = pathlib.Path(__file__).parent


def main(words: list[str]) -> None:
    from benchmarks.harness import run, table

    sections = []
    for module in sorted(m.name for m in pkgutil.iter_modules([str(HERE)]) if m.name.startswith("bench_")):
        bench = importlib.import_module(f"benchmarks.{module}")
        races = [r for r in bench.races() if not words or any(w in f"{r.name} {r.size}" for w in words)]
        results = []
        for race in races:
            results.append(run(race))
            print(table(results[-1:]).splitlines()[-1], flush=True)
        notes = bench.growths() if hasattr(bench, "growths") and not words else []
        for note in notes:
            print(note, flush=True)
        if results or notes:
            shown = f"{table(results)}\n\n" if results else ""
            title = bench.__doc__.splitlines()[0].rstrip(".")
            sections.append(f"## {title}\n\n{shown}" + "\n".join(f"- {n}" for n in notes))
    if not words:
        (HERE.parent / "docs" / "benchmarks.md").write_text(head() + "\n\n".join(sections) + "\n")


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
