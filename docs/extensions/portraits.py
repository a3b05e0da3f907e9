"""A picture of every learner that no figure of the gallery is about: what it answers across a plane or along a line.

All of a kind are drawn from the same few rows, so that their pages can be compared: classifiers from two crescents,
regressors from a wave, groups and densities from a crescent and two clouds, new columns from the irises. What cannot
learn from such rows (words, ratings, sequences) has no picture.
"""

from __future__ import annotations

import importlib
import signal
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

PICTURES = Path(__file__).resolve().parents[1] / "reference" / "portraits"
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")
SECONDS = 8  # of computing, for one picture
SIDE = 60  # points of a grid
COUNTS: dict[str, dict[str, Any]] = {  # of groups and columns, as the rows have them
    "clusterer": {"n_clusters": 3},
    "density": {"n_components": 3},
    "transformer": {"n_components": 2},
}
MAPS = ("bayes", "kernels", "local", "neighbors", "neural", "reduce")  # whose new columns are worth a look
SETTINGS: dict[str, dict[str, Any]] = {  # where the default would show another learner, or nothing
    "KernelRidge": {"kernel": "rbf", "gamma": 20.0, "alpha": 0.1},
    "KernelPCA": {"kernel": "rbf"},
    "HDBSCAN": {"min_cluster_size": 15, "min_samples": 4},
    "DBSCAN": {"eps": 0.45},
    "RadiusNeighborsClassifier": {"radius": 0.5, "outlier_label": "most_frequent"},
    "GaussianProcessRegressor": {"alpha": 0.04},
}


def made(learners: Sequence[Any], jobs: int = 1) -> dict[tuple[str, str], tuple[str, str]]:
    """For each learner, by room and name, its picture and what that shows; those that are up to date stay."""
    from joblib import Parallel, delayed

    PICTURES.mkdir(parents=True, exist_ok=True)
    wanted = [one for one in learners if can_be_drawn(one)]
    stale = [one for one in wanted if not up_to_date(one)]
    Parallel(n_jobs=jobs)(delayed(portrait)(one.room, one.class_name, one.kind, one.scale) for one in stale)
    known = {}
    for one in wanted:
        path = place(one.room, one.class_name)
        if path.exists() and path.stat().st_size > 0:
            words = KINDS[kind_of(one.kind, one.class_name)][1].format(name=one.class_name)
            known[one.room, one.class_name] = (f"/reference/portraits/{path.name}", words)
    return known


def can_be_drawn(learner: Any) -> bool:
    if learner.kind == "transformer":
        return learner.room in MAPS
    return learner.kind in KINDS or learner.kind == "wrapper"


def up_to_date(learner: Any) -> bool:
    """Whether a picture, or the empty file of one that cannot be, is newer than the learner and this file."""
    path = place(learner.room, learner.class_name)
    module = importlib.import_module(learner.load().__module__)
    sources = [Path(__file__), Path(str(module.__file__))]
    return path.exists() and all(path.stat().st_mtime > source.stat().st_mtime for source in sources)


def place(room: str, name: str) -> Path:
    return PICTURES / f"{room}-{name}.png"


def kind_of(kind: str, name: str) -> str:
    """What a wrapper is wrapped around."""
    return kind if kind != "wrapper" else "regressor" if name.endswith("Regressor") else "classifier"


def portrait(room: str, name: str, kind: str, scale: bool) -> None:
    """Draw one learner; what cannot be drawn leaves an empty file."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    path = place(room, name)
    timed = hasattr(signal, "setitimer")
    if timed:
        signal.signal(signal.SIGVTALRM, out_of_time)
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    figure, ax = plt.subplots(figsize=(3.4, 2.5), dpi=100)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = instance(getattr(importlib.import_module(f"assay.{room}"), name), kind)
            KINDS[kind_of(kind, name)][0](model, ax, scale)
        ax.set_xticks([])
        ax.set_yticks([])
        figure.tight_layout(pad=0.3)
        figure.savefig(path, metadata={"Software": None})
    except Exception:  # it needs other rows, or settings that only its user knows
        path.write_bytes(b"")
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        plt.close(figure)


def out_of_time(*_: Any) -> None:
    raise TimeoutError("the picture takes too long")


def instance(cls: type, kind: str) -> Any:
    """A learner at its defaults, the same on every build, with as many groups or columns as the rows have."""
    import inspect

    known = inspect.signature(cls).parameters
    asked: dict[str, Any] = {"random_state": 0} | COUNTS.get(kind, {}) | SETTINGS.get(cls.__name__, {})
    return cls(**{name: value for name, value in asked.items() if name in known})


def grid(X: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """Points that cover the rows, and the ends of the picture."""
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    ends = [low[0], high[0], low[1], high[1]]
    sides = [np.linspace(low[j], high[j], SIDE) for j in range(2)]
    return np.array(np.meshgrid(*sides)).reshape(2, -1).T, ends


def crescents() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import make_moons

    X, y = make_moons(120, noise=0.22, random_state=0)
    return X + 3, np.array(["a", "b"])[y]  # above 0, as counts and amounts are


def clouds() -> np.ndarray:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, np.pi, 70)
    crescent = np.column_stack([2 * np.cos(angle), 2 * np.sin(angle)]) + rng.normal(scale=0.12, size=(70, 2))
    return np.vstack(
        [
            crescent,
            rng.normal([0, 0], 0.25, (45, 2)),
            rng.normal([2.6, -0.6], 0.35, (35, 2)),
            rng.uniform([-2.6, -1.6], [3.6, 2.6], (6, 2)),
        ]
    )


def draw_classifier(model: Any, ax: Any, scale: bool) -> None:
    X, y = crescents()
    points, ends = grid(X)
    if scale:
        centre, width = X.mean(axis=0), X.std(axis=0)
        answers = model.fit((X - centre) / width, y).predict((points - centre) / width)
    else:
        answers = model.fit(X, y).predict(points)
    shown = np.ones((len(points), 4))
    for k, label in enumerate(("a", "b")):
        shown[np.asarray(answers) == label] = colour(k, 0.35)
    ax.imshow(
        shown.reshape(SIDE, SIDE, 4), extent=ends, origin="lower", aspect="auto", interpolation="nearest"
    )
    ax.scatter(*X.T, c=[COLOURS[int(label == "b")] for label in y], s=9, edgecolors="white", linewidths=0.4)


def draw_regressor(model: Any, ax: Any, scale: bool) -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 1, 80))
    y = np.sin(2 * np.pi * x) + rng.normal(scale=0.2, size=80)
    line = np.linspace(-0.05, 1.05, 200)
    centre, width = (x.mean(), x.std()) if scale else (0.0, 1.0)
    X, queries = ((x - centre) / width)[:, None], ((line - centre) / width)[:, None]
    try:
        answers = model.fit(X, y).predict(queries)
    except ValueError:  # counts and amounts are above 0
        y = y + 2
        answers = model.fit(X, y).predict(queries)
    ax.scatter(x, y, c=COLOURS[7], s=9)
    ax.plot(line, np.asarray(answers, float).reshape(len(line), -1)[:, 0], color=COLOURS[0], linewidth=2)
    ax.set_ylim(y.mean() - 2, y.mean() + 2)


def draw_groups(model: Any, ax: Any, scale: bool) -> None:
    X = clouds()
    labels = np.asarray(model.fit(X).labels_)
    ax.scatter(*X.T, c=[COLOURS[k % 7] if k >= 0 else "#BBBBBB" for k in labels], s=10)


def draw_density(model: Any, ax: Any, scale: bool) -> None:
    X = clouds()
    points, ends = grid(X)
    heights = np.exp(np.asarray(model.fit(X).score_samples(points), float)).reshape(SIDE, SIDE)
    ax.imshow(heights, extent=ends, origin="lower", aspect="auto", cmap="Blues", interpolation="nearest")
    ax.scatter(*X.T, c=COLOURS[1], s=6)


def draw_outliers(model: Any, ax: Any, scale: bool) -> None:
    import inspect

    if "novelty" in inspect.signature(type(model)).parameters:
        model.set_params(novelty=True)
    X = clouds()
    points, ends = grid(X)
    inside = np.asarray(model.fit(X).predict(points)) > 0
    shown = np.ones((len(points), 4))
    shown[inside] = colour(0, 0.25)
    ax.imshow(
        shown.reshape(SIDE, SIDE, 4), extent=ends, origin="lower", aspect="auto", interpolation="nearest"
    )
    ax.scatter(*X.T, c=[COLOURS[0] if one > 0 else COLOURS[5] for one in model.predict(X)], s=9)


def draw_columns(model: Any, ax: Any, scale: bool) -> None:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    Z = model.fit_transform((X - X.min(axis=0)) / X.std(axis=0), y)
    if hasattr(Z, "toarray") or Z.shape[1] < 2:
        raise ValueError("there is no plane to draw")
    ax.scatter(*np.asarray(Z, float)[:, :2].T, c=[COLOURS[k] for k in y], s=9)
    ax.set_xlabel("first new column", fontsize=8)
    ax.set_ylabel("second", fontsize=8)


def colour(k: int, alpha: float) -> tuple[float, ...]:
    from matplotlib.colors import to_rgba

    return to_rgba(COLOURS[k], alpha)


KINDS: dict[str, tuple[Callable[..., None], str]] = {
    "classifier": (
        draw_classifier,
        "What {name} answers across a plane: two crescents of 60 rows",
    ),
    "regressor": (
        draw_regressor,
        "What {name} answers along a line: 80 rows of a wave with noise",
    ),
    "clusterer": (
        draw_groups,
        "The groups that {name} finds in a crescent, two clouds and six rows of noise",
    ),
    "density": (
        draw_density,
        "The density that {name} finds: a crescent, two clouds, noise",
    ),
    "outlier detector": (
        draw_outliers,
        "Where {name} expects rows (shaded), and the rows that it calls outliers",
    ),
    "transformer": (
        draw_columns,
        "The first two columns that {name} makes of the irises, coloured by species",
    ),
}
