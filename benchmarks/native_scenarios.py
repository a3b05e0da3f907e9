"""Small jobs that between them call every function of the native code, and a recorder of these calls.

Each scenario is a job as users do it, on a few dozen rows. ``record`` runs them with every native function replaced
by one that keeps what it was called with. A native function that no scenario reaches has no attack; a test finds it.
"""

from __future__ import annotations

import importlib
import pathlib
import pkgutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
KEPT = 3  # calls that are kept of each function, as different as possible

# Arguments whose values are believed, and why. Their sizes are attacked all the same.
TRUSTED: dict[str, dict[str, str]] = {
    **dict.fromkeys(
        ("assay.trees._grow.grow", "assay.trees._grow_several.grow_several"),
        dict.fromkeys(
            ("columns.order", "columns.ranks"),
            "order and ranks of the training table are made by rank_block, never read from a file; a forest grows "
            "hundreds of trees from the same ones, and looking through all of them each time would take as long",
        ),
    ),
    "assay.rules.covering._candidates.best": dict.fromkeys(
        ("table.order", "table.ranks", "table.width"),
        "made by rank_block for the training table, never read from a file; a search for few rows would take as long "
        "to look through the whole table as to search",
    ),
}

# Functions that take a number of rounds: a huge one is no harm, but the call would not end before the attack does.
ROUNDS = (
    "assay.linear.regression._coordinate_descent.",
    "assay.linear.logistic._elastic_net_logistic.",
    "assay.trees._oblique.descend",
    "assay.svm.engine._solve.",
    "assay.graphs._grid_field.",
    "assay.reinforcement._sweeps.",
    "assay.reinforcement._experience.",
    "assay.reduce.topics._gibbs.sweep",
    "assay.reduce.buffet._binary_features.responsibilities",
    "assay.reduce.topics._documents.documents",
    "assay.reduce.embedding._tsne.Plan",
)
HUGE_ROUNDS = ("= 2147483647", "= 1099511627776")

# Classes of which a whole story is recorded, see _recording_sessions.
STORIES = (
    "assay.ensembles._hist_boosting.Session",
    "assay.ensembles._hist_passes.Frontier",
    "assay.reinforcement._experience.Companion",
)
SESSIONS = (
    *STORIES,
    "assay.ensembles._hist_boosting.Crew",
    "assay.reduce.embedding._tsne.Crew",
)

# What cannot be attacked by arguments, and why.
NOT_ATTACKED: dict[str, str] = {
    "assay.ensembles._hist_boosting.Crew": "takes one number of places, and no array",
    "assay.ensembles._hist_boosting.Crew.help": "takes nothing, and waits until the leader is done",
    "assay.ensembles._hist_boosting.Crew.close": "takes nothing, and sends the helpers home",
    "assay.reduce.embedding._tsne.Crew": "takes one number of places, and no array",
    "assay.reduce.embedding._tsne.Crew.help": "takes nothing, and waits until the leader is done",
    "assay.reduce.embedding._tsne.Crew.close": "takes nothing, and sends the helpers home",
    "assay.ensembles._hist_boosting.Session.rows": "takes nothing, and gives the order of the rows",
    "assay.ensembles._hist_passes.Frontier.plan": "takes nothing, and gives what the next pass has to do",
}


@dataclass
class Call:
    """One call that went well, and how to make it again with other arguments."""

    arguments: tuple[tuple, dict]
    run: Callable[[tuple, dict], Any]


@dataclass
class Recorded:
    """The calls of one native function."""

    name: str
    calls: list[Call] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)

    def trusted(self, attack: str) -> bool:
        """Whether this attack changes the values of an argument that is believed; it may be several changes."""
        believed = TRUSTED.get(self.name, {})
        return any(
            (self.name.startswith(ROUNDS) and change.endswith(HUGE_ROUNDS))
            or (change.split(" ")[1:2] and change.split(" ")[1] in believed and "axis" not in change)
            for change in attack.split(", ")
        )


def native_modules() -> list[str]:
    """The names of all extension modules: one for each C++ file."""
    files = sorted((SOURCE / "assay").rglob("*.cpp"))
    return [".".join([*file.parent.relative_to(SOURCE).parts, f"_{file.stem}"]) for file in files]


def native_entries() -> dict[str, Any]:
    """Every function and class of the native code, by its full name."""
    entries = {}
    for name in native_modules():
        for key, value in vars(importlib.import_module(name)).items():
            if type(value).__name__ == "nb_func" or isinstance(value, type):
                entries[f"{name}.{key}"] = value
    return entries


def native_names() -> set[str]:
    """The names of all functions, classes and methods of the native code."""
    names = set()
    for name, entry in native_entries().items():
        names.add(name)
        if isinstance(entry, type):
            methods = (key for key, value in vars(entry).items() if type(value).__name__ == "nb_method")
            names |= {f"{name}.{method}" for method in methods if method != "__init__"}
    return names


def record(only: str = "") -> dict[str, Recorded]:
    """Run the scenarios; what every native function was called with."""
    import assay

    for module in pkgutil.walk_packages(assay.__path__, "assay."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    recorded: dict[str, Recorded] = {}
    swapped: dict[int, Any] = {}
    for name, entry in native_entries().items():
        if name not in SESSIONS:
            swapped[id(entry)] = _recording(name, entry, recorded)
    places = _swap(swapped)
    for name in STORIES:
        module = importlib.import_module(name.rpartition(".")[0])
        kind = getattr(module, name.rpartition(".")[2])
        places.append((vars(module), kind.__name__, kind))
        setattr(module, kind.__name__, _recording_sessions(name, kind, vars(module).get("Crew"), recorded))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for scenario in SCENARIOS:
                scenario()
    finally:
        _RECORDS.clear()
        for names, key, value in places:
            names[key] = value
    return {name: found for name, found in recorded.items() if only in name}


def _swap(swapped: dict[int, Any]) -> list[tuple[dict, str, Any]]:
    """Put the recorders wherever a module of the package holds a native function."""
    places = []
    for name, module in list(sys.modules.items()):
        if not name.startswith("assay"):
            continue
        tables = [
            vars(module),
            *(v for k, v in vars(module).items() if isinstance(v, dict) and not k.startswith("__")),
        ]
        for table in tables:
            for key, value in list(table.items()):
                if id(value) in swapped:
                    places.append((table, key, value))
                    table[key] = swapped[id(value)]
    return places


@dataclass
class Fields:
    """A record of native code as the keywords that it was made of, so that each of them can be changed."""

    kind: Any
    values: dict[str, Any]

    def made(self) -> Any:
        return self.kind(**made(self.values))


_RECORDS: dict[int, tuple[Any, Fields]] = {}  # records that were made while calls are recorded, by their id


def copied(value: Any) -> Any:
    """Arrays and what holds them once more; what the native code made itself is shared."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(copied(one) for one in value)
    if isinstance(value, Fields):
        return Fields(value.kind, copied(value.values))
    if id(value) in _RECORDS and _RECORDS[id(value)][0] is value:
        return copied(_RECORDS[id(value)][1])
    return value


def made(value: Any) -> Any:
    """Arguments with records where they hold fields of such."""
    if isinstance(value, Fields):
        return value.made()
    if isinstance(value, dict):
        return {key: made(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple(made(one) for one in value)
    return value


def _kind(args: tuple, kwargs: dict) -> str:
    """What makes calls different: types and numbers of dimensions, and which arrays are empty."""
    values = [*args, *kwargs.values()]
    values = [
        one for v in map(_as_fields, values) for one in (v.values.values() if isinstance(v, Fields) else [v])
    ]
    return " ".join(
        f"{v.dtype}{v.ndim}{v.size == 0}" if isinstance(v, np.ndarray) else type(v).__name__ for v in values
    )


def _as_fields(value: Any) -> Any:
    made_of = _RECORDS.get(id(value))
    return made_of[1] if made_of and made_of[0] is value else value


def _keep(name: str, args: tuple, kwargs: dict, recorded: dict[str, Recorded], run: Callable) -> None:
    found = recorded.setdefault(name, Recorded(name))
    kind = _kind(args, kwargs)
    if kind not in found.kinds and len(found.calls) < KEPT:
        found.kinds.add(kind)
        found.calls.append(Call((copied(args), copied(kwargs)), run))


def _recording(name: str, entry: Any, recorded: dict[str, Recorded]) -> Any:
    """A function that calls the native one, and keeps what it was called with.

    A crew cannot be shared by forks: calls that are made again get one of their own. Of what a class makes from
    keywords these are kept, so that attacks on its users reach its fields.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        plain = tuple(a for a in args if type(a).__name__ != "Crew")  # it comes last
        crew = [type(a) for a in args if type(a).__name__ == "Crew"]
        _keep(name, plain, kwargs, recorded, lambda a, k: entry(*made(a), *(c(1) for c in crew), **made(k)))
        result = entry(*args, **kwargs)
        if isinstance(entry, type) and kwargs and not args:
            _RECORDS[id(result)] = result, Fields(entry, copied(kwargs))
        return result

    return call


def _recording_sessions(name: str, session: Any, crew: Any, recorded: dict[str, Recorded]) -> Any:
    """A class like this one that keeps what it was made of and asked for; calls are made again in a new session."""

    class Recording:
        def __init__(self, *args: Any):
            self.made_of, self.story = copied(args), []
            _keep(name, args, {}, recorded, lambda a, k: session(*made(a)))
            self.session = session(*args)

        def __getattr__(self, method: str) -> Any:
            def call(*args: Any, **kwargs: Any) -> Any:
                plain = tuple(a for a in args if type(a).__name__ != "Crew")
                named = {key: a for key, a in kwargs.items() if type(a).__name__ != "Crew"}
                team = len(plain) < len(args), len(named) < len(kwargs)
                before = list(self.story)

                def run(own: Any, step: str, with_team: tuple[bool, bool], a: tuple, k: dict) -> Any:
                    first, second = (
                        ([crew(1)] if with_team[0] else []),
                        ({"crew": crew(1)} if with_team[1] else {}),
                    )
                    return getattr(own, step)(*made(a), *first, **made(k), **second)

                def again(a: tuple, k: dict) -> Any:
                    own = session(*made(copied(self.made_of)))
                    for step, with_team, given, keywords in before:
                        run(own, step, with_team, copied(given), copied(keywords))
                    return run(own, method, team, a, k)

                _keep(f"{name}.{method}", plain, named, recorded, again)
                if len(self.story) < 4:
                    self.story.append((method, team, copied(plain), copied(named)))
                return getattr(self.session, method)(*args, **kwargs)

            return call

    return Recording


# ---------------------------------------------------------------------- the jobs

SCENARIOS: list[Callable[[], None]] = []


def scenario(job: Callable[[], None]) -> Callable[[], None]:
    SCENARIOS.append(job)
    return job


def numbers(n: int = 60, d: int = 4, missing: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Measurements of three classes."""
    rng = np.random.default_rng(n + d)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, d)) + y[:, None]
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def mixed(n: int = 60) -> tuple[Any, np.ndarray]:
    """Numbers and categories, some of them missing."""
    import pandas as pd

    X, y = numbers(n)
    frame = pd.DataFrame(X[:, :2].round(1), columns=["a", "b"])
    frame["c"] = np.where(X[:, 2] > 1, "u", np.where(X[:, 3] > 1, "v", "w"))
    frame["d"] = np.where(X[:, 3] > 0.5, "yes", "no")
    frame.loc[3, "a"] = np.nan
    frame.loc[5, "c"] = None
    return frame, y


def sparse(n: int = 60, d: int = 6) -> tuple[Any, np.ndarray]:
    """Counts with many zeros."""
    from scipy.sparse import csr_matrix

    X, y = numbers(n, d)
    return csr_matrix(np.maximum(X.round(), 0)), y


def baskets() -> Any:
    from assay.associations import Baskets

    rng = np.random.default_rng(0)
    lines = [[f"i{j}" for j in range(8) if rng.random() < 0.2 + 0.06 * j] for _ in range(70)]
    return Baskets.from_lists(lines)


@scenario
def item_sets() -> None:
    import assay.associations._baskets as _baskets
    import assay.associations._item_sets as _item_sets
    from assay.associations import Baskets, closed_sets, estimate_sets, frequent_sets, maximal_sets

    held = baskets()
    for method in ("apriori", "fp-growth", "eclat"):
        found = frequent_sets(held, 0.1, method=method)
    for kind in ("closed", "maximal"):
        frequent_sets(held, 0.1, kind=kind)
    closed_sets(found)
    maximal_sets(found)
    estimate_sets(held, 0.05)
    rare = Baskets.from_lists([[f"i{i % 9}", f"i{i % 7}"] for i in range(80)])
    for method in ("apriori", "eclat"):
        frequent_sets(rare, 0.01, method=method)
    _baskets.alike(held.indptr, held.indices, 1)
    _item_sets.lookup(
        found.indptr, found.indices, found.indptr, found.indices, np.empty(len(found), np.int64)
    )


@scenario
def bayes() -> None:
    from assay.bayes import (
        BernoulliNB,
        CategoricalNB,
        GaussianNB,
        LinearDiscriminantAnalysis,
        MultinomialNB,
        NaiveBayes,
        QuadraticDiscriminantAnalysis,
    )
    from assay.core.scores import logistic

    X, y = numbers()
    for kind in (np.float64, np.float32):
        for learner in (GaussianNB(), QuadraticDiscriminantAnalysis(), LinearDiscriminantAnalysis()):
            learner.fit(X.astype(kind), y).predict_proba(X.astype(kind))
        codes = (X > 1).astype(kind)
        for learner in (MultinomialNB(), BernoulliNB(), CategoricalNB()):
            learner.fit(codes, y, sample_weight=np.ones(len(y))).predict_proba(codes)
    S, y = sparse()
    MultinomialNB().fit(S, y).predict(S)
    BernoulliNB().fit(S, y).predict(S)
    frame, y = mixed()
    NaiveBayes().fit(frame, y).predict_proba(frame)
    logistic(X[:, 0])


@scenario
def rules_and_firing() -> None:
    import assay.rules as rules
    import assay.rules.associative._class_sets as _class_sets
    import assay.rules.covering._candidates as _candidates

    frame, y = mixed(80)
    words = np.array(["no", "yes", "no"])[y]
    X, _ = numbers(80)
    for learner in (
        rules.OneRClassifier(), rules.RipperClassifier(random_state=0), rules.IrepClassifier(random_state=0),
        rules.PartClassifier(), rules.PartClassifier(pruning="reduced-error", random_state=0),
        rules.DecisionTableClassifier(), rules.CN2Classifier(), rules.PrismClassifier(),
    ):  # fmt: skip
        learner.fit(frame, words).predict(frame)
    nominal = frame[["c", "d"]].fillna("u")
    for learner in (rules.CBAClassifier(), rules.CMARClassifier(), rules.CPARClassifier()):
        learner.fit(nominal, words).predict(nominal)
    rules.BoxClassifier().fit(X, words).predict(X)
    rules.BoxUnionClassifier().fit(frame, words).predict(frame)
    rules.ThresholdRuleClassifier().fit(X, y > 0).predict(X)
    start, classes, adds = np.array([0, 1, 3]), np.array([0, 1], np.int32), np.array([0.5, 0.25])
    conditions, bits = np.array([0, 1, 2], np.int32), np.array([[7], [5], [3]], np.uint64)
    for wide in (True, False):
        heard = np.zeros((10, 2 if wide else 1), np.int32)
        _class_sets.add_votes(
            bits=bits,
            start=start,
            conditions=conditions,
            classes=classes,
            adds=adds,
            top=3,
            per_class=wide,
            scores=np.zeros((10, 2)),
            heard=heard,
        )
    quality = _candidates.Quality(
        prior=np.full(3, 1 / 3), measure=0, target=1, strength=1.0, before=0.0, over=False
    )
    _candidates.judged(np.ones((4, 3)), quality, 0.0, np.zeros((4, 3)))


@scenario
def linear() -> None:
    import assay.linear as linear
    import assay.linear.generalized._log_link as _log_link
    import assay.linear.gradient._sgd as _sgd
    import assay.linear.logistic._elastic_net_logistic as _model
    import assay.linear.logistic._logistic_discriminant as _outputs
    import assay.linear.logistic._sparse_logistic as _sparse
    import assay.linear.regression._coordinate_descent as _descent
    from assay.core.sums import Block
    from assay.linear.logistic.logistic_sums import gradient_part

    X, y = numbers(50)
    S, ys = sparse()
    learners = [
        linear.LogisticRegression(), linear.LogisticRegression(penalty="l1", solver="saga", max_iter=50),
        linear.LogisticRegression(penalty="elasticnet", l1_ratio=0.5, solver="saga", max_iter=50),
        linear.Perceptron(max_iter=5), linear.PerceptronRule(), linear.PocketClassifier(),
        linear.SGDClassifier(max_iter=3, random_state=0),
        linear.SGDClassifier(loss="log_loss", average=True, penalty="l1", max_iter=3, random_state=0),
        linear.LogisticDiscriminant(max_iter=3), linear.IndependentSigmoids(max_iter=3),
    ]  # fmt: skip
    for learner in learners:
        for A, b in ((X, y), (X, y > 0), (S, ys), (S, ys > 0), (X.astype(np.float32), y)):
            if type(learner).__name__ in ("PerceptronRule", "PocketClassifier") and len(set(b)) > 2:
                continue
            learner.fit(A, b)
            learner.predict(A)
    target = X @ [1.0, 2.0, 0.0, -1.0]
    for learner in (
        linear.Lasso(alpha=0.1),
        linear.ElasticNet(alpha=0.1),
        linear.SGDRegressor(max_iter=3, random_state=0),
    ):
        learner.fit(X, target)
        learner.fit(S, S.toarray().sum(1))
    linear.PairwiseRanker(max_iter=2, random_state=0).fit(X, y)
    linear.PairwiseRanker(max_iter=2, random_state=0).fit(S, ys)
    for kind in (np.float64, np.float32):
        for labels, K in (((y > 0).astype(np.int64), 2), (y, 3)):
            gradient_part(Block(X.astype(kind), labels, None), np.zeros((5, 1 if K == 2 else K)), K, None)
        for power in (1.0, 1.5, 2.0):
            some = {
                "v": np.ones(50),
                "offset": np.zeros(50),
                "coef": np.full(X.shape[1], 0.1),
                "intercept": 0.2,
            }
            some |= {"power": power, "G": np.zeros(X.shape[1] + 1)}
            _log_link.loss_gradient(X=X.astype(kind), y=np.abs(X[:, 0]) + 1, **some)
            d, target = X.shape[1], np.abs(X[:, 0]) + 1
            point = {"coef": np.full(d, 0.1), "intercept": 0.2, "power": power}
            point = _log_link.Point(**point, mean=np.zeros(d), spread=np.ones(d))
            sums = {"own": np.log(target), "v": np.ones(50), "offset": np.zeros(50), "point": point}
            sums |= {"G": np.zeros(d + 1), "H": np.zeros((d + 1, d + 1))}
            _log_link.curvature(X=X.astype(kind), y=target, **sums)
    _sgd.loss(0, 1.0, 0.5, 0.1)
    order, rates = np.arange(50), np.full(3, 0.1)
    batch = {"size": 7, "rates": rates, "outputs": _outputs.Outputs(softmax=True, squared=False, bias=True)}
    batch["delta"] = np.zeros((7, 3))
    _outputs.dense(X=X, R=np.eye(3)[y], weight=np.ones(50), order=order, W=np.zeros((3, 5)), **batch)
    for kind in (np.int32, np.int64):
        table = {"data": S.data, "indices": S.indices.astype(kind), "indptr": S.indptr.astype(kind)}
        rows = {"R": np.eye(3)[ys], "weight": np.ones(60), "order": np.arange(60)}
        _outputs.sparse(**table, **rows, W=np.zeros((3, 7)), **batch)

    n, d = S.shape
    start, column = S.indptr.astype(np.int64), S.indices.astype(np.int32)
    ones, many = np.ones(n), np.zeros((n, 3))
    _sparse.scores(start=start, column=column, value=S.data, W=np.ones((d + 1, 3)), lo=0, hi=n, Z=many)
    _sparse.respond(many, ys, ones, np.zeros((n, 3)), np.zeros((n, 3)))
    _sparse.along(many, many + 1, 0.5, ys, ones)
    _sparse.back(
        start=start,
        column=column,
        value=S.data,
        G=many,
        D=many + 0.2,
        w=ones,
        lo=0,
        hi=n,
        out=np.zeros((d + 1, 3)),
        diagonal=np.zeros((d + 1, 3)),
    )
    _sparse.curve(
        start=start,
        column=column,
        value=S.data,
        D=many + 0.2,
        w=ones,
        V=np.ones((d + 1, 3)),
        lo=0,
        hi=n,
        U=np.zeros((n, 3)),
        out=np.zeros((d + 1, 3)),
    )
    C = S.tocsc()
    columns = {"value": C.data, "row": C.indices.astype(np.int32), "start": C.indptr.astype(np.int64)}
    Z = np.ascontiguousarray(S.toarray().T)
    along = _descent.Penalties(
        a=np.array([1.0, 0.1]),
        b=np.zeros(2),
        positive=False,
        seed=0,
        tol=1e-6,
        calm=1e-6,
        eager=True,
        max_iter=20,
    )
    out = {
        "w": np.zeros(d),
        "weights": np.zeros((2, d)),
        "gaps": np.zeros((2, 2)),
        "sweeps": np.zeros(2, np.int64),
    }
    _descent.sparse_path(**columns, mean=np.zeros(d), root=ones, y=ys * 1.0, along=along, **out)
    task = _model.Task(a=0.1, b=0.1, intercept=True, tol=1e-6, max_sweeps=20)
    two = {"D": ones, "g": np.zeros(d), "g0": 0.0, "v": np.zeros(d), "s": np.zeros(n), "move0": np.zeros(1)}
    _model.dense_two(Z=Z, task=task, **two)
    _model.sparse_two(**columns, task=task, **two)
    three = {"P": np.full((3, n), 1 / 3), "u": ones, "g": np.zeros((3, d)), "g0": np.zeros(3)}
    three |= {"v": np.zeros((3, d)), "s": np.zeros((3, n)), "move0": np.zeros(3)}
    _model.dense_many(Z=Z, task=task, **three)
    _model.sparse_many(**columns, task=task, **three)


@scenario
def neighbours() -> None:
    import assay.distances._nearest as _nearest
    from assay.neighbors import LMCA, LMNN, KNeighborsClassifier

    X, y = numbers(80)
    for settings in (
        {},
        {"p": 1},
        {"algorithm": "brute"},
        {"algorithm": "brute", "p": 1},
        {"algorithm": "kd_tree"},
    ):
        for kind in (np.float64, np.float32):
            KNeighborsClassifier(**settings).fit(X.astype(kind), y).predict_proba(X.astype(kind))
    wide = np.tile(X, (8, 8)) + np.arange(640)[:, None]
    for kind in (np.float64, np.float32):
        for p in (1, 2, 3):
            learner = KNeighborsClassifier(n_neighbors=3, algorithm="brute", p=p)
            learner.fit(wide.astype(kind), np.tile(y, 8)).predict(wide.astype(kind))
    KNeighborsClassifier(n_neighbors=1).fit(X[:8], y[:8]).predict(X)
    LMNN(max_iter=50, tol=0.1).fit(X, y)
    LMCA(2, max_iter=50, tol=0.1).fit(X, y)
    frame, y = mixed()
    KNeighborsClassifier(metric="heom").fit(frame, y).predict(frame)
    columns, rows = np.zeros((4, 80)), np.empty(80, np.int64)
    columns[:, :80] = X.T
    _nearest.closest(X, columns, 80, 2.0, rows)
    for kind in (np.float64, np.float32):
        _nearest.pairs(X.astype(kind), X.astype(kind), np.arange(80), rows, 2.0, np.empty(80))
        _nearest.pair_sums(X.astype(kind), X.astype(kind), np.arange(80), rows, 2.0, np.empty(80))


@scenario
def subsets_of_columns() -> None:
    import assay.select.subsets._fast_scores as _fast_scores
    import assay.select.subsets._neighbors as _neighbors

    X, _ = numbers(80)
    for K in (2, 3):
        scores, codes = np.ascontiguousarray(X[:, :K]), np.arange(40) % K
        _fast_scores.tally(scores, codes, np.ones(40), 1e-10, np.empty(2), np.empty(2, np.uint8))
    XT, order = np.ascontiguousarray(X.T), np.ascontiguousarray(np.argsort(X.T, axis=1))
    for squared in (True, False):
        out = {"row": np.empty((80, 3), np.int64), "sum": np.empty((80, 3)), "squared": squared}
        one = np.array([3])
        _neighbors.nearest_alone(XT=XT, order=order, Q=X, candidates=one, **out)
        _neighbors.nearest(XT=XT, Q=X, base=np.array([0, 1]), candidates=one, adding=True, **out)
        _neighbors.nearest(XT=XT, Q=X, base=np.array([0, 1, 3]), candidates=one, adding=False, **out)
        out["sum"] = np.empty((0, 3))
        _neighbors.nearest(XT=XT, Q=X, base=np.array([0]), candidates=one, adding=True, **out)


@scenario
def trees() -> None:
    import assay.trees as trees
    import assay.trees._oblique as _oblique
    import assay.trees._ranks as _ranks
    from assay.trees.multiway import SplitRules, root_offers
    from assay.trees.pruning import _raising
    from assay.trees.shap import contributions

    X, y = numbers(60)
    S, ys = sparse()
    frame, yf = mixed()
    for learner in (
        trees.DecisionTreeClassifier(),
        trees.DecisionTreeClassifier(splitter="random", random_state=0),
    ):
        for kind in (np.float64, np.float32):
            learner.fit(X.astype(kind), y)
            learner.predict_proba(X.astype(kind))
            learner.apply(X.astype(kind))
        learner.fit(S, ys)
        learner.predict(S)
        learner.apply(S)
    trees.DecisionTreeClassifier().fit(X, np.column_stack([y, y > 1]))
    trees.DecisionTreeRegressor().fit(X, X[:, :2])
    regressor = trees.DecisionTreeRegressor().fit(X, X[:, 0])
    regressor.predict(X)
    regressor.cost_complexity_pruning_path(X, X[:, 0])
    for name in ("C45Classifier", "CartClassifier", "ID3Classifier", "TextbookTreeClassifier", "OC1Classifier",
                 "ModelTreeRegressor", "LinearCombinationTreeClassifier"):  # fmt: skip
        if hasattr(trees, name):
            learner = getattr(trees, name)()
            try:
                learner.fit(frame, yf)
                learner.predict(frame)
            except ValueError:
                learner.fit(X, y)
                learner.predict(X)
    fitted = trees.DecisionTreeClassifier(random_state=0).fit(X, y)
    contributions(fitted.tree_, X)
    root_offers(X, np.zeros(4, np.int64), y, None, 3, SplitRules())
    case = _oblique.Case(y=y.astype(float), w=np.ones(60), K=3, criterion=0, min_leaf=1, min_weight=0.0)
    _oblique.best_step(X[:, 0].copy(), X[:, 1].copy(), case)
    _ranks.order_of_ranks(np.arange(60, dtype=np.int32)[::-1].copy(), 60, np.empty(60, np.uint64))
    tree = (
        trees.C45Classifier(pruning=None).fit(frame, yf).tree_
        if "pruning" in vars(trees.C45Classifier())
        else fitted.tree_
    )
    d = len(tree.n_categories)
    _raising.distribute(tree._nodes, np.zeros((5, d)), np.ones((5, 2)), np.zeros((tree.node_count, 2)))


@scenario
def kernel_machines() -> None:
    from assay.kernels import RBF, Chi2, MatrixRows, Polynomial
    from assay.optimize.sigmoid import fit_sigmoid
    from assay.svm.engine import Dual, solve
    from assay.svm.engine.row_cache import RowCache

    for kernel in (RBF(), Polynomial(3)):
        for X in (numbers(20)[0], numbers(20, 150)[0], sparse(20)[0]):
            kernel.combine(X, X, np.ones((20, 2)))
            for kind in (np.float64, np.float32):
                rows = kernel.gram_rows(X)
                rows.whole(kind)
                rows.times(np.arange(20), np.arange(20), np.ones(20), kind)
    Chi2()(np.abs(numbers(20)[0]))
    X, y = numbers(30)
    sign, rows = np.where(y > 0, 1.0, -1.0), RBF().gram_rows(X)
    for constraint in ("sum", "each sign", "none"):
        start = np.where(sign > 0, 0.5, 1.0) if constraint == "each sign" else np.zeros(30)
        dual = Dual(sign, -np.ones(30), np.ones(30), start, constraint)
        for size in (1.0, 0.0):
            solve(rows, dual, cache_size=size, max_iter=99)
        solve(rows, dual, polish=True)
        solve(MatrixRows(RBF()(np.vstack([X, X]))).subset(np.arange(0, 60, 2)), dual, polish=True)
    pair = rows.pairs_of(np.array([0, 9, 14, 30]), [(0, 2)])[0]
    solve(pair, Dual(np.repeat([1.0, -1.0], [9, 16]), -np.ones(25), np.ones(25), np.zeros(25)), polish=True)
    fit_sigmoid(X[:, 0], np.asarray(y > 0, dtype=np.int64), np.ones(30))
    for kind in (np.float64, np.float32):
        cache = RowCache(rows, kind, 1.0)
        cache.subtract(np.arange(9), np.ones(9), np.zeros(30))
        cache.keep(np.arange(0, 30, 2))


@scenario
def kernels() -> None:
    from scipy.sparse import csr_matrix

    import assay.kernels as kernels

    X, _ = numbers(30)
    kernels.RBFSampler(n_components=5, random_state=0).fit_transform(X)
    for rows in (X, csr_matrix(X)):
        kernels.PolynomialCountSketch(n_components=5, coef0=1.0, random_state=0).fit_transform(rows)
    words = ["statistics", "computation", "kitten", "a"]
    for kernel in (kernels.Spectrum(2), kernels.Subsequences(2), kernels.EditSimilarity()):
        kernel(words)
    kernels.align("kitten", "sitting")
    trees = [("S", ("A", "x"), ("B", "y")), ("S", ("A", "x"), ("A", "y")), "x"]
    kernels.SubsetTrees()(trees)
    edges = [[(0, 1), (1, 2)], [(0, 1, 2.0)], [(0, 1), (1, 2), (0, 2)]]
    kernels.SharedWalks(2)([kernels.Graph.of_edges(graph) for graph in edges])


@scenario
def ensembles() -> None:
    import assay.ensembles as ensembles

    X, y = numbers(60, missing=True)
    frame, yf = mixed()
    hist = ensembles.HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=3, random_state=0)
    for A, b in ((X, y), (X, y > 0), (frame, yf), (X.astype(np.float32), y)):
        hist.fit(A, b)
        hist.predict_proba(A)
    ensembles.HistGradientBoostingRegressor(
        max_iter=2, min_samples_leaf=3, early_stopping=True, random_state=0
    ).fit(X, y * 1.0)
    Z, y = numbers(60)
    forest = ensembles.RandomForestClassifier(n_estimators=3, random_state=0, oob_score=True).fit(Z, y)
    forest.predict_proba(Z)
    forest.predict_proba(Z.astype(np.float32))
    forest.apply(Z)
    ensembles.AdaBoostClassifier(n_estimators=3, random_state=0).fit(Z, y).predict(Z)


@scenario
def boosting_from_blocks() -> None:
    from assay import ensembles
    from assay.ensembles.hist_sketch import BinSketch, RowSample

    X, y = numbers(60, missing=True)
    frame, yf = mixed()
    hist = ensembles.HistGradientBoostingClassifier(
        max_iter=6, min_samples_leaf=3, max_leaf_nodes=2, learning_rate=3.0, random_state=0
    )
    for A, b in ((X, y), (X, y > 0)):
        hist.fit_blocks([(A[:20], b[:20]), (A[20:], b[20:])])
    hist.fit_blocks([(frame, yf)])
    ensembles.HistGradientBoostingRegressor(
        max_iter=2, min_samples_leaf=3, early_stopping=True, random_state=0
    ).fit_blocks([(X, y * 1.0)])
    for A in (X, X.astype(np.float32)):
        BinSketch.of(A, np.zeros(A.shape[1], int), 255, RowSample(300_000, 0))


@scenario
def linear_machines() -> None:
    import assay.svm.linear._squared_slack as _squared_slack
    from assay.svm import KernelRankSVM, LinearSVC
    from assay.svm.linear.dual_descent import descend
    from assay.svm.linear.slack_problem import SlackProblem
    from assay.svm.multiclass.row_blocks import ClassProblem, solve_classes, solve_classes_gram

    X, y = numbers(60)
    LinearSVC().fit(X, y).decision_function(X)
    table = {"X": X, "target": np.ones(60), "above": np.ones(60), "below": np.zeros(60)}
    _squared_slack.respond(
        _squared_slack.Table(**table, epsilon=0.1, constant=1.0), np.zeros(60), np.zeros(60), np.zeros(60)
    )
    _squared_slack.scores(
        _squared_slack.Table(**table, epsilon=0.1, constant=0.0), np.zeros(X.shape[1]), np.zeros(60)
    )
    rows, _ = sparse()
    LinearSVC(loss="hinge", C=100.0, max_iter=60).fit(X, y)
    for part in (X, rows):
        n = part.shape[0]
        descend(SlackProblem(part, np.ones(n), np.ones(n), np.ones(n), 0.1, 1, 1.0), 1e-3, 50, 1)
        codes = (np.arange(n) % 3).astype(np.int64)
        solve_classes(part, ClassProblem(codes, np.ones(n), 3, True, 1.0, 1.0, True), 1e-3, 2, 1)
    problem = ClassProblem((np.arange(60) % 3).astype(np.int64), np.ones(60), 3, False, 1.0, 1.0, True)
    solve_classes_gram(X @ X.T, problem, 1e-3, 2, 1)
    KernelRankSVM(max_iter=2000).fit(X[:20], np.arange(20.0))


@scenario
def gaussian_processes() -> None:
    from assay.kernels import RBF, Matern, WhiteKernel
    from assay.processes.routes.chain import _matern_tables
    from assay.processes.routes.state_space import StateSpace
    from assay.processes.routes.vecchia import Vecchia

    _matern_tables.cache_clear()  # they are made once a process
    X, y = numbers(40, 1)
    Y, noise = np.column_stack([y, X[:, 0]]), np.full(40, 0.1)
    for nu in (0.5, 1.5, 2.5):
        kernel = Matern(nu=nu) + WhiteKernel(0.1)
        route = StateSpace().fit(kernel, X, Y, noise)
        route.log_evidence(kernel.theta)
        route.condition(kernel).mean(X[:5])
        route.leave_one_out()
    Z, y = numbers(40, 2)
    kernel = 2.0 * Matern([1.0, 2.0], nu=1.5) + RBF(0.5) + WhiteKernel(0.1)
    near = Vecchia(5, 6).fit(kernel, Z, y[:, None] * 1.0, noise)
    near.log_evidence(kernel.theta)
    near.condition(kernel).mean(Z[:5])


@scenario
def mixtures() -> None:
    from assay.mixture import BayesianGaussianMixture, DirichletProcessMixture, GaussianMixture
    from assay.stats import NormalGamma, NormalMean

    X, _ = numbers(60)
    for component in (None, NormalGamma(), NormalMean(0.0, 4.0, 1.0)):
        DirichletProcessMixture(component, n_sweeps=2, burn_in=1, random_state=0).fit(X).predict(X)
    DirichletProcessMixture(method="greedy").fit(X)
    w = np.arange(60) % 3 + 0.5
    GaussianMixture(2, random_state=0).fit(X).score_samples(X)
    GaussianMixture(2, covariance_type="diag", random_state=0).fit(X, sample_weight=w)
    BayesianGaussianMixture(n_components=3, moves=True, random_state=0, max_iter=500).fit(X).predict(X)


@scenario
def groups_of_rows() -> None:
    from assay.cluster import (
        DBSCAN,
        HDBSCAN,
        AgglomerativeClustering,
        Genie,
        KMeans,
        silhouette_samples,
    )
    from assay.cluster.hierarchy import spanning_tree
    from assay.distances.best_seeds import BestSeeds

    X, y = numbers()
    for k in (3, 20):
        KMeans(k, random_state=0).fit(X, sample_weight=1.0 + y)
    for linkage in ("ward", "complete", "average", "weighted", "single", "centroid"):
        AgglomerativeClustering(3, linkage=linkage).fit(X)
    for w in (np.empty(0), 1.0 + y):
        search = BestSeeds.of(X, w, 0, ((X - X[0]) ** 2).sum(axis=1))
        if search:
            search.take_best(np.arange(5))
    AgglomerativeClustering(3, linkage="single", metric="manhattan").fit(X)
    AgglomerativeClustering(3, linkage="average", metric="manhattan").fit(X)
    DBSCAN(0.8).fit(X)
    HDBSCAN(5).fit(X)
    Genie(3).fit(X)
    spanning_tree(X, p=1)
    silhouette_samples(X, np.arange(len(X)) % 3)


@scenario
def maps_of_neighbours() -> None:
    from assay.reduce import TSNE

    X, _ = numbers()
    for method, columns in (("exact", 4), ("barnes_hut", 3), ("fft", 2), ("fft", 1), ("auto", 2)):
        tsne = TSNE(columns, method=method, perplexity=5, max_iter=250).fit(X)
        tsne.transform(X[:5] + 0.1)


@scenario
def topics() -> None:
    from assay.reduce import BilingualLDA, HierarchicalDirichletProcess, LatentDirichletAllocation

    X, _ = sparse()
    LatentDirichletAllocation(3, max_iter=2, random_state=0).fit(X).plug_in_perplexity(X)
    LatentDirichletAllocation(3, learning_method="gibbs", n_sweeps=5, random_state=0).fit(X)
    BilingualLDA(2, languages=list("aabbcc"), n_sweeps=5, random_state=0).fit(X)
    HierarchicalDirichletProcess(n_sweeps=3, random_state=0).fit(X)


@scenario
def factorization() -> None:
    from scipy.sparse import random

    from assay.core.sums import Rows
    from assay.reduce import NMF
    from assay.reduce.factorization.gram_product import gram_product, products_at, sparse_product, sparse_rows

    rng = np.random.default_rng(0)
    X = random(30, 20, density=0.3, format="csr", random_state=rng)
    gram_product(Rows(X), rng.random((20, 3)))
    gram_product(Rows(X, None, rng.random(30)), rng.random((20, 3)))
    products_at(X, rng.random((30, 3)), rng.random((3, 20)))
    sparse_product(sparse_rows(X), 30, rng.random((20, 65)))
    A = np.abs(numbers(30)[0])
    NMF(2, max_iter=5, tol=0).fit(A)
    A[0, 0] = np.nan
    NMF(2, max_iter=5, tol=0).fit(A, sample_weight=np.arange(1.0, 31.0))


@scenario
def embeddings() -> None:
    from assay.reduce import MDS, Isomap, LandmarkIsomap, SammonMapping

    X, _ = numbers(60)
    Isomap(n_neighbors=12).fit(X).transform(X)
    LandmarkIsomap(5, n_neighbors=12, random_state=0).fit(X)
    Isomap(n_neighbors=12).fit(numbers(210)[0])
    MDS(max_iter=3, random_state=0).fit(X)
    SammonMapping(max_iter=3).fit(X)


@scenario
def binary_features() -> None:
    from assay.reduce import IndianBuffetModel

    X, _ = numbers(30)
    IndianBuffetModel(n_sweeps=5, random_state=0).fit(X).transform(X)


@scenario
def filters() -> None:
    from assay.select import f_classif, mutual_info_classif, mutual_info_regression, relieff
    from assay.select.filters.mutual_info import information

    X, y = numbers(60)
    mutual_info_classif(X, y, random_state=0)
    f_classif(*sparse())
    f_classif(sparse()[0].astype(np.float32), y)
    mutual_info_regression(X, X[:, 0], random_state=0)
    information(X[:, 0], y, False, True, w=np.full(60, 2.0))
    information(X[:, 0], X[:, 1], False, False, w=np.full(60, 2.0))
    frame, classes = mixed(60)
    relieff(frame, classes)
    relieff(frame, X[:, 0], sample_weight=np.full(60, 2.0))


@scenario
def belief_networks() -> None:
    from assay.graphs import AODEClassifier, TANClassifier, denoise, learn_structure, load_network

    network = load_network("asia")
    rows = network.sample(60, random_state=0)
    network.marginals({"smoke": "yes"})
    network.query("lung", {"xray": "yes"})
    network.most_probable()
    network.posterior("lung", rows)
    network.posterior("lung", {**rows, "xray": [None] * 60})
    network.fit({**rows, "xray": [None, *rows["xray"][1:]]}, alpha=1.0, max_iter=3, tol=1.0)
    learn_structure(rows)
    learn_structure({**rows, "xray": [None, *rows["xray"][1:]]}, missing="em")
    frame, classes = mixed(60)
    TANClassifier().fit(frame, classes).predict_proba(frame)
    AODEClassifier().fit(frame, classes).predict_proba(frame)
    picture = np.indices((6, 7)).sum(axis=0) % 3
    denoise(picture)
    denoise(picture, method="sum-product", max_iter=5)


@scenario
def prototypes_and_maps() -> None:
    from assay.cluster import FuzzyART, OnlineKMeans
    from assay.local import HebbianFeatures, LVQClassifier, MixtureOfExpertsClassifier, SelfOrganizingMap

    X, y = numbers()
    weights = np.linspace(0.5, 2, len(y))
    for algorithm in ("lvq1", "olvq1", "lvq2.1", "lvq3", "glvq"):
        LVQClassifier(2, algorithm=algorithm, max_iter=2, random_state=0).fit(X, y)
    LVQClassifier(2, max_iter=2, random_state=0).fit(X, y, sample_weight=weights)
    for neighborhood in ("gaussian", "bubble"):
        SelfOrganizingMap((3, 3), neighborhood=neighborhood, max_iter=2, random_state=0).fit(X)
    SelfOrganizingMap(4, topology="ring", max_iter=2, random_state=0).fit(X, sample_weight=weights)
    for settings in ({}, {"momentum": 0.5}, {"conscience": 2.0}, {"winner": "dot", "schedule": "wins"}):
        OnlineKMeans(3, max_iter=2, random_state=0, **settings).fit(X, sample_weight=weights)
    FuzzyART(0.8, rate=0.5, max_iter=2).fit(X).partial_fit(X[:3])
    MixtureOfExpertsClassifier(2, n_init=1, tol=1e-2, random_state=0).fit(X, y)
    HebbianFeatures(2, max_iter=2, random_state=0).fit(X)
    HebbianFeatures(rule="hebb", max_iter=2, random_state=0).fit(X, sample_weight=weights)


@scenario
def acting() -> None:
    from assay.reinforcement import (
        DoubleQLearning,
        ExpectedSarsa,
        GridWorld,
        QLearning,
        Sarsa,
        TemporalDifference,
    )

    world = GridWorld("..G\n.#.\nS.X", slip=0.1)
    world.solve("value iteration")
    world.solve("value iteration", in_place=True)
    world.simulate(world.solve("modified policy iteration"), 3, max_steps=20, random_state=0)
    for agent in (
        QLearning(fade=0.5),
        QLearning(planning_steps=2),
        Sarsa(),
        ExpectedSarsa(),
        DoubleQLearning(),
    ):
        agent.fit(world, 5, max_steps=20)
        agent.fit(_Corridor(), 5, max_steps=20)
    TemporalDifference().fit(world, 5, max_steps=20, record=True)


class _Corridor:
    """An environment that is no table: three cells, the last one is the goal."""

    observation_space, action_space = SimpleNamespace(n=3), SimpleNamespace(n=2)

    def reset(self) -> tuple[int, dict]:
        self.cell = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict]:
        self.cell = max(self.cell + (1 if action else -1), 0)
        return self.cell, float(self.cell == 2), self.cell == 2, False, {}


@scenario
def sequences() -> None:
    from assay.sequences import (
        CategoricalHMM,
        ConditionalRandomField,
        GaussianHMM,
        HiddenSemiMarkovModel,
        LinearDynamicalSystem,
        MultinomialHMM,
        PoissonHMM,
    )
    from assay.sequences.chain import Chain, Frames, pad
    from assay.sequences.independent_chains import IndependentChains

    (X, y), parts = numbers(60, 3), [20, 40]
    for kind in ("diag", "full", "tied"):
        model = GaussianHMM(3, covariance_type=kind, n_iter=2, random_state=0).fit(X, parts)
        model.predict(X, parts)
    with_states = GaussianHMM(3, covariance_type="full", n_iter=2, random_state=0)
    with_states.fit(X, parts, states=np.where(np.arange(60) == 7, 1, -1))
    counts = np.abs(np.round(X))
    PoissonHMM(3, n_iter=2, random_state=0).fit(counts, parts)
    MultinomialHMM(3, n_iter=2, random_state=0).fit(counts, parts)
    known = CategoricalHMM(3, n_iter=2, random_state=0)
    known.fit((X[:, :1] > 0).astype(int), parts, states=np.where(np.arange(60) == 7, 1, -1))
    symbols = CategoricalHMM(40, n_iter=2, random_state=0).fit((X[:, :1] > 0).astype(int), parts)
    symbols.predict((X[:, :1] > 0).astype(int), parts)
    symbols.score((X[:, :1] > 0).astype(int), parts)
    logs = np.zeros((4, 2))
    logs[:2, 1] = logs[2:, 0] = -2000.0
    Chain(np.array([0.5, 0.5]), np.eye(2)).expect(Frames(2, pad(logs)), np.array([0, 4]))
    Chain(np.array([0.5, 0.5]), np.full((4, 2, 2), 0.5)).expect(
        Frames(2, pad(logs)), np.array([0, 1, 4]), np.ones(2)
    )
    pair = IndependentChains(np.full(4, 0.25), [np.full((2, 2), 0.5)] * 2, lambda: np.full((4, 4), 0.25))
    pair.expect(Frames(4, np.zeros((5, 4))), np.array([0, 2, 5]), np.ones(2))
    LinearDynamicalSystem(2, n_iter=2).fit(X, parts)
    segments = HiddenSemiMarkovModel(2, 4, n_iter=2, random_state=0).fit(X, parts)
    segments.predict(X, parts)
    segments.score(X, parts)
    for labels in (y, np.arange(60) % 40):
        ConditionalRandomField(max_iter=300).fit(X, labels, parts).predict(X, parts)
    ConditionalRandomField().fit([[["a"], ["b", "c"]]], [["u", "v"]])


@scenario
def searches_of_settings() -> None:
    from assay.tuning import BayesianOptimization, Real

    search = BayesianOptimization({"a": Real(0.0, 1.0), "b": Real(0.0, 1.0), "kind": ["x", "y"]}, n_initial=4)
    search.minimize(lambda a, b, kind: (a - 0.3) ** 2 + b * (kind == "x"), 9)


@scenario
def the_rest() -> None:
    import assay.metrics as metrics
    import assay.smoothers._local_fits as _local_fits
    import assay.smoothers._reinsch as _reinsch
    from assay.densities import KernelDensity
    from assay.outliers import IsolationForest
    from assay.prepare import MinMaxScaler, PolynomialFeatures, SimpleImputer
    from assay.smoothers import Loess, SmoothingSpline

    X, y = numbers(60, missing=True)
    SimpleImputer().fit(X).transform(X)
    SimpleImputer().fit(X.astype(np.float32)).transform(X.astype(np.float32))
    Z, y = numbers(60)
    MinMaxScaler().fit(Z).transform(Z)
    PolynomialFeatures().fit_transform(Z)
    PolynomialFeatures(order="F").fit_transform(Z)
    PolynomialFeatures().fit_transform(Z.astype(np.float32))
    PolynomialFeatures().fit_transform(sparse()[0])
    IsolationForest(n_estimators=3, random_state=0).fit(Z).score_samples(Z)
    KernelDensity().fit(Z).score_samples(Z)
    Loess().fit(Z[:, :1], Z[:, 1]).predict(Z[:, :1])
    Loess().fit(Z[:, :2], Z[:, 2]).predict(Z[:, :2])
    spline = SmoothingSpline().fit(Z[:, :1], Z[:, 1])
    spline.predict(Z[:, :1])
    _reinsch.shares(np.arange(9.0), np.ones(9), 0.5, np.ones((2, 9)), np.ones((2, 9)))
    space = {"x": Z[:, :2].copy(), "y": Z[:, 2].copy(), "count": np.ones(60), "prior": np.ones(60)}
    space |= {"queries": Z[:5, :2].copy(), "left_out": np.full(5, -1)}
    powers = np.eye(2, dtype=np.int64)[:0].reshape(0, 2)
    how = _local_fits.Fit(h=1.0, k=0.0, kind=1, degree=1, powers=powers)
    result = {"estimate": np.empty(5), "weights": np.zeros((5, 60))}
    _local_fits.in_space(**space, distances=np.ones((5, 60)), how=how, **result)
    lists = {"start": np.arange(0, 51, 10), "rows": np.tile(np.arange(10), 5), "distances": np.ones(50)}
    _local_fits.in_lists(**space, **lists, how=how, **result)
    score = Z[:, 0]
    metrics.roc_auc_score(y > 0, score)
    metrics.roc_curve(y > 0, score)
    for measure, answer in (
        ("auc", score),
        ("average precision", score),
        ("f1", score > 0),
        ("log-loss", 1 / (1 + np.exp(-score))),
    ):
        for settings in ({}, {"sample_weight": np.ones(60)}, {"groups": np.arange(60) // 2}):
            metrics.with_interval(measure, y > 0, answer, method="percentile", resamples=20, **settings)
    metrics.with_interval(lambda a, b: np.mean(a == b), y > 0, score > 0, method="percentile", resamples=20)


@scenario
def networks() -> None:
    """Passes over dense and sparse rows, with weights and with units left out; gradients over all rows."""
    from assay.neural import MLPClassifier, MLPRegressor

    def own(o: Any, y: Any) -> Any:
        return ((o - y) ** 2).sum(axis=1), 2 * (o - y)

    Z, y = numbers()
    settings: dict[str, Any] = {"hidden_layer_sizes": 3, "random_state": 0, "max_iter": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for solver in ("adam", "lbfgs"):
            dropout, clip = (0.2, 1.0) if solver == "adam" else (0.0, None)
            MLPClassifier(solver=solver, dropout=dropout, **settings).fit(Z, y, np.ones(60))
            MLPClassifier(solver=solver, **settings).fit(Z.astype(np.float32), y)
            MLPClassifier(solver=solver, **settings).fit(sparse()[0], y > 0)
            MLPRegressor("huber", solver=solver, batch_size=7, clip=clip, **settings).fit(Z, Z[:, :2])
            layered = MLPClassifier(solver=solver, normalization="layer", **settings)
            layered.fit(Z.astype(np.float32), y)
            MLPRegressor(own, solver=solver, dropout=dropout, **settings).fit(Z, Z[:, :2])
            MLPRegressor(own, solver=solver, **settings).fit(Z.astype(np.float32), Z[:, :2])
        MLPClassifier(normalization="batch", dropout=0.2, **settings).fit(Z, y)
        mixed = {"x": Z[:, 0].tolist(), "town": [f"t{i % 7}" for i in range(60)]}
        for solver in ("adam", "lbfgs"):
            MLPClassifier(category_size=2, members=2, solver=solver, **settings).fit(mixed, y)
        MLPRegressor(own, normalization="batch", **settings).fit(sparse()[0].astype(np.float32), Z[:, :2])


@scenario
def delimited_files() -> None:
    """Cells in quotes and out of them, numbers of all forms, text, missing values; whole and in blocks."""
    import io

    from assay.tables import read_blocks, read_table

    rows = "".join(f'{i},{i / 7},"x ""{i}""",1 {i:03d},{"NA" if i % 3 else i}\n' for i in range(40))
    read_table(io.StringIO("a,b,c,d,e\n" + rows))
    list(read_blocks(io.StringIO("a;b\n" + "1,5;x\n# no row\n" * 9), comment="#", escape="\\", decimal=","))


@scenario
def tabular_networks() -> None:
    """Passes over mixed columns with missing values, with weights; answers; inputs of the first layer."""
    from assay.neural import TabularNetClassifier, TabularNetRegressor
    from assay.tables import Table

    Z, y = numbers()
    gaps = Z.copy()
    gaps[::5, 0] = np.nan
    columns: dict[str, Any] = {"x": gaps[:, 0], "few": [str(i % 3) for i in range(60)]}
    table = Table.of({**columns, "many": [str(i % 20) for i in range(60)]})
    settings: dict[str, Any] = {"hidden_layer_sizes": (4, 3), "members": 2, "max_iter": 2, "random_state": 0}
    TabularNetClassifier(**settings).fit(table, y, np.ones(60)).predict(table)
    TabularNetRegressor("poisson", embedding=None, **settings).fit(Z, abs(Z[:, :2])).explain(Z[:2])
