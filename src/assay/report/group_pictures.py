"""Pictures of groups that belong together: a map, silhouettes, the tree of merges, the iterations.

A group has one colour in all of them, and while the pointer rests on a group in one picture, the other groups fade in
all: by the style sheet alone, without a script.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np
from markupsafe import Markup

from assay.cluster import merge_rows, silhouette_samples
from assay.cluster.hierarchy import MergeTree
from assay.plots.scale import Scale
from assay.report.charts import Cloud, Line, chart
from assay.report.svg import element
from assay.tables import Table
from assay.types import Labels

__all__ = ["group_pictures"]

MOST_ROWS = 1000  # of which silhouettes and the tree are drawn, at random if there are more
MOST_LEAVES = 40  # of the tree; what is below is one leaf
COLOURS = 8
CLEAR_SHARE = 0.9  # of the rows below a bracket that belong to one group, for it to have its colour

STYLE = """
.pictures { --k0: #0072b2; --k1: #d55e00; --k2: #00835f; --k3: #b3477f; --k4: #a87400; --k5: #6a4ca8; --k6: #57616d;
  --k7: #23a0c4; display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 1.2em; }
@media (prefers-color-scheme: dark) { .pictures { --k0: #58aef0; --k1: #f0883e; --k2: #2fbf94; --k3: #e07fb2;
  --k4: #e3b341; --k5: #b39ae8; --k6: #aab4c0; --k7: #7fdcf0; } }
.pictures figure { margin: 0; } .pictures figcaption { font-size: .87em; opacity: .7; }
.pictures svg { width: 100%; height: auto; overflow: visible; }
.pictures text { font-size: 11px; fill: currentColor; opacity: .7; } .pictures .grid { stroke: #8883; }
.pictures .curve { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; }
.pictures .band { fill: currentColor; stroke: none; opacity: .35; } .pictures .spot { fill: currentColor; }
.pictures .dots { fill: none; stroke: currentColor; stroke-width: 4; stroke-linecap: round; opacity: .55; }
.pictures .hex { fill: currentColor; stroke: none; } .pictures .s0 { opacity: .16; } .pictures .s1 { opacity: .32; }
.pictures .s2 { opacity: .5; } .pictures .s3 { opacity: .72; }
.pictures .ideal { stroke: currentColor; stroke-dasharray: 4 4; opacity: .5; fill: none; }
.pictures ul { grid-column: 1 / -1; list-style: none; margin: 0; padding: 0; }
.pictures li { display: inline-block; margin-right: 1.4em; cursor: default; }
.pictures .of-group { transition: opacity .15s; }
"""


def group_pictures(
    rows: Table | np.ndarray,
    labels: Labels,
    tree: MergeTree | None = None,
    history: Sequence[dict[str, Any]] = (),
    random_state: int = 0,
) -> Markup:
    """Groups in linked pictures, as a piece of HTML; empty if there are fewer than two groups.

    Parameters
    ----------
    rows : (n, d) numbers on one scale, or a Table with categories or missing values, which Gower's distance compares
    labels : (n,) groups; a label below 0 is no group
    tree : MergeTree of these rows, by which they were grouped; None draws Ward's (of a Table, average linkage)
    history : records of the iterations of the learner, of which "loss", "lower_bound" or "changed" is drawn
    random_state : int, default 0
        Decides which rows are drawn of more than a thousand.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.report.group_pictures import group_pictures
    >>> drawn = group_pictures(np.array([[0.0, 0], [1, 0], [8, 8], [9, 8]]), [0, 0, 1, 1])
    >>> drawn.count("<svg"), "g1" in drawn
    (3, True)
    """
    labels = np.asarray(labels)
    names = [v.item() for v in np.unique(labels) if not (isinstance(v.item(), (int, float)) and v < 0)]
    if len(names) < 2:
        return Markup()
    codes = np.full(len(labels), -1)
    for g, name in enumerate(names):
        codes[labels == name] = g
    n, some = len(labels), np.arange(len(labels))
    if n > MOST_ROWS:
        some = np.sort(np.random.default_rng(random_state).choice(n, MOST_ROWS, replace=False))
    plain = isinstance(rows, np.ndarray)
    part = rows[some] if isinstance(rows, np.ndarray) else Table(rows.values[some], rows.schema)
    drawn = [_map(rows, codes, names)] if isinstance(rows, np.ndarray) and rows.shape[1] > 1 else []
    drawn.append(_silhouettes(part, codes[some], names, "euclidean" if plain else "gower"))
    whole = tree is not None and tree.n_rows == n
    if whole:
        words = "The merges that made the groups"
    else:
        tree = merge_rows(part, "ward") if plain else merge_rows(part, "average", metric="gower")
        words = "How rows would merge, by " + ("Ward's linkage" if plain else "average linkage")
    assert tree is not None
    drawn.append(_tree(tree, codes if whole else codes[some], names, words))
    drawn.append(_iterations(history))
    figures = [
        element("figure", picture, element("figcaption", caption)) for picture, caption in drawn if caption
    ]
    key = [
        element("li", f"● {name} ({np.sum(codes == g)} rows)", class_=_kind(g), tabindex=0)
        for g, name in enumerate(names)
    ]
    links = "".join(
        f".pictures:has(.g{g}:hover, .g{g}:focus) .of-group:not(.g{g}) {{ opacity: .06; }}\n"
        for g in range(len(names))
    )
    colours = "".join(f".pictures .k{k} {{ color: var(--k{k}); }} " for k in range(COLOURS))
    note = "Rest the pointer on a group in a picture, or on its name: the other groups fade in all pictures."
    if n > MOST_ROWS:
        note += f" Silhouettes and an unused tree are of {MOST_ROWS} rows drawn at random."
    body = element("div", element("ul", *key), *figures, class_="pictures")
    return Markup(f"<style>{STYLE}{colours}\n{links}</style>") + body + element("p", note)


def _kind(g: int) -> str:
    return f"k{g % COLOURS} of-group g{g}"


def _words(name: Any, count: int) -> str:
    return f"group {name}, {count} row{'' if count == 1 else 's'}"


def _map(rows: np.ndarray, codes: np.ndarray, names: list[Any]) -> tuple[Markup, str]:
    """The rows along the two directions in which they vary most."""
    centred = rows - rows.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    spots = centred @ axes[:, :-3:-1]
    share = values[-2:].sum() / values.sum() if values.sum() > 0 else 1.0
    outside = [Cloud(spots[codes < 0, 0], spots[codes < 0, 1], "k6")] if (codes < 0).any() else []
    clouds = [Cloud(spots[codes == g, 0], spots[codes == g, 1], _kind(g)) for g in range(len(names))]
    picture = chart(
        [], Scale.close(spots[:, 0]), Scale.close(spots[:, 1]), "first component", "second component",
        "rows by their two first principal components", marks=outside + clouds,
    )  # fmt: skip
    return picture, f"Rows by their first two principal components, which have {share:.0%} of their variance"


def _silhouettes(rows: Any, codes: np.ndarray, names: list[Any], metric: str) -> tuple[Markup, str]:
    """Sorted within groups, one group beside the other."""
    inside = np.flatnonzero(codes >= 0)
    here, counts = np.unique(codes[inside], return_counts=True)
    if not 1 < len(here) < len(inside):
        return Markup(), ""
    part = rows[inside] if isinstance(rows, np.ndarray) else Table(rows.values[inside], rows.schema)
    values = silhouette_samples(part, codes[inside], metric=metric)
    gap, at, lines, places = max(len(inside) / 60, 0.5), 0.0, [], []
    for g, count in zip(here.tolist(), counts.tolist()):
        steps = np.sort(values[codes[inside] == g])[::-1].repeat(2)
        x = at + np.arange(count + 1).repeat(2)[1:-1]
        label = f"{_words(names[g], count)}, mean silhouette {steps.mean():.2f}"
        lines.append(Line(x, steps, _kind(g), label, low=np.zeros(len(steps)), high=steps))
        places.append(at + count / 2)
        at += count + gap
    mean = float(values.mean())
    lines.append(Line([0, at - gap], [mean, mean], "ideal", f"mean {mean:.2f}"))
    across = Scale(0.0, at - gap, places, names=[str(names[g]) for g in here.tolist()])
    picture = chart(
        lines,
        across,
        Scale.over([0.0, 1.0, *values], within=(-1.0, 1.0)),
        "group",
        "silhouette",
        "silhouettes",
    )
    return (
        picture,
        f"How far rows are inside their groups: silhouettes, mean {mean:.2f}; below 0 another group is nearer",
    )


def _tree(tree: MergeTree, codes: np.ndarray, names: list[Any], words: str) -> tuple[Markup, str]:
    """The last merges as brackets, each in the colour of the group that has most of the rows below it."""
    n, K = tree.n_rows, len(names)
    counts = np.zeros((2 * n - 1, K + 1), dtype=np.int64)  # the last column: in no group
    counts[np.arange(n), codes] = 1
    for m, (a, b) in enumerate(tree.merges.tolist()):
        counts[n + m] = counts[a] + counts[b]
    opened: set[int] = set()
    waiting = [(-float(tree.heights[-1]), 2 * n - 2)] if n > 1 else []
    while waiting and len(opened) < MOST_LEAVES - 1:
        node = heappop(waiting)[1]
        opened.add(node)
        for child in tree.merges[node - n].tolist():
            if child >= n:
                heappush(waiting, (-float(tree.heights[child - n]), child))
    place, level, leaves, stack = {}, {}, 0, [2 * n - 2]
    lines = []
    while stack:
        node = stack.pop()
        if node not in opened:
            place[node], level[node] = float(leaves), 0.0
            leaves += 1
            continue
        a, b = tree.merges[node - n].tolist()
        if a not in place or b not in place:
            stack += [node, b, a] if a not in place else [node, b]
            continue
        level[node] = float(tree.heights[node - n])
        place[node] = (place[a] + place[b]) / 2
        most, size = int(np.argmax(counts[node, :K])), int(counts[node].sum())
        clear = counts[node, most] >= CLEAR_SHARE * size
        label = f"{size} rows merge at {level[node]:.3g}" + (
            f", {counts[node, most] / size:.0%} of them of group {names[most]}" if clear else ""
        )
        x, y = [place[a], place[a], place[b], place[b]], [level[a], level[node], level[node], level[b]]
        lines.append(Line(x, y, _kind(most) if clear else "k6", label))
    across = Scale(-0.5, max(leaves - 0.5, 0.5), [])
    heights = Scale.over([0.0, *tree.heights[np.isfinite(tree.heights)]])
    picture = chart(lines, across, heights, f"{leaves} branches of {n} rows", "height", "tree of merges")
    return picture, words


def _iterations(history: Sequence[dict[str, Any]]) -> tuple[Markup, str]:
    """What the learner made of each iteration."""
    for key, words in (
        ("loss", "Loss"),
        ("lower_bound", "Mean log likelihood"),
        ("changed", "Rows that changed their group"),
    ):
        values = [float(record[key]) for record in history if key in record]
        if len(values) > 1:
            ticks, places = Scale.at(np.arange(1, len(values) + 1))
            line = Line(places, values, "k6", words, dots=len(values) <= 30)
            picture = chart(
                [line], ticks, Scale.over(values), "iteration", words.lower(), f"{words} by iteration"
            )
            return picture, f"{words} by iteration"
    return Markup(), ""
