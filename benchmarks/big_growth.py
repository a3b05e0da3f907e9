"""How cost grows from 100,000 to 100 million rows: ``python -m benchmarks.big_growth [learner] [rows ...]``.

The rows are made block by block and never stored. Each size runs in a process of its own, which prints the CPU time for
making the rows and learning from them, for making them alone, and the memory beyond what was there before the fit.
"""

from __future__ import annotations

import subprocess
import sys

BLOCK, COLUMNS = 250_000, 20
SIZES = {
    "bayes": (10**5, 10**6, 10**7, 10**8),
    "logistic": (10**5, 10**6, 10**7),
    "boosting": (10**5, 10**6, 10**7),
    "forest": (10**5, 10**6, 10**7),
}
RUN = """
import resource, sys, time, warnings
import numpy as np
from assay.bayes import GaussianNB
from assay.ensembles import HistGradientBoostingClassifier, HistRandomForestClassifier
from assay.linear import LogisticRegression

warnings.simplefilter("ignore")
name, n, block, d = sys.argv[1], *map(int, sys.argv[2:])
model = {
    "bayes": GaussianNB(),
    "logistic": LogisticRegression(),
    "boosting": HistGradientBoostingClassifier(max_iter=3, early_stopping=False, random_state=0),
    "forest": HistRandomForestClassifier(8, random_state=0),
}[name]
Z = np.random.default_rng(0).normal(size=(min(n, block), d))
weights, noise, seconds = np.linspace(-1, 1, d), np.random.default_rng(1).logistic(size=len(Z)), [0.0]

def rows():
    for i, start in enumerate(range(0, n, block)):
        began = time.process_time()
        X = np.roll(Z[: min(block, n - start)], i % d, axis=1) + i % 7  # other columns and values in each block
        y = (X - i % 7) @ weights + noise[: len(X)] > 0
        seconds[0] += time.process_time() - began
        yield X, y

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

for X, y in rows():
    break
before, seconds[0] = peak(), 0.0
began = time.process_time()
model.fit_blocks(rows)
whole = time.process_time() - began
each, making = 1e6 * (whole - seconds[0]) / n, 1e6 * seconds[0] / n
print(f"| {name} | {n:.0e} | {each:.3f} | {making:.3f} | {peak() - before:.0f} |")
"""


def main(words: list[str]) -> None:
    names = [w for w in words if w in SIZES] or list(SIZES)
    print("| learner | rows | microseconds a row | of making them | MB |", flush=True)
    for name in names:
        for n in [int(float(w)) for w in words if w not in SIZES] or SIZES[name]:
            subprocess.run([sys.executable, "-c", RUN, name, str(n), str(BLOCK), str(COLUMNS)], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
