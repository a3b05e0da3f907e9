"""Average ranks on a line, with bars that join what does not differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from assay.report.svg import element
from assay.stats.significance.ranks import mid_ranks

__all__ = ["average_ranks", "rank_diagram"]

LINE, SIDE, TOP, STEP = (
    380.0,
    190.0,
    30.0,
    22.0,
)  # the line with the ranks, at least so much room for names, ...
LETTER = 7.2  # width of one
MOST_LETTERS = 40  # of a name beside the line


def average_ranks(values: np.ndarray, better: str) -> np.ndarray:
    """(L,) mean over rows of each column's rank, 1 for the best; ties share the mean of their ranks.

    Parameters
    ----------
    values : (J, L) one row per split or data set; rows with a gap are left out
    better : "lower" or "higher"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.report.rank_diagram import average_ranks
    >>> average_ranks(np.array([[.80, .85, .82], [.91, .90, .93], [.7, .7, .6]]), "higher")
    array([2.16666667, 1.83333333, 2.        ])
    """
    values = values[np.isfinite(values).all(axis=1)]
    if not len(values):
        return np.full(values.shape[1], np.nan)
    return mid_ranks(values if better == "lower" else -values).mean(axis=0)


def rank_diagram(
    names: Sequence[str],
    ranks: Sequence[float] | np.ndarray,
    groups: Sequence[Sequence[int]],
    label: str,
    distance: float | None = None,
) -> Markup:
    """A critical-difference diagram: the best at the right, and a bar over every group that does not differ.

    Parameters
    ----------
    names, ranks : of the L learners
    groups : numbers of the learners that do not differ; groups of one are not drawn
    label : what the picture shows, for readers who do not see it
    distance : the critical difference, drawn over the line; None where the groups come from tests of pairs

    Examples
    --------
    >>> from assay.report.rank_diagram import rank_diagram
    >>> drawn = rank_diagram(["a", "b", "c"], [1.2, 1.8, 3.0], [[0, 1]], "ranks of three")
    >>> drawn.count('class="joined"'), drawn.count('class="who"')
    (1, 3)
    """
    L = len(names)
    side = max(
        SIDE, LETTER * min(max(map(len, names)), MOST_LETTERS) + 54
    )  # of the longest name and its rank
    width = LINE + 2 * side
    order = np.argsort(ranks, kind="stable")
    bars = [sorted(g, key=lambda i: ranks[i]) for g in groups if len(g) > 1]
    line = TOP + (24.0 if distance else 0.0)
    most = max(L, 2)

    def place(rank: float) -> float:  # rank 1 at the right
        return width - side - (rank - 1) / (most - 1) * LINE

    parts = [element("title", label)]
    parts.append(element("line", x1=place(1), x2=place(most), y1=line, y2=line, class_="ruler"))
    every = max(1, int(np.ceil(most / 12)))
    for rank in range(1, most + 1, every):
        x = place(rank)
        parts += [
            element("line", x1=x, x2=x, y1=line - 5, y2=line, class_="ruler"),
            element("text", str(rank), x=x, y=line - 9, text_anchor="middle"),
        ]
    if distance:
        far = place(1 + min(distance, most - 1))
        parts += [
            element("line", x1=far, x2=place(1), y1=12, y2=12, class_="joined"),
            element("text", f"critical difference {distance:.2f}", x=far - 6, y=16, text_anchor="end"),
        ]
    start = line + 16
    for b, bar in enumerate(bars):
        y = start + 9 * b
        parts.append(
            element(
                "line", x1=place(ranks[bar[0]]) + 4, x2=place(ranks[bar[-1]]) - 4, y1=y, y2=y, class_="joined"
            )
        )
        parts += [element("circle", cx=place(ranks[i]), cy=y, r=2.6, class_="knot") for i in bar]
    base = start + 9 * len(bars) + 12
    half = (L + 1) // 2
    for at, i in enumerate(order.tolist()):
        right = at < half
        y = base + STEP * (at if right else L - 1 - at)
        x, end = place(ranks[i]), width - side + 10 if right else side - 10
        shown = names[i] if len(names[i]) <= MOST_LETTERS else names[i][: MOST_LETTERS - 1] + "…"
        words = element("text", f"{shown}  {ranks[i]:.2f}", element("title", names[i]),
                        x=end + (6 if right else -6), y=y + 4, text_anchor="start" if right else "end",
                        class_="who")  # fmt: skip
        parts += [element("path", d=f"M{x:.1f} {line:g}V{y:g}H{end:g}", class_="lead"), words]
    high = base + STEP * half + 2
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {width:g} {high:g}",
        class_="svg ranks",
        style=f"max-width: {1.13 * width:.0f}px",
        role="img",
        aria_label=label,
    )
