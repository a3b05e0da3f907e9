"""
Columns chosen out of noise, and the error to expect
====================================================

Left: 100 rows, 60 columns of noise, two classes by the throw of a coin. A search forward finds subsets with which the
learner seems to do better than chance on the folds that choose them; choosing again inside each training set (dashed)
shows that nothing was found. Right: the wines, where the columns that were chosen predict new rows nearly as well as
their folds said.
"""

import matplotlib.pyplot as plt
import numpy as np

from assay.plots import SelectionTraceDisplay
from assay.select import SubsetSelector, nested_selection
from assay.tables.data import load_wine

rng = np.random.default_rng(3)
noise, coins = rng.normal(size=(100, 60)), rng.permutation(np.repeat(["head", "tail"], 50))
wine = load_wine()

searched, honest = {}, {}
figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
for ax, X, y, what in ((axes[0], noise, coins, "noise"), (axes[1], wine.X, wine.y, "wines")):
    searched[what] = SubsetSelector("lda", stop=6, cv="5-fold").fit(X, y)
    SelectionTraceDisplay.from_estimator(searched[what], ax=ax)
    honest[what] = nested_selection(SubsetSelector("lda", stop=6, cv="5-fold"), X, y, design="2x10")
    ax.axhline(honest[what].mean, ls="--", color="0.3", zorder=1)
    ax.axhspan(honest[what].low, honest[what].high, color="0.9", zorder=0)
    ax.text(
        0.98,
        honest[what].mean,
        " on rows that took no part",
        transform=ax.get_yaxis_transform(),
        ha="right",
        va="bottom",
    )
    ax.set_title(f"{what}: {ax.get_title()}", fontsize=10)
plt.show()
