"""Tests of many learners against SciPy and statsmodels.

Tukey's pairs of 5 and 20 learners, adjusted p-values, Friedman's and Kruskal and Wallis' tests, variance tables.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats as peer
from statsmodels.multivariate.manova import MANOVA
from statsmodels.stats.multitest import multipletests

from assay import stats as ours
from benchmarks.harness import Race

NAMES = {"holm": "holm", "hommel": "hommel", "benjamini_hochberg": "fdr_bh"}


def races() -> list[Race]:
    found = []
    for L in (5, 20):
        X = np.random.default_rng(L).normal(size=(10, L)) + np.arange(L) * 0.2
        size = f"{L} learners, 10 values each"
        found.append(
            Race(
                "Tukey's pairs",
                size,
                lambda X=X: ours.post_hoc(ours.anova(X)),
                lambda X=X: peer.tukey_hsd(*X.T),
            )
        )
        found.append(Race("anova", size, lambda X=X: ours.anova(X), lambda X=X: peer.f_oneway(*X.T), 50))
        found.append(
            Race(
                "Friedman's test",
                size,
                lambda X=X: ours.friedman(X, ties=True),
                lambda X=X: peer.friedmanchisquare(*X.T),
                50,
            )
        )
        found.append(
            Race(
                "Kruskal-Wallis test",
                size,
                lambda X=X: ours.kruskal_wallis(X),
                lambda X=X: peer.kruskal(*X.T),
                50,
            )
        )
    found += [adjusting(m, n) for m in NAMES for n in (190, 2000)]
    found.append(vectors())
    return found


def adjusting(method: str, n: int) -> Race:
    p = np.random.default_rng(n).random(n) ** 3
    return Race(
        f"adjusted p-values, {method}",
        f"{n} tests",
        lambda: ours.adjust(p, method),
        lambda: multipletests(p, method=NAMES[method]),
        1 if method == "hommel" else 50,
    )


def vectors() -> Race:
    X = np.random.default_rng(0).normal(size=(5, 20, 3))
    frame = pd.DataFrame(X.reshape(-1, 3), columns=list("abc")).assign(g=np.repeat(np.arange(5), 20))
    return Race(
        "multivariate analysis of variance",
        "5 learners, 3 criteria, 20 folds",
        lambda: ours.manova(X),
        lambda: MANOVA.from_formula("a + b + c ~ C(g)", frame).mv_test(),
        5,
    )
