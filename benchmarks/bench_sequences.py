"""Models of sequences against hmmlearn, statsmodels and CRFsuite, where they are installed."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from assay import sequences
from benchmarks.harness import Race, growth

GAUSSIANS = [
    (2_000, 3, 2, "diag"),
    (100_000, 5, 5, "diag"),
    (100_000, 20, 5, "diag"),
    (50_000, 10, 5, "full"),
]
LABELLED = [
    (500, 5, 2_000, False),
    (1_000, 15, 5_000, False),
    (500, 15, 2_000, True),
    (300, 40, 2_000, False),
]
STEPS = 5  # of EM, the same for both
SHORT = (
    "Baum-Welch of 2000 rows: half of the time are the native steps, half the reading and checking of what was given, "
    "once; more steps take the ratio towards that of longer sequences"
)


def chain(K: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A start and transitions that like to stay."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(K)), 0.5 * np.eye(K) + 0.5 * rng.dirichlet(np.ones(K), size=K)


def rows(n: int, K: int, d: int, symbols: int = 0) -> np.ndarray:
    """n rows of a chain of K states: d numbers, or one symbol."""
    rng = np.random.default_rng(n + K + d)
    _, A = chain(K, K)
    states, ways = np.zeros(n, dtype=int), np.cumsum(A, axis=1)
    for t, u in enumerate(rng.random(n - 1)):
        states[t + 1] = (ways[states[t]] > u).argmax()
    if symbols:
        table = np.cumsum(rng.dirichlet(np.full(symbols, 0.3), size=K), axis=1)
        return (table[states] > rng.random((n, 1))).argmax(axis=1)[:, None]
    return 2.0 * rng.normal(size=(K, d))[states] + rng.normal(size=(n, d))


def started(room: Any, name: str, X: np.ndarray, K: int, **settings: Any) -> Any:
    """A model that starts where the other one does, and takes a fixed number of steps."""
    model = getattr(room, name)(K, n_iter=STEPS, tol=-np.inf, init_params="", **settings)
    rng = np.random.default_rng(1)
    model.startprob_, model.transmat_ = chain(K, K + 1)
    if name == "CategoricalHMM":
        model.emissionprob_ = rng.dirichlet(np.ones(int(X.max()) + 1), size=K)
        model.n_features = int(X.max()) + 1
    else:
        model.means_ = X[rng.choice(len(X), K, replace=False)]
        d = X.shape[1]
        full = settings.get("covariance_type") == "full"
        model.covars_ = np.tile(np.eye(d), (K, 1, 1)) if full else np.ones((K, d))
    return model


def quietly(job: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return job()

    return run


def em_race(
    label: str, name: str, X: np.ndarray, K: int, lengths: Any, implementation: str, **settings: Any
) -> Race:
    from hmmlearn import hmm

    peer = started(hmm, name, X, K, implementation=implementation, **settings)
    peer_start = {
        k: np.copy(v) for k, v in vars(peer).items() if k.endswith("_") and isinstance(v, np.ndarray)
    }

    def run_peer() -> Any:
        vars(peer).update({k: np.copy(v) for k, v in peer_start.items()})
        return peer.fit(X, lengths)

    ours = lambda: started(sequences, name, X, K, **settings).fit(X, lengths)  # noqa: E731
    words = "scaling" if implementation == "scaling" else "default"
    size = f"{len(X)} rows, K = {K}" + (f", {len(lengths)} sequences" if lengths is not None else "")
    return Race(
        f"Baum-Welch {label}, hmmlearn's {words}", size, ours, quietly(run_peer), 20 if len(X) < 5000 else 1
    )


def hmm_races() -> list[Race]:
    from hmmlearn import hmm

    made = []
    for n, K in ((2_000, 3), (100_000, 5), (100_000, 10), (100_000, 20), (20_000, 50)):
        X = rows(n, K, 1, symbols=20)
        made.append(em_race("categorical", "CategoricalHMM", X, K, None, "scaling"))
        if n * K <= 1_000_000:
            made.append(em_race("categorical", "CategoricalHMM", X, K, None, "log"))
    for n, K, d, kind in (
        (2_000, 3, 2, "diag"),
        (100_000, 5, 5, "diag"),
        (100_000, 20, 5, "diag"),
        (50_000, 10, 5, "full"),
    ):
        X = rows(n, K, d)
        made.append(
            em_race(f"Gaussian {kind}, d = {d}", "GaussianHMM", X, K, None, "scaling", covariance_type=kind)
        )
        if n * K <= 500_000:
            made.append(
                em_race(f"Gaussian {kind}, d = {d}", "GaussianHMM", X, K, None, "log", covariance_type=kind)
            )
    for S, T, K in ((10_000, 20, 10), (20_000, 5, 4), (2_000, 50, 20)):
        X = rows(S * T, K, 1, symbols=20)
        made.append(em_race("categorical", "CategoricalHMM", X, K, [T] * S, "scaling"))
    for n, K in ((100_000, 5), (100_000, 20), (20_000, 50)):
        X = rows(n, K, 1, symbols=20)
        pair = [started(room, "CategoricalHMM", X, K) for room in (sequences, hmm)]
        made.append(Race("Viterbi categorical", f"{n} rows, K = {K}", *(partial(m.decode, X) for m in pair)))
    X = rows(100_000, 10, 5)
    pair = [started(room, "GaussianHMM", X, 10, covariance_type="diag") for room in (sequences, hmm)]
    size = "100000 rows, K = 10"
    made.append(Race("Viterbi Gaussian, d = 5", size, *(partial(m.decode, X) for m in pair)))
    made.append(Race("posterior Gaussian, d = 5", size, *(partial(m.predict_proba, X) for m in pair)))
    return made


def system(D: int, m: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(D + 10 * m)
    F = 0.95 * np.linalg.qr(rng.normal(size=(D, D)))[0]
    return {
        "F": F, "H": rng.normal(size=(m, D)), "Q": 0.3 * np.eye(D), "R": np.eye(m), "mean": np.zeros(D),
        "covariance": np.eye(D),
    }  # fmt: skip


def kalman_races() -> list[Race]:
    from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother

    made = []
    for n, D, m in ((10_000, 1, 1), (10_000, 4, 2), (10_000, 8, 4)):
        parts = system(D, m)
        ours = sequences.LinearDynamicalSystem.of(**parts)
        Y = ours.sample(n, random_state=0)[0]
        peer = KalmanSmoother(k_endog=m, k_states=D)
        peer.bind(np.asfortranarray(Y.T))
        peer["design"], peer["transition"] = parts["H"], parts["F"]
        peer["selection"], peer["state_cov"], peer["obs_cov"] = np.eye(D), parts["Q"], parts["R"]
        peer.initialize_known(parts["mean"], parts["covariance"])
        size = f"{n} rows, {D} hidden numbers, {m} columns"
        made.append(Race("Kalman filter", size, lambda o=ours, Y=Y: o.filter(Y), lambda p=peer: p.filter()))
        made.append(
            Race("Kalman likelihood", size, lambda o=ours, Y=Y: o.score(Y), lambda p=peer: p.loglike())
        )
        made.append(Race("Kalman smoother", size, lambda o=ours, Y=Y: o.smooth(Y), lambda p=peer: p.smooth()))
    return made


def sentences(n: int, length: int, L: int, words: int) -> tuple[list[Any], list[Any]]:
    """Rows with features of the word, its neighbours and its ending; labels of a chain that emits words."""
    rng = np.random.default_rng(L)
    _, A = chain(L, L)
    ways, table = np.cumsum(A, axis=1), np.cumsum(rng.dirichlet(np.full(words, 0.05), size=L), axis=1)
    X, y = [], []
    for _ in range(n):
        label, labels, text = int(rng.integers(L)), [], []
        for u, v in rng.random((length, 2)):
            label = int((ways[label] > u).argmax())
            labels.append(f"L{label}")
            text.append(f"w{min(int((table[label] > v).argmax()), words - 1)}")
        rows = []
        for t, word in enumerate(text):
            row = [f"word:{word}", f"end:{word[-1]}", f"ends:{word[-2:]}"]
            row += [f"before:{text[t - 1]}"] if t else ["first"]
            rows.append([*row, f"after:{text[t + 1]}"] if t + 1 < length else [*row, "last"])
        X.append(rows)
        y.append(labels)
    return X, y


def crf_races() -> list[Race]:
    import pycrfsuite

    made = []
    for n, length, L, words, everything in (
        (500, 20, 5, 2_000, False),
        (1_000, 20, 15, 5_000, False),
        (500, 20, 15, 2_000, True),
        (300, 20, 40, 2_000, False),
    ):
        X, y = sentences(n, length, L, words)

        def peer(X: Any = X, y: Any = y, everything: bool = everything) -> Any:
            trainer = pycrfsuite.Trainer(verbose=False, algorithm="lbfgs")
            for rows, labels in zip(X, y):
                trainer.append(rows, labels)
            settings = {"c1": 0.0, "c2": 0.1, "max_iterations": 50, "delta": 0.0, "epsilon": 0.0}
            pairs = dict.fromkeys(["feature.possible_states", "feature.possible_transitions"], everything)
            trainer.set_params({**settings, **pairs})
            with tempfile.TemporaryDirectory() as folder:
                trainer.train(f"{folder}/model")

        def ours(X: Any = X, y: Any = y, everything: bool = everything) -> Any:
            model = sequences.ConditionalRandomField(
                c2=0.1,
                max_iter=50,
                tol=0.0,
                all_possible_states=everything,
                all_possible_transitions=everything,
            )
            return model.fit(X, y)

        pairs = ", all pairs" if everything else ""
        made.append(
            Race(
                f"conditional random field, 50 steps{pairs}",
                f"{n * length} rows, {L} labels",
                quietly(ours),
                peer,
            )
        )
    return made


def races() -> list[Race]:
    made: list[Race] = []
    if find_spec("hmmlearn"):
        made += hmm_races()
    if find_spec("statsmodels"):
        made += kalman_races()
    if find_spec("pycrfsuite"):
        made += crf_races()
    return made


def growths() -> list[str]:
    def step(n: int, K: int) -> Any:
        X = rows(n, K, 1, symbols=20)
        return lambda: started(sequences, "CategoricalHMM", X, K).fit(X)

    in_n = growth(lambda n: step(n, 10), [10_000, 40_000, 160_000])
    in_K = growth(lambda K: step(20_000, K), [8, 16, 32, 64])
    return [f"CategoricalHMM, time of {STEPS} steps grows with n^{in_n:.2f} and K^{in_K:.2f}", SHORT]
