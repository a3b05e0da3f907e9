"""Critical-difference diagram: average ranks on a line, bars over groups that do not differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from assay.plots.rank_layout import RankLayout
from assay.report.svg import element
from assay.stats.significance.ranks import mid_ranks

__all__ = ["average_ranks", "rank_diagram"]

LINE, SIDE = 380.0, 190.0  # the axis, and the least margin for names beside it
TOP, STEP, LANE = 30.0, 22.0, 9.0  # room above the axis, between names, and between bars
LETTER_WIDTH = 7.2
MAX_LETTERS = 40  # of a name beside the line


def average_ranks(values: np.ndarray, better: str) -> np.ndarray:
    """(L,) mean over rows of each column's rank, 1 for the best; ties share the mean of their ranks.

    Parameters
    ----------
    values : (J, L) one row per split or data set; rows with a missing value are left out
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
    """A critical-difference diagram: the best at the left, and a bar over every group that does not differ.

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
    layout = RankLayout.of(ranks, groups, distance)
    longest = min(max(map(len, names)), MAX_LETTERS)
    side = max(SIDE, LETTER_WIDTH * longest + 54)  # of the longest name and its rank
    width = LINE + 2 * side
    line = TOP + (24.0 if distance else 0.0)

    def place(rank: float) -> float:
        return side + (rank - 1) / (layout.last - 1) * LINE

    parts = [element("title", label)]
    parts.append(element("line", x1=place(1), x2=place(layout.last), y1=line, y2=line, class_="ruler"))
    for rank in layout.ticks:
        x = place(rank)
        parts += [
            element("line", x1=x, x2=x, y1=line - 5, y2=line, class_="ruler"),
            element("text", str(rank), x=x, y=line - 9, text_anchor="middle"),
        ]
    if layout.critical is not None:
        end_of_distance = place(layout.critical[0])
        parts += [
            element("line", x1=place(1), x2=end_of_distance, y1=12, y2=12, class_="joined"),
            element(
                "text",
                f"critical difference {distance:.2f}",
                x=end_of_distance + 6,
                y=16,
                text_anchor="start",
            ),
        ]
    start = line + 16
    for bar in layout.bars:
        y = start + LANE * bar.lane
        parts.append(
            element("line", x1=place(bar.left) - 4, x2=place(bar.right) + 4, y1=y, y2=y, class_="joined")
        )
        parts += [
            element("circle", cx=place(layout.ranks[i]), cy=y, r=2.6, class_="knot") for i in bar.members
        ]
    base = start + LANE * layout.lanes + 12
    for i, left, row in layout.names:
        y, x, end = base + STEP * row, place(layout.ranks[i]), side - 10 if left else width - side + 10
        name = names[i] if len(names[i]) <= MAX_LETTERS else names[i][: MAX_LETTERS - 1] + "…"
        words = element("text", f"{name}  {layout.ranks[i]:.2f}", element("title", names[i]),
                        x=end + (-6 if left else 6), y=y + 4, text_anchor="end" if left else "start",
                        class_="who")  # fmt: skip
        parts += [element("path", d=f"M{x:.1f} {line:g}V{y:g}H{end:g}", class_="lead"), words]
    height = base + STEP * layout.rows + 2
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {width:g} {height:g}",
        class_="svg ranks",
        style=f"max-width: {1.13 * width:.0f}px",
        role="img",
        aria_label=label,
    )
